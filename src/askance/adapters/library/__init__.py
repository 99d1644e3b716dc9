"""The library: how files come into it, and the two places that store it."""
