"""How the parts of an installation are, for every front end to tell in its own way."""
