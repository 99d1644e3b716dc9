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
from enum import Enum
from typing import Any

from askance.citations.markdown.answer_markers import lift_markers, set_markers
from askance.citations.markdown.grammar import (
    CODE,
    MARKER,
    Marker,
    is_closed,
    markers,
    outlines,
    parse_blocks,
)
from askance.citations.markdown.safe_markdown import (
    code_in_line,
    escaped_line,
    safe_line,
    safe_markdown,
    undrawn,
    with_closed_code,
    written_address,
)
from askance.domain.characters import clean
from askance.domain.events import Answered
from askance.domain.evidence import Citation, Source, Support
from askance.presentation.answers import (
    SIGNS,
    SourceRow,
    as_of_text,
    legend,
    link_of,
    listed,
    origin_note,
    source_rows,
)
from askance.presentation.transcripts import ORDER, disagreement_tables, markers_of
from askance.text.message_parts import withheld_part_message
from askance.text.ranking.index_terms import estimated_tokens, words

SOURCES_TITLE = "**Sources**"
# Possessive repetitions (`*+`) do not backtrack: foreign text is read in linear time (decision 13).
# Two blanks may stand for the inside of an item; with fewer, a fence belongs to the text itself. With a
# stroke, its line may be the head of a table, which the next line tells: then it is text to some viewers.
_FENCE = re.compile(r" ?(?P<mark>`{3,}+(?=[^`|\n]*$)|~{3,}+(?=[^|\n]*$))")
# Behind any bullets, numbers and quotation marks, as in "> 1. ```python".
_ANY_FENCE = re.compile(r"[ \t>*+\-\d.)]*+(?P<mark>`{3,}+(?![^\n]*`)|~{3,})")
_INNER_FENCE = re.compile(r"[ \t>*+\-\d.)]*+(?P<mark>`{3,}+(?![^\n]*[`|])|~{3,}+(?![^\n]*\|))")
# The beginning of a line that may still become a fence.
_MAY_OPEN = re.compile(r"[ \t>*+\-\d.)]*+(?:`{1,2}|`{3,}+[^`]*|~.*)?", re.DOTALL)
_INDENTS = ("    ", "\t")
# Four blanks or a tab may make code of a line, in which brackets and tags lead nowhere.
_MAY_BE_CODE = re.compile(r"(?: {4}|\t)[^\n]{0,4000}?[\[<!&`:]")
# Text at the margin that is no quotation: no list or quotation goes on behind it.
_ENDS_CONTAINERS = re.compile(r" ?[^\s>]")
_PREFIX = re.compile(r"[ \t>*+\-\d.)]*+[`~#=|]*+")
_FENCE_INDENT = 3
_MOST_READS = 40
"""So often all of a text is read again for what code is in its lists; then that is text."""
_OPENERS = {"[": "]", "【": "】", "\uff3b": "\uff3d"}
# A word that begins so may be a marker, which belongs to the word before it.
_MARKER_LIKE = frozenset("[【\uff3b(\\^<*_ ")
_LONGEST_HELD = 500
_LONGEST_PARAGRAPH = 2_000
_BRACKETS = re.compile(r"[\[\]]")
# A bracket that is closed before "(", ":" or "[" may become a link with what comes later.
_TARGET = re.compile(r"\](?=[(:\[])")
# Before a part of a line, so that nothing in it is read as the begin of a block.
_BEFORE = "x "
# The address of a link of ours, which costs the caller no tokens.
_LINK = re.compile(r"\]\(https?://[^()\s]{1,3000}\)")
_WORD = re.compile(r"\S+")
_SAME_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """A text as it is shown, and OpenAI's annotations of it."""

    text: str
    annotations: tuple[dict[str, Any], ...] = ()


def shown(end: Answered) -> AnnotatedText:
    """Return a checked answer with its links."""
    urls = [source.url for source in end.sources]
    text = safe_markdown(end.answer, urls, addresses=not urls)
    cited = markers_of(end)
    known = {source.n: source for source in end.sources}
    found = markers(text, known)
    # The sanitiser may have broken a marker: then citations cannot be matched by their order.
    is_whole = [marker.n for marker in found] == [m.source.n for m in cited]
    return _linked(text, found, known, [m.citation for m in cited] if is_whole else ())


def footer(end: Answered) -> str:
    """Return what stands below an answer: what to beware of, and its sources with their doubts."""
    # Sorted, so that the worst of each source is kept: one weak citation is worth a warning.
    worst = {c.n: c.support for c in sorted(end.citations, key=lambda c: ORDER.index(c.support))}
    rows = listed(source_rows(end.sources, end.citations))
    lines = [
        f"- [{row.n}]{SIGNS.get(worst.get(row.n, Support.SUPPORTED), '')} {_source(row)}"
        for row in rows
    ]
    note = origin_note(end)
    parts = [f"*{escaped_line(line)}*" for line in (note, as_of_text(end)) if line]
    parts += [f"*{escaped_line(withheld_part_message(end.asked))}*"] if end.asked else []
    parts += [f"*{escaped_line(meaning)}*" for meaning in legend(worst.values())]
    parts += disagreement_tables(end.disagreements, end.sources)
    parts += ["\n".join([SOURCES_TITLE, *lines])] if rows else []
    return "".join(f"\n\n{part}" for part in parts)


def sources_of(end: Answered) -> list[dict[str, Any]]:
    """Return the sources as records."""
    return [
        {
            "n": row.n,
            "title": safe_line(row.title),
            "url": written_address(row.url),
            "date": safe_line(row.date),
            "cited": row.cited,
            "origins": row.origins,
        }
        for row in source_rows(end.sources, end.citations)
    ]


class _Place(Enum):
    """What a line is: text, code, or what opens a block of code."""

    TEXT = 0
    CODE = 1
    OPENING = 2


class LinkedStream:
    """Makes links of markers in a text that streams in, and lets nothing else lead anywhere.

    A word waits until it is whole, brackets and code until they are closed; code in fences waits for
    its line. What is shown is inert by itself, wherever the text may be cut: a backtick that a line
    does not close is escaped, and a line is code only where every reader of Markdown sees a fence.
    A fence inside of a list or a quotation is held until that has ended, and read with all that
    stands before it. `text` is what was shown, `annotations` are the links in it, `written` is what came.
    """

    def __init__(self, sources: Sequence[Source] = ()) -> None:
        self.text = ""
        self.written = ""
        self.annotations: list[dict[str, Any]] = []
        self._known = {source.n: source for source in sources}
        self._urls = frozenset(source.url for source in sources)
        self._pending = ""
        self._block = ""
        self._paragraph = ""
        self._fence = ""
        self._opens_line = True
        self._reads_left = _MOST_READS

    def add(self, piece: str) -> str:
        """Take in what was written next; return what may be shown now."""
        self.written += piece
        self._pending += clean(piece)
        before = len(self.text)
        lines = self._pending.split("\n")
        self._pending = lines.pop()
        for line in lines:
            self._take_line(f"{line}\n")
        may_open = self._pending.startswith(_INDENTS) or _MAY_OPEN.fullmatch(self._pending)
        # What may open a block of code, or belong to one, waits for the rest of its line.
        waits = self._fence or self._block or (self._opens_line and may_open)
        if not waits and (cut := _place_to_cut(self._pending)):
            self._show(self._pending[:cut], self._pending[cut:])
            self._pending = self._pending[cut:]
            self._opens_line = False
        return self.text[before:]

    def close(self) -> str:
        """Return what was held back."""
        before = len(self.text)
        rest, self._pending = self._pending, ""
        if rest:
            self._take_line(rest)
        self._end_block()
        if self._fence:
            line_end = "" if self.text.endswith("\n") else "\n"
            self.follow(AnnotatedText(f"{line_end}{self._fence}\n"))
            self._fence = ""
        return self.text[before:]

    def follow(self, behind: AnnotatedText) -> None:
        """Take a finished text behind what was shown."""
        self.annotations += _moved(behind.annotations, len(self.text))
        self.text += behind.text

    def judge(self, citations: Sequence[Citation]) -> None:
        """Tell the annotations what the check says, in the order in which the text cites."""
        left = list(citations)
        for annotation in self.annotations:
            citation = annotation["url_citation"]
            found = next((c for c in left if c.n == citation["n"]), None)
            if found is not None:
                left.remove(found)
                citation |= {"support": found.support.value, "quote": safe_line(found.quote)}

    def _take_line(self, line: str) -> None:
        """Show a line, or the rest of one, or hold it where what is around it may make it code."""
        opens, self._opens_line = self._opens_line, line.endswith("\n")
        if self._block and _ENDS_CONTAINERS.match(line):
            self._end_block()
        if self._fence:
            self.follow(AnnotatedText(line))
            bare = line.strip()
            # CommonMark, section 4.5: a closing fence is indented by at most three spaces.
            is_indented = len(line) - len(line.lstrip(" ")) > _FENCE_INDENT or line[:1] == "\t"
            if bare.startswith(self._fence) and not bare.strip(self._fence[0]) and not is_indented:
                self._fence = ""
            return
        if self._block:
            self._block += line
        elif opens and (opening := _FENCE.match(line)):
            self._fence = opening["mark"]
            self.follow(AnnotatedText(_undrawn_line(line)))
        elif opens and (_INNER_FENCE.match(line) or _MAY_BE_CODE.match(line)):
            self._block = line
        else:
            self._show(line)

    def _end_block(self) -> None:
        """Show what was held: as code what is code in all of the text, the rest as text."""
        held, self._block = self._block, ""
        while held:
            read = self._read(held)
            for line, place in zip(held.splitlines(keepends=True), read, strict=False):
                held = held[len(line) :]
                if place is not _Place.TEXT:
                    self.follow(
                        AnnotatedText(_undrawn_line(line) if place is _Place.OPENING else line)
                    )
                    continue
                before = len(self.text)
                self._show(line)
                if _PREFIX.match(line)[0] != _PREFIX.match(self.text, before)[0]:  # type: ignore[index]
                    # What follows may stand in something else now.
                    break

    def _read(self, held: str) -> list[_Place]:
        """Return what each line of a held text is behind all that was shown."""
        lines = held.count("\n") + (not held.endswith("\n"))
        # Each held block has all of the text parsed again, so their number is bounded.
        if not self._reads_left:
            return [_Place.TEXT] * lines
        self._reads_left -= 1
        whole = self.text + held
        first, last = self.text.count("\n"), whole.count("\n") + (not whole.endswith("\n"))
        places = [_Place.TEXT] * lines
        for token in parse_blocks(whole):
            if token.type not in CODE or token.map is None:
                continue
            start, end = token.map
            for i in range(max(start, first), min(end, last)):
                is_opening = i == start and token.type == "fence"
                places[i - first] = _Place.OPENING if is_opening else _Place.CODE
            is_last = token.type == "fence" and end >= last and not token.level
            if is_last and not is_closed(token, whole.removesuffix("\n").rpartition("\n")[2]):
                self._fence = token.markup
        return places

    def _show(self, part: str, behind: str = "") -> None:
        """Show a line of text, or a part of one; `behind` is what is known of what follows it."""
        indent = part[: len(part) - len(part.lstrip(" \t"))]
        before, self._paragraph = self._paragraph + indent, _paragraph_of(self._paragraph + part)
        if not part.strip():
            self.follow(AnnotatedText(part))
            return
        text = with_closed_code(_BEFORE + part[len(indent) :])
        cut = len(_BEFORE)
        draft = lift_markers(text[cut:], self._known, before=before, behind=behind)
        bare = safe_markdown(_BEFORE + draft.text, self._urls)
        if bare == _BEFORE + draft.text:
            places: dict[int, list[int]] = {}
            for anchor in draft.anchors:
                places.setdefault(anchor.at + cut, []).extend(anchor.numbers)
            composed = set_markers(bare, places)
            spans = [(composed.place(at, with_marker=True), composed.place(at)) for at in places]
            text = composed.text
            found = [
                Marker(m.start(), m.end(), int(m[1]))
                for span in spans
                for m in MARKER.finditer(text, *span)
            ]
        else:
            text = safe_markdown(text, self._urls)
            found = markers(text, self._known)
        if _is_open(text):
            spaced = _TARGET.sub(r"\g<0> ", text)
            found = found if spaced == text else markers(spaced, self._known)
            text = spaced
        made = _linked(text, found, self._known, ())
        links = tuple(_moved(made.annotations, len(indent) - cut))
        shown = AnnotatedText(indent + made.text[cut:], links)
        self.follow(_without_fence(self.text[self.text.rfind("\n") + 1 :], shown))


def _paragraph_of(text: str) -> str:
    """Return the paragraph that a text ends in, as far as it tells what a bracket is."""
    return text[text.rfind("\n\n") + 1 :][-_LONGEST_PARAGRAPH:]


def cost_of(text: str) -> int:
    """Return about how many tokens a text has. The addresses of links count nothing: no model wrote them."""
    return round(estimated_tokens(_LINK.sub("]", text)))


def cut_to(text: str, most_tokens: int, before: str = "") -> tuple[str, bool]:
    """Return a text up to so many tokens (0: all of it), in whole words, and whether it was cut.

    `before` is what was shown before it. Code between backticks is left out rather than cut in two:
    without its end it would not be code.
    """
    if not most_tokens or cost_of(text) <= most_tokens:
        return text, False
    # The cost grows with the length, so bisection finds the last word that fits.
    places = [match.end() for match in _WORD.finditer(text)]
    fitting = bisect_right(places, most_tokens, key=lambda end: cost_of(text[:end]))
    cut = places[fitting - 1] if fitting else 0
    return text[: outside_code(text, cut, before)], True


def outside_code(text: str, cut: int, before: str = "") -> int:
    """Return where a text can be cut, at or before a place, so that no code between backticks loses its end."""
    read = outlines(before + text)
    panels = set(read.panels)
    for start, end in read.code:
        if start - len(before) < cut < end - len(before) and (start, end) not in panels:
            cut = max(0, start - len(before))
    return cut


def first_stop(
    text: str, stops: Sequence[str], annotations: Sequence[dict[str, Any]], start: int = 0
) -> int | None:
    """Return where the first of these words begins, from a place on; links, which no model wrote, have none."""
    links = [
        (link["url_citation"]["start_index"], link["url_citation"]["end_index"])
        for link in annotations
    ]
    found: list[int] = []
    for stop in stops:
        at = text.find(stop, start)
        while at >= 0 and any(begin < at + len(stop) and at < end for begin, end in links):
            at = text.find(stop, at + 1)
        if at >= 0:
            found.append(at)
    return min(found, default=None)


def is_same_text(streamed: str, checked: str) -> bool:
    """Say whether a checked answer is what was streamed, markers and few words aside."""
    streamed_words, checked_words = Counter(words(streamed)), Counter(words(checked))
    return (streamed_words & checked_words).total() >= _SAME_SHARE * checked_words.total()


def _linked(
    text: str,
    found: Sequence[Marker],
    known: Mapping[int, Source],
    citations: Sequence[Citation | None],
) -> AnnotatedText:
    """Return a text with its markers as links, and these as annotations.

    `citations` are those of its markers, in order; without them nothing is known of their support.
    """
    pieces: list[str] = []
    annotations: list[dict[str, Any]] = []
    done = length = 0
    for i, marker in enumerate(found):
        citation = citations[i] if i < len(citations) else None
        source = known[marker.n]
        url = written_address(link_of(source, citation.quote if citation else ""))
        link = f"[{marker.n}]({url})" if url else f"[{marker.n}]"
        sign = SIGNS[citation.support] if citation else ""
        start = length + marker.start - done
        # Behind an exclamation mark a link would be a picture.
        apart = " " if url and text[max(done, marker.start - 1) : marker.start] == "!" else ""
        start += len(apart)
        pieces += [text[done : marker.start], apart, link, sign]
        length = start + len(link) + len(sign)
        done = marker.end
        if url:
            annotations.append(_annotation(start, start + len(link), url, source, citation))
    return AnnotatedText("".join([*pieces, text[done:]]), tuple(annotations))


def _annotation(
    start: int, end: int, url: str, source: Source, citation: Citation | None
) -> dict[str, Any]:
    url_citation: dict[str, Any] = {
        "start_index": start,
        "end_index": end,
        "url": url,
        "title": safe_line(source.title),
        "n": source.n,
    }
    if citation is not None:
        url_citation |= {"support": citation.support.value, "quote": safe_line(citation.quote)}
    return {"type": "url_citation", "url_citation": url_citation}


def _moved(annotations: Sequence[dict[str, Any]], by: int) -> Iterator[dict[str, Any]]:
    for annotation in annotations:
        citation = annotation["url_citation"]
        moved = {
            "start_index": citation["start_index"] + by,
            "end_index": citation["end_index"] + by,
        }
        yield {**annotation, "url_citation": {**citation, **moved}}


def _place_to_cut(text: str) -> int:
    """Return up to where the words of a line are whole, and nothing is open."""
    cut = text.rfind(" ", 0, len(text) - 1)
    while cut > 0 and text[cut + 1] in _MARKER_LIKE:
        cut = text.rfind(" ", 0, cut)
    cut = max(cut, 0)
    spans = list(code_in_line(text))
    for start, end, is_closed_ in spans:
        # What is still open after so many characters is taken for text.
        is_cut = start < cut < end if is_closed_ else len(text) - start < _LONGEST_HELD
        if is_cut and cut > start:
            cut = max(text.rfind(" ", 0, start), 0)
    for opener, closer in _OPENERS.items():
        opened = _without_code(text[:cut], spans).rfind(opener)
        is_open = opened >= 0 and closer not in text[opened + 1 : cut]
        if is_open and len(text) - opened < _LONGEST_HELD:
            cut = max(text.rfind(" ", 0, opened), 0)
    return cut


def _without_code(text: str, spans: Sequence[tuple[int, int, bool]]) -> str:
    for start, end, _ in spans:
        if end <= len(text):
            text = text[:start] + "x" * (end - start) + text[end:]
    return text


def _without_fence(line: str, shown: AnnotatedText) -> AnnotatedText:
    """Return a text behind the begin of a line, so that the two do not open a block of code."""
    opening = _ANY_FENCE.match(line + shown.text)
    if opening is None or opening.start("mark") < len(line):
        return shown
    at = opening.start("mark") - len(line)
    return AnnotatedText(
        f"{shown.text[:at]}\\{shown.text[at:]}", tuple(_moved(shown.annotations, 1))
    )


def _undrawn_line(line: str) -> str:
    """Return the line that opens a block of code, without a language that viewers draw."""
    bare = line.rstrip("\n")
    return undrawn(bare) + line[len(bare) :]


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
    title = escaped_line(row.title)
    linked = f"[{title}]({address})" if address else title
    about = " · ".join(filter(None, (row.about, row.origins)))
    return f"{linked} ({escaped_line(about)})" if about else linked
