"""Text out of Jupyter's notebooks: what is written in them, their code, and what that printed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from askance.domain.messages import Message
from askance.domain.web import PageReason, PageStatus
from askance.extract.extracted import Extracted, empty
from askance.extract.markdown import fenced
from askance.extract.text import count_words, strip_invisible

_OUTPUT_CHARACTERS = 4_000


def read_notebook(data: bytes) -> Extracted:
    """Return the text of a notebook.

    Raises:
        ValueError: it is none.
    """
    try:
        book = _object(json.loads(data.decode("utf-8-sig")))
    except RecursionError as exc:
        raise ValueError("it is nested too deep") from exc
    syntax = _object(_object(book.get("metadata")).get("language_info")).get("name", "")
    cells = _objects(book.get("cells"))
    for sheet in _objects(book.get("worksheets")):  # as before 2015
        cells += _objects(sheet.get("cells"))
    blocks = _blocks(cells, syntax if isinstance(syntax, str) else "")
    text = strip_invisible("\n\n".join(block.strip("\n") for block in blocks if block.strip()))
    if not (words := count_words(text)):
        return empty(PageReason.NO_TEXT, Message("The file has no text."))
    return Extracted(PageStatus.OK, markdown=text, words=words)


def _blocks(cells: list[dict[str, Any]], syntax: str) -> Iterator[str]:
    for cell in cells:
        source = _text(cell.get("source", cell.get("input")))
        if cell.get("cell_type") != "code":
            yield source
            continue
        if source.strip():
            yield fenced(source, syntax)
        for output in _objects(cell.get("outputs")):
            shown = _object(output.get("data")).get("text/plain")
            text = _text(output.get("text") or shown)
            if text.strip():
                yield fenced(text[:_OUTPUT_CHARACTERS].rstrip())


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [_object(one) for one in cast("list[Any]", value)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(one for one in cast("list[Any]", value) if isinstance(one, str))
    return value if isinstance(value, str) else ""
