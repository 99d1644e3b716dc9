"""What depends on the language of a text, as data: a file for each language below `data`."""
