"""One file and several processes, some of which end badly."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from adapters.storage.children import child, go, line
from askance.adapters.storage.database import Database, Schema
from waiting import PATIENCE_S

SCHEMA = Schema("The notebook", ("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)",))
CHILD = """
import resource, sys
from pathlib import Path
from askance.adapters.storage.database import Database
from askance.adapters.storage.database import Schema
from askance.domain.errors import StorageError

schema = Schema("The notebook", ("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)",))
database = Database(Path(sys.argv[1]), schema, print)
insert = "INSERT INTO note (text) VALUES (?)"

def say(text):
    print(text, flush=True)

def write(text):
    database.write(lambda c: c.execute(insert, (text,)))

def begin_and_hold(c):
    c.execute(insert, ("unfinished",))
    say("begun")
    sys.stdin.read()

say("ready")
sys.stdin.readline()
"""
WRITES_MANY = "for i in range(40): write(f'{sys.argv[2]} {i}')"
WRITES_ON = "i = 0\nwhile True:\n    write(str(i))\n    say(i)\n    i += 1"
HOLDS = "database.write(begin_and_hold)"
MEETS_A_LIMIT = """
write("one")
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    write("long " * 100_000)
except StorageError as exc:
    say(exc)
write("two")
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "notes.sqlite3"


def texts(file: Path) -> list[str]:
    database = Database(file, SCHEMA, pytest.fail, busy_timeout_s=1.0)
    assert database.read(lambda c: c.execute("PRAGMA integrity_check").fetchall()) == [("ok",)]
    rows = database.read(lambda c: c.execute("SELECT text FROM note ORDER BY id").fetchall())
    return [row[0] for row in rows]


def test_processes_that_make_one_file_at_once_lose_nothing(file: Path) -> None:
    with ExitStack() as stack:
        children = [stack.enter_context(child(CHILD + WRITES_MANY, file, name)) for name in "abc"]
        for process in children:
            go(process)
        assert [process.wait(PATIENCE_S) for process in children] == [0, 0, 0]
    assert sorted(texts(file)) == sorted(f"{name} {i}" for name in "abc" for i in range(40))


def test_what_was_written_before_a_kill_is_there(file: Path) -> None:
    with child(CHILD + WRITES_ON, file) as process:
        go(process)
        while (text := int(line(process))) < 20:
            pass
        process.kill()
        process.wait(PATIENCE_S)
    found = texts(file)
    assert found == [str(i) for i in range(len(found))]
    assert len(found) > text


def test_what_was_half_written_at_a_kill_is_not_there_and_blocks_nobody(file: Path) -> None:
    with child(CHILD + HOLDS, file) as process:
        go(process)
        assert line(process) == "begun\n"
        process.kill()
        process.wait(PATIENCE_S)
    assert texts(file) == []
    database = Database(file, SCHEMA, pytest.fail, busy_timeout_s=0.0)
    database.write(lambda c: c.execute("INSERT INTO note (text) VALUES ('next')"))
    assert texts(file) == ["next"]


def test_a_write_that_the_system_cuts_off_is_told_and_undone(file: Path) -> None:
    with child(CHILD + MEETS_A_LIMIT, file) as process:
        go(process)
        assert "The notebook, " in (reported := line(process))
        assert "(disk I/O error)" in reported
        assert "quota" in reported
        assert process.wait(PATIENCE_S) == 0
    assert texts(file) == ["one", "two"]
