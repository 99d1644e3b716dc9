"""What somebody who typed a few words wants: those very words, or what they mean. By rule, in microseconds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from askance.domain.patterns import lazy_re
from askance.text.languages.language import BIGRAMS, Language, language, languages
from askance.text.languages.names import language_of_question
from askance.text.languages.scripts import CJK_RUN, fold
from askance.text.ranking.index_terms import count_words, words

# Nobody types more, and a whole page that was pasted finds itself by its beginning.
LONGEST_QUERY_CHARACTERS = 2_000
# One word or two name a thing; from three on they describe it.
FEWEST_DESCRIBING_WORDS = 3

_QUOTES = str.maketrans("“”„‟«»\uff02", '"""""""')
# All quotation marks are straight ones by then (`_QUOTES`); one that is not closed opens nothing.
_PHRASE = lazy_re(r'"([^"]*)"')
_WITHOUT_PHRASE = lazy_re(r'(?<!\S)-"([^"]*)"')
# One letter behind a hyphen is an option of a program.
_WITHOUT = lazy_re(r"(?<!\S)-(?=[^\W_]{2})(\S+)")
# Capital AND, OR and NOT are no operators: "Pros AND Cons" is how people write.
_OPERATOR = lazy_re(
    r"(?<!\S)\+(?=[^\W_])|(?<!\S)(?:in)?(?:title|url|site|tag|lang|kind|origin|filetype):(?=\S)"
    r"|(?<=[^\W_])\*(?!\S)"
)
# How people narrow a search to a site or a type of files, and what else engines have of that kind.
_NARROWING = lazy_re(
    r"(?<!\S)\(?(?:site:(?P<host>[\w.-]+)|(?:filetype|ext):\.?(?P<type>[A-Za-z0-9]{1,8}))\)?(?!\S)(?:[ ]OR(?!\S))?",
    re.IGNORECASE,
)
_OTHER_OPERATOR = lazy_re(
    r"(?<!\S)-?(?:site|(?:all)?in(?:url|title|text|anchor)|inbody|filetype|linkfrom|related|(?:before|after)(?=:\d)):\S{1,200}",
    re.IGNORECASE,
)
_DATE = lazy_re(r"(?<!\d)(?:\d{4}-\d{2}(?:-\d{2})?|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d{2}))(?!\d)")
_YEAR = lazy_re(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# Short questions in one are often taken for the other.
_NEIGHBOURS = {"da": "nb", "nb": "da"}
_QUESTION_ENDS = ("?", "？", "؟", ";", "\u037e", "՞", "፧")
_SLUG = lazy_re(r"[^\W_]+(?:[-_./]+[^\W_]+)+")


class Intent(StrEnum):
    """How words are looked for: as they stand, or by their meaning as well."""

    KEYWORD = "keyword"
    SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True)
class Query:
    """What was typed, read. `words` is all that is looked for, phrases included.

    Each of `phrases` must stand somewhere, its words side by side but for function words; none of
    `without` may.
    """

    words: str
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


def intent_of(text: str) -> Intent:
    """Return how a query is meant.

    Nothing, quotes, operators, a date in figures, one word or two, and a name such as
    `getting-started` are keywords; from three words on it is natural language. So is a question in
    which somebody quotes a title.
    """
    text = _plain(text)
    # Any of these is how people write who know the very words: files, errors, commands, titles.
    is_exact = (
        _is_quoted(text)
        or _OPERATOR.search(text)
        or _exclusions(text)
        or _DATE.search(text)
        # A run of Chinese is a sentence, whatever hyphen stands in it.
        or (_SLUG.fullmatch(text) and not CJK_RUN.search(text))
    )
    if is_exact or count_words(text) < FEWEST_DESCRIBING_WORDS:
        return Intent.KEYWORD
    return Intent.SEMANTIC


def read_query(text: str, *, excludes: bool = True) -> Query:
    """Return what of a query is to be found, what must stand as it is, and what must not be there.

    A hyphen excludes a word, but not in a question, and not where it begins the second part of a compound.
    Without `excludes` it never does.
    """
    plain = _plain(text)
    unwanted_phrases = _WITHOUT_PHRASE.findall(plain) if excludes else []
    if unwanted_phrases:
        plain = _WITHOUT_PHRASE.sub(" ", plain)
    phrases = tuple(phrase for found in _PHRASE.findall(plain) if (phrase := found.strip()))
    unwanted = _exclusions(plain) if excludes else []
    # From the last on: what stands before keeps its place.
    bare = _without_phrases(plain)
    for match in reversed(unwanted):
        bare = f"{bare[: match.start()]} {bare[match.end() :]}"
    words = " ".join((bare.replace('"', " "), *phrases))
    exact = phrases if _is_quoted(plain) else ()
    without = (*(match[1] for match in unwanted), *filter(str.strip, unwanted_phrases))
    return Query(" ".join(words.split()), exact, without)


def read_operators(question: str) -> tuple[str, list[str], str, list[str]]:
    """Return a question without `site:` and `filetype:`, the sites and the type of files that they name, and what other
    operators of search engines stay in it."""
    found = list(_NARROWING.finditer(question))
    rest = " ".join(_NARROWING.sub(" ", question).split()) if found else question
    sites = [match["host"] for match in found if match["host"]]
    files = next((match["type"].lower() for match in found if match["type"]), "")
    return rest, sites, files, _OTHER_OPERATOR.findall(rest)


def readings(text: str) -> list[Query]:
    """Return how a query may be meant: as it reads, and where that finds nothing, with no word excluded."""
    query = read_query(text)
    is_retried = query.words and query.without
    return [query, read_query(text, excludes=False)] if is_retried else [query]


def asks_for_now(question: str, year: int) -> bool:
    """Say whether a question asks for the present state of things: by a word of its language such as
    "latest", "today" or "price", or by this year or a later one."""
    if any(int(found) >= year for found in _YEAR.findall(question)):
        return True
    return _has_any(question, lambda known: known.fresh)


def asks_for_changing(question: str, year: int) -> bool:
    """Say whether the answer to a question is one of its day: it asks for the present (`asks_for_now`), or in the present
    tense for what changes, such as offices, prices, versions and records."""
    if asks_for_now(question, year):
        return True
    known = language(language_of_question(question))
    changing, past = (_holds_any(question, part.split(), known) for part in known.changing)
    return changing and not past and not _YEAR.search(question)


def _holds_any(question: str, listed: Sequence[str], known: Language) -> bool:
    """Say whether a question has a word of a list; one that ends in a hyphen stands for all that begin like it."""
    if known.code in BIGRAMS:
        return any(word in question for word in listed)
    found, whole = words(question, known.code), {fold(word) for word in listed}
    beginnings = tuple(word[:-1] for word in whole if word.endswith("-"))
    return any(word in whole or word.startswith(beginnings) for word in found)


def asks_for_today(question: str) -> bool:
    """Say whether a question asks for what is so on this day: by a word of its language such as "today"."""
    return _has_any(question, lambda known: known.today)


def _has_any(question: str, phrases_of: Callable[[Language], Sequence[str]]) -> bool:
    """Say whether a question has a phrase of its language, outside of those that only look like one.

    Where its language is not recognised, phrases of several words tell themselves: "tipo de cambio".
    """
    code = language_of_question(question)
    known, phrases = language(code), phrases_of(language(code))
    if known.code in BIGRAMS:
        return any(phrase in question for phrase in phrases)
    if neighbour := _NEIGHBOURS.get(code):
        phrases = [*phrases, *phrases_of(language(neighbour))]
    # A single word may be another language's for something else; several in a row hardly are.
    elif not code:
        others = (phrase for other in languages() for phrase in phrases_of(other))
        phrases = [*phrases, *(phrase for phrase in others if " " in phrase)]
    found = words(question, known.code)
    # They go first: "cable news" must not leave "news" behind, which asks for today's.
    for phrase in known.lasting:
        found = _without(found, words(phrase, known.code))
    return any(_places(found, words(phrase, known.code)) for phrase in phrases)


def _places(row: Sequence[str], part: Sequence[str]) -> list[int]:
    """Return where a row has these in this order, side by side."""
    size = len(part)
    return [i for i in range(len(row) - size + 1) if row[i : i + size] == part]


def _without(row: Sequence[str], part: Sequence[str]) -> Sequence[str]:
    """Return a row without these, and with a gap in their place, across which nothing is side by side."""
    for i in reversed(_places(row, part)):
        # The gap keeps what stood on both sides apart: together they would be another phrase.
        row = [*row[:i], "", *row[i + len(part) :]]
    return row


def _exclusions(plain: str) -> list[re.Match[str]]:
    """Return where a query without its phrases excludes a word."""
    bare = _without_phrases(plain)
    found = list(_WITHOUT.finditer(bare))
    if not found or plain.endswith(_QUESTION_ENDS):
        return []
    known = language(language_of_question(plain))
    # A question excludes nothing: there a hyphen ties, as in "MTV -yhtiö" (decision 30).
    if fold(plain.split(maxsplit=1)[0]) in known.question_words:
        return []
    # "Personen und -organisationen": behind a function word stands the rest of a compound.
    return [m for m in found if _word_before(bare, m.start()) not in known.stop_words]


def _word_before(text: str, end: int) -> str:
    return fold(text[:end].rstrip().rpartition(" ")[2])


def _without_phrases(plain: str) -> str:
    """Return a query with a quote for each phrase: what is tied to it is no word of its own."""
    return _PHRASE.sub('"', plain)


def _is_quoted(text: str) -> bool:
    if _PHRASE.search(text) is None:
        return False
    return count_words(_PHRASE.sub(" ", text)) < FEWEST_DESCRIBING_WORDS


def _plain(text: str) -> str:
    return text[:LONGEST_QUERY_CHARACTERS].translate(_QUOTES).strip()
