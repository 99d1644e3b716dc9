"""Past conversations."""
