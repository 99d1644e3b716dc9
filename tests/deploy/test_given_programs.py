"""The small programs that the tests hand to containers: what they name is there, engine or not."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from waiting import PATIENCE_S

HERE = Path(__file__).parent


def programs() -> dict[str, str]:
    """Every constant of this folder that is a Python program, by file and name."""
    found: dict[str, str] = {}
    for file in sorted(HERE.glob("*.py")):
        for node in ast.parse(file.read_text("utf-8")).body:
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))
                ) if "\nimport " in text:
                    found[f"{file.stem}.{name}"] = text
    return found


PROGRAMS = programs()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_names_only_what_is_there(name: str) -> None:
    checking = (sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F", "-")
    done = subprocess.run(  # noqa: S603 - the linter of this project
        checking, input=PROGRAMS[name], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    for node in ast.walk(ast.parse(PROGRAMS[name])):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("askance"):
            module = importlib.import_module(node.module or "")
            assert [alias.name for alias in node.names if not hasattr(module, alias.name)] == []


def test_there_are_some() -> None:
    assert {"test_real_gateway.STATUS", "test_real_reading.FIRST_FRAME"} <= PROGRAMS.keys()
