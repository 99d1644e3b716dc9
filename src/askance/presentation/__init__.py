"""What runs, answers and errors look like in words and as views, for every front end; without Qt."""
