"""The window, in floors of which each imports only those below it.

`shell`: the program around its windows. `overlay`, `welcome`: what comes up by itself. `settings`, `history`:
windows beside them. `answer`: a question with all that is shown of it. `engine`: the thread beside the
window. `design`: the look and the stock of widgets. `model`: what is shown, decided without Qt.
"""
