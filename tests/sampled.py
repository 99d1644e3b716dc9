"""Large tables and made-up examples: what is cheap runs as one test, of what is not each run takes a
part, and `make test-all` all.

With `ASKANCE_TEST_TURN` a whole run takes an eighth of the rows that other runs leave out, and of what
stands alone, others for each turn: so CI sees all of them in eight turns, and the nightly run in one.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

import hypothesis
import pytest
from _pytest.mark.structures import ParameterSet

Row = TypeVar("Row")
_PART = 8
_FEWER_EXAMPLES = 4
TURN = os.environ.get("ASKANCE_TEST_TURN", "")
_run = {"is_whole": False, "is_turn": False}


def pytest_configure(config: pytest.Config) -> None:
    """See whether exhaustive rows run, too, before a test is imported."""
    takes_all = "not exhaustive" not in (config.getoption("markexpr") or "")
    _run.update(is_whole=takes_all and not TURN, is_turn=takes_all and bool(TURN))
    hypothesis.settings.register_profile(
        "here",
        max_examples=_number(100),
        deadline=None,
        # How long it takes to make up an example says how busy the machine is.
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    hypothesis.settings.load_profile("here")


def of_other_turns(items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """Return what is left out of a run with a turn: of the exhaustive rows of each table all but an
    eighth, and as many of the exhaustive tests that stand alone."""
    if not _run["is_turn"]:
        return set()
    tables: dict[object, list[pytest.Item]] = {}
    for item in filter(lambda item: item.get_closest_marker("exhaustive"), items):
        tables.setdefault((item.path, item.name.partition("[")[0]), []).append(item)
    alone = [item for table in tables.values() if len(table) < _PART for item in table]
    left_out = set(_others(alone))
    for table in tables.values():
        if len(table) >= _PART:
            left_out.update(_others(table))
    return left_out


def _others(rows: list[pytest.Item]) -> list[pytest.Item]:
    return [row for number, row in enumerate(rows) if number % _PART != int(TURN) % _PART]


def examples(number: int) -> hypothesis.settings:
    """Let Hypothesis make up so many examples in whole runs, and a part of them in each other."""
    return hypothesis.settings(max_examples=_number(number))


def _number(whole: int) -> int:
    return whole if _run["is_whole"] else max(whole // _FEWER_EXAMPLES, 10)


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


def some_rows(rows: Iterable[Row], *, every: int) -> list[Row]:
    """Return rows for `each_row`: the first of `every` so many, those of a turn, or all."""
    part = _PART if _run["is_turn"] else 0
    return [
        row
        for number, row in enumerate(rows)
        if _run["is_whole"] or number % every == 0 or (part and number % part == int(TURN) % part)
    ]


def each_row(
    names: str | Sequence[str], rows: Iterable[Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Call a test with each row, as `parametrize` does, but as one test that names all rows that fail.

    What pytest does around a test takes longer than most rows. The test has no fixtures.
    """
    arguments, table = names.split(", ") if isinstance(names, str) else names, list(rows)
    assert table, "a table without rows tests nothing"
    assert not any(isinstance(row, ParameterSet) for row in table), "marks are for `parametrize`"

    def values(row: Any) -> dict[str, Any]:
        return dict(zip(arguments, row if len(arguments) > 1 else (row,), strict=True))

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        def run(**outer: Any) -> None:
            with _collected(table) as noting:
                for row in table:
                    with noting(row):
                        test(**values(row), **outer)

        async def run_async(**outer: Any) -> None:
            with _collected(table) as noting:
                for row in table:
                    with noting(row):
                        await test(**values(row), **outer)

        made = run_async if inspect.iscoroutinefunction(test) else run
        made.__name__, made.__module__, made.__doc__ = test.__name__, test.__module__, test.__doc__
        return made

    return decorate


@contextmanager
def _collected(table: list[Any]) -> Iterator[Callable[[Any], AbstractContextManager[None]]]:
    """Yield what notes the failure of a row, and raise all of them in the end."""
    failures: list[Exception] = []

    @contextmanager
    def noting(row: Any) -> Iterator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - each is reported
            # What pytest raises to fail is no `Exception`, and a group takes no other.
            failed = error if isinstance(error, Exception) else AssertionError(str(error))
            failed.add_note(f"in the row {row!r:.300}")
            failures.append(failed.with_traceback(error.__traceback__))

    yield noting
    if failures:
        raise ExceptionGroup(f"{len(failures)} of {len(table)} rows failed", failures)
