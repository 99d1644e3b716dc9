"""Books, notes and other texts that are written to be read from end to end."""
