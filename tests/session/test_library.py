"""The library as the window and the terminal use it, over a real file and real folders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from adapters.library.room import PoolHere
from askance.app.commands import LONGEST_SEARCHED_ABOUT
from askance.app.container import Container
from askance.app.library import (
    ImportProgress,
    about_text,
    contents,
    folders_of,
    indexed_file,
    look_up,
    read_folders,
    read_pages,
    take_out,
    with_patterns,
)
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.errors import InputError
from askance.domain.library import Document, FileState, Folder, Origin, tally
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    SearchScope,
)


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askance.adapters.reader.workers.WorkerPool", PoolHere)


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Container]:
    with Container(Settings(), find_folders({"ASKANCE_HOME": str(tmp_path / "home")})) as container:
        yield container


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "mill.md").write_text("# Mills\n\nThe tide mill of Skarne ran until 1931.\n", "utf-8")
    (folder / "draft.txt").write_text("A draft on the lighthouse of Kelhaven.\n", "utf-8")
    return folder


@dataclass
class Reader:
    pages: dict[str, Page]
    asked: list[str] = field(default_factory=list)

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        self.asked.append(url)
        return self.pages[url]


async def added(parts: Container, *paths: Path) -> list[ImportProgress]:
    reports: list[ImportProgress] = []
    wanted = folders_of(map(str, paths), parts.library.book.folders())
    await read_folders(parts, wanted, reports.append)
    return reports


async def test_a_folder_is_read_and_found(parts: Container, notes: Path) -> None:
    reported = await added(parts, notes)
    assert (reported[0].of, reported[-1].done) == (2, 2)
    looked = await look_up(parts, "tide mill")
    (hit,) = looked.found.hits
    assert hit.url == (notes / "mill.md").as_uri()
    assert not looked.is_empty


@pytest.mark.usefixtures("in_process")
async def test_an_empty_library_is_told_from_one_that_holds_nothing_on_it(
    parts: Container, notes: Path
) -> None:
    assert (await look_up(parts, "mill")).is_empty
    await added(parts, notes)
    looked = await look_up(parts, "zeppelin")
    assert not looked.is_empty
    assert not looked.found.hits


@pytest.mark.usefixtures("in_process")
async def test_a_folder_keeps_its_patterns_and_what_they_exclude_leaves_the_library(
    parts: Container, notes: Path
) -> None:
    await added(parts, notes)

    known = parts.library.book.folders()
    changed = [with_patterns(folder, " *.txt ,, *.txt") for folder in known]
    reading = await read_folders(parts, changed, lambda _: None)
    assert tally(reading.records).excluded == 1
    assert not (await look_up(parts, "lighthouse")).found.hits
    (shelf,) = contents(parts).folders
    assert shelf.folder.exclude == ("*.txt",)
    await added(parts, notes)
    (shelf,) = contents(parts).folders
    assert shelf.folder.exclude == ("*.txt",)
    assert {r.state for r in shelf.files} == {FileState.UNCHANGED, FileState.EXCLUDED}


@pytest.mark.usefixtures("in_process")
async def test_a_folder_that_is_not_there_keeps_no_other_from_being_read(
    parts: Container, notes: Path, tmp_path: Path
) -> None:
    away = tmp_path / "away"
    reading = await read_folders(parts, [Folder(str(away)), Folder(str(notes))], lambda _: None)
    assert [record.path for record in reading.failed] == [str(away)]
    assert (await look_up(parts, "tide mill")).found.hits


@pytest.mark.usefixtures("in_process")
async def test_what_is_not_there_is_said(parts: Container, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        await added(parts, tmp_path / "nowhere")


@pytest.mark.usefixtures("in_process")
async def test_pages_are_read_one_by_one_and_each_failure_costs_itself(parts: Container) -> None:
    good, bad = "https://a.example/mill", "https://b.example/"
    reader = Reader({
        good: Page(good, PageStatus.OK, markdown="The tide mill ran until 1931.", title="Mills"),
        bad: Page(bad, PageStatus.FAILED, PageReason.NETWORK, Message("It does not answer.")),
    })  # fmt: skip
    reports: list[ImportProgress] = []
    reading = await read_pages(parts, reader, [bad, good], reports.append, sent=lambda _: None)
    assert [r.path for r in reading.failed] == [bad]
    begun = [step for step in reports if step.record is None]
    assert [(step.done, step.of) for step in begun] == [(0, 2), (1, 2)]
    held = contents(parts)
    assert [record.url for record in held.others] == [good]


@pytest.mark.usefixtures("in_process")
async def test_a_file_that_is_taken_out_stays_out_and_a_folder_goes_as_a_whole(
    parts: Container, notes: Path
) -> None:
    await added(parts, notes)
    files = contents(parts).folders[0].files
    assert take_out(parts, [files[0].document]).documents == 1
    await added(parts, notes)
    (shelf,) = contents(parts).folders
    assert {r.state for r in shelf.files} == {FileState.EXCLUDED, FileState.UNCHANGED}
    take_out(parts, [r.document for r in shelf.files if r.document], [str(notes)])
    held = contents(parts)
    assert (held.stats.documents, held.folders) == (0, ())


@pytest.mark.usefixtures("in_process")
async def test_a_mailbox_is_taken_out_with_all_its_messages(
    parts: Container, tmp_path: Path
) -> None:
    folder = tmp_path / "mail"
    folder.mkdir()
    messages = (
        f"From someone@example.org Mon Jan  5 10:0{n}:00 2026\n"
        f"From: someone@example.org\nMessage-ID: <{n}@example.org>\nSubject: Ferry {n}\n\n"
        f"The ferry number {n} leaves at eight.\n\n"
        for n in range(3)
    )
    (folder / "box.mbox").write_text("".join(messages), "utf-8")
    await added(parts, folder)
    (shelf,) = contents(parts).folders
    assert contents(parts).stats.documents == 3
    assert take_out(parts, (), files=[shelf.files[0].path]).documents == 3
    await added(parts, folder)
    held = contents(parts)
    assert held.stats.documents == 0
    assert held.folders[0].files[0].state is FileState.EXCLUDED


@pytest.mark.usefixtures("in_process")
async def test_only_a_file_that_was_read_here_is_kept_as_one(parts: Container, notes: Path) -> None:
    await added(parts, notes)
    foreign = Document("file:///etc/hostname", "Names", "A text from elsewhere.", Origin.IMPORT)
    parts.library.add([foreign])
    assert indexed_file(parts.library, (notes / "mill.md").as_uri()) is not None
    assert indexed_file(parts.library, foreign.url) is None
    assert indexed_file(parts.library, "file:///etc/passwd") is None


@pytest.mark.usefixtures("in_process")
async def test_a_question_about_passages_has_a_piece_of_each_and_no_more_than_fits(
    parts: Container, tmp_path: Path
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for n in range(8):
        words = "corn and water " * 200
        (folder / f"{n}.md").write_text(
            f"# Mill number {n}\n\nThe tide mill {n} {words}\n", "utf-8"
        )
    await added(parts, folder)
    hits = (await look_up(parts, "tide mill")).found.hits
    text = about_text(hits)
    assert len(hits) == 8
    assert len(text) <= LONGEST_SEARCHED_ABOUT
    assert all(f"Mill number {n}: " in text and f"tide mill {n}" in text for n in range(8))
    assert about_text(()) == ""
