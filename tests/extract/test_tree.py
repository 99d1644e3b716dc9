"""What browsers keep open stays open in the tree; a page that needs none of it is left as it is."""

from __future__ import annotations

import re
import subprocess
import sys
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askance.domain.web_pages import PageStatus
from askance.extract.html.html_page import extract_html
from askance.extract.html.tag_soup import DEEPEST, mark_wrappers
from askance.extract.html.text_blocks import blocks_of
from askance.extract.html.tree import drop_trees, parse_tree, text_of
from sampled import each_row
from servers.site import article

LETTERS = 400_000


def test_a_page_without_such_wrappers_is_not_changed() -> None:
    page = (
        "<div class=a><h2 id=b>One</h2><p>Two <b class=c>three</b>.<p>Four<br/><ul><li>5<li>6</ul>"
    )
    assert mark_wrappers(page)[0] == page


def test_a_renamed_wrapper_has_its_own_name_in_the_tree() -> None:
    tree = parse_tree('<body><b class="x"><p>One</p></b><h2 class="y"><p>Two</p></h3>')
    assert tree is not None
    holders = [next(iter(tree.iter(name))) for name in ("b", "h2")]
    assert [[child.tag for child in holder] for holder in holders] == [["p"], ["p"]]
    assert all("kept" not in str(element.tag) for element in tree.iter())


def test_a_heading_with_attributes_stays_a_heading() -> None:
    page = (
        b"<!doctype html><article><h2 class=x id=y>Stones</h2>" + b"<p>Of clay and slate.</p>" * 30
    )
    assert "## Stones" in extract_html(page, "http://lindmouth.example/", "text/html").markdown


@pytest.mark.parametrize(
    ("source", "parent"),
    [
        ("<ul><li><div>One</li></ul><main>Two</main>", "body"),
        ("<section><div><div>One</section><main>Two</main>", "body"),
        ("<ul><li><div><ul><div></li><main>Two</main></ul>", "div"),
        ("<li><table><tr><td><div></li><main>Two</main>", "div"),
        ("<span><div>One</span><main>Two</main>", "div"),
        ("<b><div>One</b><main>Two</main>", "div"),
    ],
)
def test_the_end_of_an_element_of_text_ends_the_boxes_left_open_in_it(
    source: str, parent: str
) -> None:
    tree = parse_tree(f"<!doctype html><body>{source}</body>")
    assert tree is not None
    (main,) = tree.iter("main")
    above = main.getparent()
    assert above is not None
    assert above.tag == parent


def test_a_heading_ends_where_the_next_one_begins() -> None:
    tree = parse_tree("<!doctype html><body><h2>One<h3>Two</h3>Three<h1>Four<div><h2>Five")
    assert tree is not None
    above = {element: element.getparent() for element in tree.iter("h1", "h2", "h3")}
    assert [(e.tag, e.text, a.tag) for e, a in above.items() if a is not None] == [
        ("h2", "One", "body"),
        ("h3", "Two", "body"),
        ("h1", "Four", "body"),
        ("h2", "Five", "div"),
    ]


def test_elements_taken_out_beside_each_other_leave_their_tails_in_order() -> None:
    tree = parse_tree("<p>a<i>1</i>b<i>2</i>c<b>d</b>e<i>3<i>4</i></i>f</p>")
    assert tree is not None
    drop_trees(list(tree.iter("i")))
    assert text_of(tree) == "abcdef"


def test_repeated_start_tags_are_bounded() -> None:
    page = f"<div><b class={'x' * 1000}></div>" * 500
    assert len(mark_wrappers(page)[0]) < len(page) + 500 * 60 + 60_000


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "piece",
    ["<", "<b ", "<!--", '<a ="', "<b class=x>", "<b class=x><p>", "<div><b class=x></div>", "</b>",
     "<x>", "<script>", "<svg><g/>", "<li><div></li>", "<li><div></p>", "<li><div><td></li>"],
)  # fmt: skip
def test_the_time_grows_with_the_page_and_not_with_its_square(piece: str) -> None:
    def seconds(letters: int) -> float:
        page = "<div>" * 400 + piece * (letters // len(piece))
        begun = time.process_time()
        mark_wrappers(page)
        return time.process_time() - begun

    small = min(seconds(LETTERS // 4) for _ in range(2))
    assert any(seconds(LETTERS) < 8 * small + 0.05 for _ in range(2))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("be\x07ll", "bell"),
        ("be\x1bll", "bell"),
        ("be&#7;ll", "bell"),
        ("be&#x07;ll", "bell"),
        ("be&#xFFFE;ll", "bell"),
        ("be\ufffell", "bell"),
        ("be\x0cll", "be ll"),
        ("10&#150;20", "10–20"),
        ("it&#x92;s", "it’s"),
        ("a&#10;b", "a b"),
        ("a&#65;b", "aAb"),
        ("a&#1234567;b", "ab"),
        ("<a {count} href=/k>bell</a>", "bell"),
        ("<a {count href=/k>bell</a>", "bell"),
        ("<a {}=1 {{x}}>bell</a>", "bell"),
        ("<a {a}b=1 title=x>bell</a>", "bell"),
        ('<a data-x="{1}" @click="y" :z=1 xlink:href="q">bell</a>', "bell"),
        ("<b title='x\x07y'>bell</b>", "bell"),
    ],
)
def test_no_character_and_no_attribute_costs_a_page(source: str, said: str) -> None:
    page = article(f"<p>The word {source} stands here.</p>")
    text = extract_html(page.encode(), "http://lindmouth.example/", "text/html").markdown
    assert f"The word {said} stands here." in text.replace("\ufffd", "")


_PIECES = [
    "<p>", "</p>", "<b {a} ", ">", "/>", "<div ", "class=x ", "{a", "=", "<{", "@click ", "<a:b>", "&#7;", "\x07", "\x0c", "\ufffe",
    "words ", "<table>", "<tr>", "<td>", "<li>", "<noscript>", "</noscript>", "<script type=text/template>", "</script>",
    "<math>", "<mi>x</mi>", "<sup>2</sup>", "<del>", "<pre>", "<h1>", "<template>", "<!--", "-->", "<![CDATA[", "]]>", '"', "'",
    "<span style='text-decoration:line-through'>", "<title>", "<frameset>", "<plaintext>", "<select>", "<textarea>", "<ruby>",
    "<img class=tex alt='$x'>", "<mjx-container>", "<span class=katex>", "<a xmlns:q=1 q:z=2>", "<body {b}>", "</html>",
]  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), max_size=40))
def test_no_source_is_refused(pieces: list[str]) -> None:
    page = extract_html("".join(pieces).encode(), "http://lindmouth.example/", "text/html")
    assert page.status is not PageStatus.FAILED


_FORMATTED = ["<i>", "</i>", "</h1>", "<ul>", "</li>", "</table>", "</title>", "<a>", "<form>", "</form>"]  # fmt: skip


@example(["<plaintext>", "<i>", "<p>"])
@example(["<h1>", "<p>", "<plaintext>", "</h1>"])
@given(st.lists(st.sampled_from(_PIECES + _FORMATTED), max_size=20))
def test_names_that_elements_have_while_they_are_parsed_stand_nowhere(pieces: list[str]) -> None:
    tree = parse_tree("".join(pieces))
    found = [] if tree is None else [(e.tag, e.text, e.tail) for e in tree.iter()]
    assert not re.search("kept[0-9a-f]{16}", repr(found))


_NESTS = [
    ("<div>", "</div>"), ("<ul><li>", "</li></ul>"), ("<ul><li>", "</ul>"), ("<ol><li><p>", "</p></li></ol>"), ("<dl><dd>", "</dd></dl>"),
    ("<blockquote>", "</blockquote>"), ("<table><tr><td>", "</td></tr></table>"), ("<table><tr><td>", "</table>"), ("<span>", "</span>"),
    ("<b>", "</b>"), ("<font>", ""), ("<div><font>", "</div>"),
]  # fmt: skip


@each_row("depth", [250, DEEPEST - 1, DEEPEST, DEEPEST + 1, 3 * DEEPEST])
@each_row(("opening", "ending"), _NESTS)
def test_what_is_nested_deeply_is_read_and_so_is_what_follows(
    opening: str, ending: str, depth: int
) -> None:
    steps = "".join(f"{opening}Step {i} is taken. " for i in range(depth))
    tree = parse_tree(
        f"<p>This stands before.</p>{steps}{ending * depth}<p>This stands behind.</p>"
    )
    assert tree is not None
    texts = [block.text for block in blocks_of(tree)]
    assert texts[0] == "This stands before."
    assert sum(text.count("is taken.") for text in texts) == depth
    assert texts[-1].endswith("This stands behind.")


@pytest.mark.parametrize(
    "left_open", ["", "<font size=2>", "<b>", "<div>", "<center><span>", "<p>", "<h3>"]
)
@pytest.mark.parametrize("rows", [3, DEEPEST])
def test_a_cell_ends_where_the_next_one_begins_whatever_is_open_in_it(
    left_open: str, rows: int
) -> None:
    cells = "".join(f"<tr><td>{left_open}Name {i}<td>{left_open}Value {i}" for i in range(rows))
    tree = parse_tree(f"<table>{cells}</table><p>This stands behind.</p>")
    assert tree is not None
    found = [[text_of(cell) for cell in row] for row in tree.iter("tr")]
    assert found == [[f"Name {i}", f"Value {i}"] for i in range(rows)]
    assert blocks_of(tree)[-1].text == "This stands behind."


def test_what_hides_a_cell_ends_with_it() -> None:
    page = article(
        "<table><tr><td>Ann<td><div hidden>SECRET<td>Bob<tr><td>Clara<td hidden>SECRET</table>"
    )
    text = extract_html(page.encode(), "http://lindmouth.example/", "text/html").markdown
    assert "SECRET" not in text
    assert all(name in text for name in ("Ann", "Bob", "Clara"))


@each_row("hidden", ["hidden", "style=display:none"])
@each_row("depth", [DEEPEST - 3, DEEPEST, 2 * DEEPEST])
@each_row(("opening", "ending"), _NESTS)
def test_what_is_nested_deeply_does_not_end_what_hides_it(
    opening: str, ending: str, depth: int, hidden: str
) -> None:
    nested = f"{opening * depth}SECRET{ending * depth}"
    page = article(
        f"<p>This stands before.</p><div {hidden}>{nested}SECRET</div><p>This stands behind.</p>"
    )
    text = extract_html(page.encode(), "http://lindmouth.example/", "text/html").markdown
    assert "SECRET" not in text
    assert "This stands behind." in text


def test_an_end_tag_ends_nothing_around_a_cell_that_is_nested_too_deeply() -> None:
    nested = f"{'<div>' * (DEEPEST + 9)}<table><tr><td><p>{'</div>' * 2 * DEEPEST}SECRET</table>"
    page = article(f"<p>This stands before.</p><div hidden>{nested}{'</div>' * (DEEPEST + 10)}")
    text = extract_html(page.encode(), "http://lindmouth.example/", "text/html").markdown
    assert "SECRET" not in text


_SHORT_OF_MEMORY = """
import resource
from askance.extract.html.tree import parse_tree

page = "<p>One <b>two</b>" * 40_000
parse_tree("<p>One")
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
for spare in range(8, 200, 8):
    resource.setrlimit(resource.RLIMIT_AS, (taken + spare * 2**20, resource.RLIM_INFINITY))
    try:
        parse_tree(page)
    except MemoryError as exc:
        print(type(exc.__cause__).__name__)
    else:
        print("parsed")
        break
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="a limit of address space, and /proc: run it on Linux"
)
def test_a_page_too_large_for_the_memory_is_said_to_be_so() -> None:
    run = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", _SHORT_OF_MEMORY], capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    outcomes = run.stdout.split()
    assert outcomes[-1] == "parsed"
    assert "XMLSyntaxError" in outcomes  # the parser's own, which says "unknown error"
