"""The window of settings."""
