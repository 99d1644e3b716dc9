"""Judges what a viewer would fetch, run or lead to, with parsers that the program does not use for it."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache, lru_cache
from html.parser import HTMLParser

from markdown_it import MarkdownIt

_PLAIN_TAGS = frozenset(
    [
        "html",
        "head",
        "body",
        "header",
        "article",
        "section",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "br",
        "hr",
        "ul",
        "ol",
        "li",
        "blockquote",
        "pre",
        "code",
        "em",
        "strong",
        "s",
        "span",
        "div",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "a",
        "q",
        "sup",
        "sub",
        "b",
        "i",
        "u",
        "title",
        "style",
        "meta",
    ]
)
_DRAWN = re.compile(r"\b(?:mermaid|html|svg)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://|\bwww\.)[^\s<>`\"']+", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e]")


@cache
def viewer() -> MarkdownIt:
    """A generous viewer of Markdown: tags are tags, and every address is a good one."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.validateLink = lambda _url: True  # type: ignore[method-assign]
    return parser


class _Page(HTMLParser):
    """Collects what a browser would load, run or lead to, and the texts outside of code."""

    def __init__(self, document: str, *, document_of_ours: bool = False) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.visible: list[str] = []
        self._code = 0
        self._link = 0
        self._whole = document_of_ours
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._code += tag in ("code", "pre", "style")
        self._link += tag == "a"
        allowed = _PLAIN_TAGS if self._whole else _PLAIN_TAGS - {"style", "meta", "body"}
        if tag not in allowed:
            self.found.append(f"<{tag} {attrs}>")
        for name, value in attrs:
            if tag == "a" and name == "href":
                self.links.append(value or "")
            elif name == "style" and re.fullmatch(
                r"text-align:\s?(?:left|right|center)", value or ""
            ):
                continue
            elif name.startswith("on") or name in {
                "src", "srcset", "href", "style", "action", "formaction", "poster", "data", "background", "ping", "xlink:href",
            }:  # fmt: skip
                self.found.append(f"<{tag} {name}={value}>")

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in ("code", "pre", "style")
        self._link -= tag == "a"

    def handle_data(self, data: str) -> None:
        self.visible.append(data)
        if not self._code and not self._link:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.found.append(f"<!--{data}-->")

    def handle_pi(self, data: str) -> None:
        self.found.append(f"<?{data}>")


def _leads(page: _Page, own: Collection[str], bare: bool) -> list[str]:
    pages = {url.partition("#")[0].rstrip("/") for url in own}
    in_sight = (a for text in page.texts for a in _ADDRESS.findall(text)) if bare else ()
    led = [*page.links, *in_sight]
    return [
        url
        for url in led
        if not url.startswith(("#q", "askance://"))
        and url.partition("#")[0].rstrip("/.,;:)]") not in pages
    ]


def active_in_markdown(text: str, own: Collection[str] = (), *, bare: bool = True) -> list[str]:
    """What a viewer of Markdown would fetch, run or lead to elsewhere; addresses in code are inert.

    `bare` counts addresses that stand in the text as themselves, too.
    """
    page, drawn = _viewed(text)
    return [*page.found, *_leads(page, own, bare), *drawn, *_CONTROL.findall(text)]


# The same text comes out of many cuts of a stream, and in many fields of a reply.
@lru_cache(maxsize=256)
def _viewed(text: str) -> tuple[_Page, tuple[str, ...]]:
    """Return a text as a viewer shows it, and the fences that it would draw as something else."""
    env: dict[str, object] = {}
    tokens = viewer().parse(text, env)
    page = _Page(viewer().renderer.render(tokens, viewer().options, env))
    return page, tuple(t.info for t in tokens if t.type == "fence" and _DRAWN.search(t.info))


def active_in_html(document: str, own: Collection[str] = ()) -> list[str]:
    """What a browser would fetch, run or lead to elsewhere."""
    page = _Page(document, document_of_ours=True)
    links = [url for url in page.links if not url.startswith("#")]
    pages = {url.partition("#")[0].rstrip("/") for url in own}
    return [*page.found, *(u for u in links if u.partition("#")[0].rstrip("/") not in pages)]


def visible_in_markdown(text: str) -> str:
    """What a person reads in a viewer of Markdown, white space folded."""
    return " ".join("".join(_Page(viewer().render(text)).visible).split())
