"""Past conversations: the window that lists them, and how one becomes a file.

It reads beside the window; opening one is the overlay's.
"""
