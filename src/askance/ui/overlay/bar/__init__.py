"""The ask bar: its field, its chips, and the status beside it."""
