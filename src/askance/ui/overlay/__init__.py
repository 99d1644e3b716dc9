"""The overlay: the ask bar, its drafts, the library, and what the window says of itself (`status`).

`overlay` puts the parts together; only `shell` enters here.
"""
