"""The sanitiser of Markdown: what models and pages wrote, made inert for whoever renders it.

A viewer may know more than CommonMark: raw HTML, tables, addresses that become links by themselves,
blocks of code that are drawn or run. Nothing that leaves here makes one fetch or run anything, and
links lead to the given addresses alone. A real parser says what is a link, a picture or code, and
reads the result once more; what is no construct for sure is escaped and keeps all its words.

`own_links_only` is what the check of an answer does: the text stays as it was written, without
foreign links. `safe_markdown` is what every way out to a renderer of Markdown does beside it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, cast
from urllib.parse import quote as percent_encode

from markdown_it.token import Token

from askance.citations.markdown.grammar import (
    ADDRESS_REST,
    AS_READ,
    BARE,
    CODE,
    LONGEST,
    Places,
    code_spans,
    is_call,
    is_closed,
    outlines,
    parse_blocks,
    trimmed,
    viewer,
)
from askance.citations.markdown.marker_forms import Span, is_escaped
from askance.domain.characters import clean
from askance.domain.web_pages import is_web_address

DRAWN_LANGUAGES = frozenset((
    "abc", "chart", "chartjs", "d2", "dataview", "dataviewjs", "dot", "echarts", "embed", "excalidraw", "geojson",
    "graphviz", "htm", "html", "iframe", "jsx", "katex", "kroki", "latex", "markmap", "math", "mermaid", "plantuml",
    "plotly", "puml", "query", "react", "stl", "svg", "tikz", "topojson", "tsx", "vega", "vega-lite", "vegalite", "vue",
    "xhtml", "xml",
))  # fmt: skip
"""Languages of code that viewers draw or run instead of showing it."""
_PLAIN_LANGUAGE = "text"

# Without one of these a text is nothing but words.
_ANYTHING = re.compile(r"[\[<`~:]|\bwww\.", re.IGNORECASE)
# A text that is not inert by then is made so by force, code included.
_MOST_PASSES = 4
_MOST_DEPTH = 8
"""Links within each other that are taken apart; what is deeper is broken."""
_LINK_END = re.compile(r"\][(:]")
# CommonMark, 4.7: `[label]: address`, which makes links of all `[label]` in the text.
_DEFINITION = re.compile(
    r"^[ \t>*+\-\d.)]{0,20}\[(?P<label>(?!\])(?:[^\[\]\\]|\\.|){0,500}+)\](?P<colon>:)(?=\s{0,9}[^\s:\[])",
    re.MULTILINE,
)
_NUMBERS_ONLY = re.compile(r"[\W\d]*+(?>(?:source|src|ref|quelle)s?|)[\W\d]*+", re.IGNORECASE)
# An address has a scheme, a host or a place on the page; the rest is code or mathematics: `x[0](y)`.
_TARGET = re.compile(r"<?(?:[a-z][a-z0-9+.\-]{0,30}+:|//|\\|[#?&]|\)|>|\s|$)", re.IGNORECASE)
_ARGUMENTS = re.compile(r"[\w,'*+-]{1,80}")
_ACTIVE = (
    "a|applet|area|audio|base|body|button|embed|form|frame|frameset|iframe|image|img|input|link|math"
    "|meta|object|picture|portal|script|source|style|svg|template|track|use|video"
)
# A tag whose attributes name an address, a style or a handler has nothing to read in it.
_ELEMENT = re.compile(
    rf"<(?P<name>{_ACTIVE})[\s/]"
    r"(?=[^<>]{0,2000}?\b(?:on[a-z]{2,20}|style|src|srcset|srcdoc|href|data|action|formaction|poster"
    r"|background|content|http-equiv)\s{0,9}=)[^<>]{0,4000}+>",
    re.IGNORECASE,
)
_ELEMENT_END = re.compile(rf"</(?P<name>{_ACTIVE})\s{{0,9}}>", re.IGNORECASE)
# All else that HTML takes for a tag: bare, it may be a type of a program; with attributes, a picture.
_TAG_BEGIN = re.compile(
    rf"<(?=/?(?:{_ACTIVE})[\s/>]|[a-z][a-z0-9\-]*[\s/][^<>]{{0,400}}=)", re.IGNORECASE
)
# Autolinks of CommonMark 6.5 (a scheme of 2 to 32 characters, or mail), and what GFM 6.9 and chat
# programs take for one without `<`.
_ADDRESS = re.compile(
    rf"<(?P<wrapped>[a-z][a-z0-9+.-]{{1,31}}+:[^\s<>]{{0,{LONGEST}}}+|[^\s<>@]{{1,99}}+@[^\s<>@]{{1,255}}+)>"
    rf"|(?<![\w/.@])www\.{ADDRESS_REST}|{BARE.pattern}"
    rf"|(?<![\w+.\-])(?!askance:)[a-z][a-z0-9+.\-]{{1,15}}://{ADDRESS_REST}",
    re.IGNORECASE,
)
_SYNTAX = re.compile(r"\](?=[(:])|<(?=[a-z/!])|:/(?=/)|\bwww(?=\.\w)", re.IGNORECASE)
_LOADED = tuple(f"<{name}" for name in _ACTIVE.split("|"))

# A picture, the begin of a tag, a link or definition whose address is not a page's.
_HARM = re.compile(
    r"(?P<picture>!\[)|(?<!\\)(?P<even>(?:\\\\)*)(?:\\?(?P<tag><)(?=[a-z/!?])(?!https?://)"
    r"|(?P<target>\])(?=[(:](?!\s*<?https?://)))",
    re.IGNORECASE,
)
_ANY_SYNTAX = re.compile(
    r"(?P<picture>!\[)|(?<!\\)(?P<even>(?:\\\\)*)(?:\\?(?P<tag><)|(?P<target>[\[&]))"
)
_TAGS = frozenset({"image", "html_inline", "html_block"})
_LINE_SYNTAX = re.compile(r"[\\`*_\[\]<>#|&~]|^[-+=]")
_ENUMERATION = re.compile(r"^(\d{1,9})(?=[.)])")
_OPENING = re.compile(r"[ \t>*+\-\d.)]*+(?:`{3,}|~{3,})[ \t]*(?P<info>[^\n]*)")
_ANY_OPENING = re.compile(r"((?<![`~])(?:`{3,}+|~{3,}+)[ \t]*)(?P<info>[^\n`]+)")
_INFO_WORD = re.compile(r"[a-z][a-z0-9\-]*", re.IGNORECASE)
_FENCE_BEGIN = re.compile(r"^([ \t>*+\-\d.)]*+)(~{3})", re.MULTILINE)
_BEFORE = "x "
_RUN = re.compile("`+")
_RUN_OR_ESCAPE = re.compile(r"`+|\\.", re.DOTALL)
_BACKTICK = re.compile("`")
_UNICODE = re.compile(r"\\u([0-9a-f]{4})", re.IGNORECASE)
# All that may stand in an address, but for the parentheses that would end a link early.
_IN_ADDRESS = "%/:?#[]@!$&'*+,;=~"


def safe_markdown(text: str, urls: Collection[str] | None = (), *, addresses: bool = False) -> str:
    """Return Markdown of others in which nothing is fetched or run, and that leads to `urls` alone.

    Links elsewhere become their words, with their addresses as code behind them where `addresses`
    says so, and pictures alike. With `urls` None links to web pages stay.
    Code stays as it is wherever it can; blocks in a language that viewers draw lose its name. What is
    open at the end is closed, so that texts that are inert by themselves are so one below the other.
    """
    text = clean(text)
    # The way of most titles and lines: no parser is asked.
    if not _ANYTHING.search(text):
        return text
    for _ in range(_MOST_PASSES):
        # What is no tag any more may have hidden something else.
        before, text = text, _pass(text, urls, addresses=addresses)
        if text == before:
            return _closed(text)
    return _undrawn_anywhere(_broken(_inert(text, _ANY_SYNTAX), urls))


def _pass(text: str, urls: Collection[str] | None, *, addresses: bool) -> str:
    if urls is not None:
        text = own_links_only(text, urls, addresses=addresses)
    if "`" in text:  # a loose one would begin code with one of another text
        text = escaped_backticks(text, code_spans(text))
    if "~~~" in text:
        text = _with_escaped_tildes(text)
    read = outlines(text)
    panels = set(read.panels)
    pieces: list[str] = []
    done = 0
    for start, end in read.code:
        code = text[start:end]
        pieces += [_inert(text[done:start]), undrawn(code) if (start, end) in panels else code]
        done = end
    gentle = "".join([*pieces, _inert(text[done:])])
    # Viewers and the grammar of answers may disagree on what is code: then code pays for it.
    # The result is read once more by a whole parser: what patterns missed, that finds.
    if not is_active(gentle):
        return gentle
    return _undrawn_anywhere(_inert(text, _ANY_SYNTAX))


def safe_line(text: str) -> str:
    """Return what others wrote as one line, which is inert wherever in Markdown it stands.

    A plain text stays as it is. No block of code is begun: what would be code in it may be none
    behind other words.
    """
    # Read behind a word: a `#` or `-` at its beginning would be a heading or an item, and be left
    # as syntax.
    line = safe_markdown(_BEFORE + with_closed_code(" ".join(clean(text).split())))
    return _FENCE_BEGIN.sub(r"\1\\\2", line.removeprefix(_BEFORE.strip()).lstrip())


def safe_record(record: Any, safe: Callable[[str], str] = safe_markdown) -> Any:
    """Return a value of JSON with every text in it made `safe`; one that is a web address stays one."""
    match record:
        case str() if is_web_address(record):
            return written_address(record) if leads_away(record) else record
        case str():
            return safe(record)
        case list():
            return [safe_record(item, safe) for item in cast("list[Any]", record)]
        case dict():
            items = cast("dict[str, Any]", record).items()
            return {safe(str(key)): safe_record(value, safe) for key, value in items}
        case _:
            return record


def safe_reply(text: str) -> str:
    """Return a reply that may be JSON, in a block of code or not, with what it says inert.

    Who asked for JSON reads it from the first brace to the last, and then shows what stood in it.
    """
    start, end = text.find("{"), text.rfind("}") + 1
    try:
        record = json.loads(text[start:end]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        # A lenient reader would still find what is spelled out in it.
        # `\u003cimg` is a tag as soon as somebody decodes it.
        text = _UNICODE.sub(lambda match: chr(int(match[1], 16)), text)
        record = None
    if not isinstance(record, dict):
        return safe_markdown(text)
    return json.dumps(safe_record(record), ensure_ascii=False)


def code_in_line(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the spans of code of a line as every reader finds them, and the backticks that open none.

    From left to right, a run of backticks closes with the next run of its length.
    """
    by_length: dict[int, list[int]] = {}
    for run in _RUN.finditer(text):
        by_length.setdefault(len(run.group()), []).append(run.start())
    done = 0
    # CommonMark, 6.1: a run of backticks closes with the next run of its length, and backslashes
    # count only outside.
    for found in _RUN_OR_ESCAPE.finditer(text):
        start, end = found.span()
        if start < done or found.group()[0] == "\\":
            continue
        closers = by_length.get(end - start, [])
        i = bisect_left(closers, end)
        has_end = i < len(closers)
        done = closers[i] + end - start if has_end else end
        yield start, done, has_end


def with_closed_code(text: str) -> str:
    """Return a part of a line in which no backtick waits for another one.

    One that does is escaped, as is code with a stroke in it that would be a picture without its
    backticks: in a table the stroke parts them.
    """
    edits = [
        (start, end, text[start:end].replace("`", "\\`"))
        for start, end, has_end in code_in_line(text)
        if not has_end or _is_picture_in_table(text[start:end])
    ]
    return _edited(text, edits)


def _is_picture_in_table(code: str) -> bool:
    bare = code.strip("`")
    return "|" in code and safe_markdown(bare) != bare


def own_links_only(
    text: str, urls: Collection[str], *, addresses: bool = False, calls: bool = False
) -> str:
    """Return an answer in which nothing leads anywhere but to these addresses, each in plain sight.

    What any viewer of Markdown takes for a link is one. Of a link its text stays; an address that is
    none of these stays as code, with `addresses` also that of a link. Markers in brackets, and what
    is code to everyone, are left as they are; brackets before parentheses that hold no address are
    escaped, with `calls` only where our own grammar would take them for a link. What is left is read once more: links can be tangled with code in such a way that one
    appears where another was, and then code pays for it.
    """
    if "[" not in text and "<" not in text and not _ADDRESS.search(text):
        return text
    without = _without_links(text, addresses=addresses, calls=calls)
    plain = _without_addresses(without, frozenset(urls))
    return _broken(plain, urls) if _leads_away(plain, urls, calls=calls) else plain


def is_own(address: str, urls: Collection[str]) -> bool:
    """Say whether an address is one of these, a slash at the end aside."""
    return address in urls or address + "/" in urls or address.removesuffix("/") in urls


def is_active(text: str) -> bool:
    """Say whether a viewer of Markdown would find something to load or run, or an odd address."""
    return any(
        token.type in _TAGS
        or (token.type == "link_open" and not is_web_address(str(token.attrs.get("href", ""))))
        or (token.type == "fence" and is_drawn(token.info))
        for token in _read(text)
    )


def is_drawn(info: str) -> bool:
    """Say whether the line that opens a block of code names a language that viewers draw or run."""
    return any(word.lower() in DRAWN_LANGUAGES for word in _INFO_WORD.findall(info))


def undrawn(code: str) -> str:
    """Return a block of code without the name of a language that viewers draw or run."""
    opening = _OPENING.match(code)
    if opening is None or not is_drawn(opening["info"]):
        return code
    return f"{code[: opening.start('info')]}{_PLAIN_LANGUAGE}{code[opening.end('info') :]}"


def leads_away(text: str) -> bool:
    """Say whether a viewer of Markdown would find any link, or anything to load or run."""
    return any(
        token.type in {*_TAGS, "link_open"} or (token.type == "fence" and is_drawn(token.info))
        for token in _read(clean(text))
    )


def escaped_line(text: str) -> str:
    """Return foreign text on one line, so written that Markdown has nothing to obey in it."""
    line = " ".join(clean(text).split())
    pieces: list[str] = []
    done = 0
    for match in _ADDRESS.finditer(line):
        start = match.start("wrapped") if match["wrapped"] else match.start()
        if address := match["wrapped"] or trimmed(match.group()):
            pieces += [_escaped(line[done:start]), f"`{address}`"]
            done = start + len(address)
    return _ENUMERATION.sub(r"\1\\", "".join([*pieces, _escaped(line[done:])]))


def written_address(url: str) -> str:
    """Return an address as it can stand in a link; empty unless it is a web address."""
    return percent_encode(url, safe=_IN_ADDRESS) if is_web_address(url) else ""


def _without_links(text: str, *, addresses: bool, calls: bool) -> str:
    # From the inside out: a link whose words are a link is none until the inner one is gone.
    for _ in range(_MOST_DEPTH if _LINK_END.search(text) else 0):
        if not (edits := sorted(_links(text, addresses=addresses, calls=calls))):
            break
        text = _edited(text, edits)
    code = code_spans(text)
    edits = [
        (*m.span("colon"), "") for m in _DEFINITION.finditer(text) if not _inside(code, m.start())
    ]
    # An end tag goes only with its opening one: alone it may be written about.
    opened: set[str] = set()
    for found in _ELEMENT.finditer(text):
        if not _inside(code, found.start()):
            opened.add(found["name"].lower())
            edits.append((*found.span(), ""))
    for found in _ELEMENT_END.finditer(text) if opened else ():
        if found["name"].lower() in opened and not _inside(code, found.start()):
            edits.append((*found.span(), ""))
    if edits:
        text = _edited(text, sorted(edits))
        code = code_spans(text)
    escapes = [
        (m.start(), m.start(), "\\")
        for m in _TAG_BEGIN.finditer(text)
        if not _inside(code, m.start()) and not is_escaped(text, m.start())
    ]
    return _edited(text, escapes)


Edit = tuple[int, int, str]
"""What takes the place of a stretch of text."""


def _links(text: str, *, addresses: bool, calls: bool) -> Iterator[Edit]:
    """Yield what makes links of the texts of inline and reference links, and of pictures links."""
    places = Places(text)
    for block in viewer().parse(text.translate(AS_READ)):
        opened, behind, href = (0, 0), 0, ""
        for token, (start, end) in places.children(block) if block.type == "inline" else ():
            if token.type == "image":
                # Without its sign, `![1](a)` would be a marker: escaped, it is text to every reader.
                is_number = _NUMBERS_ONLY.fullmatch(token.content) is not None and token.content
                yield (start + 1, start + 1, "\\") if is_number else (start, start + 1, "")
            elif token.type == "link_open" and token.markup != "autolink":
                opened, end = (start, end), start + 1
                href = str(token.attrs.get("href", ""))
            elif token.type == "link_close" and token.markup != "autolink":
                begin = opened[0]
                if calls and is_call(text, begin):
                    continue
                if text.startswith("](", behind) and not _TARGET.match(text, behind + 2):
                    yield behind, behind, "\\"
                elif _NUMBERS_ONLY.fullmatch(text, begin + 1, behind):
                    yield behind + 1, end, ""
                else:
                    yield begin, begin + 1, ""
                    shows_address = addresses and "`" not in href
                    shown = f" (`{href}`)" if shows_address and is_web_address(href) else ""
                    yield behind, end, shown if text[begin + 1 : behind] != href else ""
            behind = end


def _edited(text: str, edits: Sequence[Edit]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end, written in edits:
        pieces += [text[done : max(done, start)], written]
        done = max(done, end)
    return "".join([*pieces, text[done:]])


def _without_addresses(text: str, urls: frozenset[str]) -> str:
    code = code_spans(text)
    if "`" in text and any(not _inside(code, m.start()) for m in _ADDRESS.finditer(text)):
        # A loose backtick would take the first of those around an address for its own.
        text = escaped_backticks(text, code)
        code = code_spans(text)

    def shown(match: re.Match[str]) -> str:
        if _inside(code, match.start()):
            return match.group()
        wrapped = match["wrapped"]
        address = wrapped or trimmed(match.group())
        # Beside a backtick more of them would make another tangle.
        beside = text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1]
        if is_own(address, urls) or not address:
            return match.group()
        # No backtick can stand inside of code of one backtick: a space in the syntax breaks the
        # link instead.
        if "`" in address + beside:
            return _SYNTAX.sub(r"\g<0> ", match.group())
        return f"`{address}`" + ("" if wrapped else match.group()[len(address) :])

    return _ADDRESS.sub(shown, text)


def escaped_backticks(text: str, code: Sequence[Span]) -> str:
    """Return a text whose backticks outside of code are text for good; `code` are its spans of code."""
    return _edited(
        text,
        [
            (m.start(), m.start(), "\\")
            for m in _BACKTICK.finditer(text)
            if not _inside(code, m.start()) and not is_escaped(text, m.start())
        ],
    )


def _with_escaped_tildes(text: str) -> str:
    """Escape tildes that open code for some viewers only: as the head of a table, they do so on GitHub."""
    code = _code_of_viewer(text)
    begins = (match.start(2) for match in _FENCE_BEGIN.finditer(text))
    return _edited(text, [(at, at, "\\") for at in begins if not _inside(code, at)])


def _broken(text: str, urls: Collection[str] | None) -> str:
    """Return a text with a space in all that could begin a link, code included."""
    return text if urls is None else _SYNTAX.sub(r"\g<0> ", text)


def _leads_away(text: str, urls: Collection[str], *, calls: bool = False) -> bool:
    """Say whether a parser of Markdown still finds something in it that leads elsewhere or loads."""
    if not _SYNTAX.search(text):
        return False
    # As the parser writes them: it encodes letters beyond ASCII, and its links are compared with
    # these.
    own = {viewer().normalizeLink(url) for url in urls}
    foreign = [
        match.start()
        for match in _ADDRESS.finditer(text)
        if (address := match["wrapped"] or trimmed(match.group())) and not is_own(address, urls)
    ]
    code = _code_of_viewer(text) if foreign else []
    if not all(_inside(code, at) for at in foreign):
        return True
    return any(
        token.type == "image"
        or (
            token.type == "link_open"
            and not is_own(href := str(token.attrs.get("href", "")), own)
            and not (calls and _ARGUMENTS.fullmatch(href))
        )
        or (token.type.startswith("html") and token.content.lower().startswith(_LOADED))
        for token in _read(text)
    )


def _code_of_viewer(text: str) -> list[Span]:
    places = Places(text)
    code: list[Span] = []
    for block in viewer().parse(text.translate(AS_READ)):
        if block.type in CODE:
            code.append(places.lines_of(block))
        elif block.type == "inline":
            code += [span for t, span in places.children(block) if t.type == "code_inline"]
    return code


def _inside(spans: Sequence[Span], at: int) -> bool:
    i = bisect_right(spans, at, key=lambda span: span[0])
    return i > 0 and at < spans[i - 1][1]


def _inert(text: str, syntax: re.Pattern[str] = _HARM) -> str:
    return syntax.sub(_spelled_out, text)


def _spelled_out(match: re.Match[str]) -> str:
    if match["picture"]:
        return "!\\["
    if match["tag"]:  # as an entity, it is no tag to who takes the text for HTML either
        return f"{match['even']}&lt;"
    return f"{match['even']}\\{match['target']}"


def _closed(text: str) -> str:
    """Close a fence that is open at the end, as in an answer that was cut: it would go on below.

    One inside of a list or a quotation ends with that.
    """
    tokens = parse_blocks(text) if "```" in text or "~~~" in text else []
    # A fence in a list or quotation ends with that (CommonMark, 4.5).
    if not tokens or tokens[-1].type != "fence" or tokens[-1].level:
        return text
    last_line = text.removesuffix("\n").rpartition("\n")[2]
    return text if is_closed(tokens[-1], last_line) else f"{text}\n{tokens[-1].markup}"


def _undrawn_anywhere(text: str) -> str:
    def shown(match: re.Match[str]) -> str:
        return f"{match[1]}{_PLAIN_LANGUAGE}" if is_drawn(match["info"]) else match.group()

    return _ANY_OPENING.sub(shown, text)


def _escaped(text: str) -> str:
    return _LINE_SYNTAX.sub(r"\\\g<0>", text)


def _read(text: str) -> Iterator[Token]:
    for block in viewer().parse(text):
        yield block
        yield from block.children or ()
