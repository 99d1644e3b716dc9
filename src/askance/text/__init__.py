"""Languages and ranking: what words mean for a search, without input or output."""
