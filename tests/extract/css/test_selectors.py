"""Selectors find the elements that a browser finds, in as many steps as they may take."""

from __future__ import annotations

import pytest

from askance.extract.html.css.selectors import Matcher, OutOfStepsError, elements_of, selectors_in
from askance.extract.html.tree import parse_tree
from sampled import each_row

PAGE = """<html><body>
<div id="one" class="a b"><p>1</p><p class="x" lang="en-GB">2</p><span>3</span><p>4</p></div>
<div id="two"><ul><li>5</li><li class="x">6</li><li>7</li><li data-k="Note one">8</li></ul></div>
<input id="i" disabled><p id="e"></p>
</body></html>"""


FINDS = [
    ("li", "5 6 7 8"), ("LI", "5 6 7 8"), (".x", "2 6"), ("p.x", "2"), ("#one p", "1 2 4"),
    ("#one>p", "1 2 4"), ("body p", "1 2 4 e"), ("p+p", "2"), ("p~span", "3"), ("p~p", "2 4"),
    ("div.a.b#one > span", "3"), ("ul *", "5 6 7 8"), ("li:not(.x)", "5 7 8"),
    ("li:not(.x, [data-k])", "5 7"), (":is(ul, ol) > .x", "6"), (":where(.a) .x", "2"),
    ("li:first-child", "5"), ("li:last-child", "8"), ("li:nth-child(2n)", "6 8"),
    ("li:nth-child(odd)", "5 7"), ("li:nth-child(-n+2)", "5 6"), ("li:nth-last-child(2)", "7"),
    ("p:nth-of-type(3)", "4"), ("p:nth-last-of-type(1)", "4 e"), ("span:only-of-type", "3"),
    ("[data-k]", "8"), ("[data-k='Note one']", "8"), ("[data-k^=note i]", "8"),
    ("[data-k~=one]", "8"), ("[data-k$=one]", "8"), ("[data-k*=te]", "8"), ("[lang|=en]", "2"),
    ("[data-k^=note]", ""), ("div:has(span)", ""), ("& li", ""),
    ("p:empty", "e"), (":root", "html"), ("li:hover", ""),
    ("li:not(:hover)", "5 6 7 8"), ("li::before", ""), ("p:nonesuch, li.x", "6"),
    ("li >", ""), ("> li", ""), ("", ""), (",", ""), ("li:nth-child(2 of .x)", ""),
    ("*|li", ""), ("li, .x", "2 5 6 7 8"), ("ul:has(> .x)", ""),
    ("p:first-child.x, LI:Last-Child", "8"), ("p:last-child", "4 e"), ("* > li", "5 6 7 8"), ("*.x", "2 6"),
    ("li:before, p.x", "2"), ("li.x:hover, span", "3"), ("li::marker, p::after, span", "3"),
    (".a .x", "2"), (".a .b", ""), ("#two .x", "6"), ("body .a .x", "2"), ("ul:first-child li:not(.x), span", "3 5 7 8"),
]  # fmt: skip


def found(selector: str, page: str = PAGE, *, quirks: bool = False) -> str:
    tree = parse_tree(page)
    assert tree is not None
    matcher = Matcher(100_000)
    return " ".join(
        (element.node.text or "").strip() or element.attributes.get("id", element.tag)
        for element in elements_of(tree, quirks=quirks)
        if any(matcher.matches(element, one) for one in selectors_in(selector, quirks=quirks))
    )


@each_row(("selector", "texts"), FINDS)
def test_a_selector_finds_its_elements(selector: str, texts: str) -> None:
    assert found(selector) == texts


def test_only_an_old_page_ignores_the_case_of_a_class() -> None:
    assert found(".X") == ""
    assert found(".X", quirks=True) == "2 6"
    assert found("#ONE > .X", quirks=True) == "2"


@pytest.mark.parametrize(
    ("selector", "weight"),
    [("p", (0, 0, 1)), (".a p.b", (0, 2, 1)), ("#a:not(.b)", (1, 1, 0)), (":where(#a) p", (0, 0, 1)),
     (":is(#a, p)", (1, 0, 0)), ("[a]:hover", (0, 2, 0)), ("*", (0, 0, 0))],
)  # fmt: skip
def test_a_selector_weighs_what_the_standard_says(
    selector: str, weight: tuple[int, int, int]
) -> None:
    (one,) = selectors_in(selector, quirks=False)
    assert one.specificity == weight


def test_steps_end_where_they_are_used_up() -> None:
    tree = parse_tree("<div>" * 200 + "<p>deep</p>")
    assert tree is not None
    elements = elements_of(tree, quirks=False)
    (selector,) = selectors_in("div " * 20 + "b + p", quirks=False)
    (slow,) = selectors_in("html[x] " + "div " * 20 + "p", quirks=False)
    assert not Matcher(10).matches(elements[-1], selector)
    with pytest.raises(OutOfStepsError):
        Matcher(100_000).matches(elements[-1], slow)


def test_selectors_that_nobody_writes_are_left_out() -> None:
    for text in ("a " * 100, ":not(" * 5000, "." * 1000, "[a" * 1000):
        assert selectors_in(text, quirks=False) == ()
