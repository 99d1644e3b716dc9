"""`askance` alone, where the window cannot even be loaded."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from importlib.abc import MetaPathFinder
from typing import Any

import pytest

from askance import __main__ as program

WINDOW = "askance.ui.shell.desktop_app"
COMMANDS = "askance.cli.command_tree"
LACKING = "libGL.so.1: cannot open shared object file: No such file or directory"


class Failing(MetaPathFinder):
    """Where the window or the commands are looked for, and fail to load."""

    def __init__(self, problem: str, name: str = WINDOW) -> None:
        self._problem = problem
        self._name = name
        self.has_collected: list[bool] = []

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        if fullname == self._name:
            self.has_collected.append(gc.isenabled())
            raise ImportError(self._problem)


@pytest.fixture(autouse=True)
def garbage_is_collected_again() -> Iterator[None]:
    yield
    gc.enable()


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.delitem(sys.modules, WINDOW, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Failing(request.param), *sys.meta_path])


@pytest.mark.parametrize("failing", [LACKING], indirect=True)
def test_a_library_that_the_system_lacks_is_named_in_one_sentence(
    failing: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.open_window(hidden=False) == 1
    text, *_ = capsys.readouterr().err.splitlines()
    assert text == f"askance: The window needs what this system lacks: {LACKING.partition(':')[0]}."


@pytest.mark.parametrize("failing", ["cannot import name 'run'"], indirect=True)
def test_a_mistake_of_ours_is_no_fault_of_the_system(failing: None) -> None:
    with pytest.raises(ImportError, match="run"):
        program.open_window(hidden=False)


@pytest.mark.parametrize(
    ("arguments", "hidden"), [([], False), (["--hidden"], True), (["--hidden"] * 2, True)]
)
def test_without_a_command_it_is_the_window(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], hidden: bool
) -> None:
    opened: list[bool] = []

    def open_window(*, hidden: bool) -> int:
        opened.append(hidden)
        return 3

    monkeypatch.setattr(sys, "argv", ["askance", *arguments])
    monkeypatch.setattr(program, "open_window", open_window)
    monkeypatch.setattr(program.signal, "signal", lambda *_: None)
    with pytest.raises(SystemExit, match="3"):
        program.main()
    assert opened == [hidden]


@pytest.mark.parametrize(("arguments", "name"), [(["--hidden"], WINDOW), (["ask"], COMMANDS)])
def test_no_garbage_is_looked_for_while_modules_come(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], name: str
) -> None:
    failing = Failing(LACKING, name)
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "meta_path", [failing, *sys.meta_path])
    monkeypatch.setattr(sys, "argv", ["askance", *arguments])
    monkeypatch.setattr(program.signal, "signal", lambda *_: None)
    with pytest.raises((SystemExit, ImportError)):
        program.main()
    assert failing.has_collected == [False]


def test_a_command_collects_its_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    collects: list[bool] = []
    monkeypatch.setattr(f"{COMMANDS}.main", lambda: collects.append(gc.isenabled()))
    monkeypatch.setattr(sys, "argv", ["askance", "ask"])
    program.main()
    assert collects == [True]
