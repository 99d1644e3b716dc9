"""`askance menu`: the entry goes in, with the command that starts this program, and out again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from askance.cli.commands.installation import set_menu
from askance.cli.exits import Exit
from askance.domain.errors import InputError
from askance.system.desktop_entry import APP_ID, exec_line
from askance.system.program import own_command
from cli.fake_shell import FakeShell, run


@pytest.fixture
def at_home(fake_shell: FakeShell, tmp_path: Path) -> FakeShell:
    fake_shell.environment["HOME"] = str(tmp_path / "me")
    fake_shell.environment["XDG_DATA_DIRS"] = str(tmp_path / "system")
    return fake_shell


def test_the_entry_starts_this_program_until_it_is_removed(
    at_home: FakeShell, tmp_path: Path
) -> None:
    assert run(at_home, "menu", "on") == 0
    entry = tmp_path / "me" / ".local" / "share" / "applications" / f"{APP_ID}.desktop"
    assert str(entry) in at_home.errors
    assert f"Exec={exec_line(own_command({}))}\n" in entry.read_text(encoding="utf-8")
    assert run(at_home, "menu", "off") == 0
    assert not entry.exists()
    assert len(at_home.errors.splitlines()) == 2


def test_a_package_brings_its_command_along(
    at_home: FakeShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert set_menu(at_home.shell, wanted=True, platform="linux") is Exit.DONE
    link = tmp_path / "me" / ".local" / "bin" / "askance"
    assert link.readlink() == Path(sys.executable)
    link.unlink()
    link.touch()
    set_menu(at_home.shell, wanted=True, platform="linux")
    set_menu(at_home.shell, wanted=False, platform="linux")
    assert link.exists()


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_other_systems_have_no_such_menu(fake_shell: FakeShell, platform: str) -> None:
    with pytest.raises(InputError, match="Linux"):
        set_menu(fake_shell.shell, wanted=True, platform=platform)
