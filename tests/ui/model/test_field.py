"""The field: recalling what was asked, drafts, and long texts as chips."""

from __future__ import annotations

import pytest

from askance.domain.conversation import QuoteOrigin
from askance.ui.overlay.conversation.field import (
    LONG_CHARACTERS,
    LONG_LINES,
    MOST,
    MOST_CHARACTERS,
    Chip,
    Draft,
    Drafts,
    QuestionRecall,
    chip_from_elsewhere,
    chip_of_paste,
    quote_of,
)


def test_arrow_up_goes_back_and_arrow_down_comes_to_the_draft_again():
    recall = QuestionRecall(["first", "second"])
    assert recall.up("half typ") == "second"
    assert recall.up("second") == "first"
    assert recall.up("first") is None
    assert recall.down("first") == "second"
    assert recall.down("second") == "half typ"
    assert recall.down("half typ") is None


def test_a_recalled_question_that_was_changed_is_the_new_draft():
    recall = QuestionRecall(["first", "second"])
    assert recall.up("") == "second"
    assert recall.up("second thoughts") == "second"
    assert recall.down("second") == "second thoughts"


def test_what_was_just_asked_is_nearest_and_a_repetition_is_kept_once():
    recall = QuestionRecall(["a"])
    recall.add("b")
    recall.add(" b ")
    recall.add("  ")
    assert recall.up("") == "b"
    assert recall.up("b") == "a"


def test_the_question_that_stands_in_the_field_is_not_offered_again():
    assert QuestionRecall(["a", "b"]).up("b") == "a"


def test_the_oldest_questions_are_forgotten():
    recall = QuestionRecall(str(n) for n in range(MOST + 5))
    shown, steps = "", 0
    while (above := recall.up(shown)) is not None:
        shown, steps = above, steps + 1
    assert (shown, steps) == ("5", MOST)


def test_nothing_is_recalled_where_nothing_was_asked():
    recall = QuestionRecall()
    assert recall.up("draft") is None
    assert recall.down("draft") is None


def test_each_conversation_keeps_its_draft():
    drafts = Drafts()
    drafts.store(None, Draft("new one", 3))
    quote = Chip(QuoteOrigin.SELECTED, "a quote")
    drafts.store(4, Draft("", 0, (quote,)))
    assert drafts.of(None) == Draft("new one", 3)
    assert drafts.of(4).quotes == (quote,)
    assert drafts.of(5) == Draft()
    drafts.store(None, Draft("  "))
    assert drafts.of(None) == Draft()


def test_a_long_paste_becomes_a_chip_and_a_short_one_does_not():
    assert chip_of_paste("x" * LONG_CHARACTERS) is None
    assert chip_of_paste("a\n" * LONG_LINES) is None
    assert chip_of_paste(" " * (LONG_CHARACTERS + 1)) is None
    long = chip_of_paste("word " * LONG_CHARACTERS)
    assert long
    assert long.label == "Pasted text, 400 words"
    assert chip_of_paste("a\n" * (LONG_LINES + 1)) == Chip(
        QuoteOrigin.PASTED, "a\n" * LONG_LINES + "a"
    )


def from_elsewhere(text: str, origin: QuoteOrigin = QuoteOrigin.SELECTED, name: str = "") -> Chip:
    chip = chip_from_elsewhere(text, origin, name)
    assert chip is not None
    return chip


def test_a_text_of_another_program_is_a_chip_however_short():
    chip = from_elsewhere(" word\u202e ")
    assert chip == Chip(QuoteOrigin.SELECTED, "word")
    assert chip.label == "Selected text, 1 word"
    assert chip.preview == "word"
    assert from_elsewhere("two words", QuoteOrigin.COPIED).label == "Copied text, 2 words"
    assert from_elsewhere("two words", QuoteOrigin.FILE, "no\ntes.md").label == "no tes.md, 2 words"


@pytest.mark.parametrize("text", ["", " \n", "x", " x ", "\u202e\u202e\u202e"])
def test_hardly_a_text_is_no_chip(text: str):
    assert chip_from_elsewhere(text, QuoteOrigin.SELECTED) is None


def test_a_very_long_text_is_cut_between_words_and_says_so():
    whole = from_elsewhere("word " * (MOST_CHARACTERS // 5))
    assert (whole.is_cut, len(whole.text)) == (False, MOST_CHARACTERS - 1)
    cut = from_elsewhere("words " * MOST_CHARACTERS)
    assert cut.is_cut
    assert cut.text.endswith(" words")
    assert cut.label == "Selected text, the first 3,333 words"
    at_the_edge = from_elsewhere("x" * MOST_CHARACTERS + " y")
    assert at_the_edge == Chip(QuoteOrigin.SELECTED, "x" * MOST_CHARACTERS, is_cut=True)
    assert len(from_elsewhere("x" * (MOST_CHARACTERS + 1)).text) == MOST_CHARACTERS


def test_the_words_of_a_whole_book_are_told_in_round_thousands():
    assert Chip(QuoteOrigin.PASTED, "word " * 201_300).label == "Pasted text, 201,000 words"


def test_an_offer_says_where_the_text_is_and_how_it_begins():
    selected, copied = Chip(QuoteOrigin.SELECTED, "a\nb"), Chip(QuoteOrigin.COPIED, "word " * 40)
    assert selected.offer == "Add selected text: “a b”"
    assert copied.offer.startswith("Add copied text: “word word")
    assert copied.offer.endswith("…”")
    assert len(copied.offer) < 80


def test_a_preview_is_one_short_line():
    chip = Chip(QuoteOrigin.PASTED, "line one\nline two " * 20)
    assert chip.preview.startswith("line one line two line one")
    assert chip.preview.endswith("…")
    assert len(chip.preview) <= 121


def test_all_chips_together_are_what_is_asked_about():
    assert quote_of([Chip(QuoteOrigin.PASTED, "a"), Chip(QuoteOrigin.SELECTED, "b")]) == "a\n\nb"
    assert quote_of([]) == ""
