"""A conversation as Markdown: the answers as they were written, without what a viewer would load or run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote as percent_encode

from markdown_it.token import Token

from askance.citations.grammar import code_spans, viewer
from askance.citations.links import own_links_only
from askance.domain.events import Answered, ClarifyAsked
from askance.domain.evidence import Support
from askance.domain.history import ConversationRecord, Exchange, title_of
from askance.presentation.answers import SIGNS, is_web_address
from askance.transcripts.outcome import (
    SourceRow,
    legend,
    markers_of,
    moment_of,
    notes_on,
    source_rows,
)

# An image, a tag or an entity; a link, a definition or an address in brackets that is not a page's.
# One behind an odd number of backslashes is spelled out already.
_HARM = re.compile(
    r"(?<!\\)((?:\\\\)*)(!(?=\[)|<(?!https?://)|\](?=[(:](?!\s*<?https?://))|&(?=#|\w))",
    re.IGNORECASE,
)
_ANY_SYNTAX = re.compile(r"(?<!\\)((?:\\\\)*)([\[<&])")
_TAGS = frozenset({"image", "html_inline", "html_block"})
_SYNTAX = re.compile(r"[\\`*_\[\]<>#|&~]|^[-+=]")
_ENUMERATION = re.compile(r"^(\d{1,9})(?=[.)])")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# All that may stand in an address, but for the parentheses that would end a link early.
_IN_ADDRESS = "%/:?#[]@!$&'*+,;=~"


def as_markdown(record: ConversationRecord) -> str:
    """Return a conversation as one Markdown document."""
    parts = [f"# {plain(record.summary.title)}", moment_of(record.summary.created_at)]
    for number, exchange in enumerate(record.exchanges, start=1):
        parts += _exchange(exchange, number)
    return "\n\n".join(parts) + "\n"


def harmless(text: str) -> str:
    """Return Markdown with what a viewer would load or run spelled out: images, tags, odd addresses.

    Code stays as it is wherever it can.
    """
    pieces: list[str] = []
    done = 0
    for start, end in code_spans(text):
        pieces += [_spelled_out(text[done:start]), text[start:end]]
        done = end
    gentle = "".join([*pieces, _spelled_out(text[done:])])
    # Viewers and the citation check may disagree on what is code: then code pays for it.
    return _spelled_out(text, _ANY_SYNTAX) if is_harmful(gentle) else gentle


def is_harmful(text: str) -> bool:
    """Return whether a viewer would find something in it to load or run, or an odd address."""
    return any(
        token.type in _TAGS
        or (token.type == "link_open" and not is_web_address(str(token.attrs.get("href", ""))))
        for token in _read(text)
    )


def leads_away(text: str) -> bool:
    """Return whether a viewer would find any link in it, or anything to load or run."""
    return any(token.type in {*_TAGS, "link_open"} for token in _read(text))


def plain(text: str) -> str:
    """Return foreign text on one line, so written that Markdown has nothing to obey in it."""
    line = _SYNTAX.sub(lambda match: f"\\{match.group()}", " ".join(text.split()))
    return _ENUMERATION.sub(r"\1\\", line)


def written_address(url: str) -> str:
    """Return an address as it can stand in a link; empty unless it is a web address."""
    return percent_encode(url, safe=_IN_ADDRESS) if is_web_address(url) else ""


def _exchange(exchange: Exchange, number: int) -> Iterator[str]:
    heading = title_of(exchange.text, exchange.quote)
    yield f"## {number}. {plain(heading)}"
    yield f"*{plain(exchange.command)}, {moment_of(exchange.asked_at)}*"
    if heading != exchange.text.strip() and exchange.text.strip():
        yield _quoted_lines(exchange.text)
    if exchange.quote:
        yield _quoted_lines(exchange.quote)
    match exchange.end:
        case Answered() as end:
            yield from _answer(end)
        case ClarifyAsked(question=question):
            yield plain(question)
        case _:
            pass
    if notes := notes_on(exchange):
        yield "\n".join(f"- Note: {plain(note)}" for note in notes)


def _answer(end: Answered) -> Iterator[str]:
    signed = _signed(end)
    if end.sources:  # what was kept before the check did this
        signed = own_links_only(signed, [source.url for source in end.sources])
    yield _closed(harmless(signed).strip())
    used = {marker.support for marker in markers_of(end)}
    if meanings := legend(used):
        yield "  \n".join(meanings)
    if rows := source_rows(end):
        yield "**Sources**"
        yield "\n".join(map(_source, rows))


def _signed(end: Answered) -> str:
    """Return the answer with a sign behind each marker whose source does not carry it."""
    pieces: list[str] = []
    done = 0
    for marker in markers_of(end):
        if marker.support is not Support.SUPPORTED:
            pieces += [end.answer[done : marker.end], SIGNS[marker.support]]
            done = marker.end
    return "".join([*pieces, end.answer[done:]])


def _closed(text: str) -> str:
    """Close a fence that is open at the end, as in an answer that was cut: it would go on below."""
    spans = code_spans(text)
    opening = _FENCE.match(text, spans[-1][0]) if spans and spans[-1][1] == len(text) else None
    if opening is None:
        return text
    last = text[spans[-1][0] :].rpartition("\n")[2]
    closed = last.strip().startswith(opening[1]) and "\n" in text[spans[-1][0] :]
    return text if closed else f"{text}\n{opening[1]}"


def _source(row: SourceRow) -> str:
    title = plain(row.title)
    if address := written_address(row.source.url):
        title = f"[{title}]({address})"
    lines = [f"{row.source.n}. {title} ({plain(row.about)})"]
    lines += [f"   - “{plain(q)}”{f' ({tongue})' if tongue else ''}" for q, tongue in row.quotes]
    return "\n".join(lines)


def _quoted_lines(text: str) -> str:
    return "\n".join(f"> {plain(line)}".rstrip() for line in text.strip().splitlines())


def _spelled_out(text: str, syntax: re.Pattern[str] = _HARM) -> str:
    return syntax.sub(r"\1\\\2", text)


def _read(text: str) -> Iterator[Token]:
    return _all_tokens(viewer().parse(text))


def _all_tokens(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()
