"""Pages in HTML, and what else is written in it or for browsers: feeds, bookmarks."""
