"""Files that hold many documents: mailboxes, the bookmarks of a browser, vaults of notes."""

from __future__ import annotations

import codecs
import io
from dataclasses import replace
from pathlib import Path, PurePath

import pytest

from adapters.library.room import Room, confined
from adapters.storage.shelf import page
from askance.adapters.library.files.collected import as_line, messages
from askance.config.settings import LibrarySettings
from askance.domain.file_formats import format_of
from askance.domain.library import DocumentKind, Origin
from servers.office import bookmarks, mail, mailbox

FERRY = mail("The ferry leaves Kelhaven at nine.", "Ferry")
MILL = mail("From what I hear, the mill burned down.\n\nFrom here on it is quiet.", "Mill")


def identified(message: bytes, name: str) -> bytes:
    return b"Message-ID: <" + name.encode() + b">\n" + message


async def test_each_message_of_a_mailbox_is_a_document(room: Room) -> None:
    room.put("in.mbox", mailbox(identified(FERRY, "1@a.example"), MILL))
    room = replace(room, extractor=confined)
    await room.look()
    assert room.states() == {"in.mbox": "indexed"}
    documents = {r.title: r for r in room.library.documents()}
    assert set(documents) == {"Ferry", "Mill"}
    assert documents["Ferry"].url.endswith("/in.mbox#1@a.example")
    assert {r.kind for r in documents.values()} == {DocumentKind.MAIL}
    text = room.library.text(documents["Mill"].id)
    assert text is not None
    assert "\nFrom what I hear" in text
    assert room.urls("quiet") == {documents["Mill"].url.rpartition("/")[2]}


async def test_a_mailbox_is_followed_message_by_message(room: Room) -> None:
    first, second = identified(FERRY, "1@a.example"), identified(MILL, "2@a.example")
    path = room.put("in.mbox", mailbox(first, second))
    await room.look()
    ids = {r.title: r.id for r in room.library.documents()}
    room.put("in.mbox", mailbox(identified(mail("Snow.", "Snow"), "3@a.example"), second))
    await room.look()
    now = {r.title: r.id for r in room.library.documents()}
    assert set(now) == {"Mill", "Snow"}
    assert now["Mill"] == ids["Mill"]
    path.unlink()
    looked = await room.look()
    assert looked.gone == (str(path),)
    assert room.urls() == set()


async def test_a_mailbox_that_is_excluded_leaves_with_its_messages(room: Room) -> None:
    room.put("mail/in.mbox", mailbox(FERRY, MILL))
    await room.look()
    await room.look(exclude=("mail",))
    assert room.urls() == set()


async def test_messages_that_cannot_be_read_are_counted(room: Room) -> None:
    large = mail("x" * 1_200_000, "Large")
    room.put("in.mbox", mailbox(FERRY, large, b"\n", MILL))
    room.put("no.mbox", b"This is no mailbox.\n")
    small = replace(room, settings=LibrarySettings(max_file_mb=1))
    await small.look()
    assert small.states() == {"in.mbox": "indexed", "no.mbox": "failed"}
    assert small.told["in.mbox"].detail.values == {"n": 2, "available": 4, "number": 2}
    assert {r.title for r in room.library.documents()} == {"Ferry", "Mill"}


def test_the_same_message_twice_is_two_entries() -> None:
    twice = mailbox(FERRY, FERRY)
    assert list(messages(io.BytesIO(twice), 10**6)) == [FERRY + b"\n\n"] * 2
    cut = [len(m) for m in messages(io.BytesIO(twice), 50)]
    assert cut == [51, 51]
    assert list(messages(io.BytesIO(b"From a line that is long" * 9999), 10)) == []


ONE, TWO = b"From: a@a\nSubject: One\n\nOtters\n", b"Subject: Two\n\nFrom memory:\nZebus\n"


@pytest.mark.parametrize(
    "line",
    [
        b"From \n",
        b"From -\r\n",
        b"From - Mon Jan  1 10:00:00 2024\n",
        b"From - Sat Apr 12 2025 15:59:28\n",
        b"From x@y Fri Apr 11 15:36:11 2025\n>From - Sat Apr 12 2025 15:59:28\n",
        b"From 1811@xxx Thu Nov 07 09:15:02 +0000 2024\n",
        b"From eric at x.example  Thu Aug  9 18:39:17 2012\n",
        b"From ???@??? Mon Jan 01 00:00:00 2001\n",
        b"\nFrom ann@a.example\n",
        b"\nFrom ann@a.example Thu, 7 Nov 2024 09:15:02 +0000\n",
        b"\nFrom ann@a.example 2024-11-07T09:15:02\n",
    ],
)
def test_messages_are_parted_by_the_lines_of_many_programs(line: bytes) -> None:
    found = list(messages(io.BytesIO(codecs.BOM_UTF8 + line.lstrip() + ONE + line + TWO), 10**6))
    # An escaped line of another program is the first one of its message.
    texts = [message.removeprefix(b"From - Sat Apr 12 2025 15:59:28\n") for message in found]
    assert [text.strip() for text in texts] == [ONE.strip(), TWO.strip()]


def test_the_mailbox_in_the_folder_that_apple_mail_exports_is_one() -> None:
    assert format_of(PurePath("In.mbox/mbox")) == format_of(PurePath("in.mbox"))
    assert format_of(PurePath("In.mbox/table_of_contents")) is None


def test_a_mailbox_of_one_message_without_a_line_before_it_is_read() -> None:
    assert list(messages(io.BytesIO(ONE), 10**6)) == [ONE]
    assert list(messages(io.BytesIO(b"This is no mailbox.\n"), 10**6)) == []


@pytest.mark.parametrize("line", ["From memory", "From 10:00 to 12:00", "From here: to there"])
def test_a_paragraph_may_begin_as_the_line_between_messages_does(line: str) -> None:
    message = ONE + f"\n{line}\nmore: text\n".encode()
    assert list(messages(io.BytesIO(b"From a@a Mon Jan  1 10:00:00 2024\n" + message), 10**6)) == [
        message
    ]


async def test_each_bookmark_is_a_document_of_its_file(room: Room) -> None:
    path = room.put("bookmarks.html", bookmarks())
    room = replace(room, extractor=confined)
    await room.look()
    assert room.states() == {"bookmarks.html": "indexed"}
    documents = {r.title: r for r in room.library.documents()}
    ferry = documents["The ferry & more"]
    assert ferry.url.startswith(f"{path.as_uri()}#")
    assert ferry.origin is Origin.FILE
    assert set(ferry.tags) == {"travel", "boats", "sea"}
    assert ferry.fetched_at.startswith("2024-05-14T08:00")
    text = room.library.text(ferry.id)
    assert text == "When it leaves.\n\n<https://ferry.example/?x=1&y=2>"


async def test_a_vault_is_read_as_its_notes_say(room: Room) -> None:
    room.put(".obsidian/app.md", "secret settings")
    room.put(
        "Ferry.md",
        "---\naliases: [The packet boat]\ntags:\n  - travel\n---\nSee [[Mill|the mill]]. #sea/boats",
    )
    await room.look()
    assert room.rules() == {".obsidian": ".*"}
    (record,) = room.library.documents()
    assert set(record.tags) == {"travel", "sea/boats"}
    assert room.library.text(record.id) == ("aliases: The packet boat\n\nSee the mill. #sea/boats")
    assert room.urls("packet boat") == {"Ferry.md"}


async def test_an_export_that_lies_in_a_folder_brings_no_old_text_of_files_back(room: Room) -> None:
    notes = room.put("ferry.md", "The ferry leaves at nine.")
    await room.look()
    room.library.add([page("https://a.example/", "The mill burned down.")])
    lines = [as_line(record, text) for record, text in room.library.every()]
    room.put("ferry.md", "There is no boat.")
    room.put("export.jsonl", "\n".join(lines))
    own = "export.jsonl#https%3A%2F%2Fa.example%2F"
    for _ in range(2):
        await room.look(again=True)
        assert {Path(r.url).name: room.library.text(r.id) for r in room.library.documents()} == {
            "ferry.md": "There is no boat.",
            "a.example": "The mill burned down.",
            own: "The mill burned down.\n\n<https://a.example/>",
        }
    assert room.told["export.jsonl"].detail.values == {"n": 1, "available": 2}
    notes.unlink()
    await room.look()
    assert room.urls() == {"https://a.example/", own}
