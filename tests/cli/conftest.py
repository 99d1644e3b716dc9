"""What every test of the command line starts from."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import typer.testing
from typer.main import get_command

from cli.fake_shell import FakeShell


@pytest.fixture
def fake_shell(tmp_path: Path) -> FakeShell:
    """A shell in an empty home."""
    return FakeShell(tmp_path)


@pytest.fixture(autouse=True, scope="session")
def commands_built_once() -> None:
    """Keep the commands of an application between calls: building them takes longer than most run."""
    setattr(typer.testing, "_get_command", cache(get_command))  # noqa: B010 - a name of typer's own
