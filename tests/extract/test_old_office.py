"""Workbooks of Excel before 2007, messages of Outlook, calendars and contacts: what people see of them is their text."""

from __future__ import annotations

from askance.domain.web_pages import PageStatus
from askance.extract.extracted import WITHOUT_FILES, Extracted
from askance.extract.mail.calendars import event_text
from askance.extract.page import extract_page
from servers.office import docx
from servers.old_office import msg, ole, xls

XLS, MSG = "application/vnd.ms-excel", "application/vnd.ms-outlook"


def read(data: bytes, kind: str) -> Extracted:
    return extract_page(data, "file:///in", kind)


def test_the_cells_of_an_old_workbook_are_read_row_by_row() -> None:
    found = read(xls([["Boiler", 1234.5], ["Größe", 3.0]]), XLS)
    assert found.markdown == "## Sums\n\n| Boiler | 1234.5 |\n| Größe | 3 |"


def test_a_hidden_sheet_says_that_it_is_one() -> None:
    assert read(xls([["Boiler"]], is_hidden=True), XLS).markdown.startswith("## Sums (hidden)")


def test_a_damaged_old_workbook_is_an_outcome() -> None:
    whole = xls([["Boiler"]])
    for data in (
        whole[:1000],
        ole({"Other": b"x"}),
        whole.replace(b"\x09\x08\x10\x00", b"\xff\xff\xff\xff"),
    ):
        assert read(data, XLS).status is not PageStatus.OK


def test_what_only_has_an_old_name_is_read_as_what_it_is() -> None:
    page = b"<html><body><table><tr><td>Boiler</td><td>12</td></tr></table></body></html>"
    assert "Boiler" in read(page, XLS).markdown
    assert "Boiler" in read(b"Boiler\t12\nPump\t3\n", XLS).markdown
    assert "Boiler" in read(b"{\\rtf1 Boiler}", "application/msword").markdown
    assert "Boiler" in read(docx("Boiler", "A"), "application/msword").markdown


def test_a_message_of_outlook_has_people_texts_and_files() -> None:
    inner = msg({0x37: "Inner", 0x1000: "The inner otter."}, depth=1)
    data = msg(
        {0x37: "Lease", 0x1000: "Grüße, see the lease.", 0x0C1A: "Ann", 0x5D01: "ann@a.example"},
        [(1, "Bob", "bob@b.example"), (2, "Cid", "cid@b.example"), (1, "Dee", "dee@b.example")],
        {"lease.docx": docx("It ends in May.", "A"), "photo.xyz": b"\1", "more": inner},
        sent=133536960000000000,
    )
    assert isinstance(data, bytes)
    found = read(data, MSG)
    assert found.title == "Lease"
    assert found.published == "2024-02-29"
    for text in ("From: Ann <ann@a.example>", "To: Bob <bob@b.example>, Dee <dee@b.example>", "Cc: Cid", "Grüße", "inner otter",
                 "## lease.docx", "It ends in May.", "[photo.xyz]"):  # fmt: skip
        assert text in found.markdown
    assert found.detail == "Attachments not read, or only in part: 1 (photo.xyz)."
    without = read(data, MSG + WITHOUT_FILES)
    assert "Grüße" in without.markdown
    assert "It ends in May" not in without.markdown
    assert "2 (lease.docx, photo.xyz)" in without.detail


def test_a_message_of_outlook_that_holds_itself_in_html_alone_is_read() -> None:
    data = msg({0x37: "Page", 0x1013: b"<p>The <b>heron</b> waits.</p>"})
    assert isinstance(data, bytes)
    assert "heron" in read(data, MSG).markdown
    assert read(data[:3000], MSG).status is PageStatus.FAILED


EVENT = """BEGIN:VCALENDAR
X-WR-CALNAME:Club
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
DTSTART:19961027T030000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20240305T140000
DTEND:20240305T150000Z
SUMMARY:Regatta\\, the gr
 eat one
LOCATION:Quay
DESCRIPTION:Bring a net.\\nAnd a hat.
RRULE:FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20241231
ORGANIZER;CN="Ann: the first":mailto:ann@a.example
ATTENDEE;CN=Bob;PARTSTAT=ACCEPTED:mailto:bob@b.example
ATTENDEE:mailto:cid@c.example
BEGIN:VALARM
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
BEGIN:VTODO
SUMMARY:Paint
DUE;VALUE=DATE:20240401
END:VTODO
END:VCALENDAR
"""


def test_a_calendar_says_what_is_where_when_and_with_whom() -> None:
    found = read(EVENT.replace("\n", "\r\n").encode(), "text/calendar")
    assert found.title == "Club"
    assert found.markdown.split("\n\n") == [
        "## Regatta, the great one", "Start: 2024-03-05 14:00 (Europe/Berlin)", "End: 2024-03-05 15:00 UTC", "Quay",
        "Bring a net.\nAnd a hat.", "Repeats: weekly, by day MO,WE, until 2024-12-31", "Organizer: Ann: the first <ann@a.example>",
        "Attendees: Bob <bob@b.example>, cid@c.example", "## Paint", "Due: 2024-04-01",
    ]  # fmt: skip
    assert "Regatta, the great one" in event_text(EVENT)


def test_a_calendar_that_is_cut_is_read_as_far_as_it_goes() -> None:
    cut = EVENT[: EVENT.index("DESCRIPTION")]
    assert read(cut.encode(), "text/calendar").title == "Regatta, the great one"
    assert read(b"Not a calendar", "text/calendar").status is PageStatus.FAILED


def test_contacts_of_three_versions_are_read() -> None:
    cards = (
        "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=\n=C3=BCrgen\nTEL;CELL;VOICE:+49 30 1\nEND:VCARD\n"
        "BEGIN:VCARD\nVERSION:3.0\nFN:Clara Quoll\nitem1.EMAIL;TYPE=INTERNET,WORK:clara@q.example\n"
        "ADR;TYPE=home:;;Quay 3;Kelhaven;;12345;Land\nPHOTO;ENCODING=b:AAAA\n AAAA\nNOTE:Likes\\, tea\nEND:VCARD\n"
        "BEGIN:VCARD\nVERSION:4.0\nFN:Dee\nTEL;VALUE=uri:tel:+44-1\nBDAY:19850412\nORG:Ferries;Office\nEND:VCARD\n"
    )
    found = read(cards.encode(), "text/vcard")
    assert found.markdown.split("\n\n") == [
        "## Jürgen Müller", "Telephone (cell): +49 30 1", "## Clara Quoll", "E-mail (work): clara@q.example",
        "Address (home): Quay 3, Kelhaven, 12345, Land", "Likes, tea", "## Dee", "Telephone: +44-1", "Birthday: 1985-04-12",
        "Organization: Ferries, Office",
    ]  # fmt: skip
    assert read(b"BEGIN:VCARD\nFN:Ann Otter\nEND:VCARD", "text/vcard").title == "Ann Otter"
