from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from askance.adapters.storage.traces import ABANDONED_AFTER_S, TraceStore
from askance.domain.conversation import Outcome, Usage
from askance.domain.errors import InputError
from askance.domain.events import (
    Answered,
    Cancelled,
    ClarifyAsked,
    Failed,
    RunEvent,
    SearchStarted,
    TokenArrived,
)
from askance.domain.history import StoredTrace
from askance.domain.messages import Message

MORNING = datetime(2024, 5, 1, 8, 0, tzinfo=UTC)
SEARCH = SearchStarted(("who built it", "東京\u2028"), 1)
ANSWERED = Answered("It is so.", (), (), Outcome.WEB, 1, Usage(), (), 4200)


class Traces:
    """A store in a folder, and the troubles it spoke of."""

    def __init__(self, folder: Path, store: int = 200) -> None:
        self.folder = folder
        self.troubles: list[str] = []
        self.store = TraceStore(folder, store, self.troubles.append)

    def names(self) -> list[str]:
        return sorted(file.name for file in self.folder.glob("*"))

    def keep(
        self, question: str = "Who?", end: RunEvent = ANSWERED, started: datetime = MORNING
    ) -> str:
        """Keep a small run and return its id."""
        before = {summary.id for summary in self.store.summaries()}
        with self.store.begin(question, started) as trace:
            trace.add(SEARCH, 0.5)
            trace.add(end, 4.25)
        (new,) = {summary.id for summary in self.store.summaries()} - before
        return new

    def file(self, trace_id: str) -> Path:
        return next(self.folder.glob(f"*-{trace_id}.jsonl"))


@pytest.fixture
def traces(tmp_path: Path) -> Traces:
    return Traces(tmp_path / "data" / "traces")


def test_a_run_is_kept_and_read_back(traces: Traces) -> None:
    trace_id = traces.keep("Who built the “Łódź” bridge?\n\udcff")
    assert traces.store.read(trace_id) == StoredTrace(
        id=trace_id,
        question="Who built the “Łódź” bridge?\n\udcff",
        started="2024-05-01T08:00:00.000+00:00",
        events=((0.5, SEARCH), (4.25, ANSWERED)),
    )
    assert traces.troubles == []


def test_the_file_is_json_lines_under_a_name_that_sorts_by_time(traces: Traces) -> None:
    later = MORNING.astimezone(timezone(timedelta(hours=9))) + timedelta(seconds=1)
    second = traces.keep("second", started=later)
    first = traces.keep("first")
    assert traces.names() == [
        f"20240501T080000000000Z-{first}.jsonl",
        f"20240501T080001000000Z-{second}.jsonl",
    ]
    header, *events = map(json.loads, traces.file(first).read_text("ascii").splitlines())
    assert header == {
        "type": "trace",
        "version": 1,
        "question": "first",
        "started": "2024-05-01T08:00:00.000+00:00",
    }
    assert [event["type"] for event in events] == ["search_started", "answered"]


@pytest.mark.skipif(
    os.name == "nt", reason="Windows has no modes of files: run it on Linux or macOS"
)
def test_questions_are_for_their_owners_eyes_alone(traces: Traces) -> None:
    trace_id = traces.keep()
    assert traces.file(trace_id).stat().st_mode & 0o777 == 0o600
    assert traces.folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (ANSWERED, "web"),
        (ClarifyAsked("Which?"), "clarify_asked"),
        (Failed(Message("No.")), "failed"),
    ],
)
def test_the_list_tells_how_each_run_ended(traces: Traces, end: RunEvent, outcome: str) -> None:
    traces.keep("How?", end)
    (summary,) = traces.store.summaries()
    assert (summary.question, summary.outcome, summary.seconds) == ("How?", outcome, 4.25)
    assert (summary.started, summary.damage) == ("2024-05-01T08:00:00.000+00:00", "")


def test_the_list_begins_with_the_newest(traces: Traces) -> None:
    for day in (2, 0, 1):
        traces.keep(f"day {day}", started=MORNING + timedelta(days=day))
    assert [s.question for s in traces.store.summaries()] == ["day 2", "day 1", "day 0"]


def test_without_a_folder_there_are_no_traces(traces: Traces) -> None:
    assert traces.store.summaries() == []
    assert traces.store.prune() == 0


def test_nothing_stands_under_its_name_before_the_run_has_ended(traces: Traces) -> None:
    with traces.store.begin("Who?", MORNING) as trace:
        trace.add(SEARCH, 0.5)
        assert [name.rpartition(".")[2] for name in traces.names()] == ["part"]
        assert traces.store.summaries() == []
        trace.add(ANSWERED, 1)
    assert [name.rpartition(".")[2] for name in traces.names()] == ["jsonl"]


def test_a_cancelled_run_saves_nothing(traces: Traces) -> None:
    with traces.store.begin("Who?", MORNING) as trace:
        trace.add(SEARCH, 0.5)
        trace.add(Cancelled(), 0.6)
        assert traces.names() == []
        trace.add(ANSWERED, 0.7)
    assert traces.names() == []
    assert traces.troubles == []


def test_a_run_that_breaks_saves_nothing(traces: Traces) -> None:
    def run() -> None:
        with traces.store.begin("Who?", MORNING) as trace:
            trace.add(SEARCH, 0.5)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run()
    assert traces.names() == []


def test_discarding_after_the_end_leaves_the_trace(traces: Traces) -> None:
    trace = traces.store.begin("Who?", MORNING)
    trace.add(ANSWERED, 1)
    trace.add(TokenArrived("late"), 2)
    trace.discard()
    (summary,) = traces.store.summaries()
    assert (summary.damage, summary.seconds) == ("", 1)


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    traces = Traces(tmp_path, store=2)
    for day in range(4):
        with traces.store.begin(f"day {day}", MORNING + timedelta(days=day)) as trace:
            trace.add(ANSWERED, 1)
    assert [s.question for s in traces.store.summaries()] == ["day 3", "day 2"]


def test_pruning_touches_nothing_else(tmp_path: Path) -> None:
    traces = Traces(tmp_path, store=1)
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    killed, running = tmp_path / "killed.part", tmp_path / "running.part"
    for file in (killed, running):
        file.touch()
    long_ago = time.time() - ABANDONED_AFTER_S - 60
    os.utime(killed, (long_ago, long_ago))
    traces.keep("old")
    with traces.store.begin("new", MORNING + timedelta(days=1)) as trace:
        trace.add(ANSWERED, 1)
    assert [s.question for s in traces.store.summaries()] == ["new"]
    assert not killed.exists()
    assert running.exists()
    assert (tmp_path / "notes.txt").exists()


def test_a_prefix_is_enough_where_it_is_unique(traces: Traces) -> None:
    trace_id = traces.keep()
    assert traces.store.read(trace_id[:3]).id == trace_id
    assert traces.store.read(trace_id.upper()).id == trace_id


@pytest.mark.parametrize("prefix", ["", "zz", "../..", "*", "20240501"])
def test_an_unknown_id_is_said_to_be_unknown(traces: Traces, prefix: str) -> None:
    traces.keep()
    with pytest.raises(InputError, match="no trace"):
        traces.store.read(prefix)


def test_an_ambiguous_prefix_names_the_candidates(traces: Traces) -> None:
    ids = ["abc00001", "abc00002"]
    for number, trace_id in enumerate(ids):
        stored = traces.file(traces.keep(started=MORNING + timedelta(days=number)))
        stored.rename(stored.with_name(f"{stored.name.partition('-')[0]}-{trace_id}.jsonl"))
    with pytest.raises(InputError, match="abc00002, abc00001"):
        traces.store.read("abc")
    assert traces.store.read("abc00001").id == "abc00001"


HEADER = b'{"type": "trace", "version": 1, "question": "Who?", "started": "2024"}\n'
END = b'{"type": "clarify_asked", "at_s": 1, "question": "?"}\n'


@pytest.mark.parametrize(
    ("content", "damage"),
    [
        (b"", "not JSON"),
        (b"\x00" * 100, "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]\n" + END, "not a record"),
        (END, "header"),
        (HEADER, "breaks off"),
        (HEADER + END[:20], "not JSON"),
        (HEADER + b'{"type": "token_arrived", "at_s": 1, "text": "x"}\n', "breaks off"),
        (HEADER + b'{"type": "clarify_asked", "question": "?"}\n', "without its time"),
        (HEADER + b'{"type": "from_the_future", "at_s": 1}\n', "not known"),
        (HEADER.replace(b": 1", b": 2") + END, "version 2"),
        (HEADER.replace(b'"Who?"', b"7") + END, "header"),
    ],
)
def test_a_damaged_file_is_listed_as_damaged(traces: Traces, content: bytes, damage: str) -> None:
    whole, broken = traces.keep("whole"), traces.keep("broken")
    traces.file(broken).write_bytes(content)
    found = {summary.id: summary for summary in traces.store.summaries()}
    assert found[whole].damage == ""
    assert damage in found[broken].damage
    assert found[broken].outcome == ""
    with pytest.raises(InputError, match=f"{broken} cannot be read.*{damage}"):
        traces.store.read(broken)


def test_damage_in_the_middle_shows_when_it_is_read(traces: Traces) -> None:
    trace_id = traces.keep()
    traces.file(trace_id).write_bytes(HEADER + b"torn {\n" + END)
    assert traces.store.summaries()[0].damage == ""
    with pytest.raises(InputError, match="not JSON"):
        traces.store.read(trace_id)


def test_a_file_that_cannot_be_read_is_listed_as_damaged(traces: Traces) -> None:
    trace_id = traces.keep()
    file = traces.file(trace_id)
    file.unlink()
    file.mkdir()
    (summary,) = traces.store.summaries()
    assert "directory" in summary.damage.lower()
    assert traces.store.prune() == 0


def test_a_folder_that_cannot_be_made_costs_the_trace_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    traces = Traces(tmp_path / "file" / "traces")
    with traces.store.begin("Who?", MORNING) as trace:
        trace.add(SEARCH, 0.5)
        trace.add(ANSWERED, 1)
    (trouble,) = traces.troubles
    assert trouble.startswith("The trace of this run is not kept: ")
    assert str(traces.folder) in trouble
    with pytest.raises(InputError, match="cannot be read"):
        traces.store.summaries()
    assert traces.store.prune() == 0


def test_a_folder_that_vanishes_costs_the_trace_alone(traces: Traces) -> None:
    with traces.store.begin("Who?", MORNING) as trace:
        for file in traces.folder.iterdir():
            file.unlink()
        traces.folder.rmdir()
        trace.add(ANSWERED, 1)
        trace.add(ANSWERED, 2)
    assert len(traces.troubles) == 1
    assert not traces.folder.exists()


FULL_DISK = """
import resource, sys
from pathlib import Path
from askance.adapters.storage.traces import TraceStore
from askance.domain.events import Failed, TokenArrived

limit, words = int(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
with TraceStore(Path(sys.argv[1]), 5, print).begin("Who?") as trace:
    for number in range(words):
        trace.add(TokenArrived("word " * 20), number)
    trace.add(Failed("over"), 9)
"""


@pytest.mark.skipif(
    os.name == "nt", reason="needs a limit on the size of files: run it on Linux or macOS"
)
@pytest.mark.parametrize(
    ("limit", "words"), [(20_000, 1000), (100, 3)], ids=["in the middle", "at the last flush"]
)
def test_a_full_disk_costs_the_trace_alone(traces: Traces, limit: int, words: int) -> None:
    done = subprocess.run(  # noqa: S603 - this very Python
        [sys.executable, "-c", FULL_DISK, str(traces.folder), str(limit), str(words)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    assert "is not kept" in done.stdout
    assert "File too large" in done.stdout
    assert traces.names() == []
