"""`askance` alone, where the window cannot even be loaded."""

from __future__ import annotations

import pytest

from askance.cli import window

LACKING = "libGL.so.1: cannot open shared object file: No such file or directory"


def loads(problem: str) -> object:
    def load(_name: str) -> object:
        raise ImportError(problem)

    return load


def test_a_library_that_the_system_lacks_is_named_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(window, "import_module", loads(LACKING))
    assert window.open_window(None, hidden=False) == 1
    assert (
        capsys.readouterr().err == f"askance: The window needs what this system lacks: {LACKING}.\n"
    )


def test_a_mistake_of_ours_is_no_fault_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "import_module", loads("cannot import name 'run'"))
    with pytest.raises(ImportError, match="run"):
        window.open_window(None, hidden=False)
