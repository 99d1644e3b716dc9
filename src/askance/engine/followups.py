"""Questions that go on from those before: what they are about is searched beside their own words.

A model's plan says that better. These words are there at once, and where no model gives a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from askance.domain.conversation import Turn
from askance.engine.names import content_words
from askance.text.languages.language import BIGRAMS, ENGLISH, Language, language
from askance.text.languages.names import capitalised, language_of_question
from askance.text.languages.recognition import surely
from askance.text.languages.scripts import fold
from askance.text.ranking.tokens import count_words, sentences, terms, words

# With more content words a question is whole, whatever "it" stands for in it; without a pronoun already
# with two.
_MOST_REFERRING, _MOST_BARE = 3, 1
_MOST_WORDS = 12
# Articles that look like pronouns: of Dutch and the languages of Scandinavia, and "él" without its accent.
_ARTICLES = frozenset({"de", "den", "det", "het", "el"})
_ABOUT = frozenset({"about"})
_IDLE = frozenset({"about", "many", "much"})
_AROUND = "¿¡\"'“„«([ "


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as it was read. `rest` are its content words but for its names."""

    names: list[str]
    rest: list[str]
    goes_on: bool


def resolved(question: str, turns: Sequence[Turn], may_search: Callable[[str], bool]) -> str:
    """Return a query for a question that goes on from earlier turns; empty for one that stands alone.

    It has the names of the latest question with any beside the words of the follow-up, or all content
    words where that has none but names ("why?", "and in London?"). `may_search` says which words may
    leave this machine.
    """
    if not turns:
        return ""
    code = surely(turns[-1].question) or language_of_question(turns[-1].question)
    asked = _read(question, code)
    if not asked.goes_on:
        return ""
    subject = _subject([turn.question for turn in turns], code, is_whole=not asked.rest)
    if asked.rest and not asked.names:
        subject += _answering_name(turns[-1], code)
    retained = [word for word in dict.fromkeys(subject) if may_search(word)]
    own = [*asked.rest, *asked.names] or [question]
    return " ".join(" ".join([*retained, *own]).split()[:_MOST_WORDS]) if retained else ""


def _read(question: str, code: str) -> _Asked:
    """Read a question in a conversation in a language, which is its own where it is too short to tell."""
    known = language(surely(question) or code or language_of_question(question) or ENGLISH)
    idle = known.pronouns | known.going_on | known.both | known.either | known.stop_words | _IDLE
    names = _names(question, known)
    named = {fold(word) for name in names for word in name.split()}
    rest = [
        word
        for word in content_words(question, known).split()
        if fold(word) not in named and not _is_idle(fold(word), idle)
    ]
    refers = _refers(question.partition(names[0])[0] if names else question, known)
    size = count_words(" ".join(rest))
    if _begins_on(question, known):
        goes_on = True
    elif refers:
        goes_on = size <= _MOST_REFERRING
    elif names:
        # "In London?" goes on; "Marie Curie" and "Who was Marie Curie?" may be another subject.
        goes_on = not rest and len(words(question)) == len(words(" ".join(names))) + 1
    else:
        # Verbs and particles of scripts without spaces stick to what is asked: "有多深？".
        goes_on = size <= _MOST_BARE + (known.code in BIGRAMS)
    return _Asked(names, rest, goes_on)


def _subject(questions: Sequence[str], code: str, *, is_whole: bool) -> list[str]:
    """Return what questions were about: the latest names, or what was asked since one that stood alone."""
    content: list[str] = []
    names: list[str] = []
    for question in reversed(questions):
        asked = _read(question, code)
        content = [*asked.rest, *asked.names, *content]
        names = names or asked.names
        if not asked.goes_on:
            break
    return content if is_whole or not names else names


def _answering_name(turn: Turn, code: str) -> list[str]:
    """Return the first name in an answer that its question does not have: "he" may be of it."""
    known = language(surely(turn.answer) or code)
    months = {fold(form) for forms in known.months for form in forms}
    asked = {*terms(turn.question, known.code)}
    first = next(iter(sentences(turn.answer)), "")
    return [
        name
        for name in capitalised(first, known.code)
        if not any(c.isdecimal() for c in name)
        and not months.issuperset(fold(name).split())
        and not asked.intersection(terms(name, known.code))
        and terms(name, known.code)
    ][:1]


def _names(text: str, known: Language) -> list[str]:
    """Return the names in a text; the first word, which has a capital in any case, is none alone."""
    begins = text.lstrip(_AROUND)
    found = capitalised(text, known.code)
    return [name for name in found if " " in name or not begins.startswith(name)]


def _is_idle(word: str, idle: frozenset[str]) -> bool:
    """Say whether a word says nothing, nor the parts that a hyphen ties: "a-t-il"."""
    return all(len(part) == 1 or part in idle for part in word.split("-")) and not word.isdecimal()


def _begins_on(question: str, known: Language) -> bool:
    if known.code in BIGRAMS:
        return _has_phrase(question, known.going_on)
    first, second = (*words(question, known.code), "", "")[:2]
    is_about = first == "what" and second in _ABOUT
    return is_about or first in known.both | known.either | known.beginnings


def _refers(text: str, known: Language) -> bool:
    referring = known.pronouns | known.going_on
    if known.code in BIGRAMS:
        return _has_phrase(text, referring)
    return not (referring - _ARTICLES).isdisjoint(words(text, known.code))


def _has_phrase(text: str, phrases: Iterable[str]) -> bool:
    return any(phrase in text for phrase in phrases)
