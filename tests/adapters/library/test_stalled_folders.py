"""Files and folders that never answer, as on a network that is gone, beside good ones: those are read, and Ctrl-C ends."""

from __future__ import annotations

import asyncio
import ctypes.util
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any

import psutil
import pytest

from adapters.library.room import Here, Room, posix_only
from askance.adapters.library.files import file_process
from askance.adapters.library.files.adding import FolderReader
from askance.adapters.library.files.file_process import MOST_STUCK, FileProcesses, is_stuck
from askance.adapters.library.files.opening import list_folder, read_file, read_files
from askance.domain.library import FileRecord, FileState
from waiting import PATIENCE_S, patience, stretched, until

TESTS = Path(__file__).parents[2]
ANSWER_S = 8.0
lacks_fuse = (
    not os.access("/dev/fuse", os.R_OK | os.W_OK)
    or find_spec("fuse") is None
    or ctypes.util.find_library("fuse") is None
)
needs_fuse = pytest.mark.skipif(
    lacks_fuse,
    reason="mounts a file system: it takes /dev/fuse, libfuse 2 and fusepy (`pip install fusepy`)",
)


class Stalling(FileProcesses):
    """Lets calls about some files and folders wait for a pipe that nobody writes to."""

    def __init__(self, fifo: Path, *names: str) -> None:
        super().__init__()
        os.mkfifo(fifo)
        self._fifo, self._names = fifo, names

    def parts(
        self,
        place: str,
        function: Callable[..., Any],
        *arguments: Any,
        answer_s: float | None = None,
    ) -> Iterator[Any]:
        paths: dict[Callable[..., Any], Callable[..., list[Path]]] = {
            read_file: lambda file, _: [file.path],
            read_files: lambda files, _: [file.path for file in files],
            list_folder: lambda _, folder: [folder],
        }
        asked = paths[function](*arguments) if function in paths else []
        if any(path.name in self._names for path in asked):
            function, arguments = os.open, (self._fifo, os.O_RDONLY)
        return super().parts(place, function, *arguments, answer_s=answer_s)


async def look(room: Room, files: FileProcesses) -> dict[str, FileRecord]:
    records: list[FileRecord] = []
    reader = FolderReader(room.library, room.library.book, room.settings, Here(), 2, files)
    try:
        await reader.look(room.folder(), records.append, lambda _: None)
    finally:
        files.close()
    return {Path(r.path).relative_to(room.root).as_posix(): r for r in records}


@posix_only
async def test_a_file_and_a_folder_that_never_answer_cost_only_themselves(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_process, "ANSWER_S", ANSWER_S)
    for name in ("a.md", "m-stalled.md", "m-stalled/b.md", "other/c.md", "z.md"):
        room.put(name, f"A heron note in {name}.")
    found = await look(room, Stalling(tmp_path / "fifo", "m-stalled.md", "m-stalled"))
    states = {name: record.state for name, record in found.items()}
    good = dict.fromkeys(("a.md", "other/c.md", "z.md"), FileState.INDEXED)
    assert states == good | dict.fromkeys(("m-stalled.md", "m-stalled"), FileState.FAILED)
    assert room.urls("heron") == set(good)
    # They are tried again, and are there as soon as they answer.
    await room.look()
    assert set(room.states().values()) == {"indexed", "unchanged"}
    assert len(room.urls("heron")) == 5


@posix_only
async def test_whoever_cancels_does_not_wait_for_what_never_answers(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_process, "ANSWER_S", 10 * PATIENCE_S)
    room.put("m-stalled.md", "A heron note.")
    files = Stalling(tmp_path / "fifo", "m-stalled.md")
    looking = asyncio.get_running_loop().create_task(look(room, files))
    writer = -1

    def is_waiting() -> bool:
        nonlocal writer
        with suppress(OSError):  # nobody reads it yet
            writer = os.open(tmp_path / "fifo", os.O_WRONLY | os.O_NONBLOCK)
        return writer >= 0 or looking.done()

    await until(is_waiting)
    async with patience():
        looking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await looking
        await asyncio.get_running_loop().shutdown_default_executor()
    os.close(writer)


@posix_only
def test_what_is_stuck_is_not_asked_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_process, "ANSWER_S", 0.01)
    monkeypatch.setattr(file_process._Process, "leave", lambda _process: None)
    monkeypatch.setattr(file_process, "_STUCK", {})
    os.mkfifo(tmp_path / "fifo")
    files, place = FileProcesses(), str(tmp_path)
    begun: list[file_process._Process] = []
    really = file_process._Process.__init__
    monkeypatch.setattr(
        file_process._Process,
        "__init__",
        lambda process: (really(process), begun.append(process))[0],
    )
    try:
        for _ in range(MOST_STUCK + 3):
            with pytest.raises(TimeoutError):
                files.call(place, os.open, tmp_path / "fifo", os.O_RDONLY)
        assert len(begun) == MOST_STUCK
        assert is_stuck(place)
        assert not is_stuck(str(tmp_path / "other"))
    finally:
        for process in begun:
            process.process.kill()
            process.process.wait()
    assert not is_stuck(place)
    monkeypatch.setattr(file_process, "ANSWER_S", PATIENCE_S)
    assert files.call(place, os.path.lexists, tmp_path)
    begun[-1].process.kill()
    begun[-1].process.wait()


def test_a_process_returns_what_a_function_does_and_raises_what_it_raises(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"x" * 3_000_000)
    files = FileProcesses()
    try:
        assert files.call("", os.stat, file).st_size == 3_000_000
        with pytest.raises(FileNotFoundError):
            files.call("", os.stat, tmp_path / "b.md")
        (found,) = list_folder(tmp_path, tmp_path)
        assert files.call("", list_folder, tmp_path, tmp_path) == [found]
    finally:
        files.close()


@contextmanager
def program(home: Path, *words: str) -> Generator[subprocess.Popen[str]]:
    child = subprocess.Popen(  # noqa: S603 - this Python
        [sys.executable, "-m", "askance", "library", *words],
        env=dict(os.environ, ASKANCE_HOME=str(home)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


@contextmanager
def mounted(folder: Path, what: str) -> Generator[None]:
    folder.mkdir()
    mount = subprocess.Popen(  # noqa: S603 - this Python
        [sys.executable, "-m", "servers.stalled_folder", str(folder), what], cwd=TESTS
    )
    try:
        begun = monotonic()
        while not os.path.ismount(folder) and mount.poll() is None:
            assert monotonic() - begun < PATIENCE_S
            with suppress(subprocess.TimeoutExpired):
                mount.wait(0.05)
        if mount.poll() is not None:
            pytest.skip("mounts a file system: run it as a user who may")
        yield
    finally:
        # The kernel answers in its place then, and lets go of whoever waits.
        mount.kill()
        mount.wait()
        subprocess.run(["umount", "-l", str(folder)], check=False)  # noqa: S603, S607


@needs_fuse
@pytest.mark.parametrize("what", ["read", "open", "getattr", "readdir"])
def test_a_network_folder_that_stalls_costs_only_what_stalls(tmp_path: Path, what: str) -> None:
    home, far, good = tmp_path / "home", tmp_path / "far", tmp_path / "good"
    good.mkdir()
    for n in range(3):
        (good / f"{n}.md").write_text(f"A heron note {n}.")
    with mounted(far, what):
        with program(home, "add", str(far), str(good)) as adding:
            said, _ = adding.communicate(timeout=PATIENCE_S)
        assert str(far) in said
        with program(home, "search", "--mode", "keywords", "heron") as finding:
            found, _ = finding.communicate(timeout=PATIENCE_S)
        # While one name of a folder is looked up, the kernel lets nobody else look into it.
        beside = () if what == "getattr" else ("a-good.md", "z-good.md")
        assert all(name in found for name in (*beside, "0.md", "1.md", "2.md"))


@needs_fuse
@pytest.mark.parametrize("what", ["read", "readdir"])
def test_ctrl_c_ends_what_waits_for_a_folder_that_stalls(tmp_path: Path, what: str) -> None:
    far = tmp_path / "far"
    with mounted(far, what), program(tmp_path / "home", "add", str(far)) as adding:
        begun = monotonic()
        while not any(map(waits_in_the_kernel, psutil.Process(adding.pid).children())):
            assert adding.poll() is None
            assert monotonic() - begun < PATIENCE_S
            with suppress(subprocess.TimeoutExpired):
                adding.wait(0.05)
        adding.send_signal(signal.SIGINT)
        adding.communicate(timeout=stretched(8.0))
        assert adding.returncode == 130


def waits_in_the_kernel(process: psutil.Process) -> bool:
    try:
        name = Path(f"/proc/{process.pid}/wchan").read_text("utf-8")
        stack = Path(f"/proc/{process.pid}/stack").read_text("utf-8")
    except OSError:
        return False
    return "fuse" in f"{name} {stack}" or "folio" in stack
