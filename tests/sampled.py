"""Large tables and made-up examples: what is cheap runs as one test, of what is not each run takes a
part, and `make test-all` all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

import hypothesis
import pytest
from _pytest.mark.structures import ParameterSet

Row = TypeVar("Row")
_PART = 4
_run = {"is_whole": False}


def pytest_configure(config: pytest.Config) -> None:
    """See whether exhaustive rows run, too, before a test is imported."""
    _run["is_whole"] = "not exhaustive" not in (config.getoption("markexpr") or "")
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
