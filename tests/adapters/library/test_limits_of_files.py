"""Files of many documents that are slow, endless, or larger in memory than on the disk."""

from __future__ import annotations

import asyncio
import json
import os
import tracemalloc
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from adapters.library.room import Here, Room, posix_only
from askance.adapters.library.files import collected, parsing
from askance.adapters.library.files.collected import DocumentLines
from askance.adapters.library.files.parsing import Extractor
from askance.domain.library import FileState
from askance.domain.messages import NOTHING
from askance.domain.web_pages import PageReason
from askance.extract.extracted import Extracted, failed
from askance.extract.pdf import pdf_file
from askance.extract.pdf.pdf_file import MOST_PAGES
from servers.office import mail, mailbox
from servers.site import pdf

MANY = 60


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
        monkeypatch.setattr(module, "CLOCK_FACTOR", 1)


def given(extractor: Extractor) -> Callable[[], AbstractAsyncContextManager[Extractor]]:
    @asynccontextmanager
    async def opened_extractor() -> AsyncIterator[Extractor]:
        yield extractor

    return opened_extractor


def reading_with(extractor: Extractor, room: Room, monkeypatch: pytest.MonkeyPatch) -> Room:
    limit_time(monkeypatch, 0.05)
    return replace(room, extractor=given(extractor))


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


class Busy(Here):
    """Computes for so many seconds on each part of a file."""

    def __init__(self, computed_s: float) -> None:
        self.computed_s, self.asked = computed_s, list[str]()

    async def extract(self, data: bytes, url: str, content_type: str) -> Extracted:
        self.asked.append(content_type.rpartition("first=")[2])
        found = await super().extract(data, url, content_type)
        return replace(found, computed_s=self.computed_s)


async def test_what_was_cut_by_time_is_read_on_at_the_next_looks(room: Room) -> None:
    pages = 2 * MOST_PAGES + 1
    room.put("book.pdf", pdf(*(f"Page number {n} mark{n}x" for n in range(pages))))
    busy = Busy(parsing.FILE_TIMEOUT_S + 1)
    room = replace(room, extractor=given(busy))
    for read in (MOST_PAGES, 2 * MOST_PAGES):
        await room.look()
        assert room.states() == {"book.pdf": "indexed"}
        assert room.told["book.pdf"].detail.values == {"pages": read, "available": pages}
        assert room.urls(f"mark{read - 1}x")
        assert not room.urls(f"mark{pages - 1}x")
    await room.look()
    assert room.told["book.pdf"].detail == NOTHING
    assert busy.asked == ["0", str(MOST_PAGES), str(2 * MOST_PAGES)]
    (hit,) = room.library.search(f"mark{pages - 1}x", 10)
    assert hit.page == pages
    await room.look()
    assert room.states() == {"book.pdf": "unchanged"}
    assert len(busy.asked) == 3


async def test_a_long_pdf_file_is_read_in_two_halves_and_has_its_pages_in_order(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_file, "MOST_PAGES", 2)
    room.put("book.pdf", pdf(*(f"Page number {n} mark{n}x" for n in range(11))))
    busy = Busy(0.0)
    room = replace(room, extractor=given(busy))
    await room.look()
    assert room.told["book.pdf"].detail == NOTHING
    assert busy.asked[0] == "0"
    assert sorted(busy.asked, key=int) == ["0", "2", "4", "6", "8", "10"]
    found = [room.library.search(f"mark{n}x", 10) for n in range(11)]
    assert [hit.page for (hit,) in found] == list(range(1, 12))


class CutAt(Here):
    """Takes too long on the part of a file that begins at a page, as often as `times`."""

    def __init__(self, first: str, times: int) -> None:
        self.first, self.times = first, times

    async def extract(self, data: bytes, url: str, content_type: str) -> Extracted:
        if self.times and content_type.endswith(f"first={self.first}"):
            self.times -= 1
            return failed(PageReason.TIMED_OUT, NOTHING)
        return await super().extract(data, url, content_type)


@pytest.mark.parametrize(("first", "read"), [("2", 2), ("4", 4), ("6", 6), ("8", 8), ("10", 10)])
async def test_no_page_is_missing_before_what_is_stored_of_a_pdf_file_that_takes_too_long(
    room: Room, monkeypatch: pytest.MonkeyPatch, first: str, read: int
) -> None:
    monkeypatch.setattr(pdf_file, "MOST_PAGES", 2)
    room.put("book.pdf", pdf(*(f"Page number {n} mark{n}x" for n in range(11))))
    room = replace(room, extractor=given(CutAt(first, 1)))
    await room.look()
    stored = room.told["book.pdf"].detail.values["pages"]
    # What takes too long ends the other half, too.
    assert isinstance(stored, int)
    assert 2 <= stored <= read
    assert [bool(room.urls(f"mark{n}x")) for n in range(11)] == [n < stored for n in range(11)]
    await room.look()
    assert room.told["book.pdf"].detail == NOTHING
    found = [room.library.search(f"mark{n}x", 10) for n in range(11)]
    assert [hit.page for (hit,) in found] == list(range(1, 12))


async def test_what_was_cut_is_read_from_its_beginning_once_it_has_changed(room: Room) -> None:
    room.put("book.pdf", pdf(*(f"Page number {n} old{n}x" for n in range(MOST_PAGES + 1))))
    busy = Busy(parsing.FILE_TIMEOUT_S + 1)
    room = replace(room, extractor=given(busy))
    await room.look()
    room.put("book.pdf", pdf(*(f"Page number {n} new{n}x" for n in range(MOST_PAGES + 1))))
    await room.look()
    assert busy.asked == ["0", "0"]
    await room.look()
    assert room.urls(f"new{MOST_PAGES}x")
    assert not room.urls("old1x")


async def test_time_in_which_others_compute_costs_a_file_nothing(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No part is read so fast by the clock.
    monkeypatch.setattr(parsing, "FILE_TIMEOUT_S", 0.0001)
    monkeypatch.setattr(parsing, "CLOCK_FACTOR", 1e6)
    room.put("book.pdf", pdf(*(f"Page number {n} mark{n}x" for n in range(MOST_PAGES + 1))))
    room = replace(room, extractor=given(Busy(0.00001)))
    await room.look()
    assert room.told["book.pdf"].detail == NOTHING
    assert room.urls(f"mark{MOST_PAGES}x")


async def test_a_mailbox_that_was_cut_by_time_is_read_anew_at_the_next_look(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collected, "_SLOWEST_BYTES_PER_S", 1e9)
    room.put("in.mbox", mailbox(*(mail(f"The ferry {n}.", f"Ferry {n}") for n in range(MANY))))
    slow = replace(room, extractor=given(Busy(collected.FILE_TIMEOUT_S / 3)))
    await slow.look()
    assert 0 < len(room.urls()) < MANY
    await room.look()
    assert room.states() == {"in.mbox": "indexed"}
    assert len(room.urls()) == MANY
    await room.look()
    assert room.states() == {"in.mbox": "unchanged"}


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
