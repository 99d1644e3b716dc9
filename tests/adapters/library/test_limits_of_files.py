"""Files of many documents that are slow, endless, or larger in memory than on the disk."""

from __future__ import annotations

import asyncio
import json
import os
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from adapters.library.room import Here, Room, opened, posix_only
from askance.adapters.library import collected, parsing
from askance.adapters.library.collected import DocumentLines
from askance.adapters.library.parsing import Extractor
from askance.domain.library import FileState
from askance.extract.extracted import Extracted
from servers.office import mail, mailbox

MANY = 60


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with opened(tmp_path) as room:
        yield room


class Stuck(Here):
    """Never comes to an end with a message, but for the first ones."""

    def __init__(self, ends: int) -> None:
        self.asked, self._ends = 0, ends

    async def extract(self, data: bytes, url: str, content_type: str) -> Extracted:
        self.asked += 1
        if self.asked > self._ends:
            await asyncio.Event().wait()
        return await super().extract(data, url, content_type)


def limit_time(monkeypatch: pytest.MonkeyPatch, limit_s: float) -> None:
    for module in (collected, parsing):
        monkeypatch.setattr(module, "FILE_TIMEOUT_S", limit_s)


def reading_with(extractor: Extractor, room: Room, monkeypatch: pytest.MonkeyPatch) -> Room:
    @asynccontextmanager
    async def given() -> AsyncIterator[Extractor]:
        yield extractor

    limit_time(monkeypatch, 0.05)
    return replace(room, extractor=given)


async def test_messages_that_never_end_do_not_cost_their_time_each(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collected, "_SLOWEST_BYTES_PER_S", 1e9)
    room.put("in.mbox", mailbox(*(mail(f"The ferry {n}.", f"Ferry {n}") for n in range(MANY))))
    await room.look()
    held = room.urls()
    assert len(held) == MANY
    stuck = Stuck(0)
    room = reading_with(stuck, room, monkeypatch)
    await room.look(again=True)
    assert stuck.asked < MANY // 4
    # What was read of it before stays: what it holds now is not known.
    assert room.urls() == held


async def test_what_was_read_of_a_mailbox_before_its_time_was_over_is_kept(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collected, "_SLOWEST_BYTES_PER_S", 1e9)
    room.put("in.mbox", mailbox(*(mail(f"The ferry {n}.", f"Ferry {n}") for n in range(MANY))))
    stuck = Stuck(1)
    room = reading_with(stuck, room, monkeypatch)
    await room.look()
    assert room.states() == {"in.mbox": "indexed"}
    assert {record.title for record in room.library.documents()} == {"Ferry 0"}
    assert room.told["in.mbox"].detail.values == {"n": stuck.asked}


@posix_only
@pytest.mark.parametrize("name", ["huge.jsonl", "huge.mbox"])
async def test_a_file_that_is_one_great_hole_has_an_end(
    room: Room, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = room.put(name, b"From a 00:00 2024\n")
    try:
        os.truncate(path, 2**42)
    except OSError:
        pytest.skip("the file system takes no file of 4 TiB: run it on ext4 or tmpfs")
    limit_time(monkeypatch, 0.2)
    await room.look()
    assert room.in_state(FileState.FAILED) == {name}


@pytest.mark.parametrize(
    "line",
    [
        b'{"title": "a", "text": [%b]}' % (b"[]," * 2_000_000),
        b"{%b}" % (b'"":0,' * 1_500_000),
        b"[" * 6_000_000,
        b'"' + b'\\"' * 3_000_000,
    ],
    ids=["lists", "fields", "depth", "open string"],
)
def test_a_line_that_is_no_document_takes_no_more_memory_than_its_length(line: bytes) -> None:
    lines = DocumentLines(Path("/notes.jsonl"))
    tracemalloc.start()
    try:
        assert list(lines.documents(BytesIO(line + b"\n"))) == []
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert lines.bad == 1
    assert most < 6 * len(line)


def test_a_long_text_with_quotes_and_braces_is_a_document() -> None:
    text = '{"a": [1, 2]}\\ "\n' * 100_000
    line = json.dumps({"title": "Code", "text": text}).encode()
    (document,) = DocumentLines(Path("/notes.jsonl")).documents(BytesIO(line))
    assert document.text == text
