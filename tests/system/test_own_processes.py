"""How a child process of ours is started, installed and in a package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from askance.system.program import CHILD, child_command


def test_a_file_in_the_current_folder_does_not_stand_in_for_a_module(tmp_path: Path) -> None:
    (tmp_path / "askance.py").write_text("raise SystemExit('not this one')")
    command = [*child_command("askance.extract.worker"), "512", "60", "0"]
    ended = subprocess.run(  # noqa: S603
        command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_the_executable_of_a_package_takes_the_module_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    module = "askance.extract.worker"
    assert child_command(module) == [sys.executable, CHILD, module]
    # It knows its children by name.
    entry = Path(__file__).parents[2] / "packaging" / "entry.py"
    assert f'"{module}"' in entry.read_text(encoding="utf-8")
