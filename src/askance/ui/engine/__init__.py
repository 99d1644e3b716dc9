"""Between the windows and the engine: a thread beside the window, and the conversation it serves."""
