"""The page reader as a service of its own: the reader that runs in process, behind HTTP."""
