"""What only a desktop has: a hotkey, notifications, an X server's windows, a way to the running window."""
