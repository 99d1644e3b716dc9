"""What the citation check does to an answer."""

from __future__ import annotations

import pytest

from askance.citations.check.checking import Checked, check_citations
from askance.domain.evidence import Citation, Extract, ExtractKind, Support


def passage(n: int, text: str, heading: str = "") -> Extract:
    return Extract(n, ExtractKind.PASSAGE, text, heading)


TOWER = (
    "The Eiffel Tower is a wrought-iron lattice tower in Paris. It was built by the company of "
    "Gustave Eiffel from 1887 to 1889. The tower is 330 metres tall and has three platforms."
)
BRIDGE = (
    "The Forth Bridge is a cantilever railway bridge in Scotland. It was opened on 4 March 1890. "
    "Around 4,600 workers built the bridge, and 73 of them died."
)
CANAL = (
    "The Corinth Canal cuts through the Isthmus of Corinth in Greece. It was completed in 1893. "
    "The canal is 6.4 kilometres long and was never deep enough for modern freighters."
)
EVIDENCE = [passage(1, TOWER), passage(2, BRIDGE), passage(3, CANAL)]


def check(answer: str) -> Checked:
    return check_citations(answer, EVIDENCE)


def only(checked: Checked) -> Citation:
    assert len(checked.citations) == 1, checked
    return checked.citations[0]


def test_a_carried_sentence_is_supported_and_brings_its_quote():
    citation = only(check("The Eiffel Tower was built between 1887 and 1889 [1]."))
    assert citation.support is Support.SUPPORTED
    assert citation.quote == "It was built by the company of Gustave Eiffel from 1887 to 1889."
    end = citation.quote_offset + len(citation.quote)
    assert TOWER[citation.quote_offset : end] == citation.quote


def test_start_and_end_bound_the_sentence_in_the_final_text():
    checked = check("Sure! The Forth Bridge opened in March 1890. [2] The canal is long.")
    citation = only(checked)
    assert checked.text[citation.start : citation.end] == citation.sentence
    assert citation.sentence == "The Forth Bridge opened in March 1890 [2]."


@pytest.mark.parametrize(
    "sentence",
    [
        "The Eiffel Tower was built from 1887 to 1891 [1].",
        "The Eiffel Tower is 324 metres tall and has three platforms [1].",
        "The Eiffel Tower has four platforms and is 330 metres tall [1].",
        "The Eiffel Tower is a wrought-iron lattice tower in London [1].",
        "The Forth Tower is a wrought-iron lattice tower in Paris [1].",
        "The Eiffel Tower is not a wrought-iron lattice tower in Paris [1].",
        "The Corinth Canal was deep enough for modern freighters [3].",
        "The Corinth Canal is not 6.4 kilometres long [3].",
    ],
)
def test_another_number_or_name_or_a_denial_is_never_supported(sentence: str):
    # A number that the whole source lacks is no doubt.
    least = (Support.UNSUPPORTED,) if "1891" in sentence else (Support.UNSUPPORTED, Support.WEAK)
    assert only(check(sentence)).support in least


@pytest.mark.parametrize(
    "sentence",
    [
        "About 4600 workers built the Forth Bridge [2].",
        "Some 4.6 thousand workers built the Forth Bridge [2].",
        "The Forth Bridge was opened in March of 1890 [2].",
        "The Eiffel Tower has 3 platforms and is 330 metres tall [1].",
        "The Corinth Canal is 6.4 kilometres long [3].",
        "The Corinth Canal was never deep enough for modern freighters [3].",
    ],
)
def test_other_ways_to_write_the_same_fact_are_supported(sentence: str):
    assert only(check(sentence)).support is Support.SUPPORTED


def test_what_no_source_carries_keeps_its_marker_and_is_marked():
    checked = check("The Golden Gate Bridge was painted in 1937 by nine sailors [2].")
    assert checked.text.endswith("[2].")
    assert only(checked).support is Support.UNSUPPORTED
    assert checked.moved == 0


def test_a_wrong_marker_beside_a_right_one_stays_but_is_marked():
    checked = check("The Corinth Canal was completed in 1893 [3][1].")
    assert checked.text == "The Corinth Canal was completed in 1893 [3][1]."
    assert [c.support for c in checked.citations] == [Support.SUPPORTED, Support.UNSUPPORTED]


def test_a_note_that_was_copied_from_the_page_is_no_citation():
    page = "The Menai Bridge [Note 3] was opened to traffic on 30 January 1826 by Thomas Telford."
    evidence = [passage(1, page), *EVIDENCE[1:]]
    checked = check_citations(f"{page[:-1]} [1].", evidence)
    assert [(c.n, c.support) for c in checked.citations] == [(1, Support.SUPPORTED)]
    assert "[3]" not in checked.text
    assert "Note" not in checked.text
    # At another place it is the writer's own, and moves as any other.
    moved = (
        "The Menai Bridge was opened to traffic [Note 3] on 30 January 1826 by Thomas Telford [1]."
    )
    assert [c.n for c in check_citations(moved, evidence).citations] == [1, 1]


@pytest.mark.parametrize(
    "text",
    [
        "## The Corinth Canal was completed in 1893",
        "Was the Corinth Canal completed in 1893?",
        "I could not find when the Corinth Canal was completed in 1893.",
        "The sources do not say who built the Corinth Canal in 1893.",
        "Here is what was completed in 1893 on the Corinth Canal:",
        "Hello, the Corinth Canal in Greece!",
        "```\nThe Corinth Canal was completed in 1893.\n```",
        "| Corinth Canal | completed 1893 |",
        "|---|---|",
        "The Corinth Canal was completed in 1894.",
        "It is nice there.",
    ],
)
def test_what_states_nothing_or_has_no_source_gets_no_marker(text: str):
    checked = check(text)
    assert checked.text == text
    assert checked.citations == ()


@pytest.mark.parametrize(
    ("answer", "text", "counts"),
    [
        ("The Forth Bridge was opened on 4 March 1890 [3].", "The Forth Bridge was opened on 4 March 1890 [2].", (1, 0, 0)),
        ("The canal is pretty [7], deep [12][13] and old [Source 4].", "The canal is pretty, deep and old.", (0, 0, 4)),
        ("The canal is old [4-6], and its gates are of the types [7, 9].", None, (0, 0, 0)),
        ("The Corinth Canal was completed in 1893.", "The Corinth Canal was completed in 1893 [3].", (0, 1, 0)),
        (
            "**1893.** The Corinth Canal was completed in 1893 [3].",
            "**1893.** [3] The Corinth Canal was completed in 1893 [3].",
            (0, 1, 0),
        ),
        ("**Berlin.** The Corinth Canal was completed in 1893 [3].", None, (0, 0, 0)),
    ],
    ids=["wrong source", "invented numbers", "a list of none", "a clear source", "an opening fragment", "one of no source"],
)  # fmt: skip
def test_markers_move_to_what_carries_their_sentence_or_go(
    answer: str, text: str | None, counts: tuple[int, int, int]
):
    checked = check(answer)
    assert checked.text == (text or answer)
    assert (checked.moved, checked.added, checked.removed) == counts
    assert sum(citation.added for citation in checked.citations) == checked.added


def test_two_sources_carry_together_what_neither_carries_alone():
    checked = check(
        "The Forth Bridge was opened in 1890 and the Corinth Canal completed in 1893 [2][3]."
    )
    assert [c.support for c in checked.citations] == [Support.SUPPORTED, Support.SUPPORTED]


def test_each_marker_inside_a_sentence_answers_for_its_own_part():
    checked = check(
        "The Forth Bridge was opened in 1890 [2], the Corinth Canal completed in 1893 [1]."
    )
    assert checked.text.endswith("completed in 1893 [3].")
    assert "1890 [2]," in checked.text


def test_of_two_equal_sources_the_writers_choice_stays():
    copies = [passage(1, BRIDGE), passage(2, BRIDGE)]
    answer = "The Forth Bridge was opened on 4 March 1890 [2]."
    assert check_citations(answer, copies).text == answer


def test_of_two_equal_sources_the_one_cited_nearby_is_added_or_the_first():
    copies = [passage(1, CANAL), passage(2, BRIDGE), passage(3, BRIDGE)]
    near = check_citations(
        "The Forth Bridge is in Scotland [3]. The bridge was built by 4,600 workers.", copies
    )
    assert near.text.endswith("workers [3].")
    assert check_citations("4,600 workers built the Forth Bridge.", copies).text.endswith("[2].")


def test_a_name_that_only_the_title_or_heading_has_is_not_missing():
    text = "It was completed in 1893 after eleven years of work."
    answer = "The Corinth Canal was completed in 1893 [1]."
    alone = check_citations(answer, [passage(1, text)])
    titled = check_citations(answer, [passage(1, text)], titles={1: "Corinth Canal"})
    headed = check_citations(answer, [passage(1, text, heading="Corinth Canal")])
    assert only(alone).support is not Support.SUPPORTED
    assert only(titled).support is Support.SUPPORTED
    assert only(headed).support is Support.SUPPORTED


def test_an_acronym_and_its_long_form_are_one_name():
    extracts = [passage(1, "The World Health Organization was founded in 1948 in Geneva.")]
    citation = only(check_citations("The WHO was founded in 1948 in Geneva [1].", extracts))
    assert citation.support is Support.SUPPORTED


def test_several_extracts_under_one_number_are_one_source():
    extracts = [Extract(1, ExtractKind.SNIPPET, "Bridges of Scotland."), passage(1, BRIDGE)]
    citation = only(check_citations("The Forth Bridge was opened on 4 March 1890 [1].", extracts))
    assert citation.support is Support.SUPPORTED
    assert citation.quote in BRIDGE


def test_a_quote_takes_a_second_sentence_where_the_claim_needs_it():
    citation = only(
        check("The Forth Bridge in Scotland is a railway bridge that opened in 1890 [2].")
    )
    assert citation.support is Support.SUPPORTED
    assert citation.quote.count(".") == 2


def test_chinese_and_japanese_are_checked_by_bigrams():
    extracts = [
        passage(1, "东京塔位于东京都港区。东京塔于1958年建成\uff0c高333米。"),
        passage(2, "富士山は日本で最も高い山で、標高は3776メートルです。"),
    ]
    checked = check_citations(
        "东京塔于1958年建成【1】。富士山は日本で最も高い山です。东京塔高300米[1]。", extracts
    )
    assert (
        checked.text == "东京塔于1958年建成[1]。富士山は日本で最も高い山です[2]。东京塔高300米[1]。"
    )
    assert [c.support for c in checked.citations] == [
        Support.SUPPORTED,
        Support.SUPPORTED,
        Support.UNSUPPORTED,
    ]


def test_without_evidence_every_marker_goes():
    checked = check_citations("The canal is old [1].", [])
    assert (checked.text, checked.citations, checked.removed) == ("The canal is old.", (), 1)


def test_a_list_of_references_keeps_its_numbers_and_is_not_graded():
    answer = "The Corinth Canal was completed in 1893 [3].\n\n## Sources\n[3] Corinth\n[9] Nowhere"
    checked = check(answer)
    assert checked.text == answer.replace("[9] Nowhere", "Nowhere")
    assert len(checked.citations) == 1
