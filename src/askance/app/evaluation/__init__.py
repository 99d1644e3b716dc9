"""How good a model is on this machine, measured on the sample web; for the command line and the window."""
