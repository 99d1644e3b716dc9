"""The real command in a real process: start-up, exit codes, broken outputs."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from askance import __version__
from cli.render.glass import Glass
from python_program import needs_ascii_path
from servers.faults import address_of_nobody
from waiting import PATIENCE_S

HEAVY = {"logging", "httpx", "psutil", "trafilatura", "PySide6", "pydantic", "rich", "asyncio"}


def start(*arguments: str, home: Path, python: tuple[str, ...] = (), **streams: object):
    environment = {**os.environ, "ASKANCE_HOME": str(home), "PYTHONIOENCODING": "utf-8"}
    return subprocess.Popen(  # noqa: S603
        [sys.executable, *python, "-m", "askance", *arguments],
        env=environment,
        text=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
    )


def finish(child: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = child.communicate(timeout=PATIENCE_S)
    return child.returncode, out or "", err or ""


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    code, out, err = finish(start("--help", home=tmp_path, python=("-X", "importtime")))
    assert code == 0
    assert "Search the web and answer with sources." in out
    imported = {line.rpartition("|")[2].strip() for line in err.splitlines()}
    assert "typer" in imported
    assert not HEAVY & imported


@pytest.mark.skipif(
    not hasattr(os, "wait4"),
    reason="needs the processor time of one child: run it on Linux or macOS",
)
def test_help_answers_within_200_ms(tmp_path: Path) -> None:
    def once() -> float:
        child = start("--help", home=tmp_path, stdout=subprocess.DEVNULL, stderr=None)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0
        return used.ru_utime + used.ru_stime

    # Processor time, and the best of three: what else this machine does is not the question.
    assert min(once() for _ in range(3)) < 0.2


def test_the_version_is_told(tmp_path: Path) -> None:
    assert finish(start("--version", home=tmp_path)) == (0, f"askance {__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask",),
        ("ask", "q", "--unknown"),
        ("ask", "q", "--queries", "many"),
        ("nonsense",),
        ("history", "show", "-1"),
    ],
)
def test_wrong_usage_is_exit_code_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    code, out, err = finish(start(*arguments, home=tmp_path))
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    assert err


def test_broken_settings_are_one_sentence_and_exit_code_2(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text("[limits]\nrounds = [\n")
    code, out, err = finish(start("ask", "q", home=tmp_path))
    assert (code, out) == (2, "")
    assert err.startswith("askance: The settings file ")
    assert err.count("\n") == 1


def test_a_reader_of_the_output_that_leaves_early_is_no_trouble(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    child = start("config", "show", home=tmp_path, stdout=writing)
    os.close(writing)
    code, _, err = finish(child)
    assert (code, err) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full: run it on Linux")
@pytest.mark.parametrize("arguments", [("config", "show"), ("--help",), ("toggle", "--help")])
def test_a_full_disk_is_one_sentence(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        code, _, err = finish(start(*arguments, home=tmp_path, stdout=full))
    assert code == 1
    assert os.strerror(errno.ENOSPC) in err


@pytest.mark.skipif(
    not hasattr(os, "openpty"), reason="needs a pseudo-terminal: run it on Linux or macOS"
)
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_leaves_the_terminal_as_it_was(tmp_path: Path, times: int) -> None:
    outside, inside = os.openpty()
    # A search engine that takes the connection and never answers.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        wanted = (
            f"search.url={url}",
            f"llm.url={address_of_nobody()}",
            "reader.mode=container_only",
        )
        settings = [part for setting in wanted for part in ("--set", setting)]
        child = start("ask", "When?", *settings, home=tmp_path, stdout=inside)
        os.close(inside)
        written = b""
        while b"Searching" not in written:
            written += os.read(outside, 4096)
        for _ in range(times):
            child.send_signal(signal.SIGINT)
        code, _, err = finish(child)
    assert (code, err) == (130, "Stopped.\n")
    with contextlib.suppress(OSError):  # Linux says so when nobody holds the other side any more
        while piece := os.read(outside, 4096):
            written += piece
    os.close(outside)
    glass = Glass(written.decode())
    assert glass.text == ""
    assert not glass.cursor_hidden


def test_services_that_are_not_there_end_in_a_named_failure(tmp_path: Path) -> None:
    nowhere = address_of_nobody()
    # No page is read: the processes that would take pages apart are not started.
    wanted = (f"search.url={nowhere}", f"llm.url={nowhere}", "reader.mode=container_only")
    settings = [part for setting in wanted for part in ("--set", setting)]
    code, out, err = finish(start("ask", "Who was it?", "--json", *settings, home=tmp_path))
    assert code == 1
    assert '"type": "failed"' in out.splitlines()[-1]
    assert "SearXNG" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("locale", [pytest.param("C", marks=needs_ascii_path), "C.UTF-8"])
def test_bytes_that_are_no_text_are_refused_in_every_locale(tmp_path: Path, locale: str) -> None:
    child = subprocess.run(
        [sys.executable, "-m", "askance", "ask", "-"],
        env={**os.environ, "ASKANCE_HOME": str(tmp_path), "LC_ALL": locale},
        input=b"Who hei\xdft so?",
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert child.returncode == 2
    assert b"UTF-8" in child.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell: run it on Linux or macOS")
@pytest.mark.parametrize("command", [("ask", "-"), ("toggle", "x"), ("mcp", "x"), ("config", "x")])
def test_closed_streams_are_no_crash(tmp_path: Path, command: tuple[str, ...]) -> None:
    """As some services start programs; then the first file of ours would be standard output."""
    child = subprocess.run(  # noqa: S603
        ["/bin/sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-', sys.executable, "-m", "askance", *command],
        env={**os.environ, "ASKANCE_HOME": str(tmp_path)},
        timeout=PATIENCE_S,
        check=False,
    )
    assert child.returncode == 2
    assert not list(tmp_path.glob("data/crashes/*"))


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal: run it on Linux or macOS")
def test_ctrl_c_in_the_middle_of_an_import_ends_it_without_a_word(tmp_path: Path) -> None:
    interrupted = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    (tmp_path / "typer.py").write_text(interrupted, encoding="utf-8")
    child = subprocess.run(
        [sys.executable, "-m", "askance", "ask", "x"],
        env={**os.environ, "ASKANCE_HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (child.returncode, child.stdout, child.stderr) == (130, "", "")
