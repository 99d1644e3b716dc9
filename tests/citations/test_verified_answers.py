"""What words cannot decide, and what verification by meaning changes: grades, and the number of a marker that named the
wrong source.
"""

from __future__ import annotations

from itertools import product

import pytest

from askance.citations.check.checking import (
    Checked,
    DoubtfulSentence,
    check_citations,
    doubts,
    settled,
)
from askance.domain.evidence import Citation, Extract, ExtractKind, Support

HARBOUR = "The harbour of Tarn was dredged for the herring boats."
TOWER = "Skarne has a tower that the people of the town are proud of."
SENTENCES = (
    "Die Einwohner von Skarne sind stolz auf ihr Bauwerk [1].",
    "Der Hafen wurde für die Fischer vertieft [1].",
)


def checked_answer(*sentences: str, tower_at: int = 2) -> Checked:
    extracts = [
        Extract(1, ExtractKind.PASSAGE, HARBOUR),
        Extract(tower_at, ExtractKind.PASSAGE, TOWER),
    ]
    return check_citations(" ".join(sentences), extracts)


def assert_consistent(checked: Checked) -> None:
    for citation in checked.citations:
        assert checked.text[citation.start : citation.end] == citation.sentence
        assert f"[{citation.n}]" in citation.sentence


def test_the_cited_source_and_the_one_that_holds_more_are_in_doubt() -> None:
    checked = checked_answer(*SENTENCES)
    found = [(doubt.place, doubt.citation.n) for doubt in doubts(checked)]
    assert found == [(0, 1), (0, 2), (1, 1)]


def test_nothing_is_in_doubt_where_words_decide() -> None:
    checked = check_citations(f"{HARBOUR[:-1]} [1].", [Extract(1, ExtractKind.PASSAGE, HARBOUR)])
    assert doubts(checked) == []
    assert settled(checked, []).text == checked.text


def test_what_is_stated_is_supported() -> None:
    checked = checked_answer(*SENTENCES)
    answer = settled(checked, [doubt for doubt in doubts(checked) if doubt.citation.n == 1])
    assert answer.text == checked.text
    assert [c.support for c in answer.citations] == [Support.SUPPORTED, Support.SUPPORTED]
    assert answer.moved == checked.moved
    assert not answer.undecided
    assert not answer.alternatives


@pytest.mark.parametrize("tower_at", [2, 12, 104])
def test_a_marker_moves_to_the_source_that_alone_states_its_sentence(tower_at: int) -> None:
    checked = checked_answer(*SENTENCES, tower_at=tower_at)
    stated = [doubt for doubt in doubts(checked) if doubt.citation.n == tower_at]
    answer = settled(checked, stated)
    assert [(c.n, c.support) for c in answer.citations] == [
        (tower_at, Support.SUPPORTED),
        (1, checked.citations[1].support),
    ]
    assert answer.citations[0].quote == TOWER
    assert answer.moved == checked.moved + 1
    assert_consistent(answer)


def test_the_cited_source_is_kept_where_both_state_it() -> None:
    checked = checked_answer(SENTENCES[0])
    answer = settled(checked, doubts(checked))
    assert [c.n for c in answer.citations] == [1]
    assert answer.citations[0].support is Support.SUPPORTED


def test_any_choice_leaves_text_and_citations_consistent() -> None:
    checked = checked_answer(*SENTENCES, SENTENCES[0], tower_at=37)
    found = doubts(checked)
    for chosen in product((False, True), repeat=len(found)):
        stated = [doubt for doubt, is_stated in zip(found, chosen, strict=True) if is_stated]
        answer = settled(checked, stated)
        assert_consistent(answer)
        assert answer.text.count("[") == checked.text.count("[")


def test_two_markers_of_one_source_in_a_sentence_are_told_apart() -> None:
    text = "Tief [1] und breit [1] ist er [2]."
    citations = tuple(Citation(n, text, 0, len(text), Support.WEAK) for n in (1, 1, 2))
    other = Citation(40, text, 0, len(text), Support.WEAK)
    checked = Checked(text, citations, 0, 0, 0, (1,), {1: other})
    answer = settled(checked, [DoubtfulSentence(1, other)])
    assert answer.text == "Tief [1] und breit [40] ist er [2]."
    assert {c.sentence for c in answer.citations} == {answer.text}


def test_where_words_tell_nothing_the_source_that_answers_the_question_is_asked_about() -> None:
    extracts = [
        Extract(1, ExtractKind.PASSAGE, HARBOUR),
        Extract(2, ExtractKind.PASSAGE, "The video was processed to remove noise without damage."),
    ]
    wordings = ("Wozu wurde das Video bearbeitet?", "Why was the video processed?")
    sentence = "Man wollte das Rauschen entfernen, ohne etwas zu beschädigen [1]."
    checked = check_citations(sentence, extracts, wordings=wordings)
    assert [doubt.citation.n for doubt in doubts(checked)][-1] == 2
    bare = check_citations(sentence, extracts)
    assert 2 not in [doubt.citation.n for doubt in doubts(bare)]


TEXT = (
    "The tower of Skarne Light is 34 metres high and was designed by the engineer Abel Moss, who had"
    " built the breakwater eight years before. It is not painted."
)


@pytest.mark.parametrize(
    ("sentence", "is_open"),
    [
        ("The tower is 34 metres high [1].", False),
        ("The tower is 52 metres high [1].", False),
        ("John Rennie designed the tower [1].", False),
        ("The tower is painted white, and it is 34 metres high [1].", False),
        ("The man behind the breakwater also drew up the plans for this tower [1].", True),
        ("Der Turm ist 34 Meter hoch und wurde von dem Ingenieur Abel Moss entworfen [1].", False),
        ("Der Turm ist 34 Meter hoch und wurde vor langer Zeit entworfen [1].", True),
        ("Der Turm ist nicht 34 Meter hoch [1].", False),
        ("Der Turm ist 52 Meter hoch und wurde von dem Ingenieur entworfen [1].", False),
        ("灯塔高34米\uff0c由工程师阿贝尔·莫斯设计 [1]。", True),
        ("灯塔高52米\uff0c由工程师阿贝尔·莫斯设计 [1]。", False),
    ],
)
def test_only_what_words_cannot_decide_is_open(sentence: str, is_open: bool) -> None:
    checked = check_citations(
        sentence, [Extract(1, ExtractKind.PASSAGE, TEXT)], titles={1: "Light"}
    )
    assert len(checked.citations) == 1
    assert checked.undecided == ((0,) if is_open else ())
