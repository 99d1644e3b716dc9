"""An answer as it is drawn: its blocks, its document, and the links of its numbers."""
