"""Reports of crashes: where it happened, and no values; kept, told of once, deleted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from askance.config.diagnostics import (
    MOST_REPORTS,
    delete_reports,
    mark_reported,
    new_reports,
    reports,
    write_report,
)
from askance.config.folders import Folders, find_folders
from waiting import PATIENCE_S

SECRET = "words of a question"  # noqa: S105 - not a password
CRASHING = """
import faulthandler, sys
from pathlib import Path
from askance.config.folders import find_folders
from askance.config.diagnostics import logged
with logged(find_folders({"ASKANCE_HOME": sys.argv[1]}), "ask"):
    if sys.argv[2] == "crash":
        faulthandler._sigsegv()
    print("begun", flush=True)
    sys.stdin.read()
"""


PLACES = ["in_a_callback", "in_a_run", "in_a_thread"]
BESIDE = """
import sys, threading
from contextlib import asynccontextmanager
from PySide6.QtCore import QCoreApplication
from askance.config.folders import find_folders
from askance.config.diagnostics import reporting
from askance.domain.events import Failed
from askance.ui.bridge import Bridge

@asynccontextmanager
async def parts():
    yield None

def in_a_thread():
    raise LookupError

def in_a_callback():
    raise LookupError

async def in_a_run(parts, emit):
    import asyncio
    loop = asyncio.get_running_loop()
    for _ in range(3):
        loop.call_soon(in_a_callback)
    await asyncio.sleep(0)
    raise LookupError

application = QCoreApplication([])
with reporting(find_folders({"ASKANCE_HOME": sys.argv[1]})):
    for _ in range(3):
        thread = threading.Thread(target=in_a_thread)
        thread.start()
        thread.join()
    bridge = Bridge(parts)
    bridge.happened.connect(lambda *_: application.quit())
    bridge.start()
    bridge.run(in_a_run, tuple)
    application.exec()
    bridge.close()
"""


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return find_folders({"ASKANCE_HOME": str(tmp_path)})


def failing(asked: str) -> None:
    try:
        int(asked)
    except ValueError as exc:
        raise ExceptionGroup(asked, [KeyError(asked)]) from exc


def error() -> Exception:
    with pytest.raises(ExceptionGroup) as caught:
        failing(SECRET)
    return caught.value


def test_a_report_tells_where_and_no_values(folders: Folders) -> None:
    report = write_report(folders, error())
    assert report is not None
    text = report.read_text("utf-8")
    assert text.startswith("Askance ")
    assert "Python" in text.splitlines()[0]
    assert all(name in text for name in ("ExceptionGroup", "KeyError", "ValueError", "in failing"))
    assert SECRET not in text
    if sys.platform != "win32":
        assert report.stat().st_mode & 0o777 == 0o600
        assert folders.crashes.stat().st_mode & 0o777 == 0o700


def test_what_an_error_says_of_the_program_itself_is_kept(folders: Folders) -> None:
    report = write_report(folders, AttributeError("'NoneType' object has no attribute 'run'"))
    assert report is not None
    assert "has no attribute 'run'" in report.read_text("utf-8")


def test_a_few_reports_are_kept_and_each_is_new_once(folders: Folders) -> None:
    for _ in range(MOST_REPORTS + 3):
        assert write_report(folders, error()) is not None
    assert len(reports(folders)) == MOST_REPORTS
    assert new_reports(folders) == reports(folders)
    mark_reported(folders, reports(folders))
    assert new_reports(folders) == []
    newest = write_report(folders, error())
    assert new_reports(folders) == [newest]
    delete_reports(folders)
    assert reports(folders) == []


def test_a_folder_that_cannot_be_written_is_no_trouble(folders: Folders) -> None:
    folders.data.mkdir()
    folders.crashes.touch()
    assert write_report(folders, error()) is None
    assert new_reports(folders) == []
    mark_reported(folders, [])


def child(folders: Folders, how: str) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - this Python
        [sys.executable, "-c", CRASHING, str(folders.data.parent), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_crash_below_python_becomes_a_report_when_somebody_looks(folders: Folders) -> None:
    with child(folders, "crash") as crashed:
        assert crashed.wait(PATIENCE_S) != 0
    (report,) = new_reports(folders)
    text = report.read_text("utf-8")
    assert text.startswith("Askance ")
    assert "Fatal" in text or "fatal" in text
    assert "Started. program=ask" in text
    assert not list(folders.crashes.glob("*.fault"))


def test_a_process_that_runs_or_was_killed_has_not_crashed(folders: Folders) -> None:
    with child(folders, "wait") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begun\n"
        assert new_reports(folders) == []
        assert len(list(folders.crashes.glob("*.fault"))) == 1
        running.kill()
        running.wait(PATIENCE_S)
    assert new_reports(folders) == []
    assert not list(folders.crashes.glob("*.fault"))


def test_what_killed_processes_left_goes_with_the_next_start(folders: Folders) -> None:
    with child(folders, "wait") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begun\n"
        running.kill()
        running.wait(PATIENCE_S)
    assert len(list(folders.crashes.glob("*.fault"))) == 1
    with child(folders, "end") as other:
        other.communicate("\n", PATIENCE_S)
    assert not list(folders.crashes.glob("*.fault"))


def test_a_process_that_ends_well_leaves_nothing(folders: Folders) -> None:
    with child(folders, "wait") as running:
        running.communicate(timeout=PATIENCE_S)
    assert not list(folders.crashes.iterdir())


def test_threads_callbacks_and_runs_leave_one_report_for_each_place(folders: Folders) -> None:
    done = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, "-c", BESIDE, str(folders.data.parent)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" in done.stderr  # told as before
    texts = [report.read_text("utf-8") for report in reports(folders)]
    assert (
        sorted(place for text in texts for place in PLACES if f", in {place}\n" in text) == PLACES
    )
    assert len(texts) == len(PLACES)
