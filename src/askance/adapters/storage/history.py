"""Past conversations in one SQLite file: its tables, packed events, the full-text index, and the store."""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

from askance.adapters.storage.database import (
    Database,
    Schema,
    delete_copies,
    expunge,
    utc_now,
    written,
)
from askance.domain.characters import storable
from askance.domain.errors import InputError
from askance.domain.events import Answered, Cancelled, ClarifyAsked, SourcesReady, TokenArrived
from askance.domain.evidence import Source
from askance.domain.history import (
    ConversationRecord,
    ConversationSummary,
    Exchange,
    ExchangeKey,
    SearchHit,
    TimedEvent,
    from_record,
    title_of,
    to_record,
)
from askance.domain.messages import NOTHING, Message
from askance.text.finding import folded, folded_with_places, shown_range
from askance.text.languages.scripts import CJK, CJK_RUN
from askance.text.ranking.passages import Range, Snippet, cut_around

# The index keeps its own copy of the texts. It is the only plain copy of answers and sources, whose
# full record is the compressed `events`; and a row can go by its number alone, while an index over
# another table must be given the old texts word by word, and is spoiled by one wrong word.
SCHEMA = Schema(
    Message("The history of conversations"),
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
    has_index=True,
)
_ALL_LOST = Message("The answer to this question cannot be read any more.")

# As `unicode61` parts words, so that an excerpt marks what the index has found: the underscore
# stands between them, too.
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
        # Words of other scripts alone need no pairs: `words` finds them as they are.
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


def excerpt(words: str, texts: Sequence[str], *, inside: bool = False) -> Snippet:
    """Return a piece of the text that holds most of the words; of equal ones, the first.

    `inside`: what was typed may stand in the middle of a word. Without any of them it is the beginning of the first
    text that is not empty.
    """
    patterns = _patterns(words, inside=inside)
    best, best_marks, most = "", list[Range](), 0
    for text in (" ".join(text.split()) for text in texts):
        marks = _found(text, patterns)
        if len(marks) > most or not best:
            best, best_marks, most = text, [m for found in marks for m in found], len(marks)
    return cut_around(best, best_marks, characters=_EXCERPT_CHARACTERS, before=_BEFORE_CHARACTERS)


def _patterns(words: str, *, inside: bool) -> list[re.Pattern[str]]:
    if inside:
        return [re.compile(re.escape(part)) for part in _parts(words)]
    return [_pattern(piece) for piece in _all_pieces(words)]


def _parts(words: str) -> list[str]:
    """Return what was typed between blanks, folded, for what looks for it in the middle of words too."""
    return list(dict.fromkeys(folded(storable(words)).split()))[:_MAX_WORDS]


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
        return re.compile(re.escape(folded(piece)))
    # A word begins behind a script without spaces too, as it does for the index.
    return re.compile(rf"(?:(?<![^\W_])|(?<=[{CJK}])){re.escape(folded(piece))}")


def _found(text: str, patterns: Sequence[re.Pattern[str]]) -> list[list[Range]]:
    """Return the ranges of each pattern that is in a text."""
    compared, places = folded_with_places(text)
    found = [
        [shown_range(places, match.span(), len(text)) for match in matches]
        for matches in (list(pattern.finditer(compared)) for pattern in patterns)
    ]
    return [ranges for ranges in found if ranges]


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


# Title, question, answer, sources; then the bigrams of the title, and of the rest.
_WEIGHTS = "bm25(5.0, 3.0, 1.0, 0.5, 5.0, 1.0)"
_SUMMARY = (
    "SELECT id, title, created_at, updated_at, "
    "(SELECT count(*) FROM exchange WHERE conversation = conversation.id) FROM conversation"
)
_EXCHANGE = "SELECT id, command, text, quote, asked_at, ended, events FROM exchange"

# Another process changes a few rows, or forgets all of them; a program that ends waits no longer.
BUSY_TIMEOUT_S = 2.0


class SqliteHistory:
    """A `History` in a file, which is made with the first question. For any thread, and several
    processes at once.

    `on_error` is called with one plain sentence where the file was damaged and had to be begun anew.
    `clock` tells the present time, aware.
    """

    def __init__(
        self,
        file: Path,
        on_error: Callable[[str], None],
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._file = file
        self._database = Database(file, SCHEMA, on_error, busy_timeout_s=BUSY_TIMEOUT_S)
        self._clock = clock

    def begin_exchange(
        self, conversation: int | None, command: str, text: str, quote: str = ""
    ) -> ExchangeKey:
        """Keep a question before its run starts; without a conversation a new one begins."""
        now, text, quote = written(self._clock()), storable(text), storable(quote)

        def begin(connection: sqlite3.Connection) -> ExchangeKey:
            number = conversation
            # Two clocks, or one that went back, must not put the last question before others.
            touched = "UPDATE conversation SET updated_at = max(updated_at, ?) WHERE id = ?"
            if number is None or not connection.execute(touched, (now, number)).rowcount:
                made = "INSERT INTO conversation (title, created_at, updated_at) VALUES (?, ?, ?)"
                number = _number(connection.execute(made, (title_of(text, quote), now, now)))
            asked = connection.execute(
                "INSERT INTO exchange (conversation, command, text, quote, asked_at) "
                "VALUES (?, ?, ?, ?, ?)",
                (number, command, text, quote, now),
            )
            return ExchangeKey(number, _number(asked))

        return self._database.write(begin)

    def finish_exchange(self, key: ExchangeKey, events: Sequence[TimedEvent]) -> bool:
        """Keep the events of a run that has ended; False if the exchange was deleted meanwhile."""
        blob = packed(events)

        def finish(connection: sqlite3.Connection) -> bool:
            done = "UPDATE exchange SET ended = 1, events = ? WHERE id = ?"
            if not connection.execute(done, (blob, key.exchange)).rowcount:
                return False
            index_exchange(connection, key.exchange, events)
            index_title(connection, key.conversation)
            return True

        return self._database.write(finish)

    def note_events(self, key: ExchangeKey, events: Sequence[TimedEvent]) -> None:
        """Keep how far a run is that goes on."""
        blob, noted = packed(events), "UPDATE exchange SET events = ? WHERE id = ? AND NOT ended"
        self._database.write(lambda connection: connection.execute(noted, (blob, key.exchange)))

    def drop_exchange(self, key: ExchangeKey) -> None:
        """Forget an exchange, and its conversation too if that has no other."""

        def drop(connection: sqlite3.Connection) -> None:
            if connection.execute("DELETE FROM words WHERE rowid = ?", (key.exchange,)).rowcount:
                expunge(connection)
            connection.execute("DELETE FROM exchange WHERE id = ?", (key.exchange,))
            connection.execute(
                "UPDATE conversation SET updated_at = coalesce((SELECT max(asked_at) "
                "FROM exchange WHERE conversation = conversation.id), updated_at) WHERE id = ?",
                (key.conversation,),
            )
            connection.execute(
                "DELETE FROM conversation WHERE id = ? "
                "AND NOT EXISTS (SELECT 1 FROM exchange WHERE conversation = conversation.id)",
                (key.conversation,),
            )
            index_title(connection, key.conversation)

        self._database.write(drop)
        self._database.shrink()

    def conversations(
        self, limit: int, before: ConversationSummary | None = None
    ) -> tuple[ConversationSummary, ...]:
        """Return conversations, last used first; those that follow `before` in this order."""
        # By value, not by offset: a conversation that is used meanwhile moves to the top, and an
        # offset would return one twice.
        where = "WHERE (updated_at, id) < (?, ?)" if before else ""
        query = f"{_SUMMARY} {where} ORDER BY updated_at DESC, id DESC LIMIT ?"
        last = (before.updated_at, before.id) if before else ()
        rows = self._database.rows(query, (*last, limit))
        return tuple(ConversationSummary(*row) for row in rows)

    def conversation(self, number: int) -> ConversationRecord | None:
        """Return a whole conversation, or None if there is none of that number."""
        if not self._database.exists:
            return None

        def find(connection: sqlite3.Connection) -> ConversationRecord | None:
            summary = connection.execute(f"{_SUMMARY} WHERE id = ?", (number,)).fetchone()
            if summary is None:
                return None
            query = f"{_EXCHANGE} WHERE conversation = ? ORDER BY id"
            rows = connection.execute(query, (number,))
            return ConversationRecord(ConversationSummary(*summary), tuple(map(_exchange, rows)))

        return self._database.read(find)

    def asked_since(self, moment: datetime) -> Iterator[Exchange]:
        """Yield what was asked since an aware moment, oldest first, each with its run."""
        # One at a time by its number: no cursor stays open while the caller works on a run, and
        # memory holds one run.
        last, since = 0, written(moment)
        query = f"{_EXCHANGE} WHERE id > ? AND asked_at >= ? ORDER BY id LIMIT 1"
        while rows := self._database.rows(query, (last, since)):
            last = rows[0][0]
            yield _exchange(rows[0])

    def search(self, words: str, limit: int = 50) -> tuple[SearchHit, ...]:
        """Return the exchanges that hold all the words, or words that begin so, best first.

        Behind them come those whose title and question hold what was typed in the middle of words, newest first.
        """
        query, parts = query_of(words), _parts(words)
        if not parts or not self._database.exists:
            return ()
        found = self._indexed(query, limit) if query else []
        hits = [_hit(words, row) for row in found]
        # Only titles and questions, 0.02 ms for each: 5,000 conversations of three questions take a third of a
        # second, and their answers would take seconds.
        if len(hits) < limit:
            known = {row[0] for row in found}
            others = (row for row in self._inside(parts, limit) if row[0] not in known)
            hits += [_hit(words, row, inside=True) for row in others]
        return tuple(hits[:limit])

    def _inside(self, parts: Sequence[str], limit: int) -> list[Any]:
        """Return the exchanges whose title and question hold these parts of words, newest first."""
        holds = " AND ".join("instr(both, ?)" for _ in parts)

        def find(connection: sqlite3.Connection) -> list[Any]:
            # SQLite's own `LIKE` knows the cases of ASCII alone, and no accents.
            connection.create_function("folded", 1, folded, deterministic=True)
            return connection.execute(
                # A title counts once a conversation, as in the index.
                "SELECT conversation, id, title, asked_at, title, text, '', '' FROM "  # noqa: S608 - question marks alone
                "(SELECT conversation, exchange.id AS id, title, asked_at, text, folded("
                "CASE exchange.id WHEN (SELECT min(id) FROM exchange AS other WHERE ended AND "
                "other.conversation = conversation.id) THEN title || ' ' ELSE '' END || text) AS both "
                "FROM exchange JOIN conversation ON conversation.id = exchange.conversation "
                f"WHERE ended) WHERE {holds} ORDER BY id DESC LIMIT ?",
                (*parts, limit),
            ).fetchall()

        return self._database.read(find)

    def _indexed(self, query: str, limit: int) -> list[Any]:
        return self._database.read(
            lambda c: c.execute(
                # The texts are read for the best rows alone.
                "SELECT exchange.conversation, exchange.id, conversation.title, asked_at, "
                "words.title, question, answer, sources FROM (SELECT rowid AS n, rank AS place "
                "FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?) "
                "JOIN words ON words.rowid = n JOIN exchange ON exchange.id = n "
                "JOIN conversation ON conversation.id = exchange.conversation "
                "ORDER BY place, exchange.id DESC",
                (query, _WEIGHTS, limit),
            ).fetchall(),
        )

    def rename(self, number: int, title: str) -> bool:
        """Give a conversation a title; a blank one makes it that of its first question again."""

        def rename(connection: sqlite3.Connection) -> bool:
            first = connection.execute(
                "SELECT text, quote FROM exchange WHERE conversation = ? ORDER BY id LIMIT 1",
                (number,),
            ).fetchone()
            if first is None:
                return False
            # A title is one line, whatever was pasted.
            chosen = " ".join(storable(title).split()) or title_of(*first)
            connection.execute("UPDATE conversation SET title = ? WHERE id = ?", (chosen, number))
            index_title(connection, number)
            return True

        return self._database.exists and self._database.write(rename)

    def delete(self, number: int) -> bool:
        """Forget a conversation, so that none of its words stays in the file."""
        return self._forget("SELECT id FROM conversation WHERE id = ?", (number,)) > 0

    def delete_all(self) -> int:
        """Forget all conversations, and the damaged files that were set aside."""
        gone = self._forget("SELECT id FROM conversation", ())
        delete_copies(self._file, SCHEMA.name)
        return gone

    def prune(self, keep_days: int) -> int:
        """Forget the conversations that were not used for so many days; 0 keeps all."""
        if not keep_days:
            return 0
        limit = written(self._clock() - timedelta(days=keep_days))
        return self._forget("SELECT id FROM conversation WHERE updated_at < ?", (limit,))

    def close(self) -> None:
        """Close the file. A later use opens it again."""
        self._database.close()

    def _forget(self, chosen: str, values: tuple[object, ...]) -> int:
        if not self._database.exists:
            return 0

        def forget(connection: sqlite3.Connection) -> int:
            numbers = connection.execute(chosen, values).fetchall()
            connection.executemany(
                "DELETE FROM words WHERE rowid IN (SELECT id FROM exchange WHERE conversation = ?)",
                numbers,
            )
            connection.executemany("DELETE FROM conversation WHERE id = ?", numbers)
            if numbers:
                expunge(connection)
            return len(numbers)

        if gone := self._database.write(forget):
            self._database.shrink()
        return gone


def _exchange(row: Iterable[Any]) -> Exchange:
    number, command, text, quote, asked_at, ended, stored = row
    # A run that was killed has its noted events without an end; one that has just begun has none
    # at all.
    events, damage = unpacked(stored) if ended or stored is not None else ((), NOTHING)
    return Exchange(number, command, text, quote, asked_at, events, bool(ended), damage)


def _hit(words: str, row: Sequence[Any], *, inside: bool = False) -> SearchHit:
    conversation, exchange, title, asked_at, *texts = row
    indexed, question, answer, sources = (str(text) for text in texts)
    found = excerpt(words, (question, answer, sources, indexed), inside=inside)
    marks = _found(title, _patterns(words, inside=inside))
    in_title = tuple(sorted(mark for ranges in marks for mark in ranges))
    return SearchHit(conversation, exchange, title, asked_at, found.text, found.marks, in_title)


def _number(cursor: sqlite3.Cursor) -> int:
    assert cursor.lastrowid is not None
    return cursor.lastrowid
