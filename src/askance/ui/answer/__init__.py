"""What is shown of a question: its run, the answer as it streams, sources and trace."""
