"""How the window looks: colours and type (`theme`), rows, columns and measures (`composing`), labels, controls.

Widgets of every part of the window that belong to none alone live here; they know nothing of what they show.
"""
