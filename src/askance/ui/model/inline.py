"""The words of a paragraph as the window sets them: runs of one style each, nothing that loads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntFlag
from itertools import groupby
from urllib.parse import quote, urlsplit

from markdown_it.token import Token

from askance.citations.grammar import CITATION, as_linked
from askance.citations.placing import Span
from askance.citations.safe_markdown import is_own
from askance.ui.model.doubts import Doubt

_URL_SAFE = "%/:?#@!$&*+,;=-._~'"


class Style(IntFlag):
    """How words are set."""

    PLAIN = 0
    BOLD = 1
    ITALIC = 2
    STRUCK = 4
    CODE = 8


_OPENED = {"strong_open": Style.BOLD, "em_open": Style.ITALIC, "s_open": Style.STRUCK}
_CLOSED = {"strong_close": Style.BOLD, "em_close": Style.ITALIC, "s_close": Style.STRUCK}


@dataclass(frozen=True, slots=True)
class TextRun:
    """Words in one style, which stand at `start` to `end` of the answer.

    `url` is where they lead. Of a marker `n` is the source, and `citation` the index of its citation
    if one was checked. `doubt` says that no source carries the words in full.
    """

    text: str
    start: int = field(compare=False)
    end: int = field(compare=False)
    style: Style = Style.PLAIN
    url: str = ""
    n: int = 0
    citation: int | None = None
    doubt: Doubt | None = None

    def part(self, start: int, end: int) -> TextRun:
        """Return the words between two places of the answer."""
        return self.with_text(self.text[start - self.start : end - self.start], start, end)

    def behind(self, characters: int) -> TextRun:
        """Return the words behind so many of its characters."""
        return self.with_text(self.text[characters:], self.start + characters, self.end)

    def with_text(self, text: str, start: int, end: int) -> TextRun:
        """Return other words in the same style."""
        return TextRun(
            text, start, end, self.style, self.url, self.n, self.citation, self.doubt
        )  # `replace` takes ten times as long


class Reader:
    """Reads the paragraphs of a block. `begin` is where the text begins whose markers count.

    `numbers` are those of the sources, `urls` the addresses that it may lead to, all of the web if
    None. An answer without sources may come from a text that the model was given, and the words of
    a link would hide its address: then it says where it leads.
    """

    def __init__(
        self, numbers: Collection[int], urls: Collection[str] | None, begin: int = 0
    ) -> None:
        self._own = None if urls is None else {as_linked(url) for url in urls}
        self._shows_host = urls is None and not numbers
        self._begin = begin
        self._lines: list[list[TextRun]] = [[]]
        self._label: list[TextRun] = []
        self._style, self._url = Style.PLAIN, ""

    def lines_of(self, children: Iterable[tuple[Token, Span]]) -> list[list[TextRun]]:
        """Return the words of a paragraph, line by line where it was broken on purpose."""
        self._lines, self._style, self._url = [[]], Style.PLAIN, ""
        for token, span in children:
            self._take(token, span)
        return self._lines

    def _take(self, token: Token, span: Span) -> None:
        match token.type:
            case "link_open":
                self._url, self._label = self._allowed(str(token.attrs.get("href", ""))), []
            case "link_close":
                if self._url and self._shows_host:
                    self._add_host(span)
                self._url = ""
            case "hardbreak":
                self._lines.append([])
            case kind if kind in _OPENED:
                self._style |= _OPENED[kind]
            case kind if kind in _CLOSED:
                self._style &= ~_CLOSED[kind]
            case kind:
                is_marker = kind == CITATION and span[0] >= self._begin
                style = self._style | (Style.CODE if kind == "code_inline" else Style.PLAIN)
                n = token.meta["n"] if is_marker else 0
                self._add(TextRun(_words(token), *span, style, "" if n else self._url, n))

    def _add(self, run: TextRun) -> None:
        if run.text:
            self._lines[-1].append(run)
            self._label.append(run)

    def _add_host(self, span: Span) -> None:
        """Say behind a link where it leads, unless it says just that."""
        host = urlsplit(self._url).hostname
        if "".join(run.text for run in self._label).strip() not in {host, self._url, ""}:
            self._add(TextRun(f" ({host})", span[1], span[1], self._style, self._url))

    def _allowed(self, address: str) -> str:
        is_foreign = self._own is not None and not is_own(address, self._own)
        return "" if is_foreign else web_address(address)


def finished(
    line: Sequence[TextRun], targets: Mapping[int, int | None], doubts: Sequence[Doubt]
) -> list[TextRun]:
    """Return a line with what the check found out; `targets` are citations by where markers start.

    `doubts` are in order and apart from each other.
    """
    return [part for run in line for part in _parted(run, targets, doubts) if part.text]


def joined(line: Iterable[TextRun]) -> tuple[TextRun, ...]:
    """Return runs of which no two that follow each other are set alike."""
    runs: list[TextRun] = []
    for (_, _, n, _), group in groupby(
        line, key=lambda run: (run.style, run.url, run.n, run.doubt)
    ):
        alike = list(group)
        if n or len(alike) == 1:
            runs += alike
        else:
            text = "".join(run.text for run in alike)
            runs.append(alike[0].with_text(text, alike[0].start, alike[-1].end))
    return tuple(run for run in runs if run.text)


def web_address(url: str) -> str:
    """Return the address, safe to be opened and written, or nothing unless it leads to the web."""
    if not url.lower().startswith(("http://", "https://")):
        return ""
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return ""
    return quote(url, safe=_URL_SAFE, errors="replace") if host else ""


def _words(token: Token) -> str:
    match token.type:
        case "softbreak":
            return " "
        case "image":
            return "".join(child.content for child in token.children or ())
        case _:
            return token.content


def _parted(
    run: TextRun, targets: Mapping[int, int | None], doubts: Sequence[Doubt]
) -> Iterator[TextRun]:
    """Yield a run in parts, some of them in doubt. A marker and an escape are one thing each."""
    if run.n:
        run = replace(run, citation=targets.get(run.start))
    i = bisect_right(doubts, run.start, key=lambda doubt: doubt.end)
    if run.n or len(run.text) != run.end - run.start:
        is_doubted = i < len(doubts) and doubts[i].start < run.end
        yield replace(run, doubt=doubts[i]) if is_doubted else run
        return
    at = run.start
    while i < len(doubts) and doubts[i].start < run.end:
        first, last = max(doubts[i].start, at), min(doubts[i].end, run.end)
        yield run.part(at, first)
        yield replace(run.part(first, last), doubt=doubts[i])
        at, i = last, i + 1
    yield run.part(at, run.end)
