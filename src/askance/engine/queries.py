"""Queries that code makes: of a question that goes on from others, and of what pages call their parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from askance.domain.conversation import Turn
from askance.domain.web import LONGEST_PAGE_CHARACTERS, Page
from askance.engine.names import content_words, content_words_of
from askance.extract.text import strip_invisible
from askance.text.languages.language import BIGRAMS, ENGLISH, Language, language
from askance.text.languages.names import capitalised, language_of_question
from askance.text.languages.recognition import recognise, surely
from askance.text.languages.scripts import fold
from askance.text.ranking.passages import split_paragraphs
from askance.text.ranking.tokens import count_words, sentences, term_spans, terms, words

# Questions that go on from those before: what they are about is searched beside their own words.
#
# A model's plan says that better. These words are there at once, and where no model gives a
# plan.

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


# Search hints: what pages that nearly tell the answer call their parts, as one more query of a
# round.

# A page says something of what is missing where it has this share of the question's words.
LEAST_SHARE = 0.5
# A hint is a name or a phrase, not a sentence.
MOST_WORDS = 6
MOST_CHARACTERS = 60
# So much of a page tells its language.
_RECOGNISED_CHARACTERS = 2_000
# Titles end in the name of their site.
_SITE = re.compile(r"\s[|·–—-]\s")
# Words alone: a page must not bring operators such as `site:` or quotes into a query.
_WORD = re.compile(r"\w[\w'’+#.-]*")
_FENCE = re.compile(r"^(?:```|~~~)[ \t]*([^\s`]*)[^\n]*$", re.MULTILINE)
_CODE_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9+#-]{0,19}")
_NO_CODE = frozenset({"text", "txt", "plain", "plaintext", "none", "console", "output", "markdown"})


@dataclass(frozen=True, slots=True)
class _Part:
    """What stands on a page under one heading. `lines` are what it may be called, the closest first."""

    lines: tuple[str, ...]
    words: frozenset[str]
    code: str


def hint_query(question: str, pages: Sequence[Page], asked: Sequence[str]) -> str:
    """Return one query made of pages' own words; empty where they bring none that is new.

    Of the pages that have half of the question's words or more, the part with most of them says what the
    subject is called, in its heading or the page's title: that is searched with the words of the question
    that this part lacks. A question whose pages show code is searched in their programming language.
    A heading that two pages have, such as "References", names nothing. The pages must be public ones.
    """
    notable = [page for page in pages if _share_of(question, page) >= LEAST_SHARE]
    common = _common_lines(notable)
    written_in = _code_language(notable)
    best, query = (0.0, True), ""
    for part in (part for page in notable for part in _parts(page)):
        wanted = content_words_of(question, part.code)
        missing = _words_of(question, wanted - part.words, part.code)
        known = {t for text in (question, *asked) for t in terms(text, part.code)}
        lines = (line for line in part.lines if fold(line) not in common)
        line = next((line for line in lines if not known.issuperset(terms(line, part.code))), "")
        hint = [text for text in (line, written_in) if not known.issuperset(terms(text, part.code))]
        worth = len(wanted & part.words) / max(1, len(wanted)), bool(_names_in(line, part.code))
        if missing and hint and worth > best:
            best, query = worth, " ".join([*missing, *hint])
    return query


def _share_of(question: str, page: Page) -> float:
    code = _language_of(page)
    wanted = content_words_of(question, code)
    text = f"{page.title} {page.markdown[:LONGEST_PAGE_CHARACTERS]}"
    return len(wanted & set(terms(text, code))) / max(1, len(wanted))


def _parts(page: Page) -> Iterator[_Part]:
    code, title = _language_of(page), _line(_SITE.split(page.title)[0])
    texts: dict[str, list[str]] = {}
    for paragraph in split_paragraphs(page.markdown):
        texts.setdefault(paragraph.heading, []).append(paragraph.text)
    for heading, stems in texts.items():
        lines = tuple(dict.fromkeys(line for line in (_line(heading), title) if line))
        yield _Part(lines, frozenset(terms(" ".join([heading, *stems]), code)), code)


def _line(text: str) -> str:
    """Return the first words of a heading or a title, without any sign between them."""
    found = [word.rstrip(".-'’") for word in _WORD.findall(strip_invisible(text))]
    return " ".join(found[:MOST_WORDS])[:MOST_CHARACTERS].strip()


def _common_lines(pages: Sequence[Page]) -> set[str]:
    seen = Counter(
        line
        for page in pages
        for line in {fold(_line(p.heading)) for p in split_paragraphs(page.markdown)}
    )
    return {line for line, count in seen.items() if count > 1}


def _code_language(pages: Sequence[Page]) -> str:
    """Return the language of most blocks of code, where most of these pages have one; else nothing."""
    fences = [
        [name for name in _FENCE.findall(page.markdown) if _CODE_LANGUAGE.fullmatch(name)]
        for page in pages
    ]
    shown = [
        Counter(name.lower() for name in names if name.lower() not in _NO_CODE) for names in fences
    ]
    if not pages or sum(map(bool, shown)) * 2 <= len(pages):
        return ""
    return sum(shown, Counter[str]()).most_common(1)[0][0]


def _words_of(question: str, stems: set[str], code: str) -> list[str]:
    """Return the words of a question that have these stems, in its order, as they are written."""
    spans: list[tuple[int, int]] = []
    for found, start, end in term_spans(question, code):
        if found not in stems:
            continue
        if spans and start < spans[-1][1]:  # pairs of characters overlap
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        else:
            spans.append((start, end))
    return list(dict.fromkeys(question[start:end] for start, end in spans))


def _names_in(line: str, code: str) -> list[str]:
    # Behind the first word: most languages begin every heading with a capital.
    return capitalised(line.partition(" ")[2], code or "en")


def _language_of(page: Page) -> str:
    return recognise(page.markdown[:_RECOGNISED_CHARACTERS])
