"""Large tables of which each run takes a part, and `make test-all` all rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

Row = TypeVar("Row")


def sampled(
    rows: Iterable[Row], *, every: int, are_tuples: bool = False
) -> list[Row | ParameterSet]:
    """Return rows for `parametrize`: the first of `every` so many in each run, the others in whole runs.

    `are_tuples` says that a row is a tuple of values, each for an argument of its own.
    """

    def left_out(row: Row) -> ParameterSet:
        values: Any = row if are_tuples else (row,)
        return pytest.param(*values, marks=pytest.mark.exhaustive)

    return [row if number % every == 0 else left_out(row) for number, row in enumerate(rows)]
