"""Large tables and made-up examples of which each run takes a part, and `make test-all` all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import hypothesis
import pytest
from _pytest.mark.structures import ParameterSet

Row = TypeVar("Row")
_PART = 4
_run = {"is_whole": False}


def pytest_configure(config: pytest.Config) -> None:
    """See whether exhaustive rows run, too, before a test is imported."""
    _run["is_whole"] = "not exhaustive" not in config.getoption("markexpr")
    hypothesis.settings.register_profile(
        "here",
        max_examples=_number(100),
        deadline=None,
        # How long it takes to make up an example says how busy the machine is.
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    hypothesis.settings.load_profile("here")


def examples(number: int) -> hypothesis.settings:
    """Let Hypothesis make up so many examples in whole runs, and a part of them in each other."""
    return hypothesis.settings(max_examples=_number(number))


def _number(whole: int) -> int:
    return whole if _run["is_whole"] else max(whole // _PART, 10)


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
