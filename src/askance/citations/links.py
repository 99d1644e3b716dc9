"""Links of an answer: to its sources they stay, and each can open its page at a quote."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from urllib.parse import quote as percent_encode

from askance.citations.grammar import BARE, LONGEST, code_spans, trimmed, viewer
from askance.citations.placing import AS_READ, Places, Span
from askance.ranking.tokens import count_words

_WHOLE_WORDS = 8
"""A quote of up to this many words stands in the link as a whole, a longer one by both its ends."""
_EDGE_WORDS = 4
_EDGE_CHARACTERS = 12
"""Length of an end in scripts without spaces."""

_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\s]{0,1500}(?:[ \t]+\"[^\"\n]{0,200}\")?\)")
_LINE_MARK = re.compile(r"^\s{0,20}(?:#{1,6}\s|[-*+•>]\s|[0-9]{1,3}[.)]\s)\s{0,20}")
_EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|`+|~~|\\(?=[\\`*_{}\[\]()#+.!|>~-])")
_OUTER = " \t\n\r.,;:!?…\"'“”‘’«»()[]{}。！？、\uff0c\uff1b\uff1a「」『』"

_MOST_DEPTH = 8
"""Links within each other that are taken apart; what is deeper is broken."""
_LINK_END = re.compile(r"\][(:]")
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

    What any viewer of Markdown takes for a link is one. Of a link its text stays; an address that is
    none of these stays as code. Markers in brackets, and what is code to everyone, are left as they
    are. What is left is read once more: links can be tangled with code in such a way that one
    appears where another was, and then code pays for it.
    """
    if "[" not in text and "<" not in text and not _ADDRESS.search(text):
        return text
    without = _without_links(text)
    plain = _without_addresses(without, frozenset(urls))
    return _SYNTAX.sub(r"\g<0> ", plain) if _leads_away(plain, urls) else plain


def is_own(address: str, urls: Collection[str]) -> bool:
    """Say whether an address is one of these, a slash at the end aside."""
    return address in urls or address + "/" in urls or address.removesuffix("/") in urls


def fragment_url(url: str, quote: str) -> str:
    """Return the address that opens a page at a quote.

    It follows the URL Fragment Text Directives draft of the WICG: the parts are percent-encoded,
    with dash, comma and ampersand encoded too, because they are its syntax.

    `quote` may be Markdown: its marks are not on the page and are left out. A fragment that `url`
    has is replaced. Without a word in the quote the address comes back without a fragment.
    """
    page = url.partition("#")[0]
    runs = _runs(quote)
    if not runs:
        return page
    first, last = runs[0], runs[-1]
    if len(runs) == 1 and count_words(first) <= _WHOLE_WORDS:
        return f"{page}#:~:text={_encoded(first)}"
    start, end = _start_of(first), _end_of(last)
    if not start or not end:
        return f"{page}#:~:text={_encoded(start or end or first)}"
    return f"{page}#:~:text={_encoded(start)},{_encoded(end)}"


def _without_links(text: str) -> str:
    for _ in range(_MOST_DEPTH if _LINK_END.search(text) else 0):
        if not (cuts := sorted(_links(text))):
            break
        text = _cut(text, cuts)
    code = code_spans(text)
    cuts = [m.span("colon") for m in _DEFINITION.finditer(text) if not _inside(code, m.start())]
    cuts += [m.span() for m in _ELEMENT.finditer(text) if not _inside(code, m.start())]
    return _cut(text, sorted(cuts))


def _links(text: str) -> Iterator[Span]:
    """Yield what makes links of the texts of inline and reference links, and of pictures links."""
    places = Places(text)
    for block in viewer().parse(text.translate(AS_READ)):
        opened, behind = (0, 0), 0
        for token, (start, end) in places.children(block) if block.type == "inline" else ():
            if token.type == "image":
                yield start, start + 1
            elif token.type == "link_open" and token.markup != "autolink":
                opened, end = (start, end), start + 1
            elif token.type == "link_close" and token.markup != "autolink":
                begin = opened[0]
                if _NUMBERS_ONLY.fullmatch(text, begin + 1, behind):
                    yield behind + 1, end
                else:
                    yield begin, begin + 1
                    yield behind, end
            behind = end


def _cut(text: str, cuts: Sequence[Span]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in cuts:
        pieces.append(text[done : max(done, start)])
        done = max(done, end)
    return "".join([*pieces, text[done:]])


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


def _runs(quote: str) -> list[str]:
    """Return the stretches of a quote that stand on the page without a break, in order."""
    runs: list[str] = []
    for line in quote.splitlines():
        plain = _EMPHASIS.sub("", _LINK.sub(r"\1", _LINE_MARK.sub("", line)))
        for cell in plain.split("|"):
            run = " ".join(cell.split()).strip(_OUTER)
            if count_words(run):
                runs.append(run)
    return runs


def _start_of(run: str) -> str:
    words = run.split(" ")
    if count_words(run) > 2 * len(words):
        return run[:_EDGE_CHARACTERS].strip(_OUTER)
    return " ".join(words[:_EDGE_WORDS]).strip(_OUTER)


def _end_of(run: str) -> str:
    words = run.split(" ")
    if count_words(run) > 2 * len(words):
        return run[-_EDGE_CHARACTERS:].strip(_OUTER)
    return " ".join(words[-_EDGE_WORDS:]).strip(_OUTER)


def _encoded(text: str) -> str:
    readable = text.encode("utf-8", "replace")
    return percent_encode(readable, safe="").replace("-", "%2D")
