"""What comes into the library: folders, files, and lines of documents."""
