"""What the tests of the engine share: a run's progress, and golden files.

Golden files are renewed with `pytest tests/engine --update-golden`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from askance.domain.events import RunEvent
from askance.engine.prompts import Prompts, load_prompts
from askance.engine.run_progress import RunState

GOLDEN = Path(__file__).parents[1] / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the golden file of a name, or write it."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden", default=False):
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text

    return compare


@pytest.fixture
def events() -> list[RunEvent]:
    """Everything that the run told."""
    return []


@pytest.fixture
async def progress(events: list[RunEvent]) -> RunState:
    return RunState(events.append, wall_clock_s=60, answer_reserve_s=10)


@pytest.fixture(scope="session")
def prompts() -> Prompts:
    return load_prompts()
