"""Page readers: guarded fetching with child processes for the text, and the service that does it apart."""
