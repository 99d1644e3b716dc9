"""What a question is asked with: the commands that reach a model, by the names that are kept."""

from __future__ import annotations

CHAT = "chat"
"""It talks to the model alone and never searches."""
SEARCH = "search"
THINK = "think"
"""As `CHAT`, and the model is to reason before it answers."""
SEARCH_THINKING = "search /think"
"""A search whose answer the model is to reason about. It is typed in either order."""


def searches(command: str) -> bool:
    """Return whether what is asked with this command is searched on the web."""
    return command in {SEARCH, SEARCH_THINKING}


def thinks(command: str) -> bool:
    """Return whether the model is to reason about what is asked with this command."""
    return command in {THINK, SEARCH_THINKING}


def from_memory(command: str) -> bool:
    """Return whether what is asked with this command is answered from what the model remembers."""
    return command in {CHAT, THINK}
