"""One look at the letters of a name leaves out no pattern that would find something in it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askance.extract.html import selection_features
from sampled import each_row

PATTERNS = {name: pattern for name, (_, pattern) in selection_features._FAMILIES.items()}


def found(word: str) -> set[str]:
    return {name for name, its in selection_features._FAMILY_PATTERNS.items() if its.search(word)}


@each_row("family", PATTERNS)
def test_whatever_a_pattern_finds_is_of_its_family(family: str) -> None:
    @settings(deadline=None)
    @given(st.from_regex(PATTERNS[family]))
    def holds(text: str) -> None:
        for word in text.lower().split():
            assert selection_features.names_in(word) >= {
                name for name in found(word) if name == family
            }

    holds()


@pytest.mark.parametrize(
    ("names", "families"),
    [
        ("ad", {"ad"}), ("Sidebar-Widget", {"side"}), ("post-12345 content", {"content"}), ("qa", {"forum"}),
        ("commentary", set()), ("c-12-34", set()), ("", set()),
    ],
)  # fmt: skip
def test_names_belong_to_families(names: str, families: set[str]) -> None:
    assert selection_features.names_in(names) == families
