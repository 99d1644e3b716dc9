"""How runs and services are shown on a terminal, in a pipe and to other programs."""
