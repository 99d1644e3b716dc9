"""Citation markers, lifted out of answers and taken out of sources."""
