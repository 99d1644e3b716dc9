"""`askance toggle`: light, and it reaches the window, starts it, or says why it cannot."""

from __future__ import annotations

import io
import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from askance.cli.commands import toggle
from askance.system import ipc, program
from waiting import PATIENCE_S

CALL = "import sys; from askance.cli.commands import toggle; sys.exit(toggle.main(sys.argv[1:]))"
HEAVY = {
    "typer",
    "rich",
    "pydantic",
    "httpx",
    "PySide6",
    "platformdirs",
    "psutil",
    "asyncio",
    "askance.app.container",
}
HEAVY |= {
    "typing",
    "contextlib",
    "dataclasses",
    "pathlib",
    "subprocess",
    "hashlib",
    "tempfile",
    "logging",
}


class Window:
    """Answers as the window does, in a thread."""

    def __init__(self, environment: Mapping[str, str], reply: bytes) -> None:
        self.asked: list[tuple[str, str] | None] = []
        self._reply = reply
        Path(ipc.folder(environment)).mkdir(parents=True, exist_ok=True)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(ipc.address(environment))
        self._socket.listen()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                caller, _ = self._socket.accept()
            except OSError:
                return
            with caller, caller.makefile("rb") as lines:
                self.asked.append(ipc.read_question(lines.readline()))
                if self._reply:
                    caller.sendall(self._reply)
                else:
                    lines.read()


@contextmanager
def window(environment: Mapping[str, str], reply: bytes | None = None) -> Iterator[Window]:
    made = Window(environment, ipc.answer(ipc.DONE) if reply is None else reply)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"ASKANCE_HOME": str(tmp_path), "XDG_ACTIVATION_TOKEN": "let me in"}


class Child:
    """A started process that ends with a status, or does not."""

    def __init__(self, status: int | None) -> None:
        self.status = status

    def poll(self) -> int | None:
        return self.status


def starting(
    status: int | None, on_start: Callable[[], None] = lambda: None
) -> Callable[[Mapping[str, str]], Child]:
    def start(_environment: Mapping[str, str]) -> Child:
        on_start()
        return Child(status)

    return start


def must_not_start(_environment: Mapping[str, str]) -> Child:
    pytest.fail("the window is running")


def test_a_running_window_is_asked_and_no_other_is_started(environment: dict[str, str]) -> None:
    with window(environment) as running:
        assert toggle.main([], environment, start=must_not_start) == 0
    assert running.asked == [("toggle", "let me in")]


def test_a_window_that_is_not_running_is_started_and_waited_for(
    environment: dict[str, str],
) -> None:
    made: list[Window] = []

    def come_up() -> None:
        reply = ipc.answer(ipc.DONE)
        timer = threading.Timer(0.05, lambda: made.append(Window(environment, reply)))
        timer.start()
        threads.append(timer)

    threads: list[threading.Timer] = []
    assert toggle.main([], environment, start=starting(None, come_up)) == 0
    threads[0].join()
    made[0].close()
    assert made[0].asked == [("show", "let me in")]


def test_a_socket_that_a_crash_left_is_as_good_as_none(environment: dict[str, str]) -> None:
    with window(environment):
        pass
    assert Path(ipc.address(environment)).exists()
    started: list[bool] = []
    stderr = io.StringIO()
    start = starting(3, lambda: started.append(True))
    assert toggle.main([], environment, start=start, stderr=stderr) == 1
    assert started == [True]


@pytest.mark.parametrize("reads", [True, False], ids=["closes", "resets"])
def test_a_window_that_ends_just_now_is_followed_by_another(
    environment: dict[str, str], reads: bool
) -> None:
    Path(ipc.folder(environment)).mkdir(parents=True, exist_ok=True)
    made: list[Window] = []

    def end(old: socket.socket) -> None:
        caller, _ = old.accept()
        # What was not read before the end resets the connection.
        select.select([caller], [], [], PATIENCE_S)
        if reads:
            caller.recv(ipc.LONGEST_LINE)
        caller.close()
        old.close()
        Path(ipc.address(environment)).unlink()

    def start(_environment: Mapping[str, str]) -> Child:
        ending.join()
        made.append(Window(environment, ipc.answer(ipc.DONE)))
        return Child(None)

    with socket.socket(socket.AF_UNIX) as old:
        old.bind(ipc.address(environment))
        old.listen()
        ending = threading.Thread(target=end, args=(old,))
        ending.start()
        assert toggle.main([], environment, start=start) == 0
    made[0].close()
    assert made[0].asked == [("show", "let me in")]


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (1, "The window ended at once (exit status 1). Run `askance` in a terminal to see why."),
        (None, "The window did not come up within 0.1 s."),
        (0, "The window did not come up within 0.1 s."),
    ],
)
def test_a_window_that_does_not_come_up_is_told(
    environment: dict[str, str], status: int | None, told: str
) -> None:
    stderr = io.StringIO()
    start = starting(status)
    shown = environment | {"QT_QPA_PLATFORM": "offscreen"}
    code = toggle.main([], shown, start=start, start_limit_s=0.1, stderr=stderr)
    assert (code, stderr.getvalue()) == (1, f"askance: {told}\n")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have a screen: run it on Linux")
def test_without_a_screen_the_reason_is_told(environment: dict[str, str]) -> None:
    stderr = io.StringIO()
    bare = {k: v for k, v in environment.items() if not k.endswith("DISPLAY")}
    bare["QT_QPA_PLATFORM"] = "wayland"
    assert toggle.main([], bare, start=starting(1), start_limit_s=0.1, stderr=stderr) == 1
    assert "There is no screen here" in stderr.getvalue()


def test_a_program_that_cannot_be_started_is_told(environment: dict[str, str]) -> None:
    def start(_environment: Mapping[str, str]) -> Child:
        raise FileNotFoundError("no such file")

    stderr = io.StringIO()
    assert toggle.main([], environment, start=start, stderr=stderr) == 1
    assert stderr.getvalue().endswith(": no such file.\n")


@pytest.mark.parametrize("reply", [b"", b"nonsense\n", b"\n", ipc.answer("not understood")])
def test_a_window_that_is_stuck_or_talks_nonsense_is_told_and_no_other_is_started(
    environment: dict[str, str], reply: bytes
) -> None:
    stderr = io.StringIO()
    with window(environment, reply):
        code = toggle.main([], environment, start=must_not_start, answer_limit_s=0.1, stderr=stderr)
    assert code == 1
    assert stderr.getvalue().startswith("askance: ")


def test_a_window_on_another_screen_is_told(environment: dict[str, str]) -> None:
    stderr = io.StringIO()
    reply = b'{"answer": "elsewhere", "screen": ":3"}\n'
    with window(environment, reply):
        assert toggle.main([], environment, start=must_not_start, stderr=stderr) == 1
    assert "on the screen :3." in stderr.getvalue()


def test_a_place_that_is_no_folder_is_told_as_that() -> None:
    stderr = io.StringIO()
    around = {"XDG_RUNTIME_DIR": os.devnull}  # a short name: of a long one the socket is elsewhere
    assert toggle.main([], around, start=must_not_start, stderr=stderr) == 1
    assert "cannot be used to find the running window" in stderr.getvalue()


def test_help_and_wrong_usage(environment: dict[str, str]) -> None:
    stdout, stderr = io.StringIO(), io.StringIO()
    assert toggle.main(["--help"], environment, stdout=stdout, stderr=stderr) == 0
    assert stdout.getvalue().startswith("Usage: askance toggle")
    assert toggle.main(["now"], environment, stdout=stdout, stderr=stderr) == 2
    assert stderr.getvalue().startswith("Usage: askance toggle")


def test_a_call_imports_nothing_heavy(environment: dict[str, str]) -> None:
    report = "; import json; print(json.dumps(sorted(sys.modules)))"
    code = CALL.replace("sys.exit(toggle.main(sys.argv[1:]))", "toggle.main([])") + report
    # Without site packages: their .pth files may import anything.
    source = str(Path(toggle.__file__).parents[3])
    with window(environment) as running:
        done = subprocess.run(  # noqa: S603 - the developer's own Python
            [sys.executable, "-S", "-c", code],
            env={**os.environ, **environment, "PYTHONPATH": source},
            capture_output=True,
            timeout=PATIENCE_S,
            check=True,
        )
    assert running.asked == [("toggle", "let me in")]
    assert HEAVY.isdisjoint(json.loads(done.stdout))


def test_the_program_is_started_as_it_was_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    image = {"APPIMAGE": "/opt/Askance.AppImage", "APPDIR": str(tmp_path)}
    assert program.own_command(image) == ["/opt/Askance.AppImage"]
    assert program.window_command(image) == ["/opt/Askance.AppImage"]
    assert program.own_command({}) == [str(tmp_path / "python"), "-m", "askance"]
    script = tmp_path / "askance"
    script.write_text("")
    script.chmod(0o755)
    assert program.own_command({}) == [str(script)]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert program.own_command({}) == [str(tmp_path / "python")]


def test_variables_of_another_appimage_do_not_make_this_one(tmp_path: Path) -> None:
    editor = {"APPIMAGE": "/opt/Editor.AppImage", "APPDIR": str(tmp_path)}
    assert program.own_command(editor) == program.own_command({})
    assert program.detached_child_command("a.b", editor) == program.child_command("a.b")


def test_a_child_that_outlives_an_appimage_is_started_from_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "usr/lib/askance/askance"))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    image = {"APPIMAGE": "/opt/Askance.AppImage", "APPDIR": str(tmp_path)}
    command = program.detached_child_command("a.b", image)
    assert command == ["/opt/Askance.AppImage", program.CHILD, "a.b"]


def test_a_started_program_is_in_a_session_of_its_own(tmp_path: Path) -> None:
    text = tmp_path / "told"
    code = "import os, sys; open(sys.argv[1], 'w').write(f'{os.getsid(0)} {os.getpid()}')"
    with program.start_detached([sys.executable, "-c", code, str(text)], os.environ) as child:
        assert child.wait(PATIENCE_S) == 0
    session, process = text.read_text().split()
    assert session == process
    assert int(session) != os.getsid(0)
