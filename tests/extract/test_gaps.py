"""What stands in the middle of a text is read with it; what a page calls something else is not."""

from __future__ import annotations

import pytest

from askance.extract.html.html_page import extract_html
from servers.site import article, sentence

LINKS = (
    '<li><a href="/a">Version 3.1 for Windows</a></li><li><a href="/b">Version 3.0, old</a></li>'
)
SHORT = {
    "links": (f"<ul>{LINKS}</ul>", "- Version 3.1 for Windows"),
    "menu": ("<menu><li>Lentil soup, 6 crowns</li></menu>", "- Lentil soup, 6 crowns"),
    "caption": ("<figure><img src=a><figcaption>Yield fell.</figcaption></figure>", "Yield fell."),
    "label": ("<ul><li><label>Frost limit:</label> minus four</li></ul>", "- Frost limit: minus four"),
    "legend": ("<fieldset><legend>Opening hours</legend><p>Nine to five.</p></fieldset>", "Nine to five."),
    "note": ('<aside class="note"><p>Wear gloves.</p></aside>', "Wear gloves."),
    "code": ("<figure class=code><figcaption>a.conf</figcaption><pre><code>limit = 40</code></pre></figure>", "limit = 40"),
    "cell": ("<table><tr><td>Small</td><td><ul><li>two</li><li>one</li></ul></td></tr></table>", "| Small | two; one |"),
    "question": ("<details><summary>Who pays?</summary>The town.</details>", "The town."),
    "output": ("<p>Press <button>Save</button> for <output>99</output> jars.</p>", "Press Save for 99 jars."),
}  # fmt: skip
APART = {
    "related": '<div class="related"><ul><li><a href="/x">ZX other page</a></li></ul></div>',
    "share": '<ul class="share-links"><li><a href="/x">ZX share</a></li></ul>',
    "navigation": '<nav><a href="/x">ZX next</a></nav>',
    "aside": '<aside><a href="/x">ZX advertised</a></aside>',
    "form": '<form class="newsletter"><label>ZX your address</label><button>Send</button></form>',
}


def read(content: str) -> str:
    page = article(f"<p>{sentence(1)}</p>{content}<p>{sentence(3)} {sentence(4)}</p>")
    return extract_html(page.encode(), "http://lindmouth.example/", "text/html").markdown


@pytest.mark.parametrize(("content", "said"), SHORT.values(), ids=SHORT)
def test_short_blocks_in_the_middle_of_a_text_are_read(content: str, said: str) -> None:
    assert said in read(content)


@pytest.mark.parametrize("content", APART.values(), ids=APART)
def test_what_a_page_calls_something_else_is_not_read(content: str) -> None:
    assert "ZX" not in read(content)


def test_all_slides_of_a_gallery_are_read() -> None:
    slides = "".join(
        f'<div class="slide" style="display:none"><h2>Tool {n}</h2><p>{sentence(n % 5)} Tool {n} costs {n + 10}'
        " crowns, and that is what it has cost for years.</p></div>"
        for n in range(2, 9)
    )
    text = read(f"{slides}<button onclick='next()'>Next</button>")
    assert all(f"Tool {n} costs {n + 10} crowns" in text for n in range(2, 9))
