"""`askance autostart`, `update` and `uninstall`: what they do to this system, and what they say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from askance import __version__
from askance.app.checks.installation_check import UpdateChecker
from askance.cli.commands import installation
from askance.cli.commands.installation import set_menu
from askance.cli.exits import Exit
from askance.config.sources import load_settings
from askance.domain.errors import InputError, ServiceDown
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.updates import Release
from askance.system.desktop_entry import APP_ID, exec_line
from askance.system.program import own_command
from cli.fake_shell import FakeShell, run

linux = pytest.mark.skipif(sys.platform != "linux", reason="menus and units: run it on Linux")


@pytest.fixture
def at_home(fake_shell: FakeShell, tmp_path: Path) -> FakeShell:
    fake_shell.environment |= {"HOME": str(tmp_path / "me"), "PATH": ""}
    return fake_shell


@pytest.fixture
def menu_home(at_home: FakeShell, tmp_path: Path) -> FakeShell:
    at_home.environment["XDG_DATA_DIRS"] = str(tmp_path / "system")
    return at_home


def entry_of(tmp_path: Path) -> Path:
    return tmp_path / "me" / ".config" / "autostart" / f"{APP_ID}.desktop"


def autostart_is_set(fake_shell: FakeShell) -> bool:
    return load_settings(
        fake_shell.shell.folders.settings_file, fake_shell.environment
    ).window.autostart


@linux
def test_the_window_starts_at_login_until_it_is_turned_off(
    at_home: FakeShell, tmp_path: Path
) -> None:
    assert run(at_home, "autostart") == 0
    assert at_home.printed.splitlines() == ["window: off", "server: off"]
    assert run(at_home, "autostart", "on") == 0
    assert "--hidden" in entry_of(tmp_path).read_text("utf-8")
    assert autostart_is_set(at_home)
    assert run(at_home, "autostart") == 0
    assert f"window: on ({entry_of(tmp_path)})" in at_home.printed
    assert run(at_home, "autostart", "off", "window") == 0
    assert not entry_of(tmp_path).exists()
    assert not autostart_is_set(at_home)


@linux
def test_the_setting_moves_the_entry_too(at_home: FakeShell, tmp_path: Path) -> None:
    assert run(at_home, "config", "set", "window.autostart", "true") == 0
    assert entry_of(tmp_path).is_file()
    assert run(at_home, "config", "set", "window.autostart", "false") == 0
    assert not entry_of(tmp_path).exists()


@linux
def test_an_entry_that_leads_nowhere_is_said(at_home: FakeShell, tmp_path: Path) -> None:
    at_home.environment["APPIMAGE"] = str(tmp_path / "gone.AppImage")
    at_home.environment["APPDIR"] = str(Path(sys.executable).parent)
    run(at_home, "autostart", "on")
    run(at_home, "autostart")
    assert f"{tmp_path / 'gone.AppImage'} is gone; `askance autostart on`" in at_home.printed


@linux
def test_without_systemd_there_is_no_server_at_login(at_home: FakeShell) -> None:
    assert run(at_home, "autostart", "on", "server") == 2
    assert "systemd" in at_home.errors
    run(at_home, "autostart")
    assert "server: off" in at_home.printed


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_other_systems_have_no_units(fake_shell: FakeShell, platform: str) -> None:
    with pytest.raises(InputError, match="systemd"):
        installation._server_unit(fake_shell.shell, platform)


@linux
def test_uninstalling_removes_what_was_installed_and_says_what_stays(
    at_home: FakeShell, tmp_path: Path
) -> None:
    run(at_home, "menu")
    run(at_home, "autostart", "on")
    folders = at_home.shell.folders
    folders.data.mkdir(parents=True, exist_ok=True)
    (folders.data / "library.sqlite3").write_bytes(b"x")
    folders.services.mkdir()
    (folders.services / "reader.token").touch()
    assert run(at_home, "uninstall") == 0
    assert [file for file in (tmp_path / "me").rglob("*") if file.is_file()] == []
    assert not autostart_is_set(at_home)
    printed = at_home.printed
    assert str(entry_of(tmp_path)) in printed
    assert str(folders.data) in printed
    assert "askance down --volumes" in printed
    assert (folders.data / "library.sqlite3").is_file()
    assert run(at_home, "uninstall") == 0


def look(fake_shell: FakeShell, releases: tuple[Release, ...] | Exception) -> Exit:
    async def fetch(sent: Sent) -> tuple[Release, ...]:
        sent(RequestSent(Sending.UPDATE, "releases.example", Message("this program"), "the list"))
        if isinstance(releases, Exception):
            raise releases
        return releases

    return installation.look_for_updates(
        fake_shell.shell,
        opener=lambda settings, folders: UpdateChecker(settings, folders, lambda _: True, fetch),
    )


def test_a_new_version_comes_with_its_changes_as_plain_text(at_home: FakeShell) -> None:
    changes = "- Faster\n- \x1b[31mred\n[link](https://x.example)"
    assert look(at_home, (Release("99.1", changes), Release("99.0", "More"))) is Exit.DONE
    assert f"Askance 99.1 is available; this is {__version__}." in at_home.printed
    assert "  - Faster\n  - [31mred\n  [link](https://x.example)\n" in at_home.printed
    assert "\n99.0\n  More\n" in at_home.printed
    assert "updates.weekly" in at_home.errors
    run(at_home, "ledger")
    assert "releases.example" in at_home.printed


def test_the_newest_version_is_said_to_be(at_home: FakeShell) -> None:
    at_home.environment["ASKANCE_UPDATES__WEEKLY"] = "true"
    look(at_home, (Release(__version__),))
    assert at_home.printed == f"This is the newest version, {__version__}.\n"
    assert at_home.errors == ""


def test_asking_that_fails_is_told_and_the_doctor_remembers(at_home: FakeShell) -> None:
    with pytest.raises(ServiceDown):
        look(at_home, ServiceDown("GitHub", "https://x", Message("Nothing answers.")))
    checker = UpdateChecker(at_home.shell.settings(), at_home.shell.folders, lambda _: True)
    assert str(checker.state.problem) == "Nothing answers."


# `askance menu`: the entry goes in, with the command that starts this program, and out again.


def test_the_entry_starts_this_program_until_it_is_removed(
    menu_home: FakeShell, tmp_path: Path
) -> None:
    assert run(menu_home, "menu", "on") == 0
    entry = tmp_path / "me" / ".local" / "share" / "applications" / f"{APP_ID}.desktop"
    assert str(entry) in menu_home.errors
    assert f"Exec={exec_line(own_command({}))}\n" in entry.read_text(encoding="utf-8")
    assert run(menu_home, "menu", "off") == 0
    assert not entry.exists()
    assert len(menu_home.errors.splitlines()) == 2


def test_a_package_brings_its_command_along(
    menu_home: FakeShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert set_menu(menu_home.shell, wanted=True, platform="linux") is Exit.DONE
    link = tmp_path / "me" / ".local" / "bin" / "askance"
    assert link.readlink() == Path(sys.executable)
    link.unlink()
    link.touch()
    set_menu(menu_home.shell, wanted=True, platform="linux")
    set_menu(menu_home.shell, wanted=False, platform="linux")
    assert link.exists()


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_other_systems_have_no_such_menu(fake_shell: FakeShell, platform: str) -> None:
    with pytest.raises(InputError, match="Linux"):
        set_menu(fake_shell.shell, wanted=True, platform=platform)
