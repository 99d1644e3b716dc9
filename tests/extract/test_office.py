"""Texts of word processors, books and e-mail; and archives that mean harm."""

from __future__ import annotations

import time

import pytest

from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.books import epub_fb2
from askance.extract.office import archives
from askance.extract.page import extract_page
from sampled import sampled
from servers.office import DOCX, EPUB, MAIL, ODT, docx, epub, mail, odt, packed

FERRY = "The ferry leaves Kelhaven at nine."


@pytest.mark.parametrize(
    ("data", "kind"), [(docx(FERRY, "Times"), DOCX), (odt(FERRY, "Times"), ODT)]
)
def test_a_document_is_read(data: bytes, kind: str) -> None:
    found = extract_page(data, "file:///x", kind)
    assert found.status is PageStatus.OK
    assert found.markdown == f"# Top\n\n{FERRY}"
    assert (found.title, found.published) == ("Times", "2024-05-14")


@pytest.mark.parametrize(
    ("data", "kind", "name"),
    [
        (FERRY.encode(), DOCX, "DOCX"),
        (b"<html><body><p>The ferry</p></body></html>", ODT, "ODT"),
        (b"%PDF-1.4\n", EPUB, "EPUB"),
        (docx(FERRY), "application/pdf", "PDF"),
        (FERRY.encode(), "application/pdf; first=0", "PDF"),
        (odt(FERRY), DOCX, "DOCX"),
        (docx(FERRY), EPUB, "EPUB"),
        (epub(FERRY), ODT, "ODT"),
    ],
)
def test_a_file_of_another_kind_than_its_name_says_is_not_read(
    data: bytes, kind: str, name: str
) -> None:
    found = extract_page(data, "file:///x", kind)
    assert (found.status, found.reason) == (PageStatus.FAILED, PageReason.NOT_TEXT)
    assert found.detail.values == {"name": name}


def test_an_encrypted_word_file_is_not_called_another_kind() -> None:
    found = extract_page(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "file:///x", DOCX)
    assert (found.status, found.reason) == (PageStatus.FAILED, PageReason.NOT_TEXT)
    assert not found.detail.values


def test_a_word_file_has_lists_tables_and_what_is_hidden() -> None:
    item = '<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t xml:space="preserve">one </w:t></w:r><w:r><w:t>item</w:t></w:r></w:p>'
    hidden = "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>"
    deleted = "<w:p><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>"
    cells = "".join(f"<w:tc><w:p><w:r><w:t>{c}</w:t></w:r></w:p></w:tc>" for c in "ab")
    found = extract_page(
        docx(FERRY, body=f"{item}{hidden}{deleted}<w:tbl><w:tr>{cells}</w:tr></w:tbl>"), "", DOCX
    )
    assert found.markdown == f"# Top\n\n{FERRY}\n\n- one item\n\n| a | b |"


def test_an_opendocument_has_lists_and_tables() -> None:
    body = (
        "<text:list><text:list-item><text:p>one<text:s/>item</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>"
        "<table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>"
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
    )
    found = extract_page(odt(FERRY, body=body), "", ODT)
    assert found.markdown == f"# Top\n\n{FERRY}\n\n- one item\n\n| a | b |"


def test_a_book_is_read_chapter_by_chapter() -> None:
    found = extract_page(epub(FERRY, "The Ferry"), "", EPUB)
    assert found.title == "The Ferry"
    assert found.published == "2020-01-02"
    assert found.markdown.index("Chapter 0.") < found.markdown.index("Chapter 1.")


def test_a_long_book_is_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    book = epub(FERRY, chapters=3)
    whole = len(extract_page(book, "", EPUB).markdown)
    monkeypatch.setattr(epub_fb2, "_PART_CHARACTERS", whole // 2)
    found = extract_page(book, "", EPUB)
    assert found.detail.values == {"pages": 1, "available": 3, "next": 1_000}
    assert "Chapter 0." in found.markdown
    found = extract_page(book, "", f"{EPUB}; first=2000")
    assert not found.detail
    assert "Chapter 2." in found.markdown
    assert "Chapter 1." not in found.markdown


def test_an_email_is_read_under_its_sender() -> None:
    found = extract_page(mail(FERRY, "Boats"), "", MAIL)
    assert (found.title, found.published) == ("Boats", "2024-05-14")
    assert found.markdown.startswith("From: Ann <ann@kelhaven.example>\nTo: bob@")
    assert found.markdown.endswith(FERRY)
    page = f"<html><body><p>{FERRY}</p><p style='display:none'>hidden</p></body></html>"
    found = extract_page(mail("", html=page), "", MAIL)
    assert FERRY in found.markdown
    assert "hidden" not in found.markdown


@pytest.mark.parametrize("kind", [DOCX, ODT, EPUB])
@pytest.mark.parametrize(
    "data",
    [
        packed({}),
        packed({"word/document.xml": "<broken", "content.xml": "<", "META-INF/container.xml": "&"}),
        docx(FERRY)[:-30],
        b"PK\x03\x04" + bytes(100),
    ],
)
def test_what_is_damaged_is_an_outcome(data: bytes, kind: str) -> None:
    found = extract_page(data, "", kind)
    assert found.status is not PageStatus.OK
    assert found.detail


@pytest.mark.parametrize("data", [b"", b"\n\n", b"From: x\n\n", b"Content-Type: multipart/x\n\n--"])
def test_a_message_without_text_is_an_outcome(data: bytes) -> None:
    assert extract_page(data, "", MAIL).status is not PageStatus.OK


@pytest.mark.parametrize(
    "name", sampled(["word/document.xml", "content.xml", "META-INF/container.xml"], every=3)
)
def test_a_bomb_is_not_unpacked(name: str) -> None:
    bomb = packed({name: b"<a>" + b" " * (3 * archives.MOST_UNPACKED_BYTES)})
    assert len(bomb) < archives.MOST_UNPACKED_BYTES / 100
    begun = time.thread_time()
    reasons = {extract_page(bomb, "", kind).reason for kind in (DOCX, ODT, EPUB)}
    assert PageReason.TOO_LARGE in reasons
    assert time.thread_time() - begun < 3.0


def test_entities_are_not_followed() -> None:
    laughs = "".join(f'<!ENTITY l{i + 1} "{f"&l{i};" * 10}">' for i in range(9))
    text = f'<!DOCTYPE x [<!ENTITY l0 "lol">{laughs}]><x>&l9;</x>'
    found = extract_page(packed({"word/document.xml": text}), "", DOCX)
    assert found.status is PageStatus.FAILED


LONG = 400_000
HEADERS = {
    "commas": b"From: " + b"," * LONG,
    "comments": b"From: " + b"(a)" * (LONG // 3) + b" a@b.example",
    "quotes": b"From: " + b'"a" ' * (LONG // 4),
    "routes": b"From: " + b"<@a," * (LONG // 4),
    "dots": b"To: " + b"." * LONG,
    "folded": b"From: a\n" + b" a\n" * (LONG // 3) + b" a",
    "parameters": b"Content-Type: text/plain" + b";a=b" * (LONG // 4),
    "pieces": b"Content-Type: text/plain" + b"".join(b";a*%d=b" % i for i in range(LONG // 9)),
    "semicolons": b"Content-Type: text/plain" + b";" * LONG,
}
MIXED = b'Content-Type: multipart/mixed; boundary="%b"\n\n'
BODIES = {
    "parts": MIXED % b"b" + b"--b\n\na\n" * (LONG // 7),
    "reports": b"Content-Type: message/delivery-status\n\n" + b"a: b\n\n" * (LONG // 6),
    "nested": b"".join(MIXED % b"%d" % i + b"--%d\n" % i for i in range(450)) + b"\n" * LONG,
    "names": b"Content-Type: text/plain; charset=punycode\n\n" + b"a" * LONG,
}


@pytest.mark.parametrize("what", [*HEADERS, *BODIES])
def test_a_message_takes_time_that_grows_with_its_length_alone(what: str) -> None:
    """Each took from 20 seconds to many minutes; the longest of them takes some now."""
    head = HEADERS.get(what, b"X: y") + b"\n"
    data = head + b"Subject: Ferry\n" + BODIES.get(what, b"\nThe ferry leaves at nine.\n")
    begun = time.process_time()
    found = extract_page(data, "file:///x", MAIL)
    assert time.process_time() - begun < 10
    if what in HEADERS:
        assert (found.status, found.title) == (PageStatus.OK, "Ferry")
        assert "The ferry leaves at nine." in found.markdown
    elif what != "names":
        assert found.reason is PageReason.TOO_LARGE


@pytest.mark.parametrize(
    ("charset", "body"),
    [
        ("iso-2022-jp", "船は九時に出ます。"),
        ("windows-1252", "Die Fähre fährt um neun."),
        ("x-unknown", "Die Fähre fährt um neun."),
        ("zlib", "Die Fähre fährt um neun."),
    ],
)
def test_a_message_is_read_in_its_charset_and_else_as_text(charset: str, body: str) -> None:
    known = charset if charset[0] in "iw" else "utf-8"
    head = f"Subject: A\nContent-Type: text/plain; charset={charset}\n\n".encode()
    assert body in extract_page(head + body.encode(known), "file:///x", MAIL).markdown


def test_tables_within_tables_are_read_once() -> None:
    """Each level doubled what was read: 600 bytes took years."""
    body = "<w:p><w:r><w:t>The ferry.</w:t></w:r></w:p>"
    for _ in range(60):
        body = f"<w:tbl><w:tr><w:tc>{body}</w:tc></w:tr></w:tbl>"
    found = extract_page(docx("a", "t", body), "file:///x", DOCX)
    assert found.markdown.count("The ferry.") == 1
