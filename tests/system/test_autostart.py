"""Starting with the desktop: the entry is made whole, read back as the desktop does, and removed."""

from __future__ import annotations

import plistlib
from pathlib import Path

import pytest

from askance.domain.errors import StorageError
from askance.system.desktop_entry import APP_ID
from askance.system.integration import choose_autostart, desktop_file, launch_agent

COMMAND = ["/opt/my apps/askance", "--hidden"]


@pytest.mark.parametrize(
    ("platform", "environment", "place"),
    [
        ("linux", {}, f".config/autostart/{APP_ID}.desktop"),
        ("linux", {"XDG_CONFIG_HOME": "relative"}, f".config/autostart/{APP_ID}.desktop"),
        ("linux", {"XDG_CONFIG_HOME": "{home}/conf"}, f"conf/autostart/{APP_ID}.desktop"),
        ("darwin", {}, f"Library/LaunchAgents/{APP_ID}.plist"),
    ],
)
def test_it_is_turned_on_and_off_where_the_system_looks(
    tmp_path: Path, platform: str, environment: dict[str, str], place: str
) -> None:
    record = {name: value.format(home=tmp_path) for name, value in environment.items()}
    autostart = choose_autostart(platform, record, tmp_path, COMMAND)
    autostart.turn_off()
    autostart.turn_on()
    autostart.turn_on()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / place]
    assert (tmp_path / place).stat().st_mode & 0o777 == 0o644
    autostart.turn_off()
    assert not (tmp_path / place).exists()


@pytest.mark.parametrize("switch", ["Hidden=true", "X-GNOME-Autostart-enabled = false"])
def test_what_the_desktop_switched_off_can_be_turned_on_again(tmp_path: Path, switch: str) -> None:
    autostart = desktop_file(tmp_path, COMMAND)
    autostart.turn_on()
    (file,) = tmp_path.iterdir()
    text = file.read_text()
    assert "X-GNOME-Autostart-enabled=true" in text
    file.write_text(text + switch + "\n")
    autostart.turn_on()
    assert file.read_text() == text


def test_the_launch_agent_starts_the_command_at_login(tmp_path: Path) -> None:
    launch_agent(tmp_path, COMMAND).turn_on()
    (file,) = tmp_path.iterdir()
    reported = plistlib.loads(file.read_bytes())
    assert reported["ProgramArguments"] == COMMAND
    assert reported["RunAtLoad"] is True
    assert reported["Label"] == APP_ID


@pytest.mark.parametrize("content", [b"", b"\xff\xfe nonsense", b"<plist><dict>", b"[]"])
def test_a_damaged_launch_agent_can_be_fixed(tmp_path: Path, content: bytes) -> None:
    autostart = launch_agent(tmp_path, COMMAND)
    autostart.turn_on()
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    autostart.turn_on()
    assert plistlib.loads(file.read_bytes())["RunAtLoad"] is True


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_place_that_cannot_be_written_is_told_and_nothing_is_left(
    tmp_path: Path, platform: str
) -> None:
    for name in (".config", "Library"):
        (tmp_path / name).write_text("in the way")
    autostart = choose_autostart(platform, {}, tmp_path, COMMAND)
    with pytest.raises(StorageError, match="changed") as caught:
        autostart.turn_on()
    assert caught.value.fix
    assert {path.name for path in tmp_path.iterdir()} == {".config", "Library"}


def test_an_entry_that_cannot_be_replaced_or_removed_is_told(tmp_path: Path) -> None:
    (tmp_path / f"{APP_ID}.desktop").mkdir()
    autostart = desktop_file(tmp_path, COMMAND)
    with pytest.raises(StorageError):
        autostart.turn_on()
    with pytest.raises(StorageError):
        autostart.turn_off()
    assert [path.name for path in tmp_path.iterdir()] == [f"{APP_ID}.desktop"]
