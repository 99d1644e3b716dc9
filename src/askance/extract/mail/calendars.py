"""Text out of calendars (iCalendar, RFC 5545) and contacts (vCard 2.1 to 4.0): files of lines `NAME;PARAMETER=…:value`."""

from __future__ import annotations

import quopri
import re
from collections.abc import Callable, Iterator

from askance.extract.extracted import Extracted, markdown_heading, outcome
from askance.extract.mail.mail_texts import decoded_as
from askance.extract.text.decoding import decode_text

# A line that is longer than it may be goes on behind a line end and a blank (RFC 5545, 3.1).
_FOLD = re.compile(r"\r?\n[ \t]")
# `item1.TEL;TYPE="work":…`: Apple groups lines by what stands before the dot. Quoted values may hold any sign.
_LINE = re.compile(
    r"(?:[\w-]{1,50}+\.)?(?P<name>[A-Za-z][\w-]{0,60}+)(?P<parameters>(?:;(?:[^:\"]|\"[^\"]*+\"|)*+)?):(?P<value>.*)",
    re.DOTALL,
)
_CHARSET = re.compile(r"CHARSET=\"?([\w-]{1,40})", re.IGNORECASE)
_ZONE = re.compile(r"TZID=\"?/?([^\";:]{1,100})", re.IGNORECASE)
_NAMED = re.compile(r"CN=(?:\"([^\"]{1,200})|([^\";:]{1,200}))", re.IGNORECASE)
_KIND = re.compile(r"\b(home|work|cell|mobile|fax|pager)\b", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(.)")
# A soft line break, whose blank was taken for that of a fold.
_SOFT_BREAK = re.compile(r"=(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"(?:mailto|tel):", re.IGNORECASE)
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d{0,2}(Z?))?(?!\d)")
_MOST_ATTENDEES = 200

_COMPONENTS = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
_EVENT_LABELS = {
    "DTSTART": "Start", "DTEND": "End", "DUE": "Due", "COMPLETED": "Completed", "DURATION": "Duration", "RRULE": "Repeats",
    "RDATE": "Also", "EXDATE": "Except", "LOCATION": "", "DESCRIPTION": "", "COMMENT": "", "CONTACT": "Contact", "URL": "",
    "CATEGORIES": "Categories", "STATUS": "Status", "ORGANIZER": "Organizer", "ATTENDEE": "Attendees",
}  # fmt: skip
_CONTACT_LABELS = {
    "NICKNAME": "Nickname", "ORG": "Organization", "TITLE": "Title", "ROLE": "Role", "TEL": "Telephone", "EMAIL": "E-mail",
    "ADR": "Address", "BDAY": "Birthday", "ANNIVERSARY": "Anniversary", "URL": "", "IMPP": "", "NOTE": "",
    "CATEGORIES": "Categories", "RELATED": "Related",
}  # fmt: skip
_TIMES = frozenset({"DTSTART", "DTEND", "DUE", "COMPLETED", "RDATE", "EXDATE", "BDAY", "ANNIVERSARY"})  # fmt: skip
_PEOPLE = frozenset({"ORGANIZER", "ATTENDEE"})
_STRUCTURED = frozenset({"N", "ADR", "ORG"})

_Item = tuple[str, list[str]]


def read_calendar(data: bytes) -> Extracted:
    """Return the events and tasks of a calendar; of a single one its title is that of the file."""
    text = decode_text(data, "")
    name = next((v for n, _, v in _content_lines(text) if n == "X-WR-CALNAME"), "")
    return _outcome(list(_events(text)), name)


def read_contacts(data: bytes) -> Extracted:
    """Return the contacts of a file; of a single one its name is the title."""
    return _outcome(list(_contacts(decode_text(data, ""))), "")


def event_text(calendar: str) -> str:
    """Return what is to take place where and when; the calendar as it is where it says nothing of the kind."""
    return _text(_events(calendar)) or _FOLD.sub("", calendar)


def contact_text(card: str) -> str:
    """Return the contacts of a vCard; the card as it is where it has none."""
    return _text(_contacts(card)) or _FOLD.sub("", card)


def _outcome(items: list[_Item], name: str) -> Extracted:
    title = items[0][0] if len(items) == 1 else name
    blocks = (block for head, lines in items for block in (markdown_heading(head, 2), *lines))
    return outcome(blocks, title, None)


def _text(items: Iterator[_Item]) -> str:
    # An invitation may hold one event several times.
    blocks = ("\n".join(filter(None, (title, *lines))) for title, lines in items)
    return "\n\n".join(dict.fromkeys(blocks))


def _events(text: str) -> Iterator[_Item]:
    return _items(text, _COMPONENTS, {"SUMMARY"}, _EVENT_LABELS)


def _contacts(text: str) -> Iterator[_Item]:
    return _items(text, {"VCARD"}, {"FN", "N"}, _CONTACT_LABELS)


def _items(
    text: str, components: set[str] | frozenset[str], titles: set[str], labels: dict[str, str]
) -> Iterator[_Item]:
    """Yield the title and the lines of each component; what lies within one, as an alarm in an event, is none of it."""
    within: list[str] = []
    title, shown = "", dict[str, dict[str, None]]()
    for name, parameters, value in _content_lines(f"{text}\nEND:"):
        is_item = bool(within) and within[-1] in components
        if name == "END" and is_item:
            yield title, [_labelled(label, list(values)) for label, values in shown.items()]
            title, shown = "", {}
        if name in {"BEGIN", "END"}:
            within = [*within[-9:], value.strip().upper()] if name == "BEGIN" else within[:-1]
        elif is_item and name in titles:
            title = _shown(name, parameters, value) if name != "N" or not title else title
        elif is_item and name in labels:
            kinds = dict.fromkeys(kind.lower() for kind in _KIND.findall(parameters))
            label = f"{labels[name]} ({', '.join(kinds)})" if kinds else labels[name]
            # Lines without a label are texts of their own.
            shown.setdefault(label or f"\n{len(shown)}", {})[_shown(name, parameters, value)] = None


def _labelled(label: str, values: list[str]) -> str:
    text = ", ".join(values[:_MOST_ATTENDEES])
    return text if label.startswith("\n") or not text else f"{label}: {text}"


def _shown(name: str, parameters: str, value: str) -> str:
    """Return a value as people read it."""
    if name in _TIMES:
        zone = _ZONE.search(parameters)
        return _TIME.sub(_moment, value) + (f" ({zone[1]})" if zone else "")
    if name == "RRULE":
        parts = (part.partition("=") for part in _TIME.sub(_moment, value).split(";"))
        # FREQ=WEEKLY;BYDAY=MO,WE becomes "weekly, by day MO WE".
        return ", ".join(
            v.lower() if n == "FREQ" else f"{n.lower().replace('by', 'by ', 1)} {v}"
            for n, _, v in parts
        )
    if name in _STRUCTURED:
        fields = [field for field in re.split(r"(?<!\\);", value) if field.strip()]
        # A name has the family first.
        fields[:2] = fields[1::-1] if name == "N" else fields[:2]
        value = (" " if name == "N" else ", ").join(fields)
    value = _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)
    value = _SCHEME.sub("", value, count=1).strip()
    person = _NAMED.search(parameters) if name in _PEOPLE else None
    return f"{(person[1] or person[2]).strip()} <{value}>" if person else value


def _moment(found: re.Match[str]) -> str:
    year, month, day, hour, minute, is_utc = found.groups()
    time = f" {hour}:{minute}{' UTC' if is_utc else ''}" if hour else ""
    return f"{year}-{month}-{day}{time}"


def _content_lines(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the name in capitals, the parameters and the value of each line, unfolded and decoded."""
    lines = iter(_FOLD.sub("", text).replace("\r", "").split("\n"))
    for line in lines:
        if (found := _LINE.match(line)) is None:
            continue
        name, parameters, value = found.group("name", "parameters", "value")
        if "QUOTED-PRINTABLE" in parameters.upper():
            value = _from_quoted_printable(value, parameters, lines.__next__)
        yield name.upper(), parameters, value


def _from_quoted_printable(value: str, parameters: str, following: Callable[[], str]) -> str:
    parts = [value]
    while parts[-1].endswith("="):
        parts[-1] = parts[-1][:-1]
        try:
            parts.append(following())
        except StopIteration:
            break
    charset = _CHARSET.search(parameters)
    data = _SOFT_BREAK.sub("", "".join(parts)).encode("utf-8", "replace")
    return decoded_as(quopri.decodestring(data), charset[1] if charset else "")
