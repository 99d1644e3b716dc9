"""Mail: all texts of a message in order, forwarded ones too, and the names of what is not read."""

from __future__ import annotations

import struct
from base64 import b64encode
from binascii import b2a_uu
from email.message import EmailMessage

import pytest

from askance.domain.web_pages import PageStatus
from askance.extract.mail.mail_texts import unpacked_rtf
from askance.extract.page import extract_page
from servers.office import MAIL, mail


def read(message: EmailMessage | bytes) -> str:
    data = message if isinstance(message, bytes) else message.as_bytes()
    found = extract_page(data, "file:///m.eml", MAIL)
    assert found.status is PageStatus.OK, found.detail
    return found.markdown


def multipart(kind: str, *parts: str, head: str = "Subject: Boats\n") -> bytes:
    body = "".join(f"--b\n{part}\n" for part in parts)
    return f'{head}MIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary="b"\n\n{body}--b--\n'.encode()


ENCODED = b64encode(b"From: z@x\nSubject: In\n\nOtters\n").decode()
TEXT = "Content-Type: text/plain\n\n{}"
PICTURE = 'Content-Type: image/png; name="quay.png"\nContent-Disposition: inline\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo='


def test_what_follows_an_inline_picture_is_read_and_the_picture_is_named() -> None:
    text = read(multipart("mixed", TEXT.format("before"), PICTURE, TEXT.format("behind")))
    assert text.split("\n\n") == ["before", "behind", "[quay.png]"]


@pytest.mark.parametrize("kind", ["mixed", "digest"])
def test_messages_within_a_message_are_read_with_their_subjects(kind: str) -> None:
    inner = "From: bob@a.example\nSubject: {}\n\nText of {}."
    declared = "Content-Type: message/rfc822\n\n" if kind == "mixed" else "\n"
    text = read(multipart(kind, *(declared + inner.format(n, n) for n in ("one", "two"))))
    for n in ("one", "two"):
        assert f"## {n}\n\nFrom: bob@a.example\n\nText of {n}." in text


@pytest.mark.parametrize("plain", ["", " \n", "This message is in HTML."])
def test_the_html_part_is_read_where_the_plain_one_is_a_stub(plain: str) -> None:
    page = "<h1>Hours</h1><p>The vicuna house opens at nine in January and closes at four.</p>"
    made = EmailMessage()
    made["Subject"] = "Boats"
    made.set_content(plain)
    made.add_alternative(page, subtype="html")
    assert "# Hours\n\nThe vicuna house opens at nine" in read(made)


def test_of_two_forms_of_one_text_the_plain_one_is_read_once() -> None:
    text = read(mail("The ferry leaves at nine.", html="<p>The ferry <b>leaves</b> at nine.</p>"))
    assert text.count("leaves") == 1


@pytest.mark.parametrize(
    "head",
    [
        'Content-Type: text/plain; charset="x-unheard-of"\n',
        "Content-Type: text/plain; charset=\n",
        "Date: sometime in spring\n",
        "Subject: =?x-unheard-of?q?caf=E9?=\n",
        "From: =?utf-8?b?@@?= <a@\n",
    ],
)
def test_a_header_against_the_rules_costs_no_text(head: str) -> None:
    assert "The manatee offer stands." in read(f"{head}\nThe manatee offer stands.\n".encode())


def test_names_of_files_in_other_letters_are_kept() -> None:
    made = EmailMessage()
    made.set_content("See the file.")
    made.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="Größe.pdf")
    assert "[Größe.pdf]" in read(made)


def test_a_message_nested_without_end_is_one_sentence() -> None:
    data = b"Content-Type: message/rfc822\n\n" * 900 + b"deep"
    found = extract_page(data, "file:///m.eml", MAIL)
    assert found.status is PageStatus.FAILED
    assert str(found.detail).endswith(".")


def test_what_stands_beside_one_form_of_a_text_is_read_too() -> None:
    page = "Content-Type: text/html\n\n<p>{}</p>"
    mixed = "".join(
        f"--c\n{part}\n"
        for part in (
            page.format("the same long text"),
            TEXT.format("an extra"),
            page.format("yours ever"),
        )
    )
    inner = f"Content-Type: multipart/mixed; boundary=c\n\n{mixed}--c--\n"
    text = read(multipart("alternative", TEXT.format("the same long text"), inner))
    assert text.split("\n\n") == ["the same long text", "an extra", "yours ever"]


@pytest.mark.parametrize(
    ("charset", "data", "text"),
    [
        ("iso-8859-1", b"\x93na\xefve\x94 \x9cuvre \x80 5", "“naïve” œuvre € 5"),
        ("us-ascii", "Größe der Straße".encode("cp1252"), "Größe der Straße"),
        ("ks_c_5601-1987", "똠방각하".encode("cp949"), "똠방각하"),
        ("gb2312", "朱镕基".encode("gbk"), "朱镕基"),
        ("x-sjis", "日本語①".encode("cp932"), "日本語①"),
        ("windows-874", "สวัสดี".encode("cp874"), "สวัสดี"),
        ("x-gbk", "你好".encode("gbk"), "你好"),
    ],
)
def test_charsets_are_read_as_browsers_read_them(charset: str, data: bytes, text: str) -> None:
    head = f"Subject: a\nContent-Type: text/plain; charset={charset}\n\n".encode()
    assert read(head + data) == text


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (
            f"message/rfc822\nContent-Transfer-Encoding: base64\n\n{ENCODED}",
            "## In\n\nFrom: z@x\n\nOtters",
        ),
        (
            f'application/octet-stream; name="a.EML"\nContent-Transfer-Encoding: base64\n\n{ENCODED}',
            "## In\n\nFrom: z@x\n\nOtters",
        ),
        ("multipart/mixed\n\nOtters without parts", "Otters without parts"),
        ("application/xhtml+xml\n\n<html><body><p>Otters</p></body></html>", "Otters"),
        ("text/x-amp-html\n\n<p>Otters</p>", "Otters"),
        ("application/rtf\n\n{\\rtf1 {\\b Otters}}", "Otters"),
        (
            "message/delivery-status\n\nReporting-MTA: x\n\nAction: failed",
            "Reporting-MTA: x\n\nAction: failed",
        ),
        (
            "message/delivery-status\n\nThe otters were not reached: they swim.\n",
            "The otters were not reached: they swim.",
        ),
    ],
)
def test_parts_of_other_kinds_are_read(part: str, text: str) -> None:
    assert read(multipart("mixed", f"Content-Type: {part}")) == text


def test_headers_in_a_code_page_that_is_not_named_are_read() -> None:
    found = extract_page(
        "Subject: Grüße vom Walroß\n\nText".encode("cp1252"), "file:///m.eml", MAIL
    )
    assert found.title == "Grüße vom Walroß"


# ContentInfo of signed data, as RFC 5652 has it: the content as octets, and as chunks without a length before them.
_DATA = "06092a864886f70d010701"
_INNER = b"Content-Type: text/plain\n\nSigned otters".hex()


@pytest.mark.parametrize(
    "content",
    [f"a02904 27{_INNER}", f"a080 2480 0414{_INNER[:40]} 0413{_INNER[40:]} 0000 0000"],
)
def test_a_text_within_its_signature_is_read(content: str) -> None:
    data = bytes.fromhex(
        f"3080 06092a864886f70d010702 a080 3080 020101 3100 3080 {_DATA} {content}"
    )
    assert read(_smime(data)) == "Signed otters"


def test_an_encrypted_message_says_so() -> None:
    data = bytes.fromhex(
        f"3080 06092a864886f70d010703 a080 3080 020100 3100 3080 {_DATA} 3000 8004"
    )
    found = extract_page(_smime(data), "file:///m.eml", MAIL)
    assert str(found.detail) == "The text of the message is encrypted."
    assert found.markdown == "[smime.p7m]"


def _smime(data: bytes) -> bytes:
    head = 'Subject: a\nContent-Type: application/pkcs7-mime; name="smime.p7m"\n'
    return f"{head}Content-Transfer-Encoding: base64\n\n{b64encode(data).decode()}".encode()


def _tnef(*attributes: tuple[int, bytes]) -> bytes:
    body = b"".join(
        struct.pack("<BII", 1, kind, len(value)) + value + b"\0\0" for kind, value in attributes
    )
    return bytes.fromhex("789f3e220100") + body


def _field(kind: int, name: int, value: bytes) -> bytes:
    padded = value + bytes(-len(value) % 4)
    return struct.pack("<IHHII", 1, kind, name, 1, len(value)) + padded


RTF = rb"{\rtf1 The otters swim.}"
PLAIN_RTF = struct.pack("<II4sI", len(RTF) + 12, len(RTF), b"MELA", 0) + RTF
# Two properties, the first of which is three numbers.
SEVERAL_NUMBERS = struct.pack("<IHHI3I", 2, 0x1003, 0x7001, 3, 1, 2, 3)


@pytest.mark.parametrize("plain", ["", "The otters swim."])
@pytest.mark.parametrize(
    "body",
    [
        (0x2800C, b"The otters swim.\0"),
        (0x69003, _field(0x1F, 0x1000, "The otters swim.\0".encode("utf-16-le"))),
        (0x69003, _field(0x102, 0x1013, b"<p>The otters <b>swim</b>.</p>")),
        (0x69003, _field(0x102, 0x1009, PLAIN_RTF)),
        (0x69003, SEVERAL_NUMBERS + _field(0x102, 0x1009, PLAIN_RTF)[4:]),
    ],
)
def test_a_winmail_dat_is_read_once_and_its_files_are_named(
    plain: str, body: tuple[int, bytes]
) -> None:
    names = (0x18010, b"OTTER~1.PDF\0"), (0x69005, _field(0x1E, 0x3707, b"otters of 2024.pdf\0"))
    data = b64encode(_tnef(body, *names)).decode()
    part = f"Content-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\n{data}"
    text = read(multipart("mixed", TEXT.format(plain), part))
    assert text.split("\n\n") == ["The otters swim.", "[otters of 2024.pdf]"]


@pytest.mark.parametrize(
    ("packed", "text"),
    [  # the two examples of MS-OXRTFCP, 4.1
        ("2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0",
         rb"{\rtf1\ansi\ansicpg1252\pard hello world}" + b"\r\n"),
        ("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0", rb"{\rtf1 WXYZWXYZWXYZWXYZWXYZ}"),
    ],
)  # fmt: skip
def test_the_packed_rtf_of_outlook_is_unpacked_as_far_as_it_goes(packed: str, text: bytes) -> None:
    data = bytes.fromhex(packed)
    assert unpacked_rtf(data) == text
    for end in range(len(data)):
        assert text.startswith(unpacked_rtf(data[:end]))


@pytest.mark.parametrize("data", [b"\0" * 45, bytes(range(45)), b"begin 644 again\n"])
def test_a_file_in_uuencode_is_named_in_its_place(data: bytes) -> None:
    lines = b"".join(b2a_uu(data[n : n + 45], backtick=True) for n in range(0, len(data), 45))
    block = f"begin 644 quay side.png\n{lines.decode()}`\nend"
    assert read(f"Subject: Boats\n\nbefore\n\n{block}\n\nbehind".encode()).split("\n\n") == [
        "before", "[quay side.png]", "behind",
    ]  # fmt: skip
    crlf = f"Subject: Boats\n\nbefore\n\n{block}\n\nbehind".replace("\n", "\r\n")
    assert read(crlf.encode()).split("\n\n") == ["before", "[quay side.png]", "behind"]


def test_a_part_of_rtf_that_is_nested_too_deep_costs_itself_alone() -> None:
    part = f"Content-Type: text/rtf\n\n{{\\rtf1 {'{' * 6_000}"
    assert read(multipart("mixed", TEXT.format("seen"), part)) == "seen"


def test_words_that_begin_like_a_file_in_uuencode_stay() -> None:
    text = "begin 100 swims\nOTTERS SWIM FAR OUT\nend"
    assert read(f"Subject: Boats\n\n{text}".encode()) == text


def test_a_damaged_winmail_dat_is_named() -> None:
    whole = _tnef((0x69003, _field(0x1E, 0x1000, b"text")), (0x18010, b"a.pdf\0"))
    for end in range(4, len(whole)):
        data = b64encode(whole[:end]).decode()
        part = f"Content-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\n{data}"
        assert read(multipart("mixed", TEXT.format("seen"), part)).startswith("seen")
