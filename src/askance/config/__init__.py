"""One frozen tree of settings, and where it comes from."""
