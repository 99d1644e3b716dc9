"""One line of a model's Markdown, read in such a way that nothing in it can load or lead astray.

Everything that could begin a link, a picture, a tag or an address is either understood here and
written anew, or becomes plain characters. So it does not matter how far the parser that draws it
agrees with this one: outside of code it meets no bracket that was not written here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote, urlsplit

from askance.citations.addresses import BARE, is_own, trimmed

_SPECIAL = re.compile(
    r"\\|`+|!?\[|\]|!|<|@|(?<!\w)https?://(?=[^\s/])|://", re.IGNORECASE
)  # in the order in which they are tried
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_TICKS = re.compile(r"`+")
_MARKER = re.compile(r"\[([0-9]{1,3})\]")
_LINK = re.compile(
    r"!?\[(?P<label>[^\[\]]{0,500})\]"
    r"\((?:<(?P<wrapped>[^<>]{0,2000})>|(?P<url>[^\s()<>]{0,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200}){0,4}))"
    r"(?:[ \t]+(?:\"[^\"]{0,300}\"|'[^']{0,300}'))?[ \t]*\)"
)
_WRAPPED = re.compile(r"<(https?://[^\s<>]{1,2000})>")
_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_TASK = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[[ xX]\](?=[ \t])")
_URL_SAFE = "%/:?#@!$&*+,;=-._~'"
# What a code span may hold beside a cell's border without a doubt about who owns the border.
_RISKY = re.compile(r"[\[\]<@!]|://")


class Kind(StrEnum):
    """What a piece of a line is. All but the first three are written anew."""

    TEXT = "text"
    ESCAPE = "escape"
    CODE = "code"
    LITERAL = "literal"
    MARKER = "marker"
    LINK = "link"
    WORDS = "words"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text from `start` to `end`.

    `text` is what it says, of a link its label; `url` a link's target, `n` the number of a marker.
    """

    kind: Kind
    start: int
    end: int
    text: str
    url: str = ""
    n: int = 0


class Line:
    """A line that is being read. `numbers` are those that a marker may name.

    `urls` are the addresses that it may lead to, all of the web if None: without `numbers`, too,
    a link then says where it leads.
    """

    def __init__(
        self,
        text: str,
        *,
        offset: int = 0,
        numbers: Collection[int] = (),
        urls: Collection[str] | None = None,
        in_table: bool = False,
        in_label: bool = False,
    ) -> None:
        self.text = text
        self._offset = offset
        self._numbers = numbers
        self._urls = urls
        self._in_table = in_table
        self._in_label = in_label
        self._runs: dict[int, list[int]] = {}
        for run in _TICKS.finditer(text):
            self._runs.setdefault(len(run.group()), []).append(run.start())

    def tokens(self) -> Iterator[Token]:
        """Yield the pieces in order, without a gap."""
        task = None if self._in_label else _TASK.match(self.text)
        done = at = task.end() if task else 0
        if task:
            yield self._token(Kind.TEXT, 0, at)
        while found := _SPECIAL.search(self.text, at):
            token = self._special(found)
            if found.start() > done:
                yield self._token(Kind.TEXT, done, found.start())
            yield token
            done = at = token.end - self._offset
        if done < len(self.text):
            yield self._token(Kind.TEXT, done, len(self.text))

    def _token(
        self, kind: Kind, start: int, end: int, text: str | None = None, url: str = "", n: int = 0
    ) -> Token:
        told = self.text[start:end] if text is None else text
        return Token(kind, start + self._offset, end + self._offset, told, url, n)

    def _special(self, found: re.Match[str]) -> Token:
        start, end = found.span()
        match found.group()[0]:
            case "\\":
                return self._backslash(start)
            case "`":
                return self._code(start, end)
            case "[" | "!":
                token = self._marker(start) or self._link(start)
            case "<":
                token = self._bracketed(start)
            case "h" | "H":
                token = self._bare(start)
            case _:
                token = None
        if token is None and found.group().startswith("!"):
            end = start + 1  # what follows it is read by itself
        return token or self._token(Kind.LITERAL, start, end)

    def _backslash(self, start: int) -> Token:
        if _PUNCTUATION.match(self.text, start + 1):
            return self._token(Kind.ESCAPE, start, start + 2)
        is_break = start + 1 == len(self.text) and not self._in_label
        return self._token(Kind.TEXT if is_break else Kind.LITERAL, start, start + 1)

    def _code(self, start: int, end: int) -> Token:
        closers = self._runs.get(end - start, [])
        i = bisect_left(closers, end)
        if i == len(closers):
            return self._token(Kind.LITERAL, start, end)
        inner = self.text[end : closers[i]]
        if self._in_table and "|" in inner and _RISKY.search(inner):
            return self._token(Kind.LITERAL, start, end)
        return self._token(Kind.CODE, start, closers[i] + end - start)

    def _marker(self, start: int) -> Token | None:
        found = _MARKER.match(self.text, start)
        if found is None or int(found[1]) not in self._numbers:
            return None
        return self._token(Kind.MARKER, *found.span(), n=int(found[1]))

    def _link(self, start: int) -> Token | None:
        found = None if self._in_label else _LINK.match(self.text, start)
        if found is None:
            return None
        url = self._allowed(found["wrapped"] or found["url"] or "")
        label = found["label"]
        if not url or not label.strip() or found.group().startswith("!"):
            return self._token(Kind.WORDS, *found.span(), text=label, url=url)
        if self._urls is None and not self._numbers:
            label = _with_host(label, url)
        return self._token(Kind.LINK, *found.span(), text=label, url=url)

    def _bracketed(self, start: int) -> Token | None:
        if found := _BREAK.match(self.text, start):
            return self._token(Kind.GAP, *found.span(), text=" ")
        found = None if self._in_label else _WRAPPED.match(self.text, start)
        if found and (url := self._allowed(found[1])):
            return self._token(Kind.LINK, *found.span(), text=found[1], url=url)
        return None

    def _bare(self, start: int) -> Token | None:
        found = None if self._in_label else BARE.match(self.text, start)
        address = trimmed(found.group()) if found else ""
        if url := self._allowed(address):
            return self._token(Kind.LINK, start, start + len(address), text=address, url=url)
        colon = self.text.index(":", start)
        return self._token(Kind.LITERAL, start, colon + 1)

    def _allowed(self, address: str) -> str:
        if self._urls is not None and not is_own(address, self._urls):
            return ""
        return web_address(address)


def _with_host(label: str, url: str) -> str:
    """Return a link's label with where it leads, unless the label says no more than that.

    A link to a source leads where the reader expects. One in an answer without sources may come
    from a text that the model was given, and words would hide its address.
    """
    host = urlsplit(url).hostname
    return label if label.strip() in {host, url} else f"{label} ({host})"


def write(token: Token, targets: Mapping[int, str]) -> str:
    """Return a piece as Markdown that says the same and can do no harm.

    `targets` gives the address behind a marker by where the marker starts.
    """
    match token.kind:
        case Kind.TEXT | Kind.ESCAPE | Kind.CODE | Kind.GAP:
            return token.text
        case Kind.LITERAL:
            return escaped(token.text)
        case Kind.MARKER:
            return rf"[\[{token.n}\]]({targets[token.start]})"
        case Kind.LINK:
            return f"[{_label(token.text)}]({token.url})"
        case Kind.WORDS:
            return _label(token.text)


def escaped(text: str) -> str:
    """Return characters that would mean something as themselves."""
    return re.sub(r"[\\`\[\]<>!@:]", r"\\\g<0>", text)


def web_address(url: str) -> str:
    """Return the address, safe to stand in Markdown, or nothing unless it leads to the web."""
    if not url.lower().startswith(("http://", "https://")):
        return ""
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return ""
    return quote(url, safe=_URL_SAFE, errors="replace") if host else ""


def _label(text: str) -> str:
    return "".join(write(token, {}) for token in Line(text, in_label=True).tokens())
