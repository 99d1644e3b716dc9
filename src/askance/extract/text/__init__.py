"""What all readers share: bytes to text, characters that nobody sees, Markdown, and XML that is not well-formed."""
