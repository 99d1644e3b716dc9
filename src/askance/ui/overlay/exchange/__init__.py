"""The exchanges of a conversation: question, run, answer and sources."""
