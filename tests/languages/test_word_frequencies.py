"""Words share out what the model gives to a group of neighbours, and nothing else."""

from __future__ import annotations

import pytest

from askance.text.languages.recognition import norwegian_by_pairs, reapportioned

EVEN = {"da": 0.2, "nb": 0.2, "sv": 0.2, "en": 0.1, "fo": 0.1}
DANISH = ["hvad", "siger", "hun", "til", "mig", "af", "det"]
NYNORSK = ["eg", "veit", "ikkje", "kva", "ho", "seier"]


def test_the_language_whose_words_are_frequent_gets_the_most() -> None:
    found = reapportioned(EVEN, EVEN, DANISH, {})
    assert found["da"] > 0.5 > 0.05 > found["sv"]


def test_nynorsk_counts_as_norwegian() -> None:
    found = reapportioned(EVEN, EVEN, NYNORSK, {})
    assert found["nb"] > 0.5
    assert "nn" not in found


@pytest.mark.parametrize("words", [DANISH, NYNORSK, [], ["zzzz"]])
def test_a_group_keeps_what_it_has_and_others_too(words: list[str]) -> None:
    found = reapportioned(EVEN, EVEN, words, {})
    assert sum(found[code] for code in ("da", "nb", "sv")) == pytest.approx(0.6)
    assert (found["en"], found["fo"]) == (0.1, 0.1)


def test_words_that_no_list_has_say_nothing() -> None:
    assert reapportioned(EVEN, EVEN, ["zzzz"], {}) == pytest.approx(EVEN)


def test_a_language_that_the_model_does_not_know_gets_its_part() -> None:
    spanish = {"es": 0.9, "pt": 0.1}
    asturian = reapportioned(
        spanish, spanish, ["yá", "tien", "munchu", "que", "facer", "nel", "pueblu"], {}
    )
    assert asturian["ast"] > 0.5 > asturian["es"]
    assert (
        reapportioned(
            spanish, spanish, ["ya", "tiene", "mucho", "que", "hacer", "en", "el", "pueblo"], {}
        )["es"]
        > 0.5
    )


def test_what_counts_against_a_language_goes_to_its_neighbours() -> None:
    """The group is known for sure, its language is not."""
    found = reapportioned({"cs": 0.8, "sk": 0.1}, {"cs": 0.008, "sk": 0.1}, [], {})
    assert found["sk"] > found["cs"]
    assert found["cs"] + found["sk"] == pytest.approx(0.9)


def test_long_texts_are_not_surer_than_the_most_that_words_say() -> None:
    short, long = (reapportioned(EVEN, EVEN, DANISH * n, {}) for n in (20, 2000))
    assert short == long
    assert long["sv"] > 0


def test_spanish_words_that_asturian_has_as_well_are_spanish() -> None:
    """Novels of Asturian have many of them more often than all of what is written in Spanish."""
    words = ["la", "tormenta", "alcanza", "una", "temperatura", "inferior"]
    spanish = {"es": 0.5, "an": 0.1}
    alone, beside = (reapportioned(spanish, spanish, words, foreign) for foreign in ({}, {"es": 1}))
    assert alone["es"] > 3 * alone["ast"]
    assert beside["ast"] > 3 * alone["ast"]


@pytest.mark.parametrize(
    ("norwegian", "danish"),
    [("hvor skal du", "hvor skal du hen"), ("hvor mange land er det", "hvor mange lande er der")],
)
def test_pairs_of_words_tell_danish_and_norwegian_questions_apart(
    norwegian: str, danish: str
) -> None:
    assert norwegian_by_pairs(norwegian.split()) > 0 > norwegian_by_pairs(danish.split())
