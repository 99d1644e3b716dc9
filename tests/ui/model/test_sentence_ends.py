import re

import pytest

from askance.domain.evidence import Citation, Support
from askance.ui.overlay.answer.markup import render
from ui.model.drawn import drawn


def shown(text: str, *citations: Citation) -> str:
    """Return how a text is drawn: markers as they are typed, doubts in angle brackets."""
    return re.sub(
        r"\[\[(\d)(?:/\d)?\]\]", r"[\1]", drawn(render(text, {1, 2, 3}, citations).pieces)
    )


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("Before [1]. After.", "Before. [1] After."),
        ("Before[1]. After.", "Before.[1] After."),
        ("Before [1][2]. After [3]!", "Before. [1][2] After! [3]"),
        ("Is it [1], [2]? Yes [3]...", "Is it? [1], [2] Yes... [3]"),
        ("Is it [1]?!", "Is it?! [1]"),
        ("He said “so [1].” After.", "He said “so.” [1] After."),
        ("**It is so [1].** After.", "**It is so. **[1] After."),
        ("It is `so` [1]. After.", "It is `so`. [1] After."),
        ("It is (so [1]). After", "It is (so [1]). After"),
        ("像这样[1]。然后", "像这样。[1]然后"),
        ("- An item [1].\n- [2]. Another", "- An item. [1]\n- [2]. Another"),
        ("| a | b |\n|---|---|\n| so [1]. | [2]. |", "| **a** | **b** |\n| so. [1] | [2]. |"),
    ],
)
def test_what_ends_a_sentence_stands_before_its_markers(text: str, drawn: str):
    assert shown(text) == drawn


@pytest.mark.parametrize(
    "text",
    [
        "Before [1], and after",
        "Before. [1] After",
        "Before [1] after.",
        "Before [1].5 after",
        "[1]. After",
        "> [1]. After",
        "1) [1]. After",
        "- [ ] [1]. After",
        "Before: [1]. After",
        "Before [9]. After",
        "`Before [1].`",
    ],
)
def test_all_else_stays_where_it_is(text: str):
    assert shown(text) == text


def test_doubtful_words_end_where_they_did():
    text = "So it is [1]. It may be so [2]. And so on."
    sentence = "It may be so [2]."
    start = text.index(sentence)
    weak = Citation(2, sentence, start, start + len(sentence), Support.WEAK)
    assert shown(text, weak) == "So it is. [1] <It may be so>. [2] And so on."


def test_of_a_sentence_that_begins_with_its_marker_the_end_is_doubtful_too():
    text = "[1] It may be so [2]. And so on."
    sentence = "[1] It may be so [2]."
    weak = Citation(1, sentence, 0, len(sentence), Support.WEAK)
    assert shown(text, weak) == "[1] <It may be so.> [2] And so on."
