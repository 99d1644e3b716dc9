"""What words cannot decide: other words of one language, and anything of another but its numbers."""

from __future__ import annotations

import pytest

from askance.citations.check.checking import check_citations
from askance.domain.evidence import Extract, ExtractKind

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
