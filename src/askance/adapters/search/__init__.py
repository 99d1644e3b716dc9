"""SearXNG, and search without it."""
