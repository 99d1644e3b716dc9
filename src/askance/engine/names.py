"""What a question names: people, places, titles, numbers. They can be searched for, and checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise
from unicodedata import category

from askance.text.languages.language import ENGLISH, Language, language
from askance.text.languages.names import language_of_question, named
from askance.text.languages.recognition import recognise, scripts_of, surely
from askance.text.languages.scripts import CJK_RUN, fold
from askance.text.message_parts import question_of
from askance.text.ranking.intent import read_query
from askance.text.ranking.tokens import count_words, terms, words

_NUMBER = re.compile(r"\b\d[\d.,]*\b")
CLOSE = 0.8
_AROUND_LINKS = " \t\n\"”“'’‘,"
# A question that says so many words beside its one name asks for more than that.
_MANY_WORDS = 3
# Beside a word that sets names side by side may stand an article.
_LONGEST_ARTICLE = 4
# Signs that belong to a word: of languages and types (`C++`, `F#`, `.NET`, `<int>`), of paths, of money.
_SIGNS_BEFORE = frozenset("/#@$€£¥§<~+.:-")
_SIGNS_BEHIND = frozenset("+#%°€£¥>/")
_POSSESSIVE = re.compile(r"['’]s\Z")
# Engines leave out pages with a word that stands so. Of a number it is the sign.
_EXCLUSION = re.compile(r"(?<!\S)-{1,3}(?=[^\W\d]|[\"'(\u201c\u201e\u00ab])")
# Finnish ties a word to a name of several: "Windows Phone -käyttöjärjestelmä".
_TIES_WITH_HYPHENS = frozenset({"fi"})
_HIRAGANA = re.compile("[\u3040-\u309f]+")


_AS_ENGLISH = frozenset({"", ENGLISH})


def compared(question: str) -> list[str]:
    """Return the names that a question sets side by side: "Is A older than B", "A or B", "A and B"."""
    links = [language(code) for code in dict.fromkeys((language_of_question(question), "en", "de"))]
    both = frozenset[str]().union(*(known.both for known in links))
    side_by_side = both.union(*(known.either | known.than for known in links))
    names = [part for name in named(question) for part in _split(name, both)]
    sides: list[str] = []
    for one, other in pairwise(names):
        start = question.find(one)
        between = question[start + len(one) : question.find(other, start + len(one))]
        if start >= 0 and _is_link(between, side_by_side):
            sides += [one, other]
    return list(dict.fromkeys(sides))


def initial_queries(question: str, resolved: str = "") -> list[str]:
    """Return what to search before anything is known: the question, and what it speaks of.

    Of a question that goes on from others that is `resolved` (`followups.resolved`).

    Else it is its names, or its content words where it has none, or one that says little of it ("Indian"):
    an engine may not read questions. In other languages than English names are recognised less surely, and its
    content words are searched for. Words stay as they are written, with their accents and signs. Of a long
    text only its question is searched. What it excludes ("jaguar -car") is no word to look for.
    """
    question = question_of(question)
    if resolved:
        return [question, resolved]
    code = language_of_question(question)
    query = read_query(question, excludes=code not in _TIES_WITH_HYPHENS)
    wanted = query.words if query.without else without_exclusions(question)
    if code in _AS_ENGLISH:
        names = [name for name in named(wanted) if is_nameable(name)]
        known = language(code)
        content_words_written = _written_words(wanted, known.stop_words, known)
        found = " ".join(
            names if _names_suffice(names, content_words_written) else content_words_written
        )
    else:
        found = content_words(wanted, language(code))
    return list(dict.fromkeys([question, found or wanted or question]))


def without_exclusions(query: str) -> str:
    """Return a query without the hyphens by which engines leave out pages with a word."""
    return _EXCLUSION.sub("", query)


def _names_suffice(names: Sequence[str], words: Sequence[str]) -> bool:
    """Say whether names alone are worth a search beside a question with these content words."""
    if len(names) != 1:
        return bool(names)
    size = count_words(names[0])
    return size > 1 and len(words) - size < _MANY_WORDS


def is_foreign(question: str) -> bool:
    """Say whether a question is in another language than English: more may be written about it in that."""
    return recognise(question) not in _AS_ENGLISH


def language_of_query(query: str, question: str) -> str:
    """Return the language in which a query for a question is searched; empty if it is not recognised.

    A query that takes its words from the question has its language, also where they are too few to tell.
    One for an English question is in another language only if it is in another script.
    """
    code = language_of_question(question)
    asked = code if code in {ENGLISH, surely(question)} else ""
    own_words = {*words(question), *words(question, asked)}
    if own_words.issuperset(words(query)) or own_words.issuperset(words(query, asked)):
        return asked
    own = surely(query)
    if asked == ENGLISH:
        return own if scripts_of(query) - scripts_of(question) else asked
    if own or asked in _AS_ENGLISH:
        return own
    names = set(terms(" ".join(named(question)), asked))
    shared = content_words_of(question, asked).intersection(terms(query, asked))
    return asked if shared - names else ""


def wordings(
    question: str, queries: Sequence[str], most: int, resolved: str = ""
) -> tuple[list[str], str]:
    """Return which of a plan's queries go out beside the openings of a question, and what asks it in another
    language, empty if nothing does.

    A question that is not English goes out in both languages, `most` queries in all, and one at least.
    """
    if not is_foreign(question):
        return list(queries), ""
    own = recognise(question)
    opened = initial_queries(question, resolved)
    elsewhere = [query for query in queries if recognise(query) not in {"", own}]
    fresh = [q for q in dict.fromkeys([*elsewhere, *queries]) if q not in opened]
    return fresh[: max(1, most - len(opened))], next(iter(elsewhere), "")


def is_name(query: str) -> bool:
    """Say whether a query is nothing but names."""
    return holds(" ".join(named(query)), query)


def holds(text: str, name: str, code: str = "") -> bool:
    """Say whether a text has all words of a name, up to inflection.

    `code` is the language of the text, recognised where none is given.
    """
    code = code or recognise(text)
    return set(terms(name, code)) <= set(terms(text, code))


def missing_from(question: str, evidence: str) -> list[str]:
    """Return the names and numbers of a question that the evidence does not hold.

    A name counts as there if all its words are, up to inflection and small slips of spelling. One
    written in a script that the evidence does not use can be looked for nowhere, and is not missed.
    """
    code = recognise(evidence)
    known = set(terms(evidence, code))
    scripts = scripts_of(evidence)
    numbers = [m.group() for m in _NUMBER.finditer(question)]
    return [
        name
        for name in dict.fromkeys([*named(question), *numbers])
        if (not evidence or scripts_of(name) <= scripts)
        and not all(_is_known(term, known) for term in terms(name, code))
    ]


def content_words_of(question: str, code: str = "") -> set[str]:
    """Return the stems of a question's content words. What is a content word, its own language says.

    They are stemmed in the language that is named, English if none is: in that of what they are looked
    for in (`ranking.tokens.terms`).
    """
    own = language_of_question(question)
    if own in _AS_ENGLISH:
        return set(terms(question, code)) - set(terms(" ".join(language(own).stop_words), code))
    found = set(terms(content_words(question, language(own)), code))
    # Japanese writes its particles and endings in Hiragana alone.
    return {term for term in found if not _HIRAGANA.fullmatch(term)} or found


def is_nameable(name: str) -> bool:
    """Say whether a name is worth a search of its own: several words, one long enough, or an acronym."""
    return count_words(name) > 1 or len(name) > 4 or (len(name) > 2 and name.isupper())


def content_words(question: str, known: Language) -> str:
    """Return a question without its function words and question words, as it is written."""
    idle = known.stop_words | known.question_words
    retained: list[str] = []
    for piece in question.split():
        if CJK_RUN.search(piece):
            retained.append(_without_all(piece, known.question_words))
            continue
        retained += _written_words(piece, idle, known)
    return " ".join(filter(None, retained))


def _written_words(question: str, idle: frozenset[str], known: Language) -> list[str]:
    """Return the words of a question but for `idle` ones, without the punctuation around them."""
    trimmed = (_POSSESSIVE.sub("", known.bare(_trimmed(piece))) for piece in question.split())
    return [word for word in trimmed if word and fold(word) not in idle]


def _trimmed(piece: str) -> str:
    """Return a word without quotes and points around it; `C++`, `#tag`, `/r/python` and `5€` keep their signs."""
    retained = [i for i, c in enumerate(piece) if category(c)[0] in "LNM"]
    if not retained:
        return ""
    start, end = retained[0], retained[-1] + 1
    while start and piece[start - 1] in _SIGNS_BEFORE:
        start -= 1
    while end < len(piece) and piece[end] in _SIGNS_BEHIND:
        end += 1
    return piece[start:end]


def _without_all(piece: str, found: frozenset[str]) -> str:
    for word in sorted(found, key=lambda word: (-len(word), word)):
        piece = piece.replace(word, " ")
    return " ".join("".join(" " if category(c)[0] in "PSZ" else c for c in piece).split())


def _split(name: str, both: frozenset[str]) -> list[str]:
    parts: list[list[str]] = [[]]
    for word in name.split(" "):
        if word in both and parts[-1]:
            parts.append([])
        else:
            parts[-1].append(word)
    return [" ".join(part) for part in parts if part]


def _is_link(between: str, links: frozenset[str]) -> bool:
    """Say whether two names stand side by side: what is between is "and", "or than the"."""
    linking = between.strip(_AROUND_LINKS).split()
    if not linking or fold(linking[0]).rstrip(".") not in links:
        return False
    return len(linking) == 1 or (len(linking) == 2 and len(linking[1]) <= _LONGEST_ARTICLE)


def _is_known(word: str, known: set[str]) -> bool:
    if word in known:
        return True
    return not word.isdigit() and bool(get_close_matches(word, known, 1, CLOSE))
