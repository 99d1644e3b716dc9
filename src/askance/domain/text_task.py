"""What can be done with a text of the user's own."""

from __future__ import annotations

from enum import StrEnum


class TextTask(StrEnum):
    """The text commands, by the names under which they are typed."""

    TLDR = "tldr"
    REWRITE = "rewrite"
    REFINE = "refine"
    TRANSLATE = "translate"
    EXPLAIN = "explain"
    BULLETS = "bullets"
    TODOS = "todos"
