"""The overlay: the ask bar, its drafts and offers, and the bar at its foot."""
