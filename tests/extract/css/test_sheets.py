"""Style sheets: what is left out before they are parsed, their order, and what no sheet can do."""

from __future__ import annotations

import time

import pytest

from askance.extract.html.css.computed import Values
from askance.extract.html.css.selectors import elements_of, names_in
from askance.extract.html.css.sheets import MOST_RULES, Cascade, read_sheets
from askance.extract.html.hidden_elements import drop_hidden
from askance.extract.html.tree import Node, parse_tree, text_of
from sampled import sampled

NAMES = frozenset({"p", "div", ".h", "#x"})
# CPU time that the longest page may take here; the slowest below needs a fifth of it.
LONGEST_S = 10.0


def tree_of(page: str) -> Node:
    tree = parse_tree(page)
    assert tree is not None
    return tree


def declared(css: str, body: str, *, steps: int = 10_000) -> Values:
    """What counts for the element with the id `x`."""
    elements = elements_of(tree_of(f"<body>{body}</body>"), quirks=False)
    cascade = Cascade(read_sheets([css], names_in(elements), quirks=False), steps)
    (element,) = [e for e in elements if e.attributes.get("id") == "x"]
    return cascade.declared(cascade.matching(element), element.attributes.get("style", ""), {})


@pytest.mark.parametrize(
    ("sheet", "read"),
    [
        (".a{color:red}.h{color:red}", 1),
        ("@media screen{.a{color:red}} @supports (x:y){@media screen{.a{color:red}}}", 0),
        ("@media screen{.a{color:red}.h{color:red}}", 1),
        (".h{color:red;.a{color:red}&.h{color:red}}", 1),
        (".h .a{color:red}p:not(.a){color:red}p.a:not(.h, p){color:red}", 1),
        (".h:hover,.h::before{color:red}.h:hover,.h{color:red}", 1),
        ("/* .a */.h{color:red}/* .h */.a{color:red}", 1),
        (".a{b:url(data:x;base64,}{)}.h{color:red}.a::after{content:'}{'}p{color:red}", 2),
        ("[class='.a']{color:red}p.h:not(.a, :hover)[b='.c']{color:red}", 2),
        ("@font-face{font-size:0}@page{font-size:0}@import 'x.css';p{margin:0}p{border:0}", 1),
        (".h[b='{']{color:red}.a[b='{']{color:red}", 1),
        (".a{b:url(x))}.h{color:red}", 1),
        ("@media screen{.h{color:red}}}.h{color:red}p{color:red}", 2),
    ],
)
def test_only_rules_that_may_apply_are_read(sheet: str, read: int) -> None:
    assert len(read_sheets([sheet], NAMES, quirks=False)) == read


def test_what_is_left_out_takes_no_room() -> None:
    missing = "".join(f".a{i}{{color:red}}" for i in range(20_000))
    assert len(read_sheets([f"{missing}.h{{color:red}}"], NAMES, quirks=False)) == 1
    present = ".h{color:red}" * 8_000
    assert len(read_sheets([f"{present * 3}"], NAMES, quirks=False)) == MOST_RULES


@pytest.mark.parametrize(
    ("css", "body", "display"),
    [
        ("p{display:block} #x{display:none}", "<p id=x>", "none"),
        ("#x{display:none} p{display:block}", "<p id=x>", "none"),
        ("#x{display:none}", "<p id=x style='display:block'>", "block"),
        ("#x{display:none!important}", "<p id=x style='display:block'>", "none"),
        ("@layer a,b; @layer a{#x{display:none}}", "<p id=x>", "none"),
        (
            "@supports not (x:y){p{display:none}} @supports (x:y){p{display:flex}}",
            "<p id=x>",
            "flex",
        ),
        ("p{@media print{display:none} display:block}", "<p id=x>", "block"),
        ("p{b{display:none} display:block}", "<p id=x>", "block"),
        ("p{display:none} p{display:var(--shown)}", "<p id=x>", "auto"),
        ("@scope (ul){p{display:none}}", "<div><p id=x></div>", None),
        ("@starting-style{p{display:none}}", "<p id=x>", None),
        ("@keyframes k{from{display:none}} p{animation:k both}", "<p id=x>", None),
        ("<!-- p{display:none} -->", "<p id=x>", "none"),
        ("p{display:none", "<p id=x>", "none"),
    ],
)
def test_the_weightiest_declaration_counts(css: str, body: str, display: str | None) -> None:
    assert declared(css, body).get("display") == display


def test_without_steps_only_the_inline_style_counts() -> None:
    css = "html[x] p{display:none} p{visibility:hidden}"
    assert "visibility" in declared(css, "<p id=x style='opacity:0'>")
    assert declared(css, "<p id=x style='opacity:0'>", steps=1) == {"opacity": 0.0}


def test_the_places_of_siblings_are_counted_once() -> None:
    elements = elements_of(tree_of("<body>" + "<p>a</p><b>b</b>" * 3), quirks=False)
    places = [element.place_of_tag() for element in elements if element.tag == "b"]
    assert places == [(0, 3), (1, 3), (2, 3)]


HOSTILE = {
    "rules times elements": (
        "".join(f"p:not(.x{i}){{color:#{i % 900 + 100}}}" for i in range(20_000)),
        "<p>a</p>" * 20_000,
    ),
    "deep descendants": (
        "".join("div " * 25 + f".z{{opacity:.{i}}}" for i in range(2000)),
        "<div>" * 200 + "<p class=z>a</p>" * 10_000,
    ),
    "siblings": ("p~p~p~p~b{display:none}", "<p>a</p>" * 40_000 + "<b>x</b>"),
    "places": ("p:nth-of-type(3n+1),p:nth-last-of-type(2){color:red}", "<p>a</p>" * 50_000),
    "nested blocks": ("a{" * 50_000, ""),
    "nested parentheses": (".a:not(" * 20_000 + "{display:none}", ""),
    "nested sums": ("p{width:" + "calc(" * 50_000 + "}", ""),
    "comments without end": ("/*" * 500_000, ""),
    "quotes": ('"' * 1_000_000, ""),
    "commas": ("p," * 500_000 + "p{display:none}", ""),
    "a number without end": ("i{left:" + "9" * 1_000_000 + "px}", ""),
    "inline styles": ("", "".join(f'<i style="left:{i}px">a</i>' for i in range(30_000))),
    "many classes": (
        ".a{color:red}",
        "".join(f'<div class="{" ".join(f"c{i}_{j}" for j in range(40))}">' for i in range(200))
        + "<p>a</p>" * 10_000,
    ),
}


@pytest.mark.parametrize("shape", sampled(HOSTILE, every=15))
def test_a_hostile_page_is_judged_in_bounded_time_and_keeps_what_it_shows(shape: str) -> None:
    css, body = HOSTILE[shape]
    page = f"<!doctype html><style>{css}</style><body><p>This is to be seen.</p>{body}</body>"
    tree = tree_of(page)
    started = time.process_time()
    drop_hidden(tree)
    assert time.process_time() - started < LONGEST_S
    assert "This is to be seen." in text_of(tree)
