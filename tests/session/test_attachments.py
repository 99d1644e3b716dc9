"""Files of a conversation: read in the confined processes, asked and cited by page, and never searched for."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader, PdfWriter

from adapters.library.room import PoolHere, posix_only
from askance.adapters.library.files.file_process import FileCalls
from askance.adapters.library.files.opening import FileChanged
from askance.adapters.library.prepared import prepare
from askance.adapters.reader.workers import WorkerPool
from askance.app.attachments import Attachments, fact_of
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.domain.attached_files import Attachment, AttachmentState
from askance.domain.library import Prepared
from servers.office import docx, epub
from servers.pdf_files import IMAGE, Page, pdf_file
from waiting import patience, until

State = AttachmentState
BERTH = "A berth of nine metres costs 412 crowns in July."
DUES = "What does a berth of nine metres cost in July?"


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return find_folders({"ASKANCE_HOME": str(tmp_path / "home")})


@dataclass
class AttachmentsHere:
    """The attachments of a conversation, and what was reported of each."""

    attachments: Attachments
    folder: Path
    reported: list[Attachment] = field(default_factory=list[Attachment])

    def put(self, name: str, data: bytes | str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    async def read(self, *paths: Path, context_tokens: int = 0) -> tuple[Attachment, ...]:
        for path in paths:
            self.attachments.add(path)
        async with patience():
            await self.attachments.read(context_tokens)
        return self.attachments.attachments

    async def fact(self, name: str, data: bytes | str) -> tuple[State, str]:
        one = (await self.read(self.put(name, data)))[-1]
        return one.state, fact_of(one)


@pytest.fixture
def reader(folders: Folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttachmentsHere:
    """In this process: confined ones take a second to start, and are used where it matters."""
    monkeypatch.setattr("askance.adapters.reader.workers.WorkerPool", PoolHere)
    return attachments_in(folders, tmp_path)


def attachments_in(folders: Folders, tmp_path: Path) -> AttachmentsHere:
    reported: list[Attachment] = []
    place = tmp_path / "files"
    place.mkdir()
    return AttachmentsHere(Attachments(Settings(), folders, reported.append), place, reported)


def pages(*texts: str) -> bytes:
    return pdf_file(*(Page(f"BT /H 12 Tf 60 700 Td ({text}) Tj ET") for text in texts))


def locked(data: bytes) -> bytes:
    writer = PdfWriter(PdfReader(BytesIO(data)))
    writer.encrypt("secret", algorithm="RC4-128")
    made = BytesIO()
    writer.write(made)
    return made.getvalue()


SCAN = pdf_file(Page(IMAGE), Page(IMAGE))
NO_PAGES = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
    b"trailer<</Root 1 0 R>>\n%%EOF"
)
OLE = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504) + "EncryptedPackage".encode("utf-16-le")
KINDS: dict[str, tuple[str, bytes | str, State, str]] = {
    "a PDF": ("dues.pdf", pages(BERTH, "Second."), State.READY, "2 pages"),
    "a Word file": ("minutes.docx", docx(BERTH), State.READY, "1 page"),
    "a book": ("laws.epub", epub(BERTH), State.READY, "1 page"),
    "a note": ("result.md", "# Result\n\n" + "All is well.\n\n" * 300, State.READY, "2 pages"),
    "a text by no known name": ("LICENCE.old", "Do what you like.", State.READY, "1 page"),
    "a picture": ("harbour.png", b"\x89PNG not looked at", State.READY, ""),
    "an archive": ("backup.tar.gz", b"\x1f\x8b", State.FAILED, "Archives cannot be read."),
    "a locked PDF": ("salaries.pdf", locked(pages(BERTH)), State.FAILED, "Needs a password."),
    "a locked table": ("pay.xlsx", OLE, State.FAILED, "Needs a password."),
    "an empty file": ("empty.txt", "", State.FAILED, "Empty."),
    "blanks": ("blank.md", " \n\n\t ", State.FAILED, "Empty."),
    "a scan": ("scan-003.pdf", SCAN, State.FAILED, "Only pictures inside."),
    "a program": ("tool.bin", b"\x7fELF\0\0\0", State.FAILED, "Files of this kind are not read."),
}


async def test_each_kind_of_file_is_read_or_says_why_not_in_one_sentence(
    reader: AttachmentsHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.adapters.library.files.attaching.find_tesseract", str)
    # One after the other, as they are read: a table of its own would set up each anew.
    found = {kind: await reader.fact(name, data) for kind, (name, data, *_) in KINDS.items()}
    assert found == {kind: (state, fact) for kind, (*_, state, fact) in KINDS.items()}


async def test_a_long_file_is_asked_by_passage_and_no_file_is_refused_for_its_length(
    reader: AttachmentsHere,
) -> None:
    book = pages(*(f"Page {n} of the harbour laws." for n in range(1, 301)))
    (one,) = await reader.read(reader.put("laws.pdf", book), context_tokens=1_000)
    assert (one.state, fact_of(one)) == (State.PASSAGES, "300 pages, searched by passage")
    paste = reader.attachments.add_bytes(b"A line of fifty kilobytes.\n" * 2_000, "Pasted text.txt")
    await reader.read(context_tokens=8_192)
    assert reader.attachments.attachments[-1].number == paste.number
    assert reader.attachments.attachments[-1].state is State.PASSAGES


async def test_the_index_of_a_long_file_is_computed_in_another_process_as_long_as_that_answers(
    reader: AttachmentsHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[int] = []

    def here(text: str, language: str, *, is_code: bool) -> Prepared:
        computed.append(len(text))
        return prepare(text, language, is_code=is_code)

    monkeypatch.setattr("askance.adapters.library.library_tables.prepare", here)
    text = "\n\n".join(f"{BERTH} Berth {n} has water." for n in range(900))
    await reader.read(reader.put("berths.md", text))
    assert computed == []
    asked = reader.attachments.asked()
    assert asked is not None
    first_passages = asked.library.documents.stats().passages
    monkeypatch.setattr("askance.adapters.library.files.parsing.prepare_all", unanswered)
    first, second = await reader.read(reader.put("again.md", f"{text} Once more."))
    assert len(computed) == 1
    assert first.documents != second.documents
    asked = reader.attachments.asked()
    assert asked is not None
    library = asked.library.documents
    texts = [library.text(one) or "" for one in asked.documents]
    assert [text.count("Berth") for text in texts] == [900, 900]
    assert library.stats().passages == 2 * first_passages > 100


def unanswered(_: object) -> object:
    raise OSError("it has ended")


async def test_pages_are_counted_while_a_long_file_is_read(reader: AttachmentsHere) -> None:
    book = pages(*("Harbour. " * 120 for _ in range(410)))
    await reader.read(reader.put("laws.pdf", book))
    reading = [fact_of(one) for one in reader.reported if one.state is State.READING]
    assert reading[0] == "Reading"
    assert reading[1].startswith("Reading page ")
    assert reading[1].endswith(" of 410")


async def test_a_folder_is_one_attachment_and_counts_what_it_could_not_read(
    reader: AttachmentsHere,
) -> None:
    reader.put("Contracts/a.txt", "The first.")
    reader.put("Contracts/b/c.md", "The second.")
    reader.put("Contracts/film.mp4", b"\0\0")
    (one,) = await reader.read(reader.folder / "Contracts")
    assert fact_of(one) == "3 files, 1 could not be read"
    assert [(file.name, bool(file.problem)) for file in one.files] == [
        ("a.txt", False), ("film.mp4", True), ("c.md", False)
    ]  # fmt: skip


async def test_a_folder_of_too_many_files_is_offered_to_the_library_and_not_read(
    reader: AttachmentsHere,
) -> None:
    for number in range(2_000):
        reader.put(f"Archive/{number}.txt", "x")
    (one,) = await reader.read(reader.folder / "Archive")
    assert (one.state, one.documents) == (State.TOO_MANY, ())
    assert fact_of(one).startswith("2,000 files")


async def test_two_files_of_one_name_are_told_apart_by_their_folders(
    reader: AttachmentsHere,
) -> None:
    # As a public report has it: unslothai/unsloth#7668.
    paths = [reader.put(f"{folder}/README.md", folder) for folder in ("boats", "ropes", "ropes")]
    names = [one.name for one in await reader.read(*paths)]
    assert names == ["README.md", str(Path("ropes", "README.md"))]


async def test_a_file_larger_than_the_limit_is_not_read(
    reader: AttachmentsHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.adapters.library.files.attaching.MOST_MB", 0)
    assert await reader.fact("huge.txt", "x") == (State.FAILED, "Larger than 200 MB.")


async def test_a_file_that_is_gone_is_said_and_the_others_are_read(reader: AttachmentsHere) -> None:
    gone, there = reader.folder / "gone.txt", reader.put("there.txt", "Here.")
    facts = [fact_of(one) for one in await reader.read(gone, there)]
    assert facts == ["The file is gone.", "1 page"]
    reader.attachments.remove(reader.attachments.attachments[0].number)
    assert [one.path for one in reader.attachments.attachments] == [there]


async def test_what_was_read_goes_with_the_attachment_and_the_folder_with_the_conversation(
    reader: AttachmentsHere, folders: Folders
) -> None:
    one, _ = await reader.read(reader.put("a.txt", "Alpha."), reader.put("b.txt", "Beta."))
    asked = reader.attachments.asked()
    assert asked is not None
    reader.attachments.remove(one.number)
    assert not asked.library.documents.find(one.documents[0])
    store = folders.runtime / "attached"
    assert len(list(store.iterdir())) == 1
    reader.attachments.close()
    assert not list(store.iterdir())
    assert reader.attachments.asked() is None


async def test_what_was_read_goes_even_where_nobody_closes_it(
    reader: AttachmentsHere, folders: Folders
) -> None:
    await reader.read(reader.put("a.txt", "Alpha."))
    (stored,) = (folders.runtime / "attached").iterdir()
    store = reader.attachments._store
    assert store is not None
    store.library.close()
    # As the end of the program does.
    assert store._delete.atexit
    store._delete()
    assert not await asyncio.to_thread(stored.exists)


async def test_a_file_of_an_attached_folder_stays_when_it_is_taken_out_by_itself(
    reader: AttachmentsHere,
) -> None:
    path = reader.put("Contracts/a.txt", "The first.")
    alone, _ = await reader.read(path, reader.folder / "Contracts")
    reader.attachments.remove(alone.number)
    asked = reader.attachments.asked()
    assert asked is not None
    assert asked.library.documents.find(asked.documents[0])


async def test_folders_that_a_crash_has_left_are_deleted_and_those_in_use_are_not(
    reader: AttachmentsHere, folders: Folders, tmp_path: Path
) -> None:
    await reader.read(reader.put("a.txt", "Alpha."))
    store = folders.runtime / "attached"
    (used,) = store.iterdir()
    left = store / "left"
    left.mkdir()
    (left / "files.sqlite3").write_bytes(b"words of a file")
    for folder in (used, left):
        os.utime(folder, (0, 0))
    other = Attachments(Settings(), folders)
    other.add_bytes(b"x", "x.txt")
    assert not left.exists()
    assert used.exists()
    other.close()


TESSERACT = """#!/bin/sh
if [ "$1" = --list-langs ]; then printf 'List:\\ndeu\\neng\\n'; exit; fi
test -s "$1" || exit 1
printf 'A berth of nine metres, %s.\\n' "$(head -c 2 "$1")" > "$2.txt"
"""
"""Reads of every picture the same, with the two letters by which the format of a picture is known."""


@pytest.fixture
def tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "bin" / "tesseract"
    program.parent.mkdir()
    program.write_text(TESSERACT)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return program


@posix_only
async def test_a_scan_asks_whether_to_read_it_and_is_then_found_by_page(
    reader: AttachmentsHere, tesseract: Path
) -> None:
    (scan,) = await reader.read(reader.put("scan-003.pdf", SCAN))
    assert (scan.state, fact_of(scan)) == (State.QUESTION, "Only pictures inside. Read them?")
    assert reader.attachments.asked() is None
    async with patience():
        await reader.attachments.recognise(scan.number)
    (scan,) = reader.attachments.attachments
    assert (scan.state, fact_of(scan)) == (State.READY, "2 pages")
    assert "Reading page 1 of 2" in [fact_of(one) for one in reader.reported]
    asked = reader.attachments.asked()
    assert asked is not None
    text = asked.library.documents.text(scan.documents[0])
    # Each page was drawn as a portable graymap.
    assert text == "A berth of nine metres, P5.\n\n\fA berth of nine metres, P5."


@posix_only
async def test_of_a_picture_only_the_text_may_be_read_and_then_no_model_need_see(
    reader: AttachmentsHere, tesseract: Path
) -> None:
    (one,) = await reader.read(reader.put("harbour.png", b"PNG"))
    asked = reader.attachments.asked()
    assert asked is not None
    assert [picture.name for picture in asked.pictures] == ["harbour.png"]
    async with patience():
        await reader.attachments.recognise(one.number)
    asked = reader.attachments.asked()
    assert asked is not None
    assert (asked.pictures, len(asked.documents)) == ((), 1)


@posix_only
async def test_a_tesseract_that_fails_costs_one_sentence(
    reader: AttachmentsHere, tesseract: Path
) -> None:
    await asyncio.to_thread(tesseract.write_bytes, b"#!/bin/sh\nexit 1\n")
    (scan,) = await reader.read(reader.put("scan-003.pdf", SCAN))
    async with patience():
        await reader.attachments.recognise(scan.number)
    (scan,) = reader.attachments.attachments
    assert (scan.state, fact_of(scan)) == (State.FAILED, "Tesseract could not read it.")


# Faults, with the confined processes themselves.


@posix_only
async def test_what_is_no_file_says_so_and_what_follows_is_read(reader: AttachmentsHere) -> None:
    """Links in a circle, a pipe nobody writes to, an odd name, and a folder that leads into itself."""
    folder = reader.folder / "loop"
    reader.put("loop/a.md", BERTH)
    (folder / "self").symlink_to(folder)
    (circle := folder / "b").symlink_to(circle)
    os.mkfifo(pipe := reader.folder / "pipe")
    os.mkfifo(folder / "pipe.md")
    odd = reader.put("new\nline \u202egnp.\"q' <b>&amp.md", BERTH)
    pages_missing = reader.put("none.pdf", NO_PAGES)
    found = await reader.read(circle, pipe, folder, odd, pages_missing, Path("/dev/null"), odd)
    assert found[3].name == "new line gnp.\"q' <b>&amp.md"
    assert [fact_of(one) for one in found] == [
        "It cannot be read: Too many levels of symbolic links.",
        "Files of this kind are not read.",
        "1 file",
        "1 page",
        "The PDF file has no pages.",
        "Files of this kind are not read.",
    ]


async def test_an_unexpected_error_costs_one_file(
    reader: AttachmentsHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(PoolHere):
        async def extract(self, data: bytes, url: str, content_type: str) -> Any:
            if "bad" in url:
                raise ZeroDivisionError
            return await super().extract(data, url, content_type)

    monkeypatch.setattr("askance.adapters.reader.workers.WorkerPool", Broken)
    bad, good = await reader.read(reader.put("bad.md", BERTH), reader.put("good.md", BERTH))
    assert (bad.state, fact_of(bad)) == (State.FAILED, "It cannot be read: ZeroDivisionError.")
    assert good.state is State.READY


@pytest.mark.parametrize(
    ("error", "fact"),
    [
        (FileNotFoundError(2, "No such file"), "The file is gone."),
        (PermissionError(13, "Permission denied"), "You may not open it."),
        (FileChanged(), "It changed while it was read."),
    ],
)
async def test_a_file_that_changes_hands_while_it_is_read_says_so(
    reader: AttachmentsHere, monkeypatch: pytest.MonkeyPatch, error: Exception, fact: str
) -> None:
    def read_file(*_: object) -> bytes:
        raise error

    monkeypatch.setattr("askance.adapters.library.files.attaching.read_file", read_file)
    monkeypatch.setattr("askance.adapters.library.files.file_process.FileProcesses", FileCalls)
    assert await reader.fact("a.txt", "Alpha.") == (State.FAILED, fact)


async def test_a_process_that_is_killed_costs_one_file(folders: Folders, tmp_path: Path) -> None:
    here = attachments_in(folders, tmp_path)
    killed = list[int]()

    class KillingPool:
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self.pool = WorkerPool(*args, **kwargs)

        async def __aenter__(self) -> KillingPool:
            await self.pool.__aenter__()
            return self

        async def __aexit__(self, *error: object) -> None:
            await self.pool.__aexit__(*error)

        async def extract(self, data: bytes, url: str, content_type: str) -> Any:
            if url.endswith("bad.pdf") and not killed:
                await until(lambda: self.pool.ready)
                killed.append(self.pool.pids[0])
                os.kill(killed[0], signal.SIGSTOP)
                asyncio.get_running_loop().call_soon(os.kill, killed[0], signal.SIGKILL)
            return await self.pool.extract(data, url, content_type)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("askance.adapters.reader.workers.WorkerPool", KillingPool)
        bad, good = here.put("bad.pdf", pages(BERTH)), here.put("good.pdf", pages(BERTH))
        first, second = await here.read(bad, good)
    assert killed
    assert first.state is State.FAILED
    assert (second.state, second.pages) == (State.READY, 1)
    here.attachments.close()


class Stalled(PoolHere):
    """A pool whose reading never ends."""

    async def extract(self, data: bytes, url: str, content_type: str) -> Any:
        await asyncio.Event().wait()


async def test_what_is_taken_out_while_it_is_read_ends_at_once_and_the_rest_goes_on(
    reader: AttachmentsHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.adapters.reader.workers.WorkerPool", Stalled)
    one = reader.attachments.add(reader.put("a.txt", "Alpha."))
    picture = reader.attachments.add(reader.put("b.png", b"\x89PNG"))
    async with asyncio.TaskGroup() as group:
        group.create_task(reader.read())
        await until(lambda: reader.attachments.attachments[0].state is State.READING)
        reader.attachments.remove(one.number)
    (left,) = reader.attachments.attachments
    assert (left.number, left.state) == (picture.number, State.READY)


async def test_what_is_attached_while_the_processes_end_is_read(
    reader: AttachmentsHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = reader.put("late.txt", "Late.")

    class EndingPool(PoolHere):
        async def __aexit__(self, *error: object) -> None:
            await super().__aexit__(*error)
            reader.attachments.add(late)
            await reader.attachments.read()

    monkeypatch.setattr("askance.adapters.reader.workers.WorkerPool", EndingPool)
    found = await reader.read(reader.put("a.txt", "Alpha."))
    assert [one.state for one in found] == [State.READY, State.READY]


async def test_reading_that_is_cancelled_is_taken_up_again(
    reader: AttachmentsHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = reader.put("a.txt", "Alpha.")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("askance.adapters.reader.workers.WorkerPool", Stalled)
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(reader.read(path))
            await until(lambda: any(a.state is State.READING for a in reader.reported))
            reading.cancel()
    assert reader.attachments.attachments[0].state is State.WAITING
    (one,) = await reader.read()
    assert one.state is State.READY
