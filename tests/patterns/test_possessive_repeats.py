"""Patterns match the same text in every Python that is supported.

`re` before 3.11.5 (gh-106052) goes on behind a possessive repeat of a group at the place that the
last, failed round had reached: `(?:(?!ab).)*+ab` does not match "xxab". A group whose last
alternative is empty has no failed round: `(?:(?!ab).|)*+ab` matches it everywhere. Repeats of one
character of a set (`[a-z]*+`) have always been right.
"""

from __future__ import annotations

from collections.abc import Iterator
from re import _constants as sre  # pyright: ignore[reportAttributeAccessIssue]
from re import _parser as parser  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any

import pytest

from askance.ui.overlay.answer.markdown_blocks import _rules
from patterns.collected import collect

_ONE_CHARACTER = {sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN}


def _fragile_repeats(node: Any) -> Iterator[Any]:
    """Yield the possessive repeats, at any depth, whose last round may fail halfway."""
    if (
        isinstance(node, tuple)
        and node
        and node[0] is sre.POSSESSIVE_REPEAT
        and not _is_safe(node[1][2])
    ):
        yield node
    if isinstance(node, tuple | list | parser.SubPattern):
        for inner in node:
            yield from _fragile_repeats(inner)


def _is_safe(repeated: Any) -> bool:
    if len(repeated) != 1:
        return False
    op, value = repeated[0]
    if op is sre.SUBPATTERN:
        return value[0] is None and _is_safe(value[-1])
    return op in _ONE_CHARACTER or (op is sre.BRANCH and not value[1][-1])


@pytest.mark.parametrize(
    "written", ["(?:(?!ab).)*+", r"(?:x\d+)?+", "(?:a|bc)++", "z(?:(y)*+)", "(?=(?:ab)*+)"]
)
def test_a_group_that_may_fail_halfway_is_found(written: str) -> None:
    assert list(_fragile_repeats(parser.parse(written)))


@pytest.mark.parametrize(
    "written", ["a*+", "[^a]++", "(?:[ab])?+", "(?:a|b)*+", "(?:ab|)*+", "(?>(?:ab)*)"]
)
def test_one_character_or_an_empty_alternative_is_safe(written: str) -> None:
    assert not list(_fragile_repeats(parser.parse(written)))


@pytest.mark.exhaustive
def test_no_pattern_depends_on_a_repair_of_python_s() -> None:
    found = [(each.place, each.pattern, each.flags) for each in collect()]
    found += [
        (name, _rules(name).pattern, _rules(name).flags) for name in ("python", "sql", "html", "c")
    ]
    assert len(found) > 150
    fragile = [
        place
        for place, pattern, flags in found
        if [*_fragile_repeats(parser.parse(pattern, flags))]
    ]
    assert fragile == []
