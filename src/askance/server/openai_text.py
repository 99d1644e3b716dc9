"""An answer as a chat front end gets it: Markdown whose markers are links, and where they stand.

While it is written its check is still to come. What is shown by then leads nowhere but to its own
sources, and whatever the check sets right stands behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askance.citations.grammar import markers
from askance.citations.links import own_links_only
from askance.citations.markers import lift_markers, set_markers
from askance.domain.events import Answered
from askance.domain.evidence import Citation, Source, Support
from askance.engine.budget import Governor
from askance.presentation.answers import (
    SIGNS,
    SourceRow,
    is_web_address,
    legend,
    link_of,
    listed,
    origin_note,
    source_rows,
)
from askance.ranking.tokens import words
from askance.transcripts.markdown import harmless, plain, written_address
from askance.transcripts.outcome import ORDER, markers_of

SOURCES_TITLE = "**Sources**"
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}(?=[^`\n]*$)|~{3,})")
_OPENERS = {"[": "]", "【": "】", "\uff3b": "\uff3d", "`": "`"}
# A word that begins so may be a marker, which belongs to the word before it.
_MARKER_LIKE = frozenset("[【\uff3b(\\^<*_ ")
_LONGEST_HELD = 500
_CODE = re.compile(r"(?<![`\\])(`{1,9})(?!`)[^`]{1,2000}(?<!`)\1(?!`)")
_BRACKETS = re.compile(r"[\[\]]")
_TARGET = re.compile(r"\](?=[(:\[])")
_ANY_LINK = re.compile(r"\](?=[(:\[])|<(?=[a-z/!?])|:/(?=/)|\bwww\.(?=\w)", re.IGNORECASE)
# Before a part of a line, so that nothing in it is read as the begin of a block.
_BEFORE = "x "
_LINK = re.compile(r"\]\(https?://[^()\s]{1,3000}\)")
_WORD = re.compile(r"\S+")
_SAME_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class Shown:
    """A text as it is shown, and OpenAI's annotations of it."""

    text: str
    annotations: tuple[dict[str, Any], ...] = ()


def shown(end: Answered) -> Shown:
    """Return a checked answer with its links."""
    text = harmless(own_links_only(end.answer, [source.url for source in end.sources]))
    cited = markers_of(end)
    known = {source.n: source for source in end.sources}
    is_whole = [marker.n for marker in markers(text, known)] == [m.source.n for m in cited]
    return _linked(text, known, [m.citation for m in cited] if is_whole else ())


def footer(end: Answered) -> str:
    """Return what stands below an answer: what to beware of, and its sources with their doubts."""
    worst = {c.n: c.support for c in sorted(end.citations, key=lambda c: ORDER.index(c.support))}
    rows = listed(source_rows(end.sources, end.citations))
    lines = [
        f"- [{row.n}]{SIGNS.get(worst.get(row.n, Support.SUPPORTED), '')} {_source(row)}"
        for row in rows
    ]
    note = origin_note(end)
    parts = [f"*{plain(note)}*"] if note else []
    parts += [f"*{plain(meaning)}*" for meaning in legend(worst.values())]
    parts += ["\n".join([SOURCES_TITLE, *lines])] if rows else []
    return "".join(f"\n\n{part}" for part in parts)


def sources_of(end: Answered) -> list[dict[str, Any]]:
    """Return the sources as records."""
    return [
        {
            "n": row.n,
            "title": row.title,
            "url": row.url if is_web_address(row.url) else "",
            "date": row.date,
            "cited": row.cited,
        }
        for row in source_rows(end.sources, end.citations)
    ]


class LinkedStream:
    """Makes links of markers in a text that streams in, and lets nothing else lead anywhere.

    A word waits until it is whole, brackets and code until they are closed; code in fences waits for
    its line. `text` is what was shown, `annotations` are the links in it, `written` is what came.
    """

    def __init__(self, sources: Sequence[Source] = ()) -> None:
        self.text = ""
        self.written = ""
        self.annotations: list[dict[str, Any]] = []
        self._known = {source.n: source for source in sources}
        self._urls = frozenset(source.url for source in sources)
        self._held = ""
        self._fence = ""
        self._opens_line = True
        self._is_tangled = False

    def add(self, piece: str) -> str:
        """Take in what was written next; return what may be shown now."""
        self.written += piece
        self._held += piece
        return self._take(self._parts())

    def close(self) -> str:
        """Return what was held back."""
        rest, self._held = self._held, ""
        return self._take([(rest, bool(self._fence))])

    def follow(self, behind: Shown) -> str:
        """Take a finished text behind what was shown; return it."""
        self.annotations += _moved(behind.annotations, len(self.text))
        self.text += behind.text
        return behind.text

    def judge(self, citations: Sequence[Citation]) -> None:
        """Tell the annotations what the check says, in the order in which the text cites."""
        left = list(citations)
        for annotation in self.annotations:
            told = annotation["url_citation"]
            found = next((c for c in left if c.n == told["n"]), None)
            if found is not None:
                left.remove(found)
                told |= {"support": found.support.value, "quote": found.quote}

    def _take(self, parts: list[tuple[str, bool]]) -> str:
        shown = (Shown(part) if is_code else self._linked(part) for part, is_code in parts)
        return "".join([self.follow(one) for one in shown])

    def _linked(self, part: str) -> Shown:
        indent = part[: len(part) - len(part.lstrip(" \t"))]
        text = _BEFORE + part[len(indent) :]
        if not text.strip().removeprefix(_BEFORE.strip()):
            self._is_tangled = self._is_tangled and "\n" not in part
            return Shown(part)
        draft = lift_markers(text, frozenset(self._known))
        self._is_tangled = self._is_tangled or "`" in _CODE.sub("", draft.text)
        marked = {anchor.at: anchor.numbers for anchor in draft.anchors}
        if self._is_tangled:
            text = _ANY_LINK.sub(r"\g<0> ", set_markers(draft.text, marked).text)
        else:
            bare = harmless(own_links_only(draft.text, self._urls))
            if bare != draft.text:
                bare, marked = harmless(own_links_only(text, self._urls)), {}
            text = set_markers(bare, marked).text
            text = _TARGET.sub(r"\g<0> ", text) if _is_open(text) else text
        made = _linked(text, self._known, ())
        cut = len(_BEFORE)
        return Shown(indent + made.text[cut:], tuple(_moved(made.annotations, len(indent) - cut)))

    def _parts(self) -> list[tuple[str, bool]]:
        """Take what is whole off what is held: texts, and whether each is code."""
        parts: list[tuple[str, bool]] = []
        while "\n" in self._held:
            line, _, self._held = self._held.partition("\n")
            parts.append((f"{line}\n", self._is_code(line)))
            self._opens_line = True
        may_be_fence = self._opens_line and self._held.lstrip(" ")[:1] in ("", "`", "~")
        if self._fence or may_be_fence:
            return parts
        if cut := _place_to_cut(self._held):
            parts.append((self._held[:cut], False))
            self._held = self._held[cut:]
            self._opens_line = False
        return parts

    def _is_code(self, line: str) -> bool:
        if self._fence:
            bare = line.strip()
            if bare.startswith(self._fence) and not bare.strip(self._fence[0]):
                self._fence = ""
            return True
        found = _FENCE.match(line) if self._opens_line else None
        self._fence = found["mark"] if found else ""
        return found is not None


def cost_of(text: str) -> int:
    """Return about how many tokens a text has. The addresses of links count nothing: no model wrote them."""
    return Governor(1, 1).cost(_LINK.sub("]", text))


def cut_to(text: str, most_tokens: int) -> tuple[str, bool]:
    """Return a text up to so many tokens (0: all of it), in whole words, and whether it was cut."""
    if not most_tokens or cost_of(text) <= most_tokens:
        return text, False
    places = [match.end() for match in _WORD.finditer(text)]
    fitting = bisect_right(places, most_tokens, key=lambda end: cost_of(text[:end]))
    return text[: places[fitting - 1]] if fitting else "", True


def is_same_text(streamed: str, checked: str) -> bool:
    """Say whether a checked answer is what was streamed, markers and few words aside."""
    said, kept = Counter(words(streamed)), Counter(words(checked))
    return (said & kept).total() >= _SAME_SHARE * kept.total()


def _linked(text: str, known: Mapping[int, Source], citations: Sequence[Citation | None]) -> Shown:
    """Return a text with its markers as links, and these as annotations.

    `citations` are those of its markers, in order; without them nothing is known of their support.
    """
    pieces: list[str] = []
    annotations: list[dict[str, Any]] = []
    done = length = 0
    for i, marker in enumerate(markers(text, known)):
        citation = citations[i] if i < len(citations) else None
        source = known[marker.n]
        url = written_address(link_of(source, citation.quote if citation else ""))
        link = f"[{marker.n}]({url})" if url else f"[{marker.n}]"
        sign = SIGNS[citation.support] if citation else ""
        start = length + marker.start - done
        pieces += [text[done : marker.start], link, sign]
        length = start + len(link) + len(sign)
        done = marker.end
        if url:
            annotations.append(_annotation(start, start + len(link), url, source, citation))
    return Shown("".join([*pieces, text[done:]]), tuple(annotations))


def _annotation(
    start: int, end: int, url: str, source: Source, citation: Citation | None
) -> dict[str, Any]:
    told: dict[str, Any] = {
        "start_index": start,
        "end_index": end,
        "url": url,
        "title": source.title,
        "n": source.n,
    }
    if citation is not None:
        told |= {"support": citation.support.value, "quote": citation.quote}
    return {"type": "url_citation", "url_citation": told}


def _moved(annotations: Sequence[dict[str, Any]], by: int) -> Iterator[dict[str, Any]]:
    for annotation in annotations:
        told = annotation["url_citation"]
        moved = {"start_index": told["start_index"] + by, "end_index": told["end_index"] + by}
        yield {**annotation, "url_citation": {**told, **moved}}


def _place_to_cut(text: str) -> int:
    """Return up to where the words of a line are whole, and nothing is open."""
    cut = text.rfind(" ", 0, len(text) - 1)
    while cut > 0 and text[cut + 1] in _MARKER_LIKE:
        cut = text.rfind(" ", 0, cut)
    cut = max(cut, 0)
    for opener, closer in _OPENERS.items():
        bare = _CODE.sub(lambda match: "x" * len(match.group()), text[:cut])
        opened = bare.rfind(opener)
        is_open = opened >= 0 and closer not in bare[opened + 1 :]
        if is_open and len(text) - opened < _LONGEST_HELD:
            cut = max(text.rfind(" ", 0, opened), 0)
    return cut


def _is_open(text: str) -> bool:
    """Say whether a bracket of a text is closed behind it, or was opened before it."""
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth += 1 if bracket.group() == "[" else -1
        if depth < 0:
            return True
    return depth > 0


def _source(row: SourceRow) -> str:
    address = written_address(row.url)
    told = f"[{plain(row.title)}]({address})" if address else plain(row.title)
    return f"{told} ({plain(row.about)})" if row.about else told
