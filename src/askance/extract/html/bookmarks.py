"""The bookmarks of a browser, as it writes them to a file: a line of JSON for each.

The format is that of Netscape: an address and a title in each `<A>`, folders as `<H3>` before a `<DL>`, and
a description in a `<DD>`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from lxml import etree  # pyright: ignore[reportMissingTypeStubs, reportAttributeAccessIssue, reportUnknownVariableType]

from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.extracted import Extracted, empty, failed
from askance.extract.html.tree import TreeError
from askance.extract.text.decoding import decode_text, first_of
from askance.extract.text.markdown_text import tidy_text

_PART_CHARACTERS = 300_000
_LONGEST_CHARACTERS = 2_000
_DEEPEST = 50
_WEB = ("http://", "https://")
_etree = cast("Any", etree)


@dataclass(slots=True)
class _Mark:
    url: str
    tags: list[str]
    added: str
    title: list[str] = field(default_factory=list[str])
    description: list[str] = field(default_factory=list[str])


def extract_bookmarks(data: bytes, content_type: str) -> Extracted:
    """Return bookmarks as lines of JSON: `{"url", "title", "text", "tags", "fetched_at"}`.

    The folders of a bookmark are tags of it. Where more follow than fit into a page, `detail` says how
    many are read by then (`pages`), and a parameter `first` of the content type how many to pass over.
    """
    reading = _Bookmarks()
    # No tree is built: folders within folders would make it as deep as a file likes.
    parser = _etree.HTMLParser(target=reading)
    try:
        parser.feed(decode_text(data, content_type))
        parser.close()
    except (TreeError, ValueError) as exc:
        return failed(
            PageReason.EXTRACTION, Message("The file is damaged: {problem}.", problem=exc)
        )
    first = first_of(content_type) or 0
    lines: list[str] = []
    size = 0
    for mark in reading.marks[first:]:
        lines.append(_line(mark))
        size += len(lines[-1])
        if size > _PART_CHARACTERS:
            break
    if not lines:
        return empty(PageReason.NO_TEXT, Message("It holds no bookmark."))
    detail = NOTHING
    if (done := first + len(lines)) < len(reading.marks):
        detail = Message(
            "Only the first {pages} of the {available} bookmarks are read.",
            pages=done,
            available=len(reading.marks),
        )
    return Extracted(PageStatus.OK, detail=detail, markdown="\n".join(lines), words=len(lines))


class _Bookmarks:
    """Is told of elements as they come."""

    def __init__(self) -> None:
        self.marks: list[_Mark] = []
        self._folders: list[str] = []
        self._depth = 0
        self._next_folder = ""
        self._into: list[str] | None = None
        self._heading: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        match tag:
            case "dl":
                self._depth += 1
                if self._depth <= _DEEPEST:
                    self._folders.append(self._next_folder)
                self._next_folder = ""
            case "h3":
                self._into = self._heading = []
            # `javascript:` and `place:` are no pages that anybody could read.
            case "a" if attributes.get("href", "").strip().lower().startswith(_WEB):
                self._next_folder = ""
                tags = attributes.get("tags", "").split(",")
                folders = [name for name in self._folders if name]
                url = attributes["href"].strip()[:_LONGEST_CHARACTERS]
                mark = _Mark(url, [*folders, *tags], _moment(attributes.get("add_date", "")))
                self.marks.append(mark)
                self._into = mark.title
            # Behind the name of a folder it describes that.
            case "dd" if self.marks and not self._next_folder:
                self._into = self.marks[-1].description
            case "a" | "dt" | "dd":
                self._into = None
            case "br" | "p" | "div" | "li":
                self.data(" ")
            case _:
                pass

    def end(self, tag: str) -> None:
        if tag == "h3":
            self._next_folder = _tidy(self._heading)
        if tag == "dl" and self._depth:
            self._depth -= 1
            # Of folders that were too deep to be noted the slice takes nothing.
            del self._folders[self._depth :]
        if tag in {"h3", "a", "dd", "dl"}:
            self._into = None

    def data(self, text: str) -> None:
        if self._into is not None:
            self._into.append(text)

    # lxml asks for it at the end of a file.
    def close(self) -> None:
        pass


def _line(mark: _Mark) -> str:
    title = _tidy(mark.title)
    tags = [tag for name in mark.tags if (tag := _tidy([name]))]
    return json.dumps(
        {
            "url": mark.url,
            "title": title or mark.url,
            "text": _tidy(mark.description) or title or mark.url,
            "tags": list(dict.fromkeys(tags)),
            "kind": "page",
            "fetched_at": mark.added,
        }
    )


def _tidy(parts: list[str]) -> str:
    return " ".join(tidy_text("".join(parts)).split())[:_LONGEST_CHARACTERS]


def _moment(seconds: str) -> str:
    try:
        # Seconds since 1970 in the files of browsers; other programs write anything, or nothing.
        return datetime.fromtimestamp(int(seconds), UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
