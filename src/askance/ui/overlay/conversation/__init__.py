"""The conversation that the overlay shows: as values without widgets, the engine behind them, and its widgets."""
