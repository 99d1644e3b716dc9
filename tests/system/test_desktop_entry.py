"""The desktop entries: valid by the desktops' own checker, quoted so that any path survives."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from askance.domain.errors import StorageError
from askance.system.desktop_entry import (
    APP_ID,
    exec_line,
    install_entry,
    link_command,
    remove_entry,
    remove_link,
)
from askance.system.integration import desktop_file

COMMAND = ["/opt/my apps/askance", "--hidden"]
PACKAGED = Path(__file__).parents[2] / "deploy" / "desktop"
CHECKER = shutil.which("desktop-file-validate")
METAINFO_CHECKER = shutil.which("appstreamcli")


def complaints(checker: str, *arguments: str) -> str:
    done = subprocess.run(  # noqa: S603 - the developer's own tool
        [checker, *arguments], capture_output=True, text=True, check=False
    )
    return f"{done.stdout}{done.stderr}" if done.returncode else ""


@pytest.mark.skipif(
    CHECKER is None,
    reason="desktop-file-validate is not installed: install the package desktop-file-utils",
)
def test_every_entry_is_valid(tmp_path: Path) -> None:
    assert CHECKER is not None
    desktop_file(tmp_path / "autostart", COMMAND).turn_on()
    install_entry({"XDG_DATA_HOME": str(tmp_path)}, tmp_path, COMMAND)
    files = [*sorted(tmp_path.rglob("*.desktop")), PACKAGED / f"{APP_ID}.desktop"]
    assert len(files) == 3
    assert complaints(CHECKER, *map(str, files)) == ""


@pytest.mark.skipif(
    METAINFO_CHECKER is None, reason="appstreamcli is not installed: install the package appstream"
)
def test_the_description_for_software_centres_is_valid() -> None:
    assert METAINFO_CHECKER is not None
    file = PACKAGED / f"{APP_ID}.metainfo.xml"
    assert complaints(METAINFO_CHECKER, "validate", "--no-net", str(file)) == ""


def test_the_packaged_files_go_by_the_same_name() -> None:
    entry = (PACKAGED / f"{APP_ID}.desktop").read_text(encoding="utf-8").splitlines()
    assert f"Icon={APP_ID}" in entry
    for icon in (f"scalable/apps/{APP_ID}.svg", f"symbolic/apps/{APP_ID}-symbolic.svg"):
        assert (PACKAGED / "icons" / "hicolor" / icon).is_file()


@pytest.mark.parametrize(
    ("part", "written"),
    [
        ("/opt/my apps/a", '"/opt/my apps/a"'),
        ("100%", '"100%%"'),
        ('say "hi"', r'"say \\"hi\\""'),
        ("$HOME`", r'"\\$HOME\\`"'),
        ("back\\slash", r'"back\\\\slash"'),
    ],
)
def test_commands_are_quoted_as_the_specification_wants_them(part: str, written: str) -> None:
    assert exec_line([part, "x"]) == f'{written} "x"'


def test_an_installed_entry_stands_where_the_desktop_looks(tmp_path: Path) -> None:
    file = install_entry({}, tmp_path, COMMAND)
    assert file == tmp_path / ".local/share/applications" / f"{APP_ID}.desktop"
    assert file.is_file()
    data = tmp_path / "data"
    elsewhere = install_entry({"XDG_DATA_HOME": str(data)}, tmp_path, COMMAND)
    assert elsewhere == data / "applications" / f"{APP_ID}.desktop"
    assert elsewhere.is_file()


def test_the_entry_that_ships_starts_what_is_installed_and_keeps_its_actions(
    tmp_path: Path,
) -> None:
    file = install_entry({}, tmp_path, COMMAND[:1])
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("Exec=")] == [
        'Exec="/opt/my apps/askance"',
        'Exec="/opt/my apps/askance" "toggle"',
    ]
    shipped = (PACKAGED / file.name).read_text(encoding="utf-8").splitlines()
    assert [line for line in shipped if line not in lines] == [
        "Exec=askance",
        "Exec=askance toggle",
    ]


def test_the_icons_come_with_the_entry_and_go_with_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    install_entry({"XDG_DATA_HOME": str(data)}, tmp_path, COMMAND)
    icons = sorted(path.relative_to(data) for path in data.rglob("*.svg"))
    assert [str(icon) for icon in icons] == [
        f"icons/hicolor/scalable/apps/{APP_ID}.svg",
        f"icons/hicolor/symbolic/apps/{APP_ID}-symbolic.svg",
    ]
    remove_entry({"XDG_DATA_HOME": str(data)}, tmp_path)
    assert [path for path in data.rglob("*") if path.is_file()] == []
    remove_entry({"XDG_DATA_HOME": str(data)}, tmp_path)


def test_an_entry_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / ".local").write_text("in the way")
    with pytest.raises(StorageError, match="cannot be written") as caught:
        install_entry({"XDG_DATA_DIRS": str(tmp_path)}, tmp_path, COMMAND)
    assert caught.value.fix


def test_the_command_of_a_package_is_linked_and_follows_it_when_it_moves(tmp_path: Path) -> None:
    link = link_command(tmp_path, "/opt/old/askance")
    assert link is not None
    assert link == tmp_path / ".local" / "bin" / "askance"
    assert link_command(tmp_path, "/opt/new/askance") == link
    assert str(link.readlink()) == "/opt/new/askance"
    remove_link(tmp_path)
    assert not link.is_symlink()
    remove_link(tmp_path)


@pytest.mark.parametrize("is_link", [False, True])
def test_another_program_of_that_name_is_left_alone(tmp_path: Path, is_link: bool) -> None:
    program = tmp_path / ".local" / "bin" / "askance"
    program.parent.mkdir(parents=True)
    if is_link:
        (tmp_path / "another").touch()
        program.symlink_to(tmp_path / "another")
    else:
        program.touch()
    assert link_command(tmp_path, "/opt/new/askance") is None
    remove_link(tmp_path)
    assert program.exists()


def test_the_link_of_an_installer_is_neither_replaced_nor_removed(tmp_path: Path) -> None:
    script = tmp_path / "tools" / "venv" / "bin" / "askance"
    script.parent.mkdir(parents=True)
    script.touch()
    link = tmp_path / ".local" / "bin" / "askance"
    link.parent.mkdir(parents=True)
    link.symlink_to(script)
    assert link_command(tmp_path, "/opt/askance/askance") is None
    remove_link(tmp_path)
    assert link.readlink() == script
