"""Past conversations as documents: Markdown, HTML and JSON. Pure: no clock, no files."""
