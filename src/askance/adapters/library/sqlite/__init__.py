"""The library in one SQLite file."""
