"""Nothing is said to a stranger who stands where the window should be, and nothing heard from one."""

from __future__ import annotations

import io
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from platformdirs import PlatformDirs

from askance.cli.commands import toggle
from askance.config.folders import find_folders
from askance.config.private_files import NotOurs
from askance.server.daemon_connection import acquire_lock
from askance.system import ipc
from servers.another_user import CALL, LISTEN, NOBODY, line_of, needs_two_users, stranger
from waiting import PATIENCE_S

pytestmark = pytest.mark.skipif(
    sys.platform == "win32",
    reason="Windows has pipes that let nobody else in: run it on Linux or macOS",
)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user gets into, as that of temporary files."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o1777)
    yield made
    shutil.rmtree(made)


def toggled(environment: dict[str, str]) -> tuple[int, str]:
    """Run the command; a window is never started."""

    def start(_: object) -> None:
        raise AssertionError("a window was started")

    text = io.StringIO()
    status = toggle.main([], environment, start=start, stderr=text)  # type: ignore[arg-type]
    return status, text.getvalue()


def cached_at(place: Path) -> dict[str, str]:
    """An environment without XDG_RUNTIME_DIR, whose cache is this user's alone."""
    cache = place / "cache"
    cache.mkdir(mode=0o700)
    return {"TMPDIR": str(place), "XDG_CACHE_HOME": str(cache)}


def test_a_link_laid_out_by_another_is_not_followed(place: Path) -> None:
    environment = cached_at(place)
    known = Path(ipc.folder(environment))
    (place / "elsewhere").mkdir()
    known.symlink_to(place / "elsewhere")
    assert ipc.folder(environment) == str(place / "cache" / "askance" / "run")
    with socket.socket(socket.AF_UNIX) as bell:
        bell.bind(str(known / "window.sock"))
        bell.listen()
        bell.setblocking(False)
        assert ipc.ring(environment, ipc.TOGGLE, limit_s=PATIENCE_S) is False
        with pytest.raises(BlockingIOError):
            bell.accept()
    seat = acquire_lock(environment)
    assert seat is not None
    seat.give_up()
    assert not list((place / "elsewhere").glob("server*"))


def test_a_link_in_a_folder_of_the_users_own_choice_is_refused_and_said(place: Path) -> None:
    environment = {"XDG_RUNTIME_DIR": str(place)}
    (place / "elsewhere").mkdir()
    Path(ipc.folder(environment)).symlink_to(place / "elsewhere")
    with socket.socket(socket.AF_UNIX) as bell:
        bell.bind(ipc.address(environment))
        bell.listen()
        status, text = toggled(environment)
    assert status == 1
    assert str(place) in text
    assert "link" in text


@needs_two_users
def test_the_folder_of_another_user_is_not_used(place: Path) -> None:
    environment = cached_at(place)
    folder = Path(ipc.folder(environment))
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)
    with stranger(LISTEN, folder / "window.sock") as bell:
        assert line_of(bell) == "listening"
        assert ipc.folder(environment) == str(place / "cache" / "askance" / "run")
        assert ipc.ring(environment, ipc.TOGGLE, limit_s=PATIENCE_S) is False
        bell.kill()
        assert line_of(bell) == ""


@needs_two_users
def test_the_marks_of_runs_lie_in_no_folder_of_another_user(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = cached_at(place)
    for name in (f"runtime-{os.getuid()}", f"askance-{os.getuid()}"):
        (place / name).mkdir()
        os.chown(place / name, NOBODY, NOBODY)
    monkeypatch.setattr(PlatformDirs, "user_runtime_path", place / f"runtime-{os.getuid()}/askance")
    assert find_folders(environment).runtime == place / "cache" / "askance" / "run"


@needs_two_users
def test_a_stranger_who_listens_in_an_open_folder_of_ours_hears_nothing(place: Path) -> None:
    environment = {"TMPDIR": str(place), "XDG_ACTIVATION_TOKEN": "let me in"}
    folder = Path(ipc.folder(environment))
    folder.mkdir()
    folder.chmod(0o777)
    with stranger(LISTEN, ipc.address(environment)) as bell:
        assert line_of(bell) == "listening"
        with pytest.raises(NotOurs, match="user"):
            ipc.ring(environment, ipc.TOGGLE, limit_s=PATIENCE_S)
        assert line_of(bell) == "heard b''"
    assert folder.stat().st_mode & 0o777 == 0o700


def test_where_nobody_made_a_folder_no_window_runs(place: Path) -> None:
    environment = {"TMPDIR": str(place)}
    assert ipc.ring(environment, ipc.TOGGLE, limit_s=PATIENCE_S) is False
    assert list(place.iterdir()) == []


def test_the_other_end_is_ours_where_this_user_has_it() -> None:
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert ipc.is_ours(one)


@needs_two_users
def test_the_other_end_is_not_ours_where_another_user_has_it(place: Path) -> None:
    where = place / "bell"
    with socket.socket(socket.AF_UNIX) as bell:
        bell.bind(str(where))
        where.chmod(0o777)
        bell.listen()
        with stranger(CALL, str(where)):
            caller, _ = bell.accept()
            with caller:
                assert not ipc.is_ours(caller)
