"""Links in an answer: those to its sources stay, of all others the words stay.

One grammar for the check, the window and the documents. It takes more for a link than any of their
readers does. What is left is read once more by a real parser: code and emphasis can be tangled in
such a way that two readers disagree on what is code, and then code pays for it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence

from askance.citations.grammar import BARE, LONGEST, trimmed, viewer
from askance.citations.markup import code_spans
from askance.citations.placing import Span

_BRACKET = re.compile(r"\\[!-/:-@\[-`{-~]|!?\[|\]")
_MOST_DEPTH = 32
"""Parentheses within each other in an address: as many as the parser takes."""
_LONGEST_LABEL = 1000
_WRAPPED = re.compile(rf"<[^<>\n]{{0,{LONGEST}}}+>")
_STOP = re.compile(r"[\s()]|\\.?")
_SPACE = re.compile(r"\s{0,20}+")
_DESTINATION_END = re.compile(
    r"(?:\s{1,20}+(?:\"[^\"]{0,500}+\"|'[^']{0,500}+'|\([^()]{0,500}+\)))?+\s{0,20}+\)"
)
_DEFINITION = re.compile(
    r"^[ \t>*+\-\d.)]{0,20}\[(?P<label>(?:[^\[\]\\]|\\.){1,500}+)\](?P<colon>:)", re.MULTILINE
)
_NUMBERS_ONLY = re.compile(r"[\W\d]*+(?:(?:source|src|ref|quelle)s?)?+[\W\d]*+", re.IGNORECASE)
_ELEMENT = re.compile(
    r"</?(?:a|area|base|form|iframe|img|link|object|svg)(?=[\s/>])[^<>]{0,4000}+>", re.IGNORECASE
)
_ADDRESS = re.compile(
    rf"<(?P<wrapped>[a-z][a-z0-9+.-]{{1,31}}+:[^\s<>]{{0,{LONGEST}}}+|[^\s<>@]{{1,99}}+@[^\s<>@]{{1,255}}+)>"
    rf"|(?<![\w/.@])www\.[^\s<>\[\]\"`|\\^{{}}*]{{1,{LONGEST}}}+|{BARE.pattern}",
    re.IGNORECASE,
)
_SYNTAX = re.compile(r"\](?=[(:])|<(?=[a-z/!])|:/(?=/)", re.IGNORECASE)
_LOADED = ("<a", "<area", "<img", "<iframe", "<object", "<link", "<base", "<svg", "<form")


def own_links_only(text: str, urls: Collection[str]) -> str:
    """Return an answer in which nothing leads anywhere but to these addresses, each in plain sight.

    Of a link its text stays; an address that is none of these stays as code. Markers in brackets,
    and what is code to everyone, are left as they are.
    """
    if "[" not in text and "<" not in text and not _ADDRESS.search(text):
        return text
    without = _without_links(text)
    plain = _without_addresses(without, frozenset(urls))
    return _SYNTAX.sub(r"\g<0> ", plain) if _leads_away(plain, urls) else plain


def _without_links(text: str) -> str:
    code = code_spans(text)
    cuts = [*_links(text, code)]
    cuts += [m.span("colon") for m in _DEFINITION.finditer(text) if not _inside(code, m.start())]
    cuts += [m.span() for m in _ELEMENT.finditer(text) if not _inside(code, m.start())]
    pieces: list[str] = []
    done = 0
    for start, end in sorted(cuts):
        pieces.append(text[done : max(done, start)])
        done = max(done, end)
    return "".join([*pieces, text[done:]])


def _links(text: str, code: Sequence[Span]) -> Iterator[Span]:
    """Yield what makes links of the texts of inline and reference links, in no order."""
    definitions = {m.start("label"): _folded(m["label"]) for m in _DEFINITION.finditer(text)}
    labels = frozenset(definitions.values())
    opened: list[Span] = []
    at = 0
    while match := _BRACKET.search(text, at):
        start, at = match.span()
        if _inside(code, start) or match.group().startswith("\\"):
            continue
        if match.group() != "]":
            opened.append((start, at))
        elif opened:
            begin, inner = opened.pop()
            if inner in definitions:
                continue
            is_short = start - inner <= _LONGEST_LABEL
            if target := _destination(text, at):
                at = target
            elif labels and is_short and _folded(text[inner:start]) in labels:
                pass
            elif not (labels and (target := _reference(text, at, labels))):
                continue
            else:
                at = target
            if is_short and text[begin] == "[" and _NUMBERS_ONLY.fullmatch(text, inner, start):
                yield start + 1, at
            else:
                yield begin, inner
                yield start, at


def _destination(text: str, at: int) -> int:
    """Return where the parentheses behind a link's text end, or 0 if there are none."""
    if not text.startswith("(", at):
        return 0
    space = _SPACE.match(text, at + 1)
    assert space is not None
    begin = space.end()
    wrapped = _WRAPPED.match(text, begin)
    for end in (wrapped.end() if wrapped else -1, _address_end(text, begin)):
        if end >= 0 and (closed := _DESTINATION_END.match(text, end)):
            return closed.end()
    return 0


def _address_end(text: str, begin: int) -> int:
    """Return where an address without spaces ends, or -1 where its parentheses do not.

    So many may be open that no part of a text is looked at for more than `_MOST_DEPTH` links.
    """
    depth, at = 0, begin
    limit = min(len(text), begin + LONGEST)
    while stop := _STOP.search(text, at, limit):
        found = stop.group()
        if found[0] == "\\" and len(found) > 1:
            pass
        elif found == "(" and depth < _MOST_DEPTH:
            depth += 1
        elif found == ")" and depth:
            depth -= 1
        else:
            return -1 if depth else stop.start()
        at = stop.end()
    return -1 if depth else limit


def _reference(text: str, at: int, labels: Collection[str]) -> int:
    """Return where the second bracket of a reference link ends, if there is one here."""
    end = text.find("]", at, at + 500) if text.startswith("[", at) else -1
    return end + 1 if end > 0 and _folded(text[at + 1 : end]) in labels else 0


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()


def _without_addresses(text: str, urls: frozenset[str]) -> str:
    code = code_spans(text)

    def shown(match: re.Match[str]) -> str:
        if _inside(code, match.start()):
            return match.group()
        wrapped = match["wrapped"]
        address = wrapped or trimmed(match.group())
        # Beside a backtick more of them would make another tangle; nobody takes that for a link.
        beside = text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1]
        if is_own(address, urls) or "`" in address + beside or not address:
            return match.group()
        return f"`{address}`" + ("" if wrapped else match.group()[len(address) :])

    return _ADDRESS.sub(shown, text)


def is_own(address: str, urls: Collection[str]) -> bool:
    """Say whether an address is one of these, a slash at the end aside."""
    return address in urls or address + "/" in urls or address.removesuffix("/") in urls


def _leads_away(text: str, urls: Collection[str]) -> bool:
    """Say whether a parser of Markdown still finds something in it that leads elsewhere or loads."""
    if not _SYNTAX.search(text):
        return False
    own = {viewer().normalizeLink(url) for url in urls}
    return any(
        token.type == "image"
        or (token.type == "link_open" and not is_own(str(token.attrs.get("href", "")), own))
        or (token.type.startswith("html") and token.content.lower().startswith(_LOADED))
        for block in viewer().parse(text)
        for token in (block, *(block.children or ()))
    )


def _inside(spans: Sequence[Span], at: int) -> bool:
    i = bisect_right(spans, at, key=lambda span: span[0])
    return i > 0 and at < spans[i - 1][1]
