"""The page reader that runs in this program: guarded fetching, and child processes for the text."""
