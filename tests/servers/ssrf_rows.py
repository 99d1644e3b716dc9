"""Addresses that lead inside, and some that do not: the project's own, and more where they are at hand.

`ssrf_urls.jsonl` has a row for each: the URL, whether a page may be read from there, and why; the
addresses that its name has, where that matters, and the one spelling in which it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.beside import SHARED

from askance.adapters.reader.network import RefusedAddress, judge_url
from servers.site import PUBLIC

OWN = Path(__file__).parents[1] / "adapters" / "reader" / "ssrf_urls.jsonl"
# A larger collection, beside some checkouts of the repository.
BESIDE = SHARED / "box" / "data" / "ssrf_urls.jsonl"
_NAMES_BESIDE = {
    "169.254.169.254.nip.io": ("169.254.169.254",),
    "localtest.me": ("127.0.0.1",),
}


@dataclass(frozen=True, slots=True)
class Row:
    """An address, and what is to come of it. `answers` is what its host leads to, if it is a name."""

    url: str
    is_refused: bool
    reason: str
    spelling: str = ""
    answers: tuple[str, ...] = (PUBLIC,)

    def __str__(self) -> str:
        return self.url[:60]


def ssrf_rows(*, is_refused: bool) -> list[Row]:
    """Return the rows that are refused, or those that are not."""
    own = [_own(json.loads(line)) for line in _lines(OWN)]
    beside = [_beside(json.loads(line)) for line in _lines(BESIDE)]
    return [row for row in (*own, *beside) if row.is_refused is is_refused]


def names_of(rows: Iterable[Row]) -> dict[str, list[list[str]]]:
    """Return what the names of the rows lead to, for a resolver."""
    found = dict[str, list[list[str]]]()
    for row in rows:
        with suppress(RefusedAddress):
            found[judge_url(row.url).host] = [list(row.answers)]
    return found


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines() if file.exists() else []


def _own(row: dict[str, Any]) -> Row:
    answers = tuple(row.get("answers", [PUBLIC]))
    return Row(
        row["url"], row["expect"] == "block", row["reason"], row.get("spelling", ""), answers
    )


def _beside(row: dict[str, Any]) -> Row:
    named = [name for name in _NAMES_BESIDE if name in row["url"]]
    answers = _NAMES_BESIDE[named[0]] if named else (PUBLIC,)
    return Row(row["url"], row["expect"] == "block", row["category"], "", answers)
