"""The piece of a passage that says why it was found."""

from __future__ import annotations

from askance.text.ranking.passages import SNIPPET_CHARACTERS, snippet


def marked(text: str, weights: dict[str, float], code: str = "") -> list[str]:
    shown = snippet(text, weights, code)
    return [shown.text[start:end] for start, end in shown.marks]


def test_fences_of_code_are_not_shown() -> None:
    text = "The ferry so:\n\n```py\nferry(9)\n```\n\nIt leaves."
    shown = snippet(text, {"ferri": 1.0}, "en").text
    assert shown == "The ferry so: ferry(9) It leaves."
    assert snippet("ferry(9)\n```\nIt leaves.", {}, "en").text == "ferry(9) It leaves."


def test_words_are_marked_by_their_stems() -> None:
    assert marked("Ferries leave; the ferry left.", {"ferri": 1.0}) == ["Ferries", "ferry"]


def test_the_piece_with_most_of_the_words_is_shown() -> None:
    text = f"The mill. {'Nothing here. ' * 60}The mill burned in winter.{' More.' * 60}"
    shown = snippet(text, {"mill": 1.0, "burn": 1.0, "winter": 1.0})
    assert "mill burned in winter" in shown.text
    assert shown.text.startswith("…")
    assert shown.text.endswith("…")
    assert len(shown.text) <= SNIPPET_CHARACTERS + 2


def test_a_text_without_the_words_is_shown_from_its_beginning() -> None:
    shown = snippet("One\n\ntwo   three.", {"four": 1.0})
    assert shown.text == "One two three."
    assert shown.marks == ()


def test_scripts_without_spaces_are_marked_by_pairs() -> None:
    assert marked("東京の人口は多い", {"人口": 1.0}, "ja") == ["人口"]
    assert marked("東京都", {"東京": 1.0, "京都": 1.0}, "ja") == ["東京都"]


def test_words_of_another_language_are_read_in_it() -> None:
    assert marked("Die Häuser am Hafen", {"haus": 1.0}, "de") == ["Häuser"]
