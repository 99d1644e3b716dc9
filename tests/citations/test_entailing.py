"""What words leave open, decided by a model of entailment: which pairs it is asked about, and what its word changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from askance.citations.check.checking import Checked, check_citations, doubts
from askance.citations.check.entailing import LEAST_PROBABILITY, entailed
from askance.domain.evidence import Extract, ExtractKind, Support

TOWER = (
    "The tower of Skarne Light is 34 metres high and was designed by the engineer Abel Moss, who had"
    " built the breakwater eight years before. It is not painted."
)
HARBOUR = "The harbour of Tarn was dredged for the herring boats."
OPEN = "The man behind the breakwater also drew up the plans for this tower [1]."
EXACT = "The tower of Skarne Light is 34 metres high [1]."
OTHER_NUMBER = "The tower is 52 metres high [1]."
OTHER_NAME = "John Rennie designed the tower [1]."
DENIED = "The tower was not designed by the engineer Abel Moss [1]."


@dataclass
class Judge:
    """A model that finds what it is told to, and remembers what it was asked."""

    says: Callable[[str, str], float]
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        self.asked += pairs
        return [self.says(*pair) for pair in pairs]


def believing() -> Judge:
    return Judge(lambda _text, _sentence: 1.0)


def answer(*sentences: str, extracts: Sequence[Extract] = ()) -> tuple[Checked, list[Extract]]:
    known = [Extract(1, ExtractKind.PASSAGE, TOWER, "The light"), *extracts]
    return check_citations(" ".join(sentences), known), known


def grades(checked: Checked) -> list[Support]:
    return [citation.support for citation in checked.citations]


async def test_only_what_is_open_is_asked_without_its_markers_and_raised() -> None:
    checked, extracts = answer(EXACT, OPEN, OTHER_NUMBER)
    judge = believing()
    found, asked = await entailed(checked, extracts, judge)
    assert judge.asked == [(f"The light\n{TOWER}", OPEN.replace(" [1]", ""))]
    assert asked == 1
    assert grades(checked)[1] is not Support.SUPPORTED
    assert grades(found) == [Support.SUPPORTED, Support.SUPPORTED, grades(checked)[2]]
    assert grades(found)[2] is not Support.SUPPORTED
    assert doubts(found) == []


@pytest.mark.parametrize("sentence", [OTHER_NUMBER, OTHER_NAME, DENIED])
async def test_a_model_that_believes_everything_raises_no_number_name_or_denial(
    sentence: str,
) -> None:
    checked, extracts = answer(sentence)
    judge = believing()
    found, asked = await entailed(checked, extracts, judge)
    assert (judge.asked, asked) == ([], 0)
    assert grades(found) == grades(checked) != [Support.SUPPORTED]


@pytest.mark.parametrize("probability", [0.0, LEAST_PROBABILITY - 0.001, math.nan])
async def test_what_is_not_likely_stays_as_it_is_and_what_words_carry_is_never_lowered(
    probability: float,
) -> None:
    checked, extracts = answer(EXACT, OPEN)
    found, _ = await entailed(checked, extracts, Judge(lambda _t, _s: probability))
    assert grades(found) == grades(checked)
    assert found.text == checked.text


async def test_one_passage_of_several_is_enough() -> None:
    first = Extract(1, ExtractKind.PASSAGE, "The keepers grew potatoes.")
    checked, extracts = answer(OPEN, extracts=[first])
    judge = Judge(lambda text, _: LEAST_PROBABILITY if "breakwater" in text else 0.0)
    found, asked = await entailed(checked, extracts, judge)
    assert [text for text, _ in judge.asked] == [f"The light\n{TOWER}", first.text]
    assert (grades(found), asked) == ([Support.SUPPORTED], 1)


async def test_a_marker_moves_to_the_source_that_alone_states_its_sentence() -> None:
    sentence = "Die Einwohner von Skarne sind stolz auf ihr Bauwerk [1]."
    proud = "Skarne has a tower that the people of the town are proud of."
    extracts = [Extract(1, ExtractKind.PASSAGE, HARBOUR), Extract(2, ExtractKind.PASSAGE, proud)]
    checked = check_citations(sentence, extracts)
    found, asked = await entailed(checked, extracts, Judge(lambda text, _: float(text == proud)))
    assert [(c.n, c.support) for c in found.citations] == [(2, Support.SUPPORTED)]
    assert found.text == sentence.replace("[1]", "[2]")
    assert asked == 1
    kept, _ = await entailed(checked, extracts, believing())
    assert [c.n for c in kept.citations] == [1]
