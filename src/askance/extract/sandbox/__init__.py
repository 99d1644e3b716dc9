"""Confinement of child processes that work on foreign bytes, as far as the system offers it."""
