"""The first page: what is there, and what a click does about it."""
