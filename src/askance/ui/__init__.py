"""The window, in layers of which each imports only those below it.

`shell`: the program around its windows. `overlay`: what comes up by itself, with a question and all that is shown of
it. `settings`: the window beside it, with the first page. `bridge`: the thread beside the window.
`design`: the look and the stock of widgets.
"""
