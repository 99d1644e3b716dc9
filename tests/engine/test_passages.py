"""The passages that stand in for an answer: the best first, a page once, its tables as tables."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from askance.citations.check.checking import check_citations
from askance.citations.markdown.foreign_markers import seen_text
from askance.domain.evidence import Extract, ExtractKind, Source
from askance.engine.writing import QUOTED_CHARS, quote_passages
from askance.text.ranking.passages import split_paragraphs

SOURCES = tuple(
    Source(n, f"https://{name}.example/", name.upper(), f"{name}.example")
    for n, name in enumerate("abcd", 1)
)
TABLE = """\
| Village | Height |
| Skarne | 12 m |
| Kelhaven | 31 m |"""


def extract(n: int, text: str, kind: ExtractKind = ExtractKind.PASSAGE) -> Extract:
    return Extract(n, kind, text)


def quoted(*extracts: Extract, question: str = "Which village?") -> list[str]:
    """The blocks below the first line."""
    text = quote_passages(extracts, SOURCES, question=question, opening="Nobody wrote it.")
    first, *blocks = text.split("\n\n")
    assert first == "Nobody wrote it."
    return blocks


def test_without_a_model_the_passages_speak_with_their_numbers() -> None:
    long = "It was built.\nIn 1867. " + "A long sentence that goes on and on. " * 20
    title, quote = quoted(extract(1, "Only a snippet.", ExtractKind.SNIPPET), extract(2, long))
    assert title == "**B**"
    assert quote.startswith("> It was built. In 1867. A long")
    assert quote.endswith("on and on. [2]")
    assert len(quote) < QUOTED_CHARS + 10


def test_without_a_model_and_without_pages_the_snippets_speak() -> None:
    blocks = quoted(extract(1, "Only a snippet.", ExtractKind.SNIPPET))
    assert blocks == ["**A**", "> Only a snippet. [1]"]


def test_the_passage_that_fits_best_comes_first_and_its_page_is_named_once() -> None:
    blocks = quoted(
        extract(1, "Nobody knows."),
        extract(2, "The baker sleeps."),
        extract(1, "The strongest gust was 52 metres per second."),
        extract(1, "A gust is a wind that has somewhere to be."),
        question="What was the strongest gust?",
    )
    assert blocks == [
        "**A**",
        "> The strongest gust was 52 metres per second. [1]",
        "> A gust is a wind that has somewhere to be. [1]",
        "> Nobody knows. [1]",
        "**B**",
        "> The baker sleeps. [2]",
    ]


def test_only_the_best_passages_are_quoted_and_none_of_them_twice() -> None:
    blocks = quoted(*(extract(1, f"Passage {i}.") for i in range(9)))
    assert blocks == ["**A**", *(f"> Passage {i}. [1]" for i in range(4))]
    assert quoted(extract(1, "Once."), extract(1, "Once.")) == ["**A**", "> Once. [1]"]


def test_a_table_stays_one_and_the_row_that_fits_has_the_number() -> None:
    blocks = quoted(
        extract(3, f"Five villages there are.\n{TABLE}\nThat is all."),
        question="How high is Skarne?",
    )
    assert blocks == [
        "**C**",
        "> Five villages there are. [3]",
        "| Village | Height |\n| --- | --- |\n| Skarne | 12 m [3] |\n| Kelhaven | 31 m |",
        "> That is all. [3]",
    ]


@pytest.mark.parametrize("rule", ["| --- | :---: |", "|---|---|"])
def test_a_table_with_a_rule_below_its_head_has_one_afterwards(rule: str) -> None:
    lines = TABLE.splitlines()
    (_, table) = quoted(extract(1, "\n".join([lines[0], rule, *lines[1:]])))
    assert table.count("---") == 2


def test_borders_within_the_cells_of_a_table_are_text() -> None:
    text = "| Sign | Meaning |\n| a || b | or |\n| |x| | size |\n| | none |\n| ls | wc -l | count |"
    (_, table) = quoted(extract(1, text))
    html = MarkdownIt().enable("table").render(table)
    cells = re.findall("<t[dh]>(.*?)</t[dh]>", html)
    assert [cell.removesuffix(" [1]") for cell in cells] == [
        *("Sign", "Meaning", "a || b", "or", "|x|", "size", "", "none", "ls", "wc -l | count"),
    ]


def test_of_a_long_table_the_rows_that_fit_are_kept_in_their_order() -> None:
    rows = [f"| Day {n} | {'rain ' * 12}|" for n in range(30)]
    rows[20] = "| Gale | all day |"
    text = "\n".join(["| Day | Weather |", *rows])
    (_, table) = quoted(extract(1, text), question="When was the gale?")
    lines = table.splitlines()
    assert lines[:2] == ["| Day | Weather |", "| --- | --- |"]
    assert lines[-1] == "| Gale | all day [1] |"
    assert len(table) < QUOTED_CHARS * 2


def test_a_row_alone_is_no_head() -> None:
    assert (
        quoted(extract(1, "| Skarne | 12 m |"))[1]
        == "|  |  |\n| --- | --- |\n| Skarne | 12 m [1] |"
    )


CODE = "```py\ndef ferry(quay):\n    if quay[1]:\n        leave()\n\n    return 9\n```"


def test_code_is_quoted_as_code_with_its_lines() -> None:
    passage = extract(1, f"The village writes it so:\n{CODE}\nIt leaves at nine.")
    text = quote_passages([passage], SOURCES, question="Which village?", opening="Nobody wrote it.")
    assert f"> The village writes it so: [1]\n\n{CODE}\n\n> It leaves at nine. [1]" in text


def test_code_alone_names_its_number_and_is_cut_between_lines() -> None:
    line = "    leave(quay, morning, tide)"
    long = "\n".join(["```py", *[line] * 40, "```"])
    text = quote_passages(
        [extract(2, long)], SOURCES, question="Ferry?", opening="Nobody wrote it."
    )
    _, _, block, number = text.split("\n\n")
    head, *lines, end = block.split("\n")
    assert (head, set(lines), end, number) == ("```py", {line}, "```", "[2]")
    assert len(block) < QUOTED_CHARS + 10
    checked = check_citations(text, [extract(2, long)])
    assert block in checked.text


def test_what_is_read_of_code_keeps_its_indentation() -> None:
    assert seen_text(f"It  is \n\n so:\n\n{CODE}\n\nYes.") == f"It is \n so:\n{CODE}\nYes."
    assert seen_text(seen_text(CODE)) == CODE
    (code,) = split_paragraphs(f"# Ferry\n\n{CODE}\n")
    assert (code.text, code.heading) == (CODE, "Ferry")
