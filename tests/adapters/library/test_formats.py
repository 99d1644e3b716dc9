"""Files of all kinds become documents; what cannot be read says why, and the rest goes on."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.library.room import Here, Room, confined
from adapters.storage.shelf import NOW
from askance.adapters.library.files import parsing
from askance.adapters.library.files.adding import FolderReader
from askance.adapters.library.files.parsing import PART_BYTES
from askance.config.settings import LibrarySettings
from askance.domain.library import DocumentKind, FileState, Filters, Origin
from askance.domain.web_pages import LONGEST_PAGE_CHARACTERS
from askance.extract.office.archives import MOST_UNPACKED_BYTES
from askance.extract.pdf.pdf_file import MOST_PAGES
from servers.office import docx, epub, mail, odt, packed
from servers.site import pdf

FERRY = "The ferry leaves Kelhaven at nine in the morning, and comes back at ten."


@pytest.fixture
def confined_room(room: Room) -> Room:
    """A room whose files are taken apart as in the program, in a process of their own."""
    return replace(room, extractor=confined)


async def test_each_kind_is_read_as_what_it_is(confined_room: Room) -> None:
    room = confined_room
    room.put("a.md", f"# Boats\n\n{FERRY}")
    room.put("b.txt", FERRY + " Text.")
    room.put("c.html", f"<html lang=de><title>Seite</title><body><article><p>{FERRY} Page.</p>"
             f"<p>{FERRY}</p><p>{FERRY}</p></article></body></html>")  # fmt: skip
    room.put("d.pdf", pdf(FERRY))
    room.put("f.docx", docx(FERRY, "Word"))
    room.put("g.odt", odt(FERRY, "Office"))
    room.put("h.epub", epub(FERRY, "Book"))
    room.put("i.eml", mail(FERRY, "Mail"))
    room.put("e.py", "def ferry():\n    # leaves\n    return 9\n")
    await room.look()
    assert set(room.states().values()) == {"indexed"}
    kinds = {Path(r.url).name: (r.kind, r.syntax, r.title) for r in room.library.documents()}
    assert kinds == {
        "a.md": (DocumentKind.MARKDOWN, "", "Boats"),
        "b.txt": (DocumentKind.TEXT, "", "b.txt"),
        "c.html": (DocumentKind.PAGE, "", "Seite"),
        "d.pdf": (DocumentKind.PDF, "", "d.pdf"),
        "e.py": (DocumentKind.CODE, "python", "e.py"),
        "f.docx": (DocumentKind.DOCUMENT, "", "Word"),
        "g.odt": (DocumentKind.DOCUMENT, "", "Office"),
        "h.epub": (DocumentKind.BOOK, "", "Book"),
        "i.eml": (DocumentKind.MAIL, "", "Mail"),
    }
    (hit,) = room.library.search("ferry leaves", 5, Filters(kind="code", syntax="python"))
    assert hit.text == "def ferry():\n    # leaves\n    return 9"


async def test_texts_are_read_that_people_give_no_ending(room: Room) -> None:
    for name in ("README", "todo", "report.qmd", "other"):
        room.put(name, "# A mole")
    await room.look()
    assert room.in_state(FileState.INDEXED) == {"README", "todo", "report.qmd"}


async def test_a_long_text_is_read_to_its_end(room: Room) -> None:
    lines = [f"Line {i} of the very long book." for i in range(40_000)]
    text = "\n\n".join(lines)
    assert len(text) > 10 * PART_BYTES
    room.put("book.txt", text)
    await room.look()
    assert not room.told["book.txt"].detail
    (record,) = room.library.documents()
    assert room.library.text(record.id) == text


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("".join(f"Jürgen {n}\tKöln\r\n" for n in range(20_000)), "utf-16"),
        # What a part is written in may not be told by the part.
        (f"{'Zażółć gęślą jaźń w Łodzi. ' * 3_000}\n{'a line of ASCII ' * 8_000}\nimię\n", "cp1250"),
        ("A line\n" + "\0" * 200_000 + "and one more\n" * 9, "utf-8"),
        (",".join(f'"elephant{n}"' for n in range(10_000)), "utf-8"),
    ],
)  # fmt: skip
async def test_parts_of_a_long_text_are_read_as_the_whole_is(
    room: Room, text: str, codec: str
) -> None:
    room.put("long.txt", text.encode(codec))
    await room.look()
    (record,) = room.library.documents()
    # Parts of a text of one line are paragraphs.
    kept = room.library.text(record.id) or ""
    assert "".join(kept.split()) == "".join(text.replace("\0", "").split())


async def test_no_block_of_code_of_a_long_note_is_parted(room: Room) -> None:
    code = "```\n" + "  <!-- code -->\n\n" * 1_500 + "```"
    room.put("long.md", f"{'A line of a note. ' * 2_500}\n\n{code}\n\n<!-- gone --> End of it.")
    await room.look()
    (record,) = room.library.documents()
    text = room.library.text(record.id) or ""
    assert text.count("  <!-- code -->") == 1_500
    assert text.endswith("```\n\nEnd of it.")


async def test_a_long_pdf_is_read_to_its_end(room: Room) -> None:
    pages = [f"This is the text of page number {i} of it" for i in range(2 * MOST_PAGES + 5)]
    room.put("book.pdf", pdf(*pages))
    await room.look()
    assert not room.told["book.pdf"].detail
    (record,) = room.library.documents()
    text = room.library.text(record.id)
    assert text is not None
    assert text.split("\n\n\f") == pages
    (hit,) = room.library.search("number 700", 1)
    assert hit.page == 701


@pytest.mark.exhaustive
async def test_a_long_page_is_read_to_its_end(room: Room) -> None:
    lines = [
        f"This is sentence number {i} of a long page that goes on and on." for i in range(9000)
    ]
    room.put("long.html", f"<html><body><article>{''.join(f'<p>{x}</p>' for x in lines)}</article>")
    await room.look()
    assert not room.told["long.html"].detail
    (record,) = room.library.documents()
    text = room.library.text(record.id)
    assert text is not None
    assert len(text) > LONGEST_PAGE_CHARACTERS
    assert [line for line in text.split("\n\n") if line] == lines


async def test_a_file_that_takes_too_long_is_kept_as_far_as_it_was_read(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put(
        "book.pdf", pdf(*(f"This is the text of page number {i}" for i in range(MOST_PAGES + 5)))
    )

    class Slow(Here):
        async def extract(self, data, url, content_type):
            if not content_type.endswith("first=0"):
                await asyncio.Event().wait()
            return await super().extract(data, url, content_type)

    @asynccontextmanager
    async def slow():
        yield Slow()

    monkeypatch.setattr(parsing, "FILE_TIMEOUT_S", 2.0)
    monkeypatch.setattr(parsing, "CLOCK_FACTOR", 1)
    hasty = replace(room, extractor=slow)
    await hasty.look()
    assert hasty.states() == {"book.pdf": "indexed"}
    detail = hasty.told["book.pdf"].detail
    assert detail.values == {"pages": MOST_PAGES, "available": MOST_PAGES + 5}


async def test_what_cannot_be_read_says_why_and_the_rest_goes_on(confined_room: Room) -> None:
    room = confined_room
    room.put("corrupt.pdf", b"%PDF-1.4\n" + b"\xff\x00garbage" * 100)
    room.put("encrypted.pdf", pdf(FERRY, password="secret"))  # noqa: S106 - it opens nothing
    room.put("image.md", b"\x89PNG\r\n\x1a\n" + bytes(100))
    room.put("bomb.epub", packed({"META-INF/container.xml": b" " * (MOST_UNPACKED_BYTES + 1)}))
    room.put("rule.txt", " \n---\n")
    room.put("big.txt", b"x" * 2_000_000)
    room.put("good.md", FERRY)
    small = replace(room, settings=LibrarySettings(max_file_mb=1))
    await small.look()
    assert small.in_state(FileState.INDEXED) == {"good.md"}
    failed = {name: r.detail for name, r in small.told.items() if r.state is FileState.FAILED}
    assert set(failed) == set(small.told) - {"good.md"}
    assert all(failed.values())
    assert failed["big.txt"].values == {"n": 1}
    assert len({str(detail) for detail in failed.values()}) == len(failed)


async def test_a_file_that_cannot_be_read_any_more_keeps_its_last_text(room: Room) -> None:
    room.put("ferry.pdf", pdf(FERRY))
    await room.look()
    room.put("ferry.pdf", b"%PDF-1.4 broken off")
    await room.look()
    assert room.states() == {"ferry.pdf": "failed"}
    assert room.urls() == {"ferry.pdf"}
    (room.root / "ferry.pdf").unlink()
    await room.look()
    assert room.urls() == set()


async def test_a_file_that_vanishes_is_named(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    path = room.put("ferry.md", FERRY)
    room.put("mill.md", "The mill burned down.")
    really = FolderReader._read_all

    async def after_it_vanished(self, *arguments):
        path.unlink()
        await really(self, *arguments)

    monkeypatch.setattr(FolderReader, "_read_all", after_it_vanished)
    await room.look()
    assert room.states() == {"ferry.md": "failed", "mill.md": "indexed"}
    monkeypatch.undo()
    await room.look()
    assert room.states() == {"mill.md": "unchanged"}


async def test_a_parser_that_takes_too_long_is_ended(
    confined_room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = confined_room
    room.put("a.html", "<html><body>" + "<p>ab c <b>x</b> <i>y</i></p>" * 60_000)
    room.put("b.md", FERRY)
    # A tenth of what this page takes on a fast machine: seconds on a slow one change nothing.
    monkeypatch.setattr(parsing, "FILE_TIMEOUT_S", 0.2)
    monkeypatch.setattr(parsing, "CLOCK_FACTOR", 1)
    await room.look()
    assert room.states()["a.html"] == "failed"
    assert room.told["a.html"].detail.values == {"n": 0.2}


async def test_lines_of_documents_are_read(room: Room) -> None:
    rows = [
        json.dumps({"url": "https://a.example/", "title": "A", "text": FERRY, "tags": ["x", 3]}),
        "",
        "{broken",
        json.dumps([1]),
        json.dumps({"title": "Only a title", "tags": "Boats, day trips,"}),
        json.dumps({"url": "https://b.example/", "text": 5}),
        "[" * 100_000,
    ]
    room.put("docs.jsonl", "\n".join(rows))
    await room.look()
    record = room.told["docs.jsonl"]
    assert record.state is FileState.INDEXED
    assert record.detail.values == {"n": 4, "available": 7, "number": 3}
    by_title = {r.title: r for r in room.library.documents()}
    assert by_title["A"].url.endswith("docs.jsonl#https%3A%2F%2Fa.example%2F")
    assert by_title["A"].tags == ("x",)
    assert by_title["A"].origin is Origin.FILE
    assert by_title["Only a title"].url.endswith("docs.jsonl#L5")
    assert by_title["Only a title"].tags == ("boats", "day trips")


async def test_dates_of_lines_are_dates_or_nothing(room: Room) -> None:
    rows = [
        {"title": "a", "published": "2024-05-14T10:00", "fetched_at": "2024-05-14T10:00:00+02:00"},
        {"title": "b", "published": "14 May", "fetched_at": "yesterday"},
        {"title": "c", "published": "2024", "fetched_at": "0001-01-01T00:00:00+14:00"},
    ]
    room.put("docs.jsonl", "\n".join(json.dumps(row) for row in rows))
    await room.look()
    dates = {r.title: (r.published, r.fetched_at[:16]) for r in room.library.documents()}
    now = NOW.isoformat()[:16]
    assert dates == {
        "a": ("2024-05-14", "2024-05-14T08:00"),
        "b": ("", now),
        "c": ("2024", now),
    }


async def test_a_file_without_a_document_has_failed(room: Room) -> None:
    room.put("other.jsonl", '{"a": 1}\n')
    await room.look()
    assert room.states() == {"other.jsonl": "failed"}
