"""The history when its file, its disk or its process fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.storage.children import child, go, line
from askance.adapters.storage.history import SqliteHistory
from askance.domain.errors import StorageError
from askance.domain.events import Failed
from askance.domain.history import ConversationRecord, ExchangeKey, TimedEvent
from askance.domain.messages import Message
from cli.runs import RUN

EVENTS = [TimedEvent(i * 0.5, event) for i, event in enumerate(RUN)]
PATHS = [str(Path(__file__).parents[2])]
CHILD = f"""
import sys
sys.path[:0] = {PATHS!r}
from pathlib import Path
from askance.adapters.storage.history import SqliteHistory
from askance.domain.history import TimedEvent
from cli.runs import RUN

events = [TimedEvent(float(i), event) for i, event in enumerate(RUN)]
history = SqliteHistory(Path(sys.argv[1]), print)
name, conversation, i = sys.argv[2], None, 0

def say(text):
    print(text, flush=True)

say("ready")
sys.stdin.readline()
"""
ASKS_ON = """
while True:
    key = history.begin_exchange(conversation, "search", f"{name} {i}")
    say(f"begun {i}")
    history.finish_exchange(key, events)
    say(f"finished {i}")
    i += 1
    conversation = key.conversation if i % 5 else None
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite3"


def records(history: SqliteHistory) -> list[ConversationRecord]:
    found = [history.conversation(summary.id) for summary in history.conversations(10_000)]
    return [record for record in found if record is not None]


def ask(history: SqliteHistory, text: str) -> ExchangeKey:
    key = history.begin_exchange(None, "search", text)
    assert history.finish_exchange(key, EVENTS)
    return key


@pytest.mark.parametrize("told", ["begun 0", "finished 0", "begun 3", "finished 4", "begun 9"])
def test_a_kill_costs_at_most_the_unfinished_answer(file: Path, told: str) -> None:
    with child(CHILD + ASKS_ON, file, "a") as process:
        go(process)
        text = ""
        while text != told:
            text = line(process).strip()
        process.kill()
        rest = process.stdout.read() if process.stdout else ""
    last = (rest.splitlines() or [text])[-1]
    history = SqliteHistory(file, pytest.fail)
    exchanges = sorted((e for r in records(history) for e in r.exchanges), key=lambda e: e.id)
    assert [exchange.text for exchange in exchanges] == [f"a {i}" for i in range(len(exchanges))]
    finished = [exchange for exchange in exchanges if exchange.ended]
    assert all(exchange.end == RUN[-1] and not exchange.damage for exchange in finished)
    assert [exchange.events for exchange in exchanges[len(finished) :]] in ([], [()])
    word, _, number = last.partition(" ")
    # What was told is there; one step more may be, which the kill left no time to tell.
    assert len(exchanges) >= int(number) + 1
    assert len(finished) >= int(number) + (word == "finished")
    assert len(history.search("a", limit=10_000)) == len(finished)
    ask(history, "next")


def test_a_full_disk_is_told_and_what_was_kept_stays(file: Path) -> None:
    history = SqliteHistory(file, pytest.fail)
    ask(history, "one")
    pages = history._database.read(lambda c: c.execute("PRAGMA page_count").fetchone()[0])
    history._database.read(lambda c: c.execute(f"PRAGMA max_page_count = {pages + 2}"))
    key = history.begin_exchange(None, "search", "two")
    with pytest.raises(StorageError, match=r"The history of conversations, .*disk is full.*space"):
        history.finish_exchange(
            key, [TimedEvent(0.0, Failed(Message.verbatim("long " * 20_000 + str(RUN))))] * 40
        )
    history._database.read(lambda c: c.execute(f"PRAGMA max_page_count = {pages + 2}"))
    with pytest.raises(StorageError, match="disk is full"):
        history.begin_exchange(None, "search", "three " * 20_000)
    assert [record.summary.title for record in records(history)] == ["two", "one"]
    assert [len(history.search("lamp")), len(history.search("two"))] == [1, 0]
    assert history.finish_exchange(key, EVENTS)
    assert len(history.search("lamp")) == 2


def test_a_run_that_outlives_its_file_changes_nothing(file: Path) -> None:
    history = SqliteHistory(file, pytest.fail)
    key = history.begin_exchange(None, "search", "one")
    file.unlink()
    assert not history.finish_exchange(key, EVENTS)
    assert history.conversations(9) == ()
