"""The window of settings: `tables` says which rows its pages have, `controls` how a row is changed.

`background` has what the pages for models, the library, programs, and what is installed and stored are made of.
`first_run` is the first page, a window of its own.
"""
