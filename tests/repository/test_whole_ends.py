"""What must be ended whole is begun by those that end it so."""

from __future__ import annotations

import re
from pathlib import Path

from repository.places import SOURCES, python_files


def naming(what: str, folder: Path = SOURCES) -> set[str]:
    named = re.compile(what)
    return {
        path.relative_to(SOURCES).as_posix()
        for path in python_files(folder)
        if named.search(path.read_text(encoding="utf-8"))
    }


def test_asyncio_starts_processes_in_one_module_alone() -> None:
    """`start_child` and `end_child` leave nothing behind where those who wait are cancelled."""
    assert naming(r"asyncio\.create_subprocess|\.subprocess_exec\(|\.subprocess_shell\(") == {
        "system/children.py"
    }


def test_commands_run_in_the_loop_that_hears_ctrl_c_once() -> None:
    assert naming(r"asyncio\.run\(", SOURCES / "cli") == {"cli/exits.py"}
