"""The sample web: an invented island, its pages, and a server that shows and searches them.

For the demo and for the quality gate. Nothing here speaks to anything but loopback.
"""
