"""The overlay: the ask bar, what stands below its field, its drafts, the library, and the bar at its foot.

`overlay` puts the parts together; only `shell` enters here.
"""
