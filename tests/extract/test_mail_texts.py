"""Mail as many programs write it: heads, names and texts against the rules, and what is shown of them all the same."""

from __future__ import annotations

from base64 import b64encode

import pytest

from askance.domain.web_pages import PageStatus
from askance.extract.extracted import Extracted
from askance.extract.mail.calendars import event_text
from askance.extract.page import extract_page
from servers.office import MAIL

OTTERS = "Die Otter schwimmen über den großen Fluß."


def extracted(message: str | bytes) -> Extracted:
    data = message if isinstance(message, bytes) else message.encode()
    found = extract_page(data, "file:///m.eml", MAIL)
    assert found.status is PageStatus.OK, found.detail
    return found


def body(head: str, text: str | bytes) -> str:
    """What is read of a text with a head of its own."""
    data = text if isinstance(text, bytes) else text.encode()
    return extracted(f"Subject: a\n{head}\n\n".encode() + data).markdown


def parts(kind: str, *all_parts: str) -> str:
    return body(
        f"Content-Type: multipart/{kind}; boundary=b",
        "".join(f"--b\nContent-Type: {part}\n" for part in all_parts) + "--b--\n",
    )


@pytest.mark.parametrize(
    "message",
    [
        "\ufeffSubject: Otters\nContent-Type: text/html\n\n<p>They swim</p>",
        "\r\n\r\nSubject: Otters\r\nContent-Type: text/html\r\n\r\n<p>They swim</p>",
        ">From a@a Mon Jan 1 10:00:00 2024\nSubject: Otters\nContent-Type: text/html\n\n<p>They swim</p>",
        "Subject: Otters\nX-Old: 1\nno header at all\nContent-Type: text/html\n\n<p>They swim</p>",
        "X-Old : 1\nSubject : Otters\nContent-Type: text/html\n\n<p>They swim</p>",
    ],
)
def test_a_head_against_the_rules_is_no_text(message: str) -> None:
    found = extracted(message)
    assert (found.title, found.markdown) == ("Otters", "They swim")


def test_a_text_without_a_line_between_it_and_its_head_stays() -> None:
    assert (
        extracted("Subject: a\nThe otters swim.\nThey do.\n").markdown
        == "The otters swim.\nThey do."
    )


@pytest.mark.parametrize(
    ("declared", "real"),
    [
        ("iso-8859-1", "utf-8"), ("utf-8", "cp1252"), ("iso-2022-jp", "utf-8"), ("gb2312", "utf-8"), ("utf-16", "utf-8"),
        ("us-ascii", "cp1252"), ("iso-8859-15", "cp1252"),
    ],
)  # fmt: skip
def test_a_text_is_read_in_the_charset_that_it_is_in(declared: str, real: str) -> None:
    text = f"{OTTERS} {OTTERS}"
    assert body(f"Content-Type: text/plain; charset={declared}", text.encode(real)) == text


@pytest.mark.parametrize(
    ("charset", "data", "text"),
    [
        ("gb2312", "谩好".encode("gbk"), "谩好"),
        ("iso-2022-jp", b"\x1b$B-!|b\x1b(B", "\u2460髙"),
        ("iso-8859-8-i", "שלום".encode("iso8859-8"), "שלום"),
        ("utf-7", b"Gr+APwA3w-e", "Grüße"),
    ],
)
def test_a_short_text_is_read_as_declared(charset: str, data: bytes, text: str) -> None:
    assert body(f"Content-Type: text/plain; charset={charset}", data) == text


def word(text: bytes, charset: str = "utf-8") -> str:
    return f"=?{charset}?B?{b64encode(text).decode()}?="


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ("=?utf-8?q?Gr=C3=BC=C3=9Fe aus?= K", "Grüße aus K"),
        ("Re:=?UTF-8*de?Q?Gr=C3=BC=C3=9Fe?=", "Re:Grüße"),
        ("=?utf-8?q?Gr=C3=BC?=\n =?utf-8?q?=C3=9Fe?= an =?utf-8?q?alle?=", "Grüße an alle"),
        (word("Grüße an".encode()).replace("=?=", "?="), "Grüße an"),
        (f"{word('日本'.encode()[:4])} {word('日本'.encode()[4:])}", "日本"),
        (word("朱镕基".encode("gbk"), "gb2312"), "朱镕基"),
        (word(b"\x1b$B-!|b\x1b(B", "iso-2022-jp"), "\u2460髙"),
        (word("שלום".encode("iso8859-8"), "iso-8859-8-i"), "שלום"),
        ("=?utf-8?Q?Was ist los??=", "Was ist los?"),
        ("=?x?y=? 1 =?utf-8?x?a?=", "=?x?y=? 1 =?utf-8?x?a?="),
    ],
)
def test_encoded_words_are_read_as_people_wrote_them(subject: str, title: str) -> None:
    assert extracted(f"Subject: {subject}\n\ntext").title == title


def test_names_and_addresses_are_read_to_the_last() -> None:
    people = ",\n ".join(f"Person {n} <p{n}@x.example>" for n in range(150))
    head = f'From: "=?utf-8?q?M=C3=BCller=2C_Ann?=" <a@x>\nTo: {people}\nBcc: z@x\n'
    text = extracted(f"{head}Subject: a\n\ntext").markdown
    assert text.startswith('From: "Müller, Ann" <a@x>\nTo: Person 0 <p0@x.example>, Person 1 ')
    assert "Person 149 <p149@x.example>\nBcc: z@x\n\ntext" in text


LONG = " ".join(f"word{n}" for n in range(60))


@pytest.mark.parametrize("more", [10, 40, 200])
def test_of_two_forms_the_one_that_says_more_is_read_once(more: int) -> None:
    page = f"<p>{LONG}</p><p>{' '.join(f'more{n}' for n in range(more))}</p>"
    text = parts("alternative", f"text/plain\n\n{LONG} https://a.example/x", f"text/html\n\n{page}")
    assert text.count("word7") == text.count(f"more{more - 1}") == 1


def test_two_forms_that_say_different_things_are_both_read() -> None:
    text = parts("alternative", f"text/plain\n\n{LONG}", "text/html\n\n<p>The otters swim.</p>")
    assert text == f"{LONG}\n\nThe otters swim."


def test_lines_of_a_script_without_spaces_are_cut_anywhere() -> None:
    line = "会議は明日の午前九時から第二会議室で行いますので資料を持って参加してください。"
    text = parts(
        "alternative",
        f"text/plain; charset=utf-8\n\n{line[:17]}\n{line[17:]}",
        f"text/html; charset=utf-8\n\n<p>{line}</p>",
    )
    assert text == f"{line[:17]}\n{line[17:]}"


CALENDAR = (
    "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nDTSTART:16010101T030000\nEND:VTIMEZONE\nBEGIN:VEVENT\nSUMMARY;LANGUAGE=en:Otters\\, all\n"
    "LOCATION:Quay\n  room\nDTSTART;TZID=Rome:20240107T090000\nDESCRIPTION:Bring\\na net\nUID:1\nEND:VEVENT\nEND:VCALENDAR"
)


def test_an_invitation_says_what_is_where_and_when() -> None:
    text = parts(
        "alternative", "text/plain\n\nBring a net", f"text/calendar; method=REQUEST\n\n{CALENDAR}"
    )
    assert text.split("\n\n")[-1].split("\n") == [
        "Otters, all", "Quay room", "Start: 2024-01-07 09:00 (Rome)", "Bring", "a net",
    ]  # fmt: skip
    assert event_text("BEGIN:VCALENDAR") == "BEGIN:VCALENDAR"


@pytest.mark.parametrize(
    ("kind", "text", "shown"),
    [
        ("", "The ferry leaves \nat nine.\n\n From here\n> a quote \n> goes on\n>> it\n-- \nAnn",
         "The ferry leaves at nine.\n\nFrom here\n> a quote goes on\n>> it\n--\nAnn"),
        ("; delsp=yes", "会議は明日の午 \n前九時から。\nhttps://a.example/long \n/path",
         "会議は明日の午前九時から。\nhttps://a.example/long/path"),
    ],
)  # fmt: skip
def test_lines_that_flow_are_one(kind: str, text: str, shown: str) -> None:
    assert body(f"Content-Type: text/plain; charset=utf-8; format=flowed{kind}", text) == shown


@pytest.mark.parametrize(
    ("coding", "text", "shown"),
    [
        ('"quoted-printable"', "Gr=C3=BC=C3=9Fe", "Grüße"),
        ("quoted-printable; (x)", "Gr=C3=BC=C3=9Fe", "Grüße"),
        ("base64", f"{b64encode('Grüße'.encode()).decode()}\n___\nlist@x.example", "Grüße\n___\nlist@x.example"),
        ("base64", "The otters swim, no more.", "The otters swim, no more."),
        ("base64", b64encode(b"The otters swim").decode()[:-3], "The otters s"),
        ("base64", f"{b64encode(b'A b').decode()}{b64encode(b'cd').decode()}=\n{b64encode(b'e').decode()}", "A bcde"),
    ],
)  # fmt: skip
def test_texts_are_decoded_as_far_as_they_are_encoded(coding: str, text: str, shown: str) -> None:
    head = f"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {coding}"
    assert body(head, text) == shown


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ('text/csv\nContent-Disposition: attachment; filename="a b.csv"\n\n1,2', "1,2\n\n[a b.csv]"),
        ("application/pdf\nContent-Disposition: attachment\n\nx", "[application/pdf]"),
        ("application/pdf; name=Bericht Mai.pdf\n\nx", "[Bericht Mai.pdf]"),
        (f'application/pdf; name="{word("朱镕基.pdf".encode("gbk"), "gb2312")}"\n\nx', "[朱镕基.pdf]"),
        ("message/disposition-notification\n\nFinal-Recipient: rfc822;a@a\nDisposition: x; displayed\n",
         "Final-Recipient: rfc822;a@a\nDisposition: x; displayed"),
        ("text/rfc822-headers\n\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\n =?utf-8?q?_an?=", "Subject: Grüße an"),
        ("text/vcard\n\nFN:Ann\nNOTE:The ot\n ters", "FN:Ann\nNOTE:The otters"),
    ],
)  # fmt: skip
def test_parts_are_shown_as_programs_for_mail_show_them(part: str, text: str) -> None:
    assert parts("mixed", part) == text


def test_a_text_that_is_encrypted_says_so() -> None:
    found = extracted(
        "Subject: a\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA1\n-----END PGP MESSAGE-----"
    )
    assert str(found.detail) == "The text of the message is encrypted."


def test_a_message_of_apple_mail_has_its_length_before_it() -> None:
    message = "Subject: Otters\n\nThey swim."
    data = f"{len(message)}        \n{message}\n<?xml version='1.0'?><plist><dict/></plist>"
    assert (extracted(data).title, extracted(data).markdown) == ("Otters", "They swim.")


def test_a_page_that_is_saved_with_its_pictures_is_read() -> None:
    data = (
        "From: <Saved by Blink>\nSubject: Otters\nContent-Type: multipart/related; boundary=b\n\n"
        "--b\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n"
        "<meta charset=3Dutf-8><nav>Menu</nav><p>Gr=C3=B6=C3=9Fe</p>\n"
        "--b\nContent-Type: text/css\nContent-Location: cid:1\n\np { color: red }\n"
        "--b\nContent-Type: image/png\nContent-Location: x.png\n\nx\n--b--\n"
    )
    found = extract_page(data.encode(), "file:///a.mhtml", "multipart/related; first=0")
    assert (found.title, found.markdown) == ("Otters", "Menu\n\nGröße")
