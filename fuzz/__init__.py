"""Fuzzing: whatever a page, a server or a file holds, nothing breaks and nothing gets through."""
