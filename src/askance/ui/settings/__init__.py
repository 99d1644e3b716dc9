"""The window of settings: `tables` says which rows its pages have, `controls` how a row is changed.

The pages for models, the library, programs, services and stored data have modules of their own.
"""
