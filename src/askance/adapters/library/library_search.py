"""Keyword search in the library: the rarest words ask the index, all of them rank what it gives.

An index that is asked for every word of a question reads long lists for the common ones, which say
little (docs/bench/library-choices.md has the figures). A query of function words alone, which the index
lacks, looks through the last texts; filters, snippets and pages of hits are made here, too.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

from askance.adapters.library.library_tables import tidy_tags, unpacked
from askance.domain.file_formats import syntax_named
from askance.domain.library import PAGE_BREAK, DocumentKind, Filters, LibraryHit, Origin, first_page
from askance.text.languages.language import ENGLISH
from askance.text.languages.recognition import recognise
from askance.text.ranking.index_terms import count_words, terms, words
from askance.text.ranking.intent import Query
from askance.text.ranking.passages import Snippet, snippet
from askance.text.ranking.scoring import Bm25f, Collection, ScoredField

# A function word stands in most texts of its language: those that have it are found among the last that came.
MOST_READ, MOST_LOOKED_AT = 2_000, 50_000
# More of them are a question that lacks its subject.
_LONGEST_QUERY_WORDS = 2


def _passages_with(
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


# With all terms of a question instead, HotpotQA has its passages in the top ten for .791 and not
# .787, at five times the time (docs/bench/library-choices.md).
RAREST_TERMS = 8
# Three ask in any case, the others as long as so many passages hold them together: each of those
# costs, and the tail of the slowest questions with it.
SURE_TERMS, MOST_PASSAGES = 3, 12_000
# FTS5's own BM25 chooses them; ours, by all words and the frequencies of the whole library, puts
# them in order.
CANDIDATES = 100
# Where none is rare, and not all stand together, two of so many must. To find the rarest among them they
# are counted so many times further.
PAIRED_TERMS, COUNTED_FURTHER = 4, 4
# A term is rare in so great a share of the passages; in a great library in so many of them, in a
# small one in this many too.
RARE_SHARE = 0.05
MOST_RARE, FEWEST_RARE = 5_000, 1_000
# Title, content, tags.
_WEIGHTS = "bm25(10.0, 1.0, 5.0)"
# A title weight of 1.0 finds .784 and not .787 of HotpotQA (docs/bench/library-choices.md).
FIELDS = {"title": ScoredField(2.0), "content": ScoredField(1.0), "tags": ScoredField(1.0)}
# Words have another stem in each language: a query is read in those that most passages have.
_MOST_LANGUAGES = 6
# A short text is sometimes taken for one in another language: what few passages have is left out.
_LANGUAGE_SHARE = 0.01
# A page that is pasted in is no query: each term costs a count, in each language.
_LONGEST_QUERY_TERMS = 64
# So few words are read in every language that the library holds; more of them in the main ones, as long as
# these find enough.
FEW_WORDS = 3

_Joined = Callable[[Sequence[str], Mapping[str, int]], str]


@dataclass(frozen=True, slots=True)
class _Totals:
    """How much is indexed."""

    passages: int
    lengths: Mapping[str, float]
    languages: Mapping[str, int]

    @property
    def rare(self) -> int:
        """In so many passages a rare term stands at the most."""
        return min(max(round(RARE_SHARE * self.passages), FEWEST_RARE), MOST_RARE)


@dataclass(frozen=True, slots=True)
class _IndexQuery:
    """A query on its way to the index, the condition that passages must meet, and how many are wanted."""

    connection: sqlite3.Connection
    query: Query
    totals: _Totals
    condition: tuple[str, Sequence[str]]
    most: int


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage that was found, and what it scored."""

    score: float
    rowid: int
    language: str


def search(
    connection: sqlite3.Connection,
    query: Query,
    limit: int,
    filters: Filters,
    passages_each: int,
) -> tuple[LibraryHit, ...]:
    """Return the best passages for a query; see `Library.search`."""
    totals = _totals(connection)
    if not totals.passages:
        return ()
    where, values = condition(filters)
    asking = _IndexQuery(connection, query, totals, (where, values), max(CANDIDATES, limit))
    main = spoken(query.words, totals.languages, filters.language)
    is_short = count_words(query.words) <= FEW_WORDS
    stems = readings_of(query.words, main, totals.languages if is_short else main)
    ranked = _found(asking, stems, len(main))
    if len(ranked) < limit and not is_short:
        stems = readings_of(query.words, main, totals.languages)
        ranked = _found(asking, stems, len(main))
    if len(ranked) < limit and not query.without:
        ranked += _by_function_words(asking, ranked, limit)
    chosen = _few_of_each(connection, ranked, limit, passages_each)
    weights = {code: dict.fromkeys(of, 1.0) for code, of in stems.items()}
    return hits_of(connection, chosen, filters, weights)


def _totals(connection: sqlite3.Connection) -> _Totals:
    rows = connection.execute(
        "SELECT language, passages, title, content, tags FROM total WHERE passages > 0 "
        "ORDER BY passages DESC, language"
    ).fetchall()
    passages = sum(row[1] for row in rows)
    names = ("title", "content", "tags")
    sums = {name: sum(row[i] for row in rows) for i, name in enumerate(names, 2)}
    lengths = {name: total / max(passages, 1) for name, total in sums.items()}
    return _Totals(passages, lengths, {row[0]: row[1] for row in rows})


def spoken(words: str, languages: Mapping[str, int], wanted: str = "") -> list[str]:
    """Return the languages as which a query is read: its own, and those that most passages have.

    `wanted` is the language that passages must have, if there is one.
    """
    # Of one language alone all queries are, and what recognises them takes half a second to load.
    own = recognise(words) if len(languages) > 1 else ""
    passages = sum(languages.values())
    most = [code for code, n in languages.items() if n >= _LANGUAGE_SHARE * passages]
    first = [code for code in (wanted, own) if code in languages]
    return list(dict.fromkeys((*first, *most)))[:_MOST_LANGUAGES] or [ENGLISH]


def readings_of(words: str, main: Sequence[str], every: Iterable[str]) -> dict[str, list[str]]:
    """Return the stems of a query in the `main` languages, and then in `every` other one.

    A word as it is written so finds itself in whatever language its text was indexed. What is a function word in
    a main language says nothing in another, unless nothing else was typed.
    """
    stems = {code: stems_of(words, code) for code in main}
    in_all = [word for word in words.split() if all(terms(word, code) for code in main)]
    rest = " ".join(in_all) or words
    usual = stems[main[0]]
    others = {code: stems_of(rest, code) for code in every if code not in stems}
    # A language that is not named is read as the first one.
    return stems | {code: of for code, of in others.items() if of != usual}


def stems_of(words: str, code: str) -> list[str]:
    """Return the stems of a query's words, each once."""
    return list(dict.fromkeys(terms(words, code)))[:_LONGEST_QUERY_TERMS]


def _found(
    asking: _IndexQuery, stems: Mapping[str, Sequence[str]], main: int
) -> list[RankedPassage]:
    """Return what fits the stems of a query, best first; the first languages are the `main` ones."""
    connection, rare = asking.connection, asking.totals.rare
    known = _frequencies(connection, stems.values(), rare)
    if not known:
        return []

    def asked(counts: Mapping[str, int], joined: _Joined) -> list[tuple[Any, ...]]:
        match = _match(asking.query, stems, main, counts, rare, joined)
        return _candidates(connection, match, *asking.condition, asking.most)

    found = asked(known, _together)
    if not found and len(known) > 1:
        further = _frequencies(connection, stems.values(), COUNTED_FURTHER * rare)
        found = asked(further, _in_pairs) or asked(further, _each)
    # In a language that few texts have every stem is rare by chance, and such a text would come
    # before all others: .700 in the place of .787.
    if len(stems) > main:
        known = _by_word(asking.query.words, stems, known)
    return _ranked(found, stems, known, asking.totals)


def _by_word(
    words: str, stems: Mapping[str, Sequence[str]], known: Mapping[str, int]
) -> dict[str, int]:
    """Return how often each word stands in the library, for all of its stems: none is rarer than its word."""
    counts = dict(known)
    for word in words.split():
        forms = {stem for code in stems for stem in terms(word, code) if stem in known}
        together = sum(known[stem] for stem in forms)
        counts |= {stem: max(together, counts[stem]) for stem in forms}
    return counts


def _frequencies(
    connection: sqlite3.Connection, stems: Iterable[Sequence[str]], rare: int
) -> dict[str, int]:
    """Return in how many passages each term stands; of a common one, only that it is more than rare."""
    # Counting ends where a term is known to be common: so it takes 0.1 ms a term.
    counting = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
    found = {
        stem: int(connection.execute(counting, (_quoted([stem]), rare + 1)).fetchone()[0])
        for stem in dict.fromkeys(stem for of in stems for stem in of)
    }
    return {stem: n for stem, n in found.items() if n}


def _match(
    query: Query,
    stems: Mapping[str, Sequence[str]],
    main: int,
    known: Mapping[str, int],
    rare: int,
    joined: _Joined,
) -> str:
    """Return what FTS5 is asked. Whatever was typed stands in quoted strings, where it has no syntax.

    Any of the rare terms is enough; where none is rare, `joined` says how they must stand. Of the languages
    behind the `main` ones only those terms are asked that no main one has.
    """
    asked: list[str] = []
    common: list[str] = []
    seen: set[str] = set()
    for number, of in enumerate(stems.values()):
        there = [stem for stem in of if stem in known and (number < main or stem not in seen)]
        seen.update(there)
        if few := _rarest(there, known, rare):
            asked.append(f"({_each(few, known)})")
        elif there:
            (asked if number < main else common).append(f"({joined(there, known)})")
    # A language that few passages have asks by common words only where no language has a rare
    # one.
    asked = asked or common
    match = f"({' OR '.join(dict.fromkeys(asked))})"
    for phrase in query.phrases:
        spellings = {_quoted(terms(phrase, code)) for code in stems if terms(phrase, code)}
        if spellings:
            match += f" AND ({' OR '.join(sorted(spellings))})"
    unwanted = {_quoted(t) for word in query.without for code in stems if (t := terms(word, code))}
    return f"({match}) NOT ({' OR '.join(sorted(unwanted))})" if unwanted else match


def _together(stems: Sequence[str], _: Mapping[str, int]) -> str:
    return " AND ".join(_quoted([stem]) for stem in stems)


def _in_pairs(stems: Sequence[str], known: Mapping[str, int]) -> str:
    """Two of the rarest: any of many common terms would rank a great part of a great library."""
    rarest = sorted(stems, key=lambda stem: known[stem])[:PAIRED_TERMS]
    pairs = [_together(pair, known) for pair in combinations(rarest, 2)]
    return " OR ".join(f"({pair})" for pair in pairs) or _each(rarest, known)


def _each(stems: Sequence[str], _: Mapping[str, int]) -> str:
    return " OR ".join(_quoted([stem]) for stem in stems)


def _rarest(stems: Iterable[str], known: Mapping[str, int], rare: int) -> list[str]:
    """Return the rarest terms; the last of them only as far as few passages have to be looked at."""
    chosen: list[str] = []
    passages = 0
    for stem in sorted(stems, key=lambda stem: (known[stem], stem)):
        passages += known[stem]
        is_enough = len(chosen) >= SURE_TERMS and passages > MOST_PASSAGES
        if known[stem] > rare or len(chosen) == RAREST_TERMS or is_enough:
            break
        chosen.append(stem)
    return chosen


def _quoted(stems: Sequence[str]) -> str:
    return '"' + " ".join(stems) + '"'


def condition(filters: Filters, *, of_documents: bool = False) -> tuple[str, tuple[str, ...]]:
    """Return filters as a condition on passages, their texts and documents, and its values.

    With `of_documents` a passage is not at hand: one of a document must meet what is asked of passages.
    """
    in_code = "instr(passage.syntaxes, ' ' || ? || ' ')"
    if of_documents:
        in_code = f"EXISTS (SELECT 1 FROM passage WHERE content = document.content AND {in_code})"  # noqa: S608 - constants
    date = "coalesce(nullif(document.published, ''), substr(document.fetched_at, 1, 10))"
    clauses = {
        "document.origin = ?": filters.origin,
        "content.language = ?": filters.language,
        "document.kind = ?": filters.kind,
        f"(document.syntax = ? OR {in_code})": syntax_named(filters.syntax) or filters.syntax,
        f"{date} >= ?": filters.since,
        # A month or a year may be named: all of it counts as being in it.
        f"substr({date}, 1, length(?)) <= ?": filters.until,
    }
    parts: list[str] = []
    values: list[str] = []
    for clause, value in clauses.items():
        if value:
            parts.append(clause)
            values += [value] * clause.count("?")
    for tag in tidy_tags(filters.tags):
        parts.append("EXISTS (SELECT 1 FROM tag WHERE tag.document = document.id AND tag = ?)")
        values.append(tag)
    # One placeholder for each document: no value becomes part of the statement.
    if filters.documents:
        parts.append(f"document.id IN ({', '.join('?' * len(filters.documents))})")
        values += filters.documents
    return " AND ".join(parts), tuple(values)


def _candidates(
    connection: sqlite3.Connection, match: str, where: str, values: Sequence[str], most: int
) -> list[tuple[Any, ...]]:
    """Return the rows of the index that fit best, each with the language of its text."""
    wanted = (
        "AND EXISTS (SELECT 1 FROM passage JOIN content ON content.id = passage.content "  # noqa: S608 - constants
        "JOIN document ON document.content = content.id "
        f"WHERE passage.id = words.rowid AND {where}) "
        if where
        else ""
    )
    return connection.execute(
        "SELECT words.rowid, language, title, words.content, tags FROM "  # noqa: S608 - constants
        f"(SELECT rowid AS n FROM words WHERE words MATCH ? AND rank MATCH ? {wanted}"
        "ORDER BY rank LIMIT ?) JOIN words ON words.rowid = n "
        "JOIN passage ON passage.id = n JOIN content ON content.id = passage.content",
        (match, _WEIGHTS, *values, most),
    ).fetchall()


def _ranked(
    found: Sequence[Sequence[Any]],
    stems: Mapping[str, Sequence[str]],
    known: Mapping[str, int],
    totals: _Totals,
) -> list[RankedPassage]:
    """Rank candidates by all words of the query, each read in the candidate's own language."""
    collection = Collection(totals.passages, known, totals.lengths)
    any_language = next(iter(stems))
    documents = [
        {"title": title.split(), "content": content.split(), "tags": tags.split()}
        for _, _, title, content, tags in found
    ]
    bm25f = Bm25f(documents, FIELDS, collection=collection)
    read_as = [language if language in stems else any_language for _, language, *_ in found]
    scores = {code: bm25f.scores(stems[code]) for code in set(read_as)}
    ranked = [
        RankedPassage(scores[code][i], found[i][0], found[i][1]) for i, code in enumerate(read_as)
    ]
    return sorted(ranked, key=lambda row: (-row.score, row.rowid))


def _by_function_words(
    asking: _IndexQuery, ranked: Sequence[RankedPassage], limit: int
) -> list[RankedPassage]:
    """Return further passages, in whose language a query has function words alone."""
    connection, typed = asking.connection, asking.query.words
    if len(typed.split()) > _LONGEST_QUERY_WORDS:
        return []
    known = {row.rowid for row in ranked}
    return [
        RankedPassage(0.0, number, code)
        for code in asking.totals.languages
        if not terms(typed, code) and words(typed, code)
        for number in islice(_passages_with(connection, typed, code, *asking.condition), limit)
        if number not in known
    ]


def _few_of_each(
    connection: sqlite3.Connection, ranked: Sequence[RankedPassage], limit: int, passages_each: int
) -> list[RankedPassage]:
    """Keep the best passages of each text, and no more than are wanted in all."""
    taken: dict[int, int] = {}
    chosen: list[RankedPassage] = []
    for row in ranked:
        (text,) = connection.execute(
            "SELECT content FROM passage WHERE id = ?", (row.rowid,)
        ).fetchone()
        taken[text] = taken.get(text, 0) + 1
        if taken[text] <= passages_each:
            chosen.append(row)
        if len(chosen) == limit:
            break
    return chosen


def hits_of(
    connection: sqlite3.Connection,
    chosen: Iterable[RankedPassage],
    filters: Filters,
    weights: Mapping[str, Mapping[str, float]],
) -> tuple[LibraryHit, ...]:
    """Return ranked passages with their documents, but for those of which no document meets the filters.

    `weights` says, for each language, which stems are marked in the snippets.
    """
    where, values = condition(filters)
    hits = (_hit_of(connection, ranked, where, values, weights) for ranked in chosen)
    return tuple(hit for hit in hits if hit is not None)


def _hit_of(
    connection: sqlite3.Connection,
    ranked: RankedPassage,
    where: str,
    values: Sequence[str],
    weights: Mapping[str, Mapping[str, float]],
) -> LibraryHit | None:
    wanted = f"AND {where} " if where else ""
    row = connection.execute(
        "SELECT document.id, url, document.title, origin, kind, syntax, published, fetched_at, "  # noqa: S608 - constants
        "number, heading, start, stop, content.text FROM passage "
        "JOIN content ON content.id = passage.content "
        f"JOIN document ON document.content = content.id WHERE passage.id = ? {wanted}"
        "ORDER BY fetched_at DESC, document.id LIMIT 1",
        (ranked.rowid, *values),
    ).fetchone()
    if row is None:
        return None
    document, url, title, origin, kind, syntax, published, fetched_at, *rest = row
    number, heading, start, stop, packed = rest
    whole = unpacked(packed)
    text = whole[start:stop]
    marked = weights.get(ranked.language) or next(iter(weights.values()))
    shown = snippet(text, marked, ranked.language)
    tags = connection.execute(
        "SELECT tag FROM tag WHERE document = ? ORDER BY tag", (document,)
    ).fetchall()
    return LibraryHit(
        document=document,
        number=number,
        url=url,
        title=title,
        heading=heading,
        offset=start,
        text=text,
        snippet=shown.text,
        marks=shown.marks,
        score=ranked.score,
        origin=Origin(origin),
        kind=DocumentKind(kind),
        syntax=syntax,
        language=ranked.language,
        published=published,
        fetched_at=fetched_at,
        tags=tuple(tag for (tag,) in tags),
        page=_page_of(first_page(whole, start), text, shown),
    )


_WORDS_OF_PLACE = 12
_LONGEST_PLACE = 400


def _page_of(first: int, passage: str, shown: Snippet) -> int:
    """Return the page of what a snippet marks in a passage that begins on the page `first`; 0 in a text without pages.

    It is the one on which most of the marks stand, of equal ones the first.
    """
    if not first:
        return 0
    place, pages = 0, Counter[int]()
    for start, _ in shown.marks:
        # By its next words: a snippet has single spaces where the passage has line breaks.
        words = shown.text[start:].strip("…").split()[:_WORDS_OF_PLACE]
        place = _place_of(words, passage, place)
        pages[first + passage.count(PAGE_BREAK, 0, place)] += 1
    return max(pages, key=pages.__getitem__, default=first)


def _place_of(words: list[str], passage: str, begin: int) -> int:
    """Return where words stand one behind the other, whatever the space between them; `begin` if nowhere behind it."""
    place = passage.find(words[0], begin) if words else -1
    while place >= 0:
        if passage[place : place + _LONGEST_PLACE].split()[: len(words)] == words:
            return place
        place = passage.find(words[0], place + 1)
    return begin
