"""The tables of the history's file: its shape, events as values, and the full-text index."""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from askance.adapters.storage.database import Schema, storable
from askance.domain.errors import InputError
from askance.domain.events import Answered, Cancelled, ClarifyAsked, SourcesReady, TokenArrived
from askance.domain.evidence import Source
from askance.domain.history import TimedEvent
from askance.domain.messages import NOTHING, Message
from askance.domain.records import from_record, to_record
from askance.text.ranking.snippets import Range, Snippet, cut_around
from askance.text.ranking.tokens import CJK, CJK_RUN, fold

# The index keeps its own copy of the texts. It is the only plain copy of answers and sources, whose
# full record is the compressed `events`; and a row can go by its number alone, while an index over
# another table must be given the old texts word by word, and is spoiled by one wrong word.
SCHEMA = Schema(
    Message("The history of conversations"),
    (
        (
            """
            CREATE TABLE conversation (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                title TEXT NOT NULL,
                created_at TEXT NOT NULL,
                updated_at TEXT NOT NULL
            )
            """,
            "CREATE INDEX conversation_updated ON conversation (updated_at, id)",
            """
            CREATE TABLE exchange (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
                command TEXT NOT NULL,
                text TEXT NOT NULL,
                quote TEXT NOT NULL,
                asked_at TEXT NOT NULL,
                ended INTEGER NOT NULL DEFAULT 0,
                events BLOB
            )
            """,
            "CREATE INDEX exchange_conversation ON exchange (conversation, id)",
            """
            CREATE VIRTUAL TABLE words USING fts5 (
                title, question, answer, sources, title_pairs, pairs,
                tokenize = 'unicode61 remove_diacritics 2'
            )
            """,
        ),
    ),
)
_ALL_LOST = Message("The answer to this question cannot be read any more.")

_WORD = re.compile(r"[^\W_]+")
_MAX_WORDS = 32
_EXCERPT_CHARACTERS = 160
_BEFORE_CHARACTERS = 40


def packed(events: Iterable[TimedEvent]) -> bytes:
    """Return events as they are stored: JSON records, compressed. Arriving tokens are left out."""
    records = [to_record(e.event, e.at_s) for e in events if not isinstance(e.event, TokenArrived)]
    # Escaped to ASCII: half of a surrogate pair, which a model can write, has no place in UTF-8.
    return zlib.compress(json.dumps(records, separators=(",", ":")).encode())


def unpacked(stored: object) -> tuple[tuple[TimedEvent, ...], Message]:
    """Return stored events, and one sentence on what cannot be read; empty if nothing is wrong.

    An event that this version does not know is left out: one lost step is not a lost answer.
    """
    try:
        records: Any = json.loads(zlib.decompress(cast("bytes", stored)))
    except (zlib.error, ValueError, TypeError, RecursionError):
        return (), _ALL_LOST
    if not isinstance(records, list):
        return (), _ALL_LOST
    events: list[TimedEvent] = []
    records = cast("list[Any]", records)
    for record in records:
        try:
            events.append(TimedEvent(float(record["at_s"]), from_record(record)))
        except (InputError, TypeError, ValueError, KeyError):
            continue
    lost = len(records) - len(events)
    if not lost:
        return tuple(events), NOTHING
    damage = Message("{done} of {n} steps cannot be read any more.", done=lost, n=len(records))
    return tuple(events), damage


def pairs(text: str) -> str:
    """Return the character bigrams of all runs without spaces, for an index that knows only spaces.

    The last character of a run follows alone, so that each can be found by itself. Letters and
    digits that are written close to such a run are in it too: no tokeniser parts them.
    """
    found: list[str] = []
    for word in _WORD.findall(text):
        if CJK_RUN.search(word):
            for piece in _pieces(word):
                wide = CJK_RUN.fullmatch(piece)
                found += [*_bigrams(piece), piece[-1]] if wide else [piece]
    return " ".join(found)


def query_of(words: str) -> str:
    """Return words as an FTS5 query for rows with all of them; empty if there is no word.

    Each matches what begins with it. Whatever is typed stands in a quoted string, where FTS5 has
    no syntax.
    """
    terms = [
        f'{{title_pairs pairs}} : "{" ".join(_bigrams(piece))}"'
        if len(piece) > 1 and CJK_RUN.fullmatch(piece)
        else f'"{piece}"*'
        for piece in _all_pieces(words)
    ]
    return " AND ".join(terms)


def excerpt(words: str, texts: Sequence[str]) -> Snippet:
    """Return a piece of the text that holds most of the words; of equal ones, the first.

    Without any of them it is the beginning of the first text that is not empty.
    """
    patterns = [_pattern(piece) for piece in _all_pieces(words)]
    best, best_marks, most = "", list[Range](), 0
    for text in (" ".join(text.split()) for text in texts):
        marks = _found(text, patterns)
        if len(marks) > most or not best:
            best, best_marks, most = text, [m for found in marks for m in found], len(marks)
    return cut_around(best, best_marks, characters=_EXCERPT_CHARACTERS, before=_BEFORE_CHARACTERS)


def index_exchange(
    connection: sqlite3.Connection, exchange: int, events: Sequence[TimedEvent]
) -> None:
    """Let an exchange be found by its question, its answer and its sources."""
    text, quote = connection.execute(
        "SELECT text, quote FROM exchange WHERE id = ?", (exchange,)
    ).fetchone()
    texts = [f"{text}\n{quote}".strip(), storable(_answer(events)), storable(_sources(events))]
    connection.execute(
        "INSERT OR REPLACE INTO words (rowid, title, question, answer, sources, title_pairs, pairs)"
        " VALUES (?, '', ?, ?, ?, '', ?)",
        (exchange, *texts, pairs("\n".join(texts))),
    )


def index_title(connection: sqlite3.Connection, conversation: int) -> None:
    """Let a title be found once a conversation: at its first exchange that was finished."""
    found = connection.execute(
        "SELECT title, (SELECT min(id) FROM exchange WHERE conversation = ? AND ended) "
        "FROM conversation WHERE id = ?",
        (conversation, conversation),
    ).fetchone()
    if found is not None:
        title, first = found
        change = "UPDATE words SET title = ?, title_pairs = ? WHERE rowid = ?"
        connection.execute(change, (title, pairs(title), first))
        # A run that began earlier may end later, and become the first.
        connection.execute(
            "UPDATE words SET title = '', title_pairs = '' WHERE title <> '' AND rowid <> ? "
            "AND rowid IN (SELECT id FROM exchange WHERE conversation = ?)",
            (first, conversation),
        )


def _all_pieces(words: str) -> list[str]:
    # Letters with their accents composed: one that stands alone would part a word.
    composed = unicodedata.normalize("NFC", words)
    pieces = (piece for word in _WORD.findall(composed) for piece in _pieces(word))
    return list(dict.fromkeys(pieces))[:_MAX_WORDS]


def _pieces(word: str) -> Iterator[str]:
    """Part a word where a script without spaces begins or ends."""
    done = 0
    for match in CJK_RUN.finditer(word):
        if match.start() > done:
            yield word[done : match.start()]
        yield match.group()
        done = match.end()
    if done < len(word):
        yield word[done:]


def _bigrams(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _pattern(piece: str) -> re.Pattern[str]:
    if CJK_RUN.fullmatch(piece):
        return re.compile(re.escape(fold(piece)))
    # A word begins behind a script without spaces too, as it does for the index.
    return re.compile(rf"(?:(?<![^\W_])|(?<=[{CJK}])){re.escape(fold(piece))}")


def _found(text: str, patterns: Sequence[re.Pattern[str]]) -> list[list[Range]]:
    """Return the ranges of each pattern that is in a text."""
    folded, places = _folded(text)
    found = [
        [(places[match.start()], places[match.end() - 1] + 1) for match in matches]
        for matches in (list(pattern.finditer(folded)) for pattern in patterns)
    ]
    return [ranges for ranges in found if ranges]


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """Return a text without case and accents, and the place of each of its characters."""
    if text.isascii():
        return text.lower(), range(len(text))
    folded: list[str] = []
    places: list[int] = []
    for i, character in enumerate(text):
        plain = fold(character)
        folded.append(plain)
        places += [i] * len(plain)
    return "".join(folded), places


def _answer(events: Iterable[TimedEvent]) -> str:
    """Return what a run said in the end: its answer, or the question it asked back."""
    for timed in events:
        match timed.event:
            case Answered(answer=text) | ClarifyAsked(question=text) | Cancelled(text=text):
                return text
            case _:
                pass
    return ""


def _sources(events: Iterable[TimedEvent]) -> str:
    """Return the titles and addresses of the sources, one a line."""
    found: dict[Source, None] = {}
    for timed in events:
        match timed.event:
            case SourcesReady(sources=sources) | Answered(sources=sources):
                found |= dict.fromkeys(sources)
            case _:
                pass
    return "\n".join(f"{source.title} {source.url}" for source in found)
