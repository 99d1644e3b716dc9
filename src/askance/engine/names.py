"""What a question names: people, places, titles, numbers. They can be searched for, and checked."""

from __future__ import annotations

import re
from difflib import get_close_matches
from itertools import pairwise

from askance.ranking.tokens import STOP_WORDS, count_words, stem, words

_QUOTED = re.compile(r"[\"“„«]([^\"”“„«»]{2,80})[\"”“»]")
_NAME = re.compile(
    r"[A-ZÀ-ÖØ-Þ][\w'’.&-]*(?:\s+(?:(?:of|the|and|de|la|van|von|for|in)\s+){0,2}[A-ZÀ-ÖØ-Þ0-9][\w'’.&-]*)*"
)
_AND = re.compile(r" (?:and|und|&) ")
_SIDE_BY_SIDE = re.compile(
    r"[\s\"”'’,]*(?:and|or|und|oder|than|als|&|vs\.?|versus)\s+(?:\w{2,4}\s+)?[\"“'‘]*"
)
_NUMBER = re.compile(r"\b\d[\d.,]*\b")
_QUESTION_WORDS = frozenset(
    [
        "who",
        "whom",
        "whose",
        "what",
        "which",
        "when",
        "where",
        "why",
        "how",
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "can",
        "could",
        "has",
        "have",
        "had",
        "in",
        "on",
        "at",
        "of",
        "the",
        "a",
        "an",
        "name",
        "list",
        "tell",
        "give",
        "explain",
        "compare",
        "between",
        "and",
        "or",
        "if",
        "according",
        "by",
        "from",
        "to",
        "for",
        "with",
        "during",
        "after",
        "before",
        "please",
    ]
)
CLOSE = 0.8


def named(question: str) -> list[str]:
    """Return the names in a question, in order: quoted titles and capitalised runs."""
    found = [m.group(1).strip() for m in _QUOTED.finditer(question)]
    rest = _QUOTED.sub(" . ", question)
    for match in _NAME.finditer(rest):
        parts = match.group().split()
        while parts and parts[0].lower() in _QUESTION_WORDS:
            parts.pop(0)
        name = " ".join(parts).strip(" .,'’")
        if len(name) > 1:
            found.append(name)
    return list(dict.fromkeys(found))


def compared(question: str) -> list[str]:
    """Return the names that a question sets side by side: "Is A older than B", "A or B", "A and B"."""
    names = [part for name in named(question) for part in _AND.split(name)]
    sides: list[str] = []
    for one, other in pairwise(names):
        start = question.find(one)
        between = question[start + len(one) : question.find(other, start + len(one))]
        if start >= 0 and _SIDE_BY_SIDE.fullmatch(between):
            sides += [one, other]
    return list(dict.fromkeys(sides))


def openings(question: str) -> list[str]:
    """Return what to search before anything is known: the question, and what it speaks of.

    That are its names, or where it has none its content words: an engine may not read questions.
    """
    names = [name for name in named(question) if is_nameable(name)]
    told = names or [word for word in words(question) if word not in STOP_WORDS]
    return list(dict.fromkeys([question, " ".join(told) or question]))


def is_name(query: str) -> bool:
    """Say whether a query is nothing but names."""
    return holds(" ".join(named(query)), query)


def holds(text: str, name: str) -> bool:
    """Say whether a text has all words of a name, up to inflection."""
    return {stem(w) for w in words(name) if w not in STOP_WORDS} <= {stem(w) for w in words(text)}


def missing_from(question: str, evidence: str) -> list[str]:
    """Return the names and numbers of a question that the evidence does not hold.

    A name counts as there if all its words are, up to inflection and small slips of spelling.
    """
    known = {stem(w) for w in words(evidence)}
    numbers = [m.group() for m in _NUMBER.finditer(question)]
    return [
        name
        for name in dict.fromkeys([*named(question), *numbers])
        if not all(_is_known(stem(w), known) for w in words(name) if w not in STOP_WORDS)
    ]


def telling_words(question: str) -> set[str]:
    """Return the stems of a question's content words."""
    return {stem(w) for w in words(question) if w not in STOP_WORDS}


def is_nameable(name: str) -> bool:
    """Say whether a name is worth a search of its own: several words, or one long enough."""
    return count_words(name) > 1 or len(name) > 4


def _is_known(word: str, known: set[str]) -> bool:
    if word in known:
        return True
    return not word.isdigit() and bool(get_close_matches(word, known, 1, CLOSE))
