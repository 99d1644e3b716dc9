"""Files that are damaged, locked, read-only or full: told in the window, and questions go on."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import askance
from adapters.storage.notebook import NOBODY
from askance.adapters.storage import ledger
from askance.adapters.storage.database import Database
from askance.config.folders import Folders, find_folders
from askance.ui.overlay.bar import status
from askance.ui.overlay.conversation.exchange import State
from servers.world import ONE_ROUND, some_answer
from ui.whole.conftest import Arrive
from ui.whole.neighbours import Neighbours, welcomed
from ui.whole.person import Person, seen_in
from ui.whole.remembered import questions_kept
from waiting import PATIENCE_MS

pytestmark = pytest.mark.usefixtures("pages_here")

GREETING = "Good morning to you."
NONSENSE = b"no database at all " * 500


@pytest.fixture(autouse=True)
def polite(around: Neighbours) -> None:
    """A model that greets, and searches in one round."""

    def answer(prompt: str) -> str:
        return some_answer(prompt) if "lighthouse" in prompt else GREETING

    around.script.judge, around.script.answer = ONE_ROUND, [answer]


def greet(person: Person) -> None:
    """Have a talk that ends well."""
    person.ask("/chat Good morning")
    person.until_ended()
    assert person.sees(GREETING)


# The history


def test_a_corrupt_history_is_set_aside_and_begun_anew(
    arrive: Arrive, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status, "READING_MS", PATIENCE_MS)  # it comes during the typing
    folders.history.write_bytes(NONSENSE)
    person = arrive()
    greet(person)
    (aside,) = folders.data.glob("history.damaged-*.sqlite3")
    assert aside.read_bytes() == NONSENSE
    assert person.sees("The history of conversations was damaged", "starts again empty", aside.name)
    greet(person)
    assert questions_kept(folders) == [("Good morning", True)] * 2


@contextmanager
def held_by_another_process(file: Path) -> Iterator[None]:
    """Let another process hold a write lock on a database."""
    hold = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('PRAGMA journal_mode = WAL'); c.execute('BEGIN IMMEDIATE');"
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(  # noqa: S603 - this Python
        [sys.executable, "-c", hold, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            process.kill()


def test_a_history_that_another_process_holds_costs_the_record_and_not_the_answer(
    arrive: Arrive, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults = Database.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "busy_timeout_s", 0.2)
    person = arrive()
    greet(person)
    with held_by_another_process(folders.history):
        greet(person)
        assert person.sees("This conversation is not kept", "in use by another program")
        assert person.sees("Try again when that has finished.")
    person.ask("/new")
    greet(person)
    assert len(questions_kept(folders)) == 2


def test_a_full_disk_costs_the_record_and_not_the_answer(
    arrive: Arrive, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = "PRAGMA max_page_count = 1"
    really = sqlite3.connect

    def full(*things: object, **named: object) -> sqlite3.Connection:
        connection = really(*things, **named)  # type: ignore[call-overload]
        if str(things[0]) == str(folders.history):
            connection.execute(limit)
        return connection

    with monkeypatch.context() as crowded:
        crowded.setattr(sqlite3, "connect", full)
        person = arrive()
        greet(person)
        assert person.sees(
            "This conversation is not kept", "the disk is full", "Free some space on it."
        )
    greet(person)
    assert len(questions_kept(folders)) == 1


@contextmanager
def tiny_disk(folder: Path) -> Iterator[Path]:
    """Mount a disk of 2 MB over a folder, if this process may."""
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if mount is None or umount is None or os.geteuid() != 0:
        pytest.skip("only root mounts a disk: run the tests as root")
    made = subprocess.run(  # noqa: S603 - by its full path
        [mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no disk can be mounted here: run the tests where mount is allowed")
    try:
        yield folder
    finally:
        subprocess.run([umount, "-l", folder], check=True)  # noqa: S603 - by its full path


@pytest.mark.parametrize("required", [True, False])
def test_on_a_disk_that_is_really_full_nothing_leaves_unless_the_user_says_so(
    arrive: Arrive,
    home: Path,
    folders: Folders,
    monkeypatch: pytest.MonkeyPatch,
    required: bool,
) -> None:
    monkeypatch.setattr(ledger, "REST_S", 0.0)
    with tiny_disk(home):
        person = arrive(ASKANCE_LEDGER__REQUIRED=str(required).lower())
        greet(person)
        filler = home / "filler"
        with filler.open("wb", buffering=0) as file:
            while fills(file.fileno()):
                pass
        person.ask("/new")
        person.ask()
        person.until_ended(State.FAILED if required else State.ANSWERED)
        assert person.sees("This conversation is not kept", "disk is full")
        assert person.sees("Free some space on it.")
        assert ("was built in 1871" in person.seen) is not required
        assert ("Nothing was sent" in person.seen) is required
        monkeypatch.setattr(status, "READING_MS", 0)
        filler.unlink()
        person.ask("/new")
        person.ask()
        person.until_ended()
        assert "not kept" not in person.seen
        assert len(questions_kept(folders)) == 2


def fills(file: int) -> bool:
    """Write into a file while that goes."""
    try:
        return os.write(file, b"x" * 4096) > 0
    except OSError:
        return False


# The page cache


def test_a_corrupt_page_cache_is_begun_anew(
    arrive: Arrive, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders.page_cache.parent.mkdir(parents=True)
    folders.page_cache.write_bytes(NONSENSE)
    person = arrive()
    person.ask()
    person.until_ended()
    assert person.sees("was built in 1871")
    assert person.sees("The page cache was damaged", "starts again empty")
    assert folders.page_cache.read_bytes()[:6] == b"SQLite"
    monkeypatch.setattr(status, "READING_MS", 0)
    person.ask()
    person.until_ended()
    assert "damaged" not in person.seen


# The settings


@pytest.mark.parametrize(
    ("text", "told", "remedy"),
    [
        ("[llm\n", "is not valid TOML", "Fix that line, or move the file away"),
        ("[llm]\nmodle = 'x'\n", "There is no setting 'llm.modle'", "Did you mean llm.model?"),
        ("[limits]\nrounds = 99\n", "limits.rounds = 99 is not allowed", "limits.rounds"),
        ("\xff\xfe", "is not UTF-8", "Save it as UTF-8"),
    ],
)
def test_a_broken_settings_file_is_told_and_the_program_works(
    text: str, told: str, remedy: str, arrive: Arrive, folders: Folders
) -> None:
    folders.config.mkdir(parents=True)
    folders.settings_file.write_bytes(text.encode("latin-1"))
    person = arrive()
    assert person.sees(told, remedy, "settings.toml")
    settings = person.desktop.windows.show_settings()
    assert settings.isVisible()
    assert seen_in(settings)
    assert folders.settings_file.read_bytes() == text.encode("latin-1")
    settings.hide()
    folders.settings_file.write_text("", encoding="utf-8")
    later = arrive()
    assert told not in later.seen
    greet(later)


# The home


@contextmanager
def somebody_elses(folder: Path) -> Iterator[None]:
    """Be nobody in particular, who may not write into a folder."""
    folder.chmod(0o555)
    powerful = os.geteuid() == 0
    if powerful:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if powerful:
            os.seteuid(0)
        folder.chmod(0o755)


@pytest.fixture
def home() -> Iterator[Path]:
    """A home where everybody finds the way to: that of pytest is closed to others."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        yield welcomed(root / "home")


def test_in_a_home_that_is_read_only_all_is_answered_and_nothing_kept(
    arrive: Arrive, home: Path, folders: Folders
) -> None:
    folders.data.chmod(0o555)
    with somebody_elses(home):
        # Modules are loaded as they are needed.
        if not os.access(askance.__file__, os.R_OK, effective_ids=True):
            pytest.skip(
                "another user cannot read the sources: clone into a folder that all may enter"
            )
        person = arrive(ASKANCE_LEDGER__REQUIRED="false")
        person.ask()
        person.until_ended()
        assert person.sees("was built in 1871")
        assert person.sees("This conversation is not kept", "Permission denied")
        assert person.sees("or set ASKANCE_HOME to a folder of yours")
        greet(person)
        assert person.desktop.bridge.close()
    assert [p.name for p in folders.data.iterdir()] == ["welcomed"]


def test_a_file_in_the_place_of_the_folder_is_told(arrive: Arrive, folders: Folders) -> None:
    shutil.rmtree(folders.data)
    folders.data.write_text("not a folder", encoding="ascii")
    person = arrive()
    greet(person)
    assert person.sees("This conversation is not kept", "ASKANCE_HOME")
    folders.data.unlink()
    person.ask("/new")
    greet(person)
    assert len(questions_kept(folders)) == 1


def test_what_cannot_be_kept_can_be_asked_again_in_a_home_of_its_own(
    arrive: Arrive, tmp_path: Path, home: Path
) -> None:
    shutil.rmtree(home)
    home.write_text("not a folder", encoding="ascii")
    elsewhere = arrive(ASKANCE_HOME=str(tmp_path / "elsewhere"))
    greet(elsewhere)
    assert "not kept" not in elsewhere.seen
    assert len(questions_kept(find_folders({"ASKANCE_HOME": str(tmp_path / "elsewhere")}))) == 1
    assert elsewhere.newest.state is State.ANSWERED
