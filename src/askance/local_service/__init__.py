"""What the local services have in common: who may ask, how both sides prove it, and the HTTP server."""
