"""The Markdown of answers: its grammar, the markers in it, and its sanitiser."""
