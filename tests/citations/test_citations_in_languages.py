"""The citation check in languages other than English: numbers, names and denials as each writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from askance.citations.check.checking import check_citations
from askance.citations.check.disagreement import compare_answers
from askance.citations.check.facts import carries, find_numbers, read_facts, spelled_values
from askance.domain.evidence import Extract, ExtractKind, Support
from askance.text.languages.language import CODES, language
from sampled import each_row

TEXTS: dict[str, Any] = json.loads(
    Path(__file__).with_name("languages.json").read_text(encoding="utf-8")
)
SOURCES: dict[str, str] = TEXTS["source"]
TRUE: dict[str, str] = TEXTS["true"]
DENIED: dict[str, str] = TEXTS["denied"]


def support_of(sentence: str, source: str, *, others: tuple[str, ...] = ()) -> Support:
    """Return how a sentence that cites the first source is graded."""
    texts = (source, *others)
    extracts = [Extract(n, ExtractKind.PASSAGE, text) for n, text in enumerate(texts, 1)]
    stop = sentence[-1]
    (citation,) = check_citations(f"{sentence[:-1]} [1]{stop}", extracts).citations
    return citation.support


@pytest.mark.parametrize("code", SOURCES)
def test_what_a_source_says_is_supported_in_its_language_and_nothing_else(code: str) -> None:
    assert support_of(TRUE[code], SOURCES[code]) is Support.SUPPORTED
    changed = TRUE[code].replace("1873", "1898")
    assert support_of(changed, SOURCES[code]) is Support.UNSUPPORTED
    assert support_of(DENIED[code], SOURCES[code]) is not Support.SUPPORTED


@pytest.mark.parametrize("code", [code for code in SOURCES if code != "zh"])
def test_across_languages_numbers_and_names_carry_a_sentence(code: str) -> None:
    english = "The lighthouse of Skarne is 34 metres high and was built by Abel Moss in 1873."
    other = "Cabbage needs a deep soil. It was grown in 1650 by the monks of Tarn."
    assert support_of(TRUE[code], english, others=(other,)) is Support.SUPPORTED
    assert support_of(TRUE[code].replace("1873", "1898"), english) is Support.UNSUPPORTED
    assert support_of(DENIED[code], english, others=(other,)) is not Support.SUPPORTED


def test_english_is_carried_by_a_source_in_another_script() -> None:
    sentence = "Abel Moss built the lighthouse of Skarne in 1873."
    assert support_of(sentence, SOURCES["ru"]) is Support.SUPPORTED
    assert support_of("Abel Moss built it in 1898.", SOURCES["ru"]) is Support.UNSUPPORTED


def test_a_name_that_only_another_source_has_is_missing() -> None:
    english = "The lighthouse of Skarne was built by Abel Moss in 1873. It has 34 metres."
    other = "Conrad Kessler painted the Skarne harbour in 1901."
    sentence = "Der Leuchtturm von Skarne wurde 1873 von Conrad Kessler gebaut."
    assert support_of(sentence, english, others=(other,)) is not Support.SUPPORTED


def test_a_marker_moves_to_the_source_of_another_language_that_has_more() -> None:
    extracts = [
        Extract(1, ExtractKind.PASSAGE, "The harbour of Skarne was dredged in 1901."),
        Extract(2, ExtractKind.PASSAGE, "Abel Moss built the lighthouse of Skarne in 1873."),
    ]
    checked = check_citations(TEXTS["moved"], extracts)
    assert [citation.n for citation in checked.citations] == [2]
    assert checked.moved == 1


def test_the_question_tells_what_words_are_in_another_language() -> None:
    source = (
        "The Tesla archive keeps letters about the mad scientist of popular culture, Nikola Tesla."
    )
    extracts = [Extract(1, ExtractKind.PASSAGE, source)]
    sentence = "特斯拉在流行文化中是疯狂科学家的典型 [1]。"
    wordings = ("特斯拉在流行文化中是什么?", "What is Tesla in popular culture?")
    bare = check_citations(sentence, extracts).citations[0]
    reported = check_citations(sentence, extracts, wordings=wordings).citations[0]
    assert bare.support is Support.UNSUPPORTED
    assert reported.support is not Support.UNSUPPORTED


@pytest.mark.parametrize(("text", "code", "value"), TEXTS["numbers"])
def test_numbers_are_read_as_a_language_writes_them(text: str, code: str, value: float) -> None:
    assert any(value in number.readings for number in find_numbers(text, code))


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        ("im März", "de", {3}),
        ("7 февраля", "ru", {2}),
        ("in March, or may be later", "en", {3}),
        ("三百零八", "zh", {308}),
        ("二〇一六年十二月", "zh", {2016, 12}),
        ("第四", "zh", {4}),
        ("Super Bowl XLIX and Louis XIV", "en", {49, 14}),
        ("about a billion years", "en", {1e9}),
        ("I saw a MIX of CCMIX and IIII", "en", set[int]()),
    ],
)
def test_numbers_in_words_are_read(text: str, code: str, values: set[float]) -> None:
    assert spelled_values(text, code) == values


def test_a_decade_and_a_year_are_told_apart_in_every_script() -> None:
    assert carries(find_numbers("في ١٩٩٠", "ar"), find_numbers("1990")[0])
    assert not carries(find_numbers("في ١٩٩١", "ar"), find_numbers("1990")[0])


@each_row("code", CODES)
def test_every_language_knows_what_denies_and_what_refers_back(code: str) -> None:
    known = language(code)
    assert known.negations
    assert known.pronouns
    assert known.roughly
    joined = known.negations[0] if code in {"zh", "ja", "ko", "th"} else f"x {known.negations[0]} y"
    assert read_facts(joined, code).negated


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Er baute nicht nur den Turm, sondern auch den Hafen.", "de"),
        ("Il a construit pas seulement le phare.", "fr"),
        ("Он построил не только маяк.", "ru"),
        ("它不仅是灯塔。", "zh"),
        ("未来的灯塔", "zh"),
    ],
)
def test_not_only_denies_nothing(text: str, code: str) -> None:
    assert not read_facts(text, code).negated


@pytest.mark.parametrize(("text", "code"), TEXTS["endings"])
def test_some_languages_deny_at_the_end_of_the_word(text: str, code: str) -> None:
    assert read_facts(text, code).negated


def test_a_german_noun_that_is_missing_leaves_a_sentence_open() -> None:
    source = "Der Leuchtturm von Skarne ist 34 Meter hoch und wurde von Abel Moss aus rotem Granit gebaut."
    sentence = "Das Bauwerk aus rotem Granit in Skarne ist 34 Meter hoch und wurde von Abel Moss gebaut [1]."
    checked = check_citations(sentence, [Extract(1, ExtractKind.PASSAGE, source)])
    assert checked.citations[0].support is not Support.UNSUPPORTED
    assert checked.undecided == (0,)


@pytest.mark.parametrize(("about", "is_found"), [("genau", True), ("etwa", False)])
def test_sources_disagree_in_other_languages_too_if_they_are_exact(
    about: str, is_found: bool
) -> None:
    extracts = [
        Extract(n, ExtractKind.PASSAGE, f"Der alte Leuchtturm von Skarne ist heute {about} {m} Meter hoch.")
        for n, m in ((1, 34), (2, 43))
    ]  # fmt: skip
    found = compare_answers("Wie hoch ist der Leuchtturm von Skarne?", extracts).found
    values = {position.value for each in found for position in each.positions}
    assert values == ({"34 Meter", "43 Meter"} if is_found else set())


def test_a_marker_that_has_nothing_moves_to_the_source_that_answers_the_question() -> None:
    extracts = [
        Extract(1, ExtractKind.PASSAGE, "The harbour of Tarn was dredged for the herring boats."),
        Extract(2, ExtractKind.PASSAGE, "The video was processed to remove noise without damage."),
    ]
    wordings = ("Wozu wurde das Video bearbeitet?", "Why was the video processed?")
    sentence = "Man wollte damit das Rauschen entfernen und nichts beschädigen"
    for cited in (1, 2):
        checked = check_citations(f"{sentence} [{cited}].", extracts, wordings=wordings)
        assert [citation.n for citation in checked.citations] == [2]
        assert checked.citations[0].support is Support.UNSUPPORTED, (
            "it is a guess, and shown as one"
        )
    (stored,) = check_citations(f"{sentence} [1].", extracts).citations
    assert stored.n == 1
    numbered = check_citations(f"{sentence} wie 1899 [1].", extracts, wordings=wordings)
    assert numbered.citations[0].n == 1, "the number is in neither"
