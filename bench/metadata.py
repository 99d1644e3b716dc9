"""How often are title, author and date of a page right? Measured on the fixtures of Postlight's parser.

The folder is a checkout of that project: `fixtures/*.html` has the pages, and the tests below
`src/extractors/custom` say what their authors expect of each. Titles and names are compared word by
word, without regard to case; dates by the day, of which a time zone may make the neighbouring one.

    python -m bench.metadata FOLDER [--verbose]
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from askance.extract.extracted import Extracted
from askance.extract.page import extract_page

FIELDS = ("title", "author", "date")
# Outcomes of one field: as expected, missing, or something else.
RIGHT, MISSING, WRONG = "right", "missing", "wrong"

_FIXTURE = re.compile(r"readFileSync\(\s*['\"`]\./(fixtures/[^'\"`]+)")
_STRING = r"(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`\\]|\\.)*`)"
_ADDRESS = re.compile(rf"\burl\s*=\s*{_STRING}|Mercury\.parse\(\s*{_STRING.replace('text', 'own')}")
_EXPECTED = {
    "title": "title",
    "author": "author",
    "date": "date_published",
}
_WORD = re.compile(r"\w+")
_LINKING = frozenset({"and", "by"})  # of names
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


@dataclass(frozen=True, slots=True)
class Fixture:
    """A page, and what is expected of it; what no test asks for is left out of `expected`."""

    name: str
    url: str
    html: bytes
    expected: dict[str, str]


def load_fixtures(folder: Path) -> list[Fixture]:
    """Read the fixtures of a checkout that have a test of their own."""
    found: dict[str, Fixture] = {}
    for test in sorted(folder.glob("src/extractors/custom/*/index.test.js")):
        for block in re.split(r"\bdescribe\(", test.read_text(encoding="utf-8")):
            fixture = _FIXTURE.search(block)
            page = folder / fixture[1] if fixture else None
            if fixture is None or page is None or not page.is_file() or fixture[1] in found:
                continue
            address = _ADDRESS.search(block)
            url = _unquoted(address["text"] or address["own"]) if address else "http://a.example/"
            expected = dict(_expected(block))
            found[fixture[1]] = Fixture(page.stem, url, page.read_bytes(), expected)
    return list(found.values())


def outcome_of(field: str, expected: str, found: str) -> str:
    """Return whether a field is right, missing or wrong."""
    if not found:
        return MISSING
    if field == "date":
        return RIGHT if _is_same_day(expected, found) else WRONG
    return RIGHT if _words(expected) == _words(found) else WRONG


def measure(
    fixtures: Iterable[Fixture], note: Callable[[str], object] = lambda _: None
) -> dict[str, Counter[str]]:
    """Return for each field how often it is right, missing and wrong."""
    counts = {field: Counter[str]() for field in FIELDS}
    for fixture in fixtures:
        found = _fields(extract_page(fixture.html, fixture.url, "text/html"))
        for field, expected in fixture.expected.items():
            outcome = outcome_of(field, expected, found[field])
            counts[field][outcome] += 1
            if outcome != RIGHT:
                note(f"{field} {outcome}: {fixture.name}: {expected!r}, not {found[field]!r}")
    return counts


def render(counts: dict[str, Counter[str]]) -> str:
    """Return the table that tells of the outcomes."""
    rows = (
        f"| {field} | {got.total()} | {got[RIGHT]} | {got[MISSING]} | {got[WRONG]} |\n"
        for field, got in counts.items()
    )
    return "| field | expected | right | missing | wrong |\n|---|---|---|---|---|\n" + "".join(rows)


def _fields(page: Extracted) -> dict[str, str]:
    return {"title": page.title, "author": page.byline, "date": page.published or ""}


def _expected(block: str) -> Iterable[tuple[str, str]]:
    for field, variable in _EXPECTED.items():
        pattern = rf"assert(?:\.equal)?\(\s*[^;'\"`]*\b{variable}\b[^;]*?(?:,|startsWith\()\s*(?:'[A-Z-]+'\)\s*,\s*)?{_STRING}"
        if (match := re.search(pattern, block)) and (text := _unquoted(match["text"])):
            yield field, text


def _unquoted(literal: str) -> str:
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), literal[1:-1])
    return re.sub(r"\\(.)", r"\1", text).strip()


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold()) if word not in _LINKING]


def _is_same_day(expected: str, found: str) -> bool:
    # Of some dates the tests give the first figure of the day alone: "2016-12-1".
    if not _DAY.match(expected):
        return found.startswith(expected)
    days = [
        date(*map(int, match.groups())) for match in map(_DAY.match, (expected, found)) if match
    ]
    return len(days) == 2 and abs(days[0] - days[1]) <= timedelta(days=1)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the fixtures of a folder."""
    parser = argparse.ArgumentParser(prog="python -m bench.metadata", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--verbose", action="store_true", help="name what is not right")
    options = parser.parse_args(arguments)
    note: Callable[[str], object] = print if options.verbose else lambda _: None
    sys.stdout.write(render(measure(load_fixtures(options.folder), note)))


if __name__ == "__main__":
    main()
