"""What the program has put into the system: found again, repaired after a move, and removed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from askance.system.desktop_entry import entry_file, install_entry, started_program
from askance.system.integration import (
    AUTOSTART,
    MENU,
    SERVER,
    ServerUnit,
    desktop_file,
    first_word,
    own_autostart,
    repair_entries,
    system_entries,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="menus and units: run it on Linux")
ODD = 'it\'s "an" \\ image 100%.AppImage'


def image(folder: Path, name: str = ODD) -> Path:
    file = folder / name
    folder.mkdir(exist_ok=True)
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


def around(home: Path, program: Path) -> dict[str, str]:
    """The variables of a program that was started from an image."""
    mounted = str(Path(sys.executable).parent)
    return {"HOME": str(home), "APPDIR": mounted, "APPIMAGE": str(program), "PATH": ""}


def programs(environment: dict[str, str]) -> dict[str, str]:
    return {entry.name: entry.program for entry in system_entries(environment)}


def install_all(environment: dict[str, str]) -> None:
    for entry in system_entries(environment):
        entry.write()


def test_nothing_is_there_before_it_is_asked_for(tmp_path: Path) -> None:
    environment = around(tmp_path, image(tmp_path / "a"))
    assert programs(environment) == {AUTOSTART: "", MENU: "", SERVER: ""}
    assert repair_entries(environment) == []
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_entries_of_an_image_that_has_moved_lead_to_it_again(tmp_path: Path) -> None:
    before = image(tmp_path / "a")
    install_all(around(tmp_path, before))
    assert set(programs(around(tmp_path, before)).values()) == {str(before)}
    after = before.rename(image(tmp_path / "b"))
    moved = around(tmp_path, after)
    assert all(entry.is_broken for entry in system_entries(moved))
    assert {entry.name for entry in repair_entries(moved)} == {AUTOSTART, MENU, SERVER}
    assert set(programs(moved).values()) == {str(after)}
    assert repair_entries(moved) == []


def test_entries_of_another_installation_that_is_there_are_left_alone(tmp_path: Path) -> None:
    other = image(tmp_path / "a")
    install_all(around(tmp_path, other))
    mine = around(tmp_path, image(tmp_path / "b"))
    assert repair_entries(mine) == []
    assert set(programs(mine).values()) == {str(other)}


def test_what_the_desktop_has_turned_off_is_off_and_not_repaired(tmp_path: Path) -> None:
    program = image(tmp_path / "a")
    environment = around(tmp_path, program)
    autostart = own_autostart(environment)
    autostart.turn_on()
    file = Path(autostart.place)
    file.write_text(file.read_text(encoding="utf-8") + "Hidden=true\n", encoding="utf-8")
    assert programs(environment)[AUTOSTART] == ""
    program.unlink()
    assert repair_entries(environment) == []


def test_everything_is_removed_again(tmp_path: Path) -> None:
    environment = around(tmp_path, image(tmp_path / "a"))
    install_all(environment)
    for entry in system_entries(environment):
        entry.remove()
    shutil.rmtree(tmp_path / "a")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[Desktop Entry]\nExec=\n", b'Exec="open'])
def test_damaged_entries_start_nothing(tmp_path: Path, content: bytes) -> None:
    environment = around(tmp_path, image(tmp_path / "a"))
    install_all(environment)
    for entry in system_entries(environment):
        Path(entry.place).write_bytes(content)
    assert set(programs(environment).values()) == {""}
    assert repair_entries(environment) == []


@pytest.mark.parametrize(
    "path",
    ["/opt/askance", "/opt/my apps/askance", "/opt/100%/a", '/opt/"q"/a', "/opt/b\\s/$HOME/`a`"],
)
def test_the_program_of_an_entry_is_read_as_it_was_written(tmp_path: Path, path: str) -> None:
    environment = {"XDG_DATA_HOME": str(tmp_path / "data")}
    install_entry(environment, tmp_path, [path])
    assert started_program(entry_file(environment, tmp_path).read_text("utf-8")) == path
    autostart = desktop_file(tmp_path / "autostart", [path, "--hidden"])
    autostart.turn_on()
    assert autostart.program() == path
    unit = ServerUnit({"XDG_CONFIG_HOME": str(tmp_path)}, tmp_path, [path])
    unit.write()
    assert unit.program() == path


@pytest.mark.parametrize(
    ("line", "program"),
    [
        (r"C:\askance.exe --hidden", r"C:\askance.exe"),
        (r'"C:\Program Files\a.exe" --hidden', r"C:\Program Files\a.exe"),
        ("", ""),
    ],
)
def test_the_program_of_a_line_of_windows(line: str, program: str) -> None:
    assert first_word(line) == program
