"""The field: recalling what was asked, drafts, and long texts as chips."""

from __future__ import annotations

from askance.ui.model.chips import (
    LONG_CHARACTERS,
    LONG_LINES,
    Chip,
    Origin,
    chip_of_paste,
    chip_of_selection,
    quote_of,
)
from askance.ui.model.recall import MOST, Draft, Drafts, Recall


def test_arrow_up_goes_back_and_arrow_down_comes_to_the_draft_again():
    recall = Recall(["first", "second"])
    assert recall.up("half typ") == "second"
    assert recall.up("second") == "first"
    assert recall.up("first") is None
    assert recall.down("first") == "second"
    assert recall.down("second") == "half typ"
    assert recall.down("half typ") is None


def test_a_recalled_question_that_was_changed_is_the_new_draft():
    recall = Recall(["first", "second"])
    assert recall.up("") == "second"
    assert recall.up("second thoughts") == "second"
    assert recall.down("second") == "second thoughts"


def test_what_was_just_asked_is_nearest_and_a_repetition_is_kept_once():
    recall = Recall(["a"])
    recall.add("b")
    recall.add(" b ")
    recall.add("  ")
    assert recall.up("") == "b"
    assert recall.up("b") == "a"


def test_the_question_that_stands_in_the_field_is_not_offered_again():
    assert Recall(["a", "b"]).up("b") == "a"


def test_the_oldest_questions_are_forgotten():
    recall = Recall(str(n) for n in range(MOST + 5))
    shown, steps = "", 0
    while (above := recall.up(shown)) is not None:
        shown, steps = above, steps + 1
    assert (shown, steps) == ("5", MOST)


def test_nothing_is_recalled_where_nothing_was_asked():
    recall = Recall()
    assert recall.up("draft") is None
    assert recall.down("draft") is None


def test_each_conversation_keeps_its_draft():
    drafts = Drafts()
    drafts.keep(None, Draft("new one", 3))
    drafts.keep(4, Draft("", 0, ("a quote",)))
    assert drafts.of(None) == Draft("new one", 3)
    assert drafts.of(4).quotes == ("a quote",)
    assert drafts.of(5) == Draft()
    drafts.keep(None, Draft("  "))
    assert drafts.of(None) == Draft()


def test_a_long_paste_becomes_a_chip_and_a_short_one_does_not():
    assert chip_of_paste("x" * LONG_CHARACTERS) is None
    assert chip_of_paste("a\n" * LONG_LINES) is None
    assert chip_of_paste(" " * (LONG_CHARACTERS + 1)) is None
    long = chip_of_paste("word " * LONG_CHARACTERS)
    assert long
    assert long.label == "Pasted text, 400 words"
    assert chip_of_paste("a\n" * (LONG_LINES + 1)) == Chip(Origin.PASTED, "a\n" * LONG_LINES + "a")


def test_a_selection_is_a_chip_however_short():
    chip = chip_of_selection(" word\u202e ")
    assert chip
    assert chip.label == "Selected text, 1 word"
    assert chip.preview == "word"
    assert chip_of_selection(" \n") is None


def test_a_preview_is_one_short_line():
    chip = Chip(Origin.PASTED, "line one\nline two " * 20)
    assert chip.preview.startswith("line one line two line one")
    assert chip.preview.endswith("…")
    assert len(chip.preview) <= 121


def test_all_chips_together_are_what_is_asked_about():
    assert quote_of([Chip(Origin.PASTED, "a"), Chip(Origin.SELECTED, "b")]) == "a\n\nb"
    assert quote_of([]) == ""
