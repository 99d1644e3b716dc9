"""The Markdown that the sample pages are written in: headings, paragraphs, lists and tables."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token


def render_html(source: str) -> str:
    """Return a text as HTML."""
    return _parser().render(source)


def plain_text(source: str) -> str:
    """Return a text without its marks: a line for each item and row, a blank line between blocks."""
    blocks: list[str] = []
    lines: list[str] = []
    cells: list[str] = []
    for token in _parser().parse(source):
        if token.type == "inline":
            cells.append(_words(token))
        elif token.type in {"heading_close", "paragraph_close", "tr_close"}:
            lines.append(", ".join(filter(None, cells)))
            cells = []
        if token.level == 0 and token.nesting < 0:
            blocks.append("\n".join(filter(None, lines)))
            lines = []
    return "\n\n".join(blocks)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _words(inline: Token) -> str:
    children = inline.children or ()
    return "".join(" " if child.type == "softbreak" else child.content for child in children)
