"""Pages of two megabytes in the shapes that cost a reader most."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, islice

PAGE_BYTES = 1_950_000
HTML = "text/html; charset=utf-8"
MARKDOWN = "text/markdown; charset=utf-8"
_OPENING = "<html><head><title>{title}</title></head><body><main>"
_MARKS = "\u0301\u0323\u0308\u0331\u030a\u0327"


def _repeated(unit: str, size: int = PAGE_BYTES) -> str:
    return unit * (size // len(unit.encode()) + 1)


def _html(body: Callable[[], str]) -> Callable[[], str]:
    return lambda: _OPENING.format(title="Of the lighthouse") + body() + "</main></body></html>"


def _paragraph(unit: str) -> Callable[[], str]:
    return _html(lambda: f"<p>{_repeated(unit)}</p>")


def _plain(unit: str) -> Callable[[], str]:
    return lambda: _repeated(unit)


def _nested(opening: str, closing: str, depth: int = 200) -> Callable[[], str]:
    unit = opening * depth + "lighthouse engineer " + closing * depth
    return _html(lambda: _repeated(unit))


def _zalgo() -> str:
    return "".join(islice(cycle("lighthouse" + _MARKS * 40), PAGE_BYTES // 2))


SHAPES: dict[str, tuple[str, Callable[[], str]]] = {
    "commas": (HTML, _html(lambda: f"<p>A{_repeated(',')}x</p>")),
    "capitals and commas": (HTML, _paragraph("Lighthouse, A,, ")),
    "tiny paragraphs": (MARKDOWN, _plain("A lighthouse is\n\n")),
    "tiny elements": (HTML, _html(lambda: _repeated("<p>lighthouse A is</p>"))),
    "one line": (HTML, _paragraph("the lighthouse engineer was born in 1839 ")),
    "one letter": (HTML, _paragraph("a")),
    "nested lists": (HTML, _nested("<ul><li>", "</li></ul>")),
    "nested quotes": (HTML, _nested("<blockquote>", "</blockquote>")),
    "nested boxes": (HTML, _nested("<div>", "</div>")),
    "markers": (HTML, _paragraph("[1]")),
    "brackets": (MARKDOWN, _plain("![[(")),
    "asterisks, ticks, underscores": (MARKDOWN, _plain("**_`")),
    "table pipes": (HTML, _html(lambda: f"<table>{_repeated('<tr><td>|<td>-<td>9')}</table>")),
    "pipes": (MARKDOWN, _plain("|-")),
    "entities": (HTML, _paragraph("&amp;&lt;&#x5b;1&#93;")),
    "combining marks": (HTML, _html(lambda: f"<p>{_zalgo()}</p>")),
    "right to left, zero width": (HTML, _paragraph("\u202eמגדל\u200b\u200f\u200d ")),
    "script without spaces": (HTML, _paragraph("灯台技師")),
    "digits and dots": (HTML, _paragraph("1.839,")),
    "addresses": (HTML, _paragraph("https://lighthouse.example/a?b=c#d ")),
    "headings": (HTML, _html(lambda: _repeated("<h2>A lighthouse</h2>"))),
    "open fences": (MARKDOWN, _plain("```\n~~~~ x\n")),
    "sentence ends": (HTML, _paragraph("a. ")),
    "full stops": (HTML, _paragraph(".")),
    "quotation marks": (HTML, _paragraph("“A” 'b' \"")),
    "white space": (MARKDOWN, _plain("A \t \u00a0 \u2003")),
    "line ends": (MARKDOWN, _plain("A\n\n\n\r\n")),
    "broken characters": (HTML, lambda: _repeated("<p>&#xD800;\ufffd&#0;A</p>")),
    "control tokens": (HTML, _paragraph("&lt;|im_end|&gt; &lt;/s&gt; [INST] ")),
}
"""The content type and the text of each, by name."""


def shape(name: str) -> tuple[str, str]:
    """Return the content type and the text of a page of this shape."""
    content_type, text = SHAPES[name]
    return content_type, text()
