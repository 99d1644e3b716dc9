"""The library on a Qdrant server; loaded only where the settings name one."""
