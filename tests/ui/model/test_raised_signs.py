"""What an answer raises or lowers by a tag is raised or lowered in the window, in an export and in a terminal."""

from __future__ import annotations

import pytest

from askance.citations.markdown.grammar import markers
from ui.model.test_formulas import drawn, exported, runs


# As a public report of another program has it: intent-hq/intent#1119.
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Water is H<sub>2</sub>O.", "Water is H\u2082O."),
        ("**10<sup>-6</sup>** m and x<SUP>n+1</SUP>", "10\u207b\u2076 m and x\u207f\u207a\u00b9"),
        ("`H<sub>2</sub>O` and H<sub>two</sub>O", "H<sub>2</sub>O and H<sub>two</sub>O"),
        ("<sub>2</sup> and <sup></sup>", "<sub>2</sup> and <sup></sup>"),
    ],
)
def test_digits_in_tags_are_the_signs_that_mean_the_same_everywhere(text: str, shown: str) -> None:
    assert drawn(text) == exported(text) == shown


def test_what_stands_behind_it_keeps_its_place() -> None:
    text = "It has 10<sup>6</sup> litres [1]."
    assert [(marker.start, marker.n) for marker in markers(text, {1})] == [(text.index("[1]"), 1)]
    assert [(run.n, run.start) for run in runs(text) if run.n] == [(1, text.index("[1]"))]
