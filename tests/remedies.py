"""What an error tells to do, as data: a test compares that, and no sentence."""

from __future__ import annotations

from askance.domain.errors import AskanceError
from askance.domain.messages import Message, Remedy


def remedy_of(error: AskanceError | Message) -> Remedy:
    """Return the remedy of an error or of a message; a mere sentence has none, and fails the test."""
    fix = error.fix if isinstance(error, AskanceError) else error
    assert isinstance(fix, Remedy), fix
    return fix
