from __future__ import annotations

import re

import pytest

from askance.sample_web.sample_pages import plain_text, render_html

_BETWEEN_TAGS = re.compile(r"(?<=>)\n(?=<|\Z)")
CASES = [
    ("# Top\n\nA line\nand another.", "<h1>Top</h1><p>A line\nand another.</p>"),
    ("### Third", "<h3>Third</h3>"),
    ("- one\n- two", "<ul><li>one</li><li>two</li></ul>"),
    ("1. one\n2. two", "<ol><li>one</li><li>two</li></ol>"),
    ("**bold** and *slanted*", "<p><strong>bold</strong> and <em>slanted</em></p>"),
    ("a < b & c", "<p>a &lt; b &amp; c</p>"),
    (
        "| A | B |\n|---|---|\n| 1 | 2 |",
        "<table><thead><tr><th>A</th><th>B</th></tr></thead>"
        "<tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
    ),
    ("1988 was dry.", "<p>1988 was dry.</p>"),
    ("<b>bold</b>", "<p>&lt;b&gt;bold&lt;/b&gt;</p>"),
    ("", ""),
]


@pytest.mark.parametrize(("source", "html"), CASES)
def test_each_block_becomes_its_element(source: str, html: str) -> None:
    assert _BETWEEN_TAGS.sub("", render_html(source)) == html


def test_plain_text_has_no_marks_and_a_line_for_each_row_and_item() -> None:
    source = "## Head\n\nSome **bold** text.\n\n- one\n- two\n\n| A | |\n|---|---|\n| 1 | 2 |"
    assert plain_text(source) == "Head\n\nSome bold text.\n\none\ntwo\n\nA\n1, 2"
