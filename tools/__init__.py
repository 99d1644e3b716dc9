"""What is run by hand on this repository."""
