"""Askance: a private assistant that searches the web, looks twice, and cites what it says."""

__version__ = "0.1.0"
