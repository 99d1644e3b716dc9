"""How the window looks: colours, type, measures, icons."""
