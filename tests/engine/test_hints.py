"""Search hints: what pages call their parts, with the words of the question that these lack."""

from __future__ import annotations

from askance.domain.web_pages import Page, PageStatus
from askance.engine.queries import hint_query

QUESTION = "Where was the engineer who built the Lindmouth lighthouse born?"
TOWER = "## Clara Whitlow's tower\n\nThe engineer built the lighthouse of Lindmouth in 1871.\n"


def page(markdown: str) -> Page:
    return Page("http://a.example/", PageStatus.OK, title="Lindmouth - News", markdown=markdown)


def test_a_heading_is_searched_with_the_words_that_its_part_lacks():
    assert hint_query(QUESTION, [page(TOWER)], []) == "born Clara Whitlow's tower"


def test_nothing_new_is_no_hint():
    assert not hint_query(QUESTION, [page(TOWER)], ["Clara Whitlow tower"])
    assert not hint_query(QUESTION, [], [])
    assert not hint_query(QUESTION, [page("## Cakes\n\nButter and sugar.\n")], [])


def test_a_part_that_shows_code_is_searched_in_its_language():
    code = f"{TOWER}\n```text\nlog\n```\n\n```rust\nfn light() {{}}\n```\n"
    assert hint_query(QUESTION, [page(code)], []) == "born Clara Whitlow's tower rust"


def test_an_operator_in_a_heading_does_not_reach_the_query():
    heading = TOWER.replace("Clara", 'site:evil.example "Clara"')
    assert not set('":') & set(hint_query(QUESTION, [page(heading)], []))
