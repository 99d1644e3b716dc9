"""When a page was published and updated: days told apart by what the page says they are of."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from askance.extract.claims import Claims
from askance.extract.dates import DateKind, Day, days_in, iso_of, kind_of_label
from askance.extract.lines import WORD, PageLine, is_of_topic, line_in, names_of
from askance.extract.tree import Node, text_of

# A line with more words beside a day tells of something.
_MOST_BESIDE_DAY = 25
_MOST_BESIDE_UNNAMED = 8
_FEWEST_IN_SENTENCE = 3  # words
_LONGEST_LABEL = 40  # characters
_SIGNS = " .,:;-|*\"'()\u2013\u2014\xb7"
_URL_DAY = re.compile(r"/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?=[/_.-]|$)")
_URL_COMPACT_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)")

_DATE_NAMES = re.compile(
    r"date|time|publish|posted|entry-meta|byline|datum|fecha|timestamp|日付", re.IGNORECASE
)


class PublicationDays:
    """Finds the days of a page among what it claims and what stands in its lines."""

    def __init__(self, claims: Claims, url: str, language: str) -> None:
        self._claims = claims
        self._url = url
        self._language = language

    def read(
        self,
        lines_near: Callable[[], Sequence[PageLine]],
        all_lines: Callable[[], Sequence[PageLine]],
    ) -> tuple[str, str]:
        """Return the days of publication and of the update, empty where the page does not say them for sure.

        `lines_near` returns the lines around the heading of the article, the nearest first.
        """
        claims = self._claims
        if claims.published and (later := [d for d in claims.updated if d >= claims.published[0]]):
            return claims.published[0], later[0]
        published = list(claims.published)
        updated = list(claims.updated)
        unsaid: list[str] = []
        for line in lines_near():
            self._sort_days(line, published, updated, unsaid)
        by_url = _day_in_url(self._url)
        if not published and not by_url and not unsaid:
            lines = all_lines()
            # The ends of an article and of a page say when they were made, if they say so at all.
            for line in lines:
                self._sort_days(line, published, updated, [])
            # The only day of a page, in a line of its own, is the page's.
            alone = {
                day.iso
                for line in lines
                for day in days_in(line.text, self._language)
                if day.kind is DateKind.UNSAID
            }
            if len(alone) == 1 and not published and not updated:
                unsaid = [day for line in lines if (day := _lone_day(line, self._language))]
        found = next(iter([*published, *filter(None, [by_url]), *unsaid]), "")
        return found, next((day for day in updated if day >= found), "")

    def _sort_days(
        self, line: PageLine, published: list[str], updated: list[str], unsaid: list[str]
    ) -> None:
        days = list(days_in(line.text, self._language))
        times = [time for element in line.elements if (time := element.get("datetime"))]
        if not (days or times) or any(is_of_topic(element) for element in line.elements[:1]):
            return
        line_kind = days[0].kind if days else kind_of_label(line.text[:_LONGEST_LABEL])
        beside = len(WORD.findall(line.text)) - 4 * len(days)
        stamps = {
            iso: kind
            for element in line.elements
            if times
            and (iso := iso_of(element.get("datetime", "")))
            and (kind := _kind_of(element, line_kind, line))
        }
        is_short = beside <= _MOST_BESIDE_DAY
        for day in days:
            kind = stamps.get(day.iso, day.kind)
            if kind is DateKind.UNSAID:
                kind = _kind_in_row(line)
            if kind is DateKind.PUBLISHED and is_short:
                published.append(day.iso)
            elif kind is DateKind.UPDATED:
                updated.append(day.iso)
            elif kind is DateKind.UNSAID and is_short and _is_dateline(line, beside, day):
                unsaid.append(day.iso)
        if not days:
            lists = {
                DateKind.PUBLISHED: published,
                DateKind.UPDATED: updated,
                DateKind.UNSAID: unsaid,
            }
            for iso, kind in stamps.items():
                lists.get(kind, []).append(iso)


def _kind_of(element: Node, line_kind: DateKind, line: PageLine) -> DateKind:
    """Return what the names of a time's element, or else the words of its line or row, say it is of."""
    kind = kind_of_label(names_of(element))
    if kind in {DateKind.PUBLISHED, DateKind.UPDATED}:
        return kind
    return _kind_in_row(line) if line_kind is DateKind.UNSAID else line_kind


def _kind_in_row(line: PageLine) -> DateKind:
    """Return what the cell or the term before a line says its day is of; a fact of the topic, mostly."""
    cell = line.elements[0] if line.elements else None
    before = cell.getprevious() if cell is not None and cell.tag in {"td", "dd"} else None
    label = line_in(text_of(before)) if before is not None else ""
    if not label or len(label) > _LONGEST_LABEL:
        return DateKind.UNSAID
    kind = kind_of_label(label)
    return DateKind.OTHER if kind is DateKind.UNSAID else kind


def _is_dateline(line: PageLine, beside: int, day: Day) -> bool:
    """Whether a line is there to say a day: by its element's name, or since the day stands apart in it."""
    if any(_DATE_NAMES.search(names_of(e)) for e in line.elements):
        return True
    before = line.text[: day.start].rstrip(" ")
    if any(e.tag == "time" for e in line.elements):
        return not _is_in_sentence(before, line.text[day.end :], beside)
    return beside <= _MOST_BESIDE_UNNAMED and (not before or before[-1] in _SIGNS)


def _is_in_sentence(before: str, behind: str, beside: int) -> bool:
    """Whether a day is the day of an event: a sentence goes on to it, or says what happened on it."""
    if behind.lstrip().startswith(":"):
        return True
    last = before.rpartition(" ")[2]
    return beside >= _FEWEST_IN_SENTENCE and last.isalpha() and last.islower()


def _lone_day(line: PageLine, language: str) -> str:
    days = list(days_in(line.text, language))
    if line.elements and (
        is_of_topic(line.elements[0]) or _kind_in_row(line) is not DateKind.UNSAID
    ):
        return ""
    is_alone = len(days) == 1 and not line.text[: days[0].start].strip(_SIGNS)
    return days[0].iso if is_alone and not line.text[days[0].end :].strip(_SIGNS) else ""


def _day_in_url(url: str) -> str:
    path = urlsplit(url).path
    for pattern in (_URL_DAY, _URL_COMPACT_DAY):
        if match := pattern.search(path):
            return iso_of(f"{match[1]}-{match[2]}-{match[3]}")
    return ""
