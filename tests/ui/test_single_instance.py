"""One window for each user: later processes reach it, a crash frees it, strangers cannot hold it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from askance.domain.errors import InputError, StorageError
from askance.system import ipc
from askance.ui.shell.activation import Instance
from sampled import sampled
from servers.another_user import ASK, line_of, needs_two_users, stranger
from waiting import PATIENCE_S

OWNER = Path(__file__).with_name("owner.py")


class Asked(QObject):
    """What the window was asked."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        self.all: list[tuple[str, str]] = []
        instance.asked.connect(self.take)

    def take(self, asked: str, token: str) -> None:
        self.all.append((asked, token))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "ASKANCE_HOME": str(tmp_path)}


@pytest.fixture
def instance(qapp: object, environment: dict[str, str]) -> Iterator[Instance]:
    made = Instance(environment, patience_s=0.2)
    yield made
    made.release()


@contextmanager
def owner(environment: dict[str, str], *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run a process that has the window."""
    with subprocess.Popen(  # noqa: S603 - the developer's own Python
        [sys.executable, str(OWNER), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def in_thread(qtbot: QtBot, work: object) -> list[object]:
    """Do something beside the window, as another process would, and return its result."""
    results: list[object] = []

    def do() -> None:
        try:
            results.append(work())  # type: ignore[operator]
        except OSError as exc:
            results.append(exc)

    thread = threading.Thread(target=do)
    thread.start()
    qtbot.waitUntil(lambda: bool(results))
    thread.join()
    return results


def test_a_ring_reaches_the_window_with_its_token(
    instance: Instance,
    environment: dict[str, str],
    qtbot: QtBot,
    capfd: pytest.CaptureFixture[str],
) -> None:
    asked = Asked(instance)
    assert ipc.ring(environment, ipc.TOGGLE, limit_s=PATIENCE_S) is False
    assert instance.claim() is True
    caller = {**environment, "XDG_ACTIVATION_TOKEN": "let me in"}
    rung = in_thread(qtbot, lambda: ipc.ring(caller, ipc.TOGGLE, limit_s=PATIENCE_S))
    assert rung == [True]
    assert asked.all == [("toggle", "let me in")]
    text = capfd.readouterr()
    assert (text.out, text.err) == ("", "")


def test_the_socket_and_its_folder_are_the_users_alone(
    instance: Instance, environment: dict[str, str]
) -> None:
    folder = Path(ipc.folder(environment))
    folder.mkdir(mode=0o755, parents=True)
    assert instance.claim()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert Path(ipc.address(environment)).stat().st_mode & 0o077 == 0


@needs_two_users
def test_what_another_user_asks_is_not_heard(qapp: object, qtbot: QtBot) -> None:
    place = Path(tempfile.mkdtemp())
    instance = Instance({"TMPDIR": str(place)})
    try:
        asked = Asked(instance)
        assert instance.claim()
        # As if the modes of the file system had not been there to keep strangers away.
        where = Path(ipc.address({"TMPDIR": str(place)}))
        for path in (place, where.parent, where):
            path.chmod(0o777)
        with stranger(ASK, where) as caller:
            assert in_thread(qtbot, lambda: line_of(caller)) == ["told b''"]
        assert asked.all == []
    finally:
        instance.release()
        shutil.rmtree(place)


@pytest.mark.parametrize(
    "said",
    [
        b"nonsense\n",
        b'{"ask": "explode"}\n',
        b'{"ask": "show", "activation": 3}\n',
        b'["ask"]\n',
        b"[]\n",
        b"[" * 4000 + b"\n",
        b"x" * 5000,
        b'{"ask": "show"',
        b"",
    ],
)
def test_a_caller_that_talks_nonsense_changes_nothing(
    instance: Instance, environment: dict[str, str], qtbot: QtBot, said: bytes
) -> None:
    asked = Asked(instance)
    assert instance.claim()

    def call() -> bytes:
        with socket.socket(socket.AF_UNIX) as caller:
            caller.settimeout(PATIENCE_S)
            caller.connect(ipc.address(environment))
            caller.sendall(said)
            caller.shutdown(socket.SHUT_WR)
            return caller.recv(4096)

    (reported,) = in_thread(qtbot, call)
    assert reported in (ipc.answer("not understood"), b"") or isinstance(reported, ConnectionError)
    assert asked.all == []
    ring = in_thread(qtbot, lambda: ipc.ring(environment, ipc.SHOW, limit_s=PATIENCE_S))
    assert ring == [True]


def test_a_caller_that_says_nothing_is_hung_up_on(
    environment: dict[str, str], qtbot: QtBot
) -> None:
    instance = Instance(environment, caller_limit_ms=1)
    assert instance.claim()

    def call() -> bytes:
        with socket.socket(socket.AF_UNIX) as caller:
            caller.settimeout(PATIENCE_S)
            caller.connect(ipc.address(environment))
            return caller.recv(1)

    assert in_thread(qtbot, call) == [b""]
    instance.release()


def test_a_second_process_tells_the_first_to_show_itself(
    instance: Instance, environment: dict[str, str]
) -> None:
    with owner(environment) as first:
        assert line_of(first) == "mine"
        assert instance.claim() is False
        assert line_of(first) == "show"
        # The first still has its socket.
        assert ipc.ring(environment, ipc.TOGGLE, limit_s=PATIENCE_S)
        assert line_of(first) == "toggle"


@pytest.mark.parametrize(
    ("first", "second", "seen"),
    sampled(
        [
            ({"DISPLAY": ":97"}, {"DISPLAY": ":97.0"}, True),
            ({"DISPLAY": ":97"}, {"DISPLAY": "unix:97"}, True),
            ({"DISPLAY": ":97"}, {"DISPLAY": ":98"}, False),
            ({"DISPLAY": ":97"}, {"DISPLAY": "localhost:10.0"}, False),
            ({"DISPLAY": ":97"}, {}, True),
            ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, {"DISPLAY": ":0"}, True),
            ({"WAYLAND_DISPLAY": "wayland-0"}, {"WAYLAND_DISPLAY": "wayland-1"}, False),
            # The one may not know what the other goes by, on the same screen.
            ({"WAYLAND_DISPLAY": "wayland-0"}, {"DISPLAY": ":0"}, True),
        ],
        every=3,
        are_tuples=True,
    ),
)
def test_a_process_on_another_screen_is_told_where_the_window_shows_itself(
    environment: dict[str, str], first: dict[str, str], second: dict[str, str], seen: bool
) -> None:
    bare = {k: v for k, v in environment.items() if k not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    other = Instance(bare | second)
    with owner(bare | first) as running:
        assert line_of(running) == "mine"
        if seen:
            assert other.claim() is False
        else:
            screen = first.get("WAYLAND_DISPLAY", first.get("DISPLAY", ""))
            with pytest.raises(InputError, match=f"screen {screen}") as caught:
                other.claim()
            assert caught.value.fix
        assert line_of(running) == "show"


def test_a_key_that_is_pressed_on_another_screen_leaves_the_window_as_it_is(
    environment: dict[str, str],
) -> None:
    bare = {k: v for k, v in environment.items() if k not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    with owner(bare | {"DISPLAY": ":97"}) as running:
        assert line_of(running) == "mine"
        with pytest.raises(ipc.ShownElsewhere, match=":97"):
            ipc.ring(bare | {"DISPLAY": ":98"}, ipc.TOGGLE, limit_s=PATIENCE_S)
        assert ipc.ring(bare | {"DISPLAY": ":97"}, ipc.SHOW, limit_s=PATIENCE_S)
        assert line_of(running) == "show"


def test_a_crash_frees_the_window(instance: Instance, environment: dict[str, str]) -> None:
    with owner(environment) as first:
        assert line_of(first) == "mine"
    assert Path(ipc.address(environment)).exists()
    assert ipc.ring(environment, ipc.SHOW, limit_s=PATIENCE_S) is False
    assert instance.claim() is True


def test_a_process_that_hangs_is_told_with_its_remedy(
    instance: Instance, environment: dict[str, str]
) -> None:
    with owner(environment, "hung") as first:
        assert line_of(first) == "mine"
        with pytest.raises(InputError, match="does not answer") as caught:
            instance.claim()
        assert caught.value.fix


def test_one_of_many_that_start_at_once_has_the_window(environment: dict[str, str]) -> None:
    with owner(environment) as first, owner(environment) as second, owner(environment) as third:
        reports = [line_of(process) for process in (first, second, third)]
    assert sorted(reports) == ["another", "another", "mine"]


def test_the_window_can_be_given_up_and_had_again(
    instance: Instance, environment: dict[str, str]
) -> None:
    assert instance.claim()
    instance.release()
    with owner(environment) as next_one:
        assert line_of(next_one) == "mine"


def a_file(run: Path) -> None:
    run.touch()


def a_link(run: Path) -> None:
    run.with_name("elsewhere").mkdir()
    run.symlink_to(run.with_name("elsewhere"))


def no_socket(run: Path) -> None:
    run.joinpath("window.sock", "in the way").mkdir(parents=True)


@pytest.mark.parametrize("spoil", [a_file, a_link, no_socket])
def test_a_folder_that_cannot_be_used_is_told_with_its_remedy(
    qapp: object, environment: dict[str, str], spoil: Callable[[Path], None]
) -> None:
    spoil(Path(environment["ASKANCE_HOME"]) / "run")
    with pytest.raises(StorageError, match="cannot be used") as caught:
        Instance(environment).claim()
    assert "ASKANCE_HOME" in caught.value.fix


class Unprepared(Instance):
    """Its folder is gone by the time that it is wanted."""

    def _prepare_folder(self) -> None:
        pass


def test_a_lock_that_cannot_be_made_is_told_and_not_waited_for(
    qapp: object, environment: dict[str, str]
) -> None:
    with pytest.raises(StorageError, match="lock"):
        Unprepared(environment).claim()


def test_a_deep_home_still_has_a_socket_that_can_be_reached(
    qapp: object, tmp_path: Path, qtbot: QtBot
) -> None:
    deep = tmp_path.joinpath(*["a_long_name_of_a_folder"] * 5)
    environment = {"ASKANCE_HOME": str(deep)}
    other = {"ASKANCE_HOME": f"{deep}_other"}
    assert len(ipc.address(environment)) <= 90
    assert ipc.address(environment) != ipc.address(other)
    instance = Instance(environment)
    try:
        assert instance.claim()
        rung = in_thread(qtbot, lambda: ipc.ring(environment, "show", limit_s=PATIENCE_S))
        assert rung == [True]
    finally:
        instance.release()
        Path(ipc.folder(environment)).rmdir()


def test_the_longest_path_that_is_taken_as_it_is_can_be_listened_at(qapp: object) -> None:
    # pytest's own folders may be too long already.
    with tempfile.TemporaryDirectory() as folder:
        room = 90 - len(f"{folder}//run/window.sock")
        environment = {"ASKANCE_HOME": f"{folder}/{'x' * room}"}
        assert len(ipc.address(environment)) == 90
        assert ipc.address(environment).startswith(folder)
        instance = Instance(environment)
        assert instance.claim()
        instance.release()


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"ASKANCE_HOME": "/x/home", "XDG_RUNTIME_DIR": "/run/7"}, "/x/home/run/window.sock"),
        ({"XDG_RUNTIME_DIR": "/run/7"}, "/run/7/askance/window.sock"),
        ({"TMPDIR": "/scratch"}, f"/scratch/askance-{os.getuid()}/window.sock"),
    ],
)
def test_the_socket_is_where_the_environment_wants_it(
    environment: dict[str, str], expected: str
) -> None:
    assert ipc.address(environment) == expected
