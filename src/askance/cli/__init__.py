"""The command line: the program in a terminal, `commands` and how they are shown (`render`)."""
