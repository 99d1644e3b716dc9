"""Programs that run in containers: the page reader and the gateway to SearXNG."""
