"""What browsers keep open stays open in the tree; a page that needs none of it is left as it is."""

from __future__ import annotations

import time

import pytest

from askance.extract.html import extract_html
from askance.extract.tree import keep_wrappers, parse_tree

LETTERS = 1_000_000


def test_a_page_without_such_wrappers_is_not_changed() -> None:
    page = (
        "<div class=a><h2 id=b>One</h2><p>Two <b class=c>three</b>.<p>Four<br/><ul><li>5<li>6</ul>"
    )
    assert keep_wrappers(page)[0] == page


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


def test_repeated_start_tags_are_bounded() -> None:
    page = f"<div><b class={'x' * 1000}></div>" * 500
    assert len(keep_wrappers(page)[0]) < len(page) + 500 * 60 + 60_000


@pytest.mark.parametrize(
    "piece",
    ["<", "<b ", "<!--", '<a ="', "<b class=x>", "<b class=x><p>", "<div><b class=x></div>", "</b>",
     "<x>", "<script>", "<svg><g/>"],
)  # fmt: skip
def test_the_time_grows_with_the_page_and_not_with_its_square(piece: str) -> None:
    def seconds(letters: int) -> float:
        page = "<div>" * 400 + piece * (letters // len(piece))
        begun = time.process_time()
        keep_wrappers(page)
        return time.process_time() - begun

    assert seconds(LETTERS) < 8 * seconds(LETTERS // 4) + 0.2
