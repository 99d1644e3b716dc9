"""Passages found by function words, which no index of stems holds: a few are read, and looked through."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from askance.adapters.storage.library_schema import unpacked
from askance.ranking.tokens import terms, words

# A function word stands in most texts of its language: those that have it are found among the first.
MOST_READ = 1_000
# More of them are a question that lacks its subject.
_LONGEST_QUERY_WORDS = 2


def languages_without_terms(said: str, languages: Sequence[str]) -> list[str]:
    """Return the languages in which all words of a query are function words."""
    if len(said.split()) > _LONGEST_QUERY_WORDS:
        return []
    return [code for code in languages if not terms(said, code) and words(said, code)]


def passages_with(
    connection: sqlite3.Connection,
    said: str,
    code: str,
    where: str,
    values: Sequence[str],
) -> Iterator[int]:
    """Yield the numbers of passages of a language that have all words of a query."""
    wanted = set(words(said, code))
    condition = f"AND {where} " if where else ""
    rows = connection.execute(
        "SELECT DISTINCT passage.id, heading, start, stop, content.id FROM content "  # noqa: S608 - constants
        "JOIN passage ON passage.content = content.id "
        "JOIN document ON document.content = content.id "
        f"WHERE content.language = ? AND is_indexed {condition}ORDER BY passage.id LIMIT ?",
        (code, *values, MOST_READ),
    )
    last, text = 0, ""
    for number, heading, start, stop, content in rows:
        if content != last:
            (packed,) = connection.execute(
                "SELECT text FROM content WHERE id = ?", (content,)
            ).fetchone()
            last, text = content, unpacked(packed)
        if wanted <= set(words(f"{heading}\n{text[start:stop]}", code)):
            yield number
