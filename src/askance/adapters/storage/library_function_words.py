"""Passages found by function words, which no index of stems holds: a few are read, and looked through."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from askance.adapters.storage.library_schema import unpacked
from askance.text.ranking.tokens import terms, words

# A function word stands in most texts of its language: those that have it are found among the last that came.
MOST_READ, MOST_LOOKED_AT = 2_000, 50_000
# More of them are a question that lacks its subject.
_LONGEST_QUERY_WORDS = 2


def languages_without_terms(query: str, languages: Sequence[str]) -> list[str]:
    """Return the languages in which all words of a query are function words."""
    if len(query.split()) > _LONGEST_QUERY_WORDS:
        return []
    return [code for code in languages if not terms(query, code) and words(query, code)]


def passages_with(
    connection: sqlite3.Connection,
    query_text: str,
    code: str,
    where: str,
    values: Sequence[str],
) -> Iterator[int]:
    """Yield the numbers of passages of a language that have all words of a query."""
    wanted = set(words(query_text, code))
    condition = f"AND {where} " if where else ""
    rows = connection.execute(
        "SELECT passage.id, heading, start, stop, content.id FROM "  # noqa: S608 - constants
        "(SELECT * FROM passage ORDER BY id DESC LIMIT ?) AS passage "
        "CROSS JOIN content ON content.id = passage.content "
        "WHERE content.language = ? AND is_indexed AND EXISTS "
        f"(SELECT 1 FROM document WHERE document.content = content.id {condition}) LIMIT ?",
        (MOST_LOOKED_AT, code, *values, MOST_READ),
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
