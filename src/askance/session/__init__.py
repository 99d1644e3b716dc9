"""One conversation, whoever shows it: what was typed, what the engine does about it, what is kept."""
