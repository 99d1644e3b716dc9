"""What is written for Windows, run here: only what Python has for Windows alone is a fake."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from askance.config import diagnostics, private_files
from askance.config.private_files import is_ours, runtime_folder
from askance.domain.errors import StorageError
from askance.extract.sandbox import Protection, confine
from askance.system import ipc, program
from askance.system.children import kill_child
from askance.system.integration import choose_autostart

RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"


@pytest.fixture(autouse=True)
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")


class Registry:
    """The part of `winreg` that an autostart needs, over one key."""

    HKEY_CURRENT_USER, REG_SZ, KEY_SET_VALUE = "HKCU", 1, 2

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.is_locked = False

    def CreateKey(self, root: str, name: str) -> Any:  # noqa: N802 - the name of winreg
        return self._opened(root, name)

    def OpenKey(self, root: str, name: str, access: int = 0) -> Any:  # noqa: N802 - the name of winreg
        return self._opened(root, name)

    def _opened(self, root: str, name: str) -> Any:
        assert (root, name) == (self.HKEY_CURRENT_USER, RUN)
        if self.is_locked:
            raise PermissionError(5, "Access is denied")
        return memoryview(b"")  # any context manager

    def SetValueEx(self, key: Any, name: str, reserved: int, kind: int, value: str) -> None:  # noqa: N802 - the name of winreg
        assert (reserved, kind) == (0, self.REG_SZ)
        self.values[name] = value

    def DeleteValue(self, key: Any, name: str) -> None:  # noqa: N802 - the name of winreg
        try:
            del self.values[name]
        except KeyError:
            raise FileNotFoundError(2, "The system cannot find the file specified") from None


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry:
    registry = Registry()
    monkeypatch.setitem(sys.modules, "winreg", registry)
    return registry


def test_the_autostart_is_a_value_of_the_user_that_can_be_taken_away_twice(
    registry: Registry, tmp_path: Path
) -> None:
    command = [r"D:\My Programs\askance-window.exe", "--hidden"]
    entry = choose_autostart("win32", {}, tmp_path, command)
    entry.turn_on()
    entry.turn_on()
    assert registry.values == {"Askance": r'"D:\My Programs\askance-window.exe" --hidden'}
    entry.turn_off()
    entry.turn_off()
    assert registry.values == {}


def test_a_registry_that_is_closed_is_said(registry: Registry, tmp_path: Path) -> None:
    registry.is_locked = True
    entry = choose_autostart("win32", {}, tmp_path, ["askance"])
    for change in (entry.turn_on, entry.turn_off):
        with pytest.raises(StorageError):
            change()


@pytest.mark.parametrize("is_free", [True, False])
def test_the_lock_of_a_file_is_that_of_its_first_byte(
    monkeypatch: pytest.MonkeyPatch, is_free: bool
) -> None:
    asked: list[tuple[int, int, int]] = []

    def locking(handle: int, mode: int, length: int) -> None:
        asked.append((handle, mode, length))
        if not is_free:
            raise PermissionError(13, "Permission denied")

    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    assert private_files.try_lock(7) is is_free
    assert asked == [(7, 2, 1)]


def test_folders_lie_where_windows_keeps_those_of_a_user(tmp_path: Path) -> None:
    folder = runtime_folder({"LOCALAPPDATA": str(tmp_path), "XDG_RUNTIME_DIR": "/ignored"})
    assert folder == os.path.join(tmp_path, "askance", "run")  # noqa: PTH118
    private_files.claim_folder(folder)
    assert Path(folder).is_dir()
    assert is_ours(folder)


def test_each_user_and_each_home_has_a_pipe_of_its_own(tmp_path: Path) -> None:
    one = ipc.address({"LOCALAPPDATA": str(tmp_path / "ada")})
    other = ipc.address({"LOCALAPPDATA": str(tmp_path / "bob")})
    assert one.startswith("askance-")
    assert one != other
    assert one == ipc.address({"LOCALAPPDATA": str(tmp_path / "ada")})


@pytest.fixture
def pipes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of files in the place of pipes: what is written comes first, the answer behind it."""
    monkeypatch.setattr(ipc, "_PIPES", f"{tmp_path}/")
    return tmp_path


def test_the_window_is_asked_through_its_pipe(pipes: Path) -> None:
    environment = {"LOCALAPPDATA": str(pipes)}
    assert not ipc.ring(environment, ipc.SHOW, limit_s=1)
    question = json.dumps({"ask": ipc.SHOW, "activation": "", "screens": []}).encode() + b"\n"
    pipe = pipes / ipc.address(environment)
    pipe.write_bytes(bytes(len(question)) + ipc.answer(ipc.DONE))
    assert ipc.ring(environment, ipc.SHOW, limit_s=1)
    assert pipe.read_bytes().startswith(question)


def test_processes_that_parse_pages_say_which_protection_they_lack() -> None:
    memory = confine.limit_memory(100)
    assert memory
    confine.limit_computing(1.0)
    confine.end_with_parent()
    confine.only_converse()
    assert set(confine.only_compute(memory).missing) == {
        Protection.MEMORY, Protection.LIMITS, Protection.NAMESPACE, Protection.LANDLOCK, Protection.SECCOMP,
    }  # fmt: skip


def test_a_child_is_killed_without_signals() -> None:
    killed: list[str] = []
    running = SimpleNamespace(returncode=None, pid=-1, kill=lambda: killed.append("killed"))
    kill_child(running)  # type: ignore[arg-type]
    assert killed == ["killed"]
    ended = SimpleNamespace(returncode=0, pid=-1, kill=lambda: killed.append("again"))
    kill_child(ended)  # type: ignore[arg-type]
    assert killed == ["killed"]


def test_a_crash_report_names_the_build_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    found = SimpleNamespace(major=10, minor=0, build=26100)
    monkeypatch.setattr(sys, "getwindowsversion", lambda: found, raising=False)
    monkeypatch.setenv("PROCESSOR_ARCHITECTURE", "AMD64")
    assert diagnostics.system() == "Windows 10.0.26100 AMD64"


async def test_there_is_no_session_bus() -> None:
    pytest.importorskip("jeepney", reason="Linux alone has D-Bus: run it there")
    from askance.system.session_bus import open_session_bus  # noqa: PLC0415 - it needs D-Bus's package

    with pytest.raises(OSError, match="bus"):
        async with open_session_bus({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/bus"}):
            pass


def test_a_package_starts_its_children_by_the_program_with_a_console(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The other one has no standard streams."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "askance-window.exe"))
    started = program.child_command("askance.extract.worker")
    assert started == [str(tmp_path / "askance.exe"), program.CHILD, "askance.extract.worker"]
