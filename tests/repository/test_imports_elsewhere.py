"""Packages that only Linux has are imported by what only Linux runs: elsewhere the program could not start."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import linux_only
from linux_only import PACKAGES

ROOT = Path(__file__).parents[2]
# What each of them is called where it is imported.
NAMES = {"python-xlib": "Xlib", "jeepney": "jeepney"}


def test_the_packages_of_linux_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [line for line in project["dependencies"] if "sys_platform == 'linux'" in line]
    assert {NAMES[re.split(r"[>;=]", line)[0].strip()] for line in lines} == PACKAGES


@pytest.mark.parametrize(
    "module",
    [
        "askance.ui.shell.desktop_app",
        "askance.cli.command_tree",
        "askance.server.serving",
        "askance.extract.worker",
    ],
)
def test_the_program_starts_without_them(module: str) -> None:
    code = f"import sys; sys.modules.update(dict.fromkeys({sorted(PACKAGES)!r})); import {module}"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.exhaustive
def test_tests_that_import_them_are_left_out_elsewhere() -> None:
    left = {
        Path(file).relative_to(ROOT / "tests").as_posix() for file in linux_only.files("darwin")
    }
    assert {"system/test_x11_hotkey.py", "system/test_portal_hotkey.py"} <= left
    assert not {"ui/test_signals.py", "cli/test_command_line.py", "system/test_ipc.py"} & left
    assert linux_only.files("linux") == []
