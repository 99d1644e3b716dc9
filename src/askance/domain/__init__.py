"""Values, events, the move table and errors. Standard library only."""
