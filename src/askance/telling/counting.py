"""Numbers of things."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it must be."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
