"""The conversation that the overlay shows, as values and without widgets; the engine is behind `session`."""
