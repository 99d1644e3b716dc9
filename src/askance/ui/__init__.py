"""The window, in layers of which each imports only those below it.

`shell`: the program around its windows. `overlay`: what comes up by itself. `settings`, `history`: windows beside
it, with the first page. `answer`: a question with all that is shown of it. `engine`: the thread beside the
window. `design`: the look and the stock of widgets. `model`: what is shown, decided without Qt.
"""
