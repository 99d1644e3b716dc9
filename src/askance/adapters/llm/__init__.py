"""Model servers, and models run by this program."""
