"""Mail: all texts of a message in order, forwarded ones too, and the names of what is not read."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from askance.domain.web import PageStatus
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
