"""The gateway before SearXNG: it lets in who knows the token, and hands on searches only."""
