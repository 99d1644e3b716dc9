"""The check of an answer's sentences against the evidence."""
