"""The desktop program around its windows: one process, a tray icon, a hotkey."""
