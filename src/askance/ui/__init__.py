"""The window: what it shows is decided in `model`, without Qt."""
