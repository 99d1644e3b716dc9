"""Large tables of which each run takes a part, and `make test-all` all rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

Row = TypeVar("Row")


def sampled(rows: Iterable[Row], *, every: int) -> list[Row | ParameterSet]:
    """Return rows for `parametrize`: the first of `every` so many in each run, the others in whole runs."""
    return [
        row if number % every == 0 else pytest.param(row, marks=pytest.mark.exhaustive)
        for number, row in enumerate(rows)
    ]
