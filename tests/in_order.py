"""In how many processes the tests run, and which files come first.

A plugin of pytest; what it says of processes concerns pytest-xdist, which need not be there.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sampled import of_other_turns

_TESTS = Path(__file__).parent
# They take longest, since they start programs or measure hostile shapes. One of them that came last
# would keep one process while the others had nothing left to do. Where a file is missing here, or no
# longer takes long, the run is some seconds longer, and that is all. Those that measure stand apart.
_FIRST = (
    "ui/test_hostile_shapes_in_the_window.py",
    "server/test_processes.py",
    "server/test_end_to_end.py",
    "patterns/test_linear_patterns.py",
    "integration/test_container_only_in_runs.py",
    "desktop/test_whole_walk.py",
    "desktop/test_walk.py",
    "integration/test_hostile_shapes_in_runs.py",
    "adapters/reader/test_confinement.py",
    "real/test_real_queue.py",
    "adapters/reader/test_worker_pool.py",
    "reader_service/test_service_process.py",
    "bench/test_bench_ui.py",
    "ui/whole/test_crashes.py",
    "ui/whole/test_soak.py",
    "ui/pictures/test_pictures.py",
    "adapters/library/test_stalled_folders.py",
    "adapters/llm/test_model_contract.py",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """A process for each core and one more, as some wait; each takes a quarter of a minute to collect."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what other turns take, and let the files that take longest come first; their order stays."""
    if left_out := of_other_turns(items):
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    items.sort(key=lambda item: _place(item.path))


def _place(file: Path) -> int:
    if not file.is_relative_to(_TESTS):
        return len(_FIRST)
    name = file.relative_to(_TESTS).as_posix()
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)
