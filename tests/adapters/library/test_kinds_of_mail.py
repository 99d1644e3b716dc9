"""Mail as programs keep it, what hangs on it, and files of Office before 2007: in a folder that was added."""

from __future__ import annotations

import email.message
import os
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.library.room import Here, Room
from askance.adapters.library.files import collected, parsing
from askance.adapters.library.files.parsing import converted, find_libreoffice
from askance.domain.file_formats import format_of
from askance.domain.library import FileState
from askance.domain.messages import Message
from askance.domain.web_pages import PageReason
from askance.extract.extracted import WITHOUT_FILES, Extracted, failed
from servers.office import docx, packed
from servers.old_office import ole
from servers.site import pdf

EVENT = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Dentist wallaroo\nEND:VEVENT\nEND:VCALENDAR\n"


def mail(word: str) -> str:
    return f"From: Ann <ann@a.example>\nSubject: Boiler\nMessage-ID: <{word}@a.example>\n\nThe {word} bill is paid.\n"


async def test_mailboxes_without_an_ending_are_known_by_their_content(room: Room) -> None:
    room.put(
        "Mail/Inbox",
        f"From - Tue Jan 02 10:00:00 2024\n{mail('okapi')}\nFrom - Tue Jan 02 11:00:00 2024\n{mail('eland')}",
    )
    room.put("Mail/Inbox.msf", '// <!-- <mdb:mork:z v="1.4"/> -->')
    room.put(
        "Mail/Old.sbd/2023.kept", f"From ann@a.example Tue Jan  2 10:00:00 2024\n{mail('kudu')}"
    )
    room.put("MH/inbox/12", f"Received: from a.example\n{mail('gnu')}")
    room.put("notes", "From here it goes on.\nNo header.")
    room.put("LETTERS", "From 9 to 10\nSubject matters are discussed.\n")
    room.put("photo.jpg", b"\xff\xd8\xff")
    await room.look()
    for word in ("okapi", "eland", "kudu", "gnu"):
        assert room.urls(word), word
    assert {n: s for n, s in room.states().items() if s == "excluded"} == {
        "LETTERS": "excluded", "Mail/Inbox.msf": "excluded", "photo.jpg": "excluded",
    }  # fmt: skip
    assert room.told["LETTERS"].rule == "format"


async def test_a_file_of_no_known_kind_is_looked_into_once(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put("LETTERS", "Nothing that begins as a mail does.")
    await room.look()
    monkeypatch.setattr(collected, "read_file", None)
    await room.look()
    assert room.states() == {"LETTERS": "excluded"}
    monkeypatch.undo()
    room.put("LETTERS", f"From - Tue Jan 02 10:00:00 2024\n{mail('okapi')}")
    await room.look()
    assert room.urls("okapi")


async def test_what_lies_in_a_maildir_is_mail_whatever_its_name(room: Room) -> None:
    room.put("Maildir/cur/1700000000.M1P2.host:2,S".replace(":", "!"), mail("okapi"))
    room.put("Maildir/new/1700000001.M2P2.mail.example.pl", mail("eland"))
    (room.root / "Maildir/tmp").mkdir()
    room.put("src/new/tool.pl", "print 'kudu';")
    await room.look()
    assert all(map(room.urls, ("okapi", "eland", "kudu")))
    kinds = {Path(d.url).name: d.kind.value for d in room.library.documents()}
    assert kinds["1700000001.M2P2.mail.example.pl"] == "mail"
    assert kinds["tool.pl"] == "code"


def with_files(**files: bytes) -> bytes:
    message = email.message.EmailMessage()
    message["From"], message["Subject"] = "ann@a.example", "Contract"
    message.set_content("See the quokka contract.")
    for name, data in files.items():
        message.add_attachment(
            data, maintype="application", subtype="octet-stream", filename=name.replace("_", ".")
        )
    message.add_attachment(
        b"x", maintype="application", subtype="pgp-signature", filename="signature.asc"
    )
    return bytes(message)


async def test_what_hangs_on_a_mail_is_read_and_what_is_not_is_said(room: Room) -> None:
    inner = with_files(deep_ics=EVENT.encode())
    files = with_files(
        contract_docx=docx("The oribi contract ends.", "A"), bill_pdf=pdf("The suni bill of the plumber."),
        date_ics=EVENT.encode(), inner_eml=inner, all_zip=packed({"a.txt": "numbat"}), broken_docx=b"PK\x03\x04 and no more",
    )  # fmt: skip
    room.put("contract.eml", files)
    room.put("Inbox", b"From - Tue Jan 02 10:00:00 2024\n" + files)
    await room.look()
    for word in ("quokka", "oribi", "suni", "wallaroo"):
        assert room.urls(word), word
    for name in ("contract.eml", "Inbox"):
        assert (
            room.told[name].detail
            == "Attachments not read, or only in part: 2 (all.zip, broken.docx)."
        )
        assert room.told[name].is_partly_lost
    texts = [room.library.text(document.id) or "" for document in room.library.documents()]
    assert len(texts) == 2
    for text in texts:
        assert "The oribi contract ends." in text.partition("## contract.docx\n\n")[2]


class _Overwhelmed(Here):
    """A process that files in mails end."""

    async def extract(self, data: bytes, url: str, content_type: str) -> Extracted:
        if WITHOUT_FILES not in content_type:
            return failed(
                PageReason.TIMED_OUT, Message("The page took longer than {n} seconds.", n=10)
            )
        return await super().extract(data, url, content_type)


async def test_a_file_that_ends_the_process_does_not_cost_its_mail(room: Room) -> None:
    from contextlib import nullcontext  # noqa: PLC0415

    room.put("contract.eml", with_files(contract_docx=docx("The oribi contract ends.", "A")))
    await replace(room, extractor=lambda: nullcontext(_Overwhelmed())).look()
    assert room.urls("quokka")
    assert not room.urls("oribi")


async def test_a_title_that_names_no_content_gives_way_to_the_name_of_the_file(room: Room) -> None:
    for name, title in (
        ("lease", "Microsoft Word - Document1"),
        ("tax", "Scan_0001"),
        ("talk", "Présentation PowerPoint"),
    ):
        room.put(f"{name}.docx", docx("The otter.", title))
    room.put("book.docx", docx("The otter.", "Document of an otter"))
    await room.look()
    titles = {d.title for d in room.library.documents()}
    assert titles == {"lease.docx", "tax.docx", "talk.docx", "Document of an otter"}


async def test_an_old_word_file_says_what_would_read_it(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "find_libreoffice", lambda: "")
    room.put("old.doc", ole({"WordDocument": b"x"}))
    room.put("new.doc", docx("The oribi.", "A"))
    await room.look()
    assert room.told["old.doc"].state is FileState.FAILED
    assert room.told["old.doc"].detail == "LibreOffice would read it, which is not installed."
    assert room.urls("oribi") == {"new.doc"}


@pytest.mark.skipif(
    not find_libreoffice(), reason="no LibreOffice: install libreoffice-writer-nogui"
)
async def test_libreoffice_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing.tempfile, "tempdir", str(tmp_path))
    form = format_of(Path("old.doc"))
    assert form is not None
    # LibreOffice takes what it does not know for a text.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsing, "is_ole", lambda _: True)
        data, found = await converted(b"The oribi contract ends.", form)
    assert found.content_type.endswith("wordprocessingml.document")
    assert data.startswith(b"PK")
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - which blocks no longer than a test may
