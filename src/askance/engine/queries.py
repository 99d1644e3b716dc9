"""A question's words: what it names, which can be searched for and checked, and the queries that it makes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import pairwise
from unicodedata import category

from askance.domain.conversation import RunRequest, Turn
from askance.domain.errors import InputError
from askance.domain.messages import Message
from askance.domain.web_pages import Page, narrowed
from askance.extract.text.characters import strip_invisible
from askance.text.languages.language import AS_ENGLISH, BIGRAMS, ENGLISH, Language, language
from askance.text.languages.names import capitalised, language_of_question, named
from askance.text.languages.recognition import plain_language, recognise, scripts_of, surely
from askance.text.languages.scripts import CJK_RUN, fold
from askance.text.languages.sentences import sentences
from askance.text.message_parts import (
    LONGEST_QUESTION,
    MessageParts,
    asked_in_story,
    read_message,
    without_address,
)
from askance.text.ranking.index_terms import count_words, merged, term_spans, terms, words
from askance.text.ranking.intent import Query, read_operators, read_query
from askance.text.ranking.passages import split_paragraphs

_NUMBER = re.compile(r"\b\d[\d.,]*\b")
CLOSE = 0.8
_AROUND_LINKS = " \t\n\"”“'’‘,"
# A question that says so many words beside its one name asks for more than that.
_MANY_WORDS = 3
# Beside a word that sets names side by side may stand an article.
_LONGEST_ARTICLE = 4
# What is searched of a story: so many names, and words in all, some of them no names.
_MOST_NAMES, _STORY_WORDS, _LEAST_WORDS = 6, 18, 7
# Characters: people begin with what they speak of.
_BEGINNING = 100
# Signs that belong to a word: of languages and types (`C++`, `F#`, `.NET`, `<int>`), of paths, of money.
_SIGNS_BEFORE = frozenset("/#@$€£¥§<~+.:-")
_SIGNS_BEHIND = frozenset("+#%°€£¥>/")
_POSSESSIVE = re.compile(r"['’]s\Z")
# Engines leave out pages with a word that stands so. Of a number it is the sign.
_EXCLUSION = re.compile(r"(?<!\S)-{1,3}(?=[^\W\d]|[\"'(\u201c\u201e\u00ab])")
# Finnish ties a word to a name of several: "Windows Phone -käyttöjärjestelmä".
_TIES_WITH_HYPHENS = frozenset({"fi"})
_SHORTEST_WORD = 3
# A query of more words is no bare name; to a name so many words of the question are added.
_LONGEST_NAME, _MOST_ASKED = 4, 4
_HIRAGANA = re.compile("[\u3040-\u309f]+")


def compared(question: str) -> list[str]:
    """Return the names that a question sets side by side: "Is A older than B", "A or B", "A and B"."""
    links = [language(code) for code in dict.fromkeys((language_of_question(question), "en", "de"))]
    both = frozenset[str]().union(*(known.both for known in links))
    side_by_side = both.union(*(known.either | known.than for known in links))
    names = [part for name in wanted_names(question) for part in _split(name, both)]
    sides: list[str] = []
    for one, other in pairwise(names):
        start = question.find(one)
        between = question[start + len(one) : question.find(other, start + len(one))]
        if start >= 0 and _is_link(between, side_by_side):
            sides += [one, other]
    return list(dict.fromkeys(sides))


def initial_queries(message: str | MessageParts, resolved: str = "") -> list[str]:
    """Return what to search before anything is known: the question, and what it speaks of.

    Of a question that goes on from others that is `resolved` (`resolved`).

    Else it is its names, or its content words where it has none, or one that says little of it ("Indian"):
    an engine may not read questions. In other languages than English names are recognised less surely, and its
    content words are searched for. Words stay as they are written, with their accents and signs. Of a long
    text only its question is searched, where that says something by itself; of an error message its own words. What is
    excluded ("jaguar -car") is no word to look for, and a question that denies is searched as it is alone.
    """
    parts = read_message(message) if isinstance(message, str) else message
    # Ahead of a plan nothing else of a message may go out (`text.message_parts`).
    question = without_address(parts.question)
    if resolved and not parts.is_long:
        return [question, resolved]
    asked = asked_in_story(question) if parts.is_long else question
    is_alone = parts.question == parts.error.query or stands_alone(asked, is_long=parts.is_long)
    openings = [asked] if is_alone or not (parts.is_long or parts.rest) else []
    if parts.error.query:
        return list(dict.fromkeys([*openings, parts.error.query]))
    if parts.is_long:
        return [*openings, *filter(None, [_keywords(question)])]
    if not openings or denies(question):
        return openings
    return list(dict.fromkeys([question, _reduced(question) or question]))


def _reduced(question: str) -> str:
    """Return the names of a question, or its content words."""
    code, wanted = language_of_question(question), _wanted(question)
    if code not in AS_ENGLISH:
        return content_words(wanted, language(code)) or wanted
    names = [name for name in named(wanted) if is_nameable(name)]
    known = language(code)
    content_words_written = _written_words(wanted, known.stop_words, known)
    suffices = _names_suffice(names, content_words_written)
    return " ".join(names if suffices else content_words_written) or wanted


def stands_alone(asked: str, *, is_long: bool = False) -> bool:
    """Say whether a sentence out of a longer text says by itself what it is about.

    Out of what somebody tells (`is_long`) it must say more: their other words are searched in any case.
    """
    if not asked:
        return False
    read = _read(asked, language_of_question(asked))
    return not read.goes_on and (
        not is_long or bool(read.names) or len(read.rest) > _MOST_REFERRING
    )


def _keywords(story: str) -> str:
    """Return the words that a searcher would take of what somebody tells: names, what begins it, what comes up again."""
    # No name goes on in the next line.
    story = " . ".join(story.splitlines())
    code = language_of_question(story)
    known = language(code)
    story = _without_excluded_phrases(story, known)
    idle = known.stop_words | {fold(form) for forms in known.months for form in forms}
    runs = (capitalised(each, code or ENGLISH) for each in sentences(story))
    names = dict.fromkeys(name for found in runs for name in found)
    names = [n for n in names if len(n) > 2 and fold(n) not in idle][:_MOST_NAMES]
    in_names = {*terms(" ".join(names), code)}
    counts = Counter(terms(story, code))
    found: dict[str, str] = {}
    for word in content_words(_without_names(story, names), known).split():
        stems = terms(word, code)
        is_number = word.isdecimal() or fold(word) in known.numbers
        if stems and not is_number and stems[0] not in in_names:
            found.setdefault(stems[0], word)

    def weight(stem: str) -> float:
        word = found[stem]
        is_first = story.find(word) < _BEGINNING
        return min(counts[stem], 3) + len(word) / 8 + is_first + (not word.isalpha())

    room = max(_LEAST_WORDS, _STORY_WORDS - count_words(" ".join(names)))
    best = [found[stem] for stem in sorted(found, key=weight, reverse=True)[:room]]
    return " ".join(dict.fromkeys(sorted([*names, *best], key=story.find)))[:LONGEST_QUESTION]


def _without_names(text: str, names: Sequence[str]) -> str:
    for name in names:
        text = text.replace(name, " ")
    return text


def denies(question: str) -> bool:
    """Say whether a question says what must not be: fewer words of it would ask for just that."""
    known = language(language_of_question(question))
    if known.code in BIGRAMS:
        return _has_phrase(question, (*known.negations, *known.excluding))
    found = f" {' '.join(words(_without_names(question, named(question))))} "
    return any(f" {fold(word)} " in found for word in (*known.negations, *known.excluding))


def wanted_names(question: str) -> list[str]:
    """Return the names in a question but for those that it excludes: `-"Jaguar XJ"`, "but not Java"."""
    known = language(language_of_question(question))
    return named(_without_excluded_phrases(_wanted(question), known))


def _without_excluded_phrases(text: str, known: Language) -> str:
    """Return a text without what stands behind "without" or "but not", to the end of the clause."""
    if known.code in BIGRAMS:
        return text
    excluding = "|".join(map(re.escape, known.excluding))
    return re.sub(rf"(?i)\b(?:{excluding})\b[^,.;:?!]{{1,200}}", " . ", text)


def _wanted(question: str) -> str:
    """Return a question without the words that greet the program, and those that a hyphen excludes."""
    question = without_address(question)
    query = _with_exclusions(question)
    return query.words if query.without else without_exclusions(question)


def _with_exclusions(question: str) -> Query:
    is_tied = language_of_question(question) in _TIES_WITH_HYPHENS
    return read_query(question, excludes=not is_tied)


def without_excluded(query: str, excluded: Iterable[str]) -> str:
    """Return a query without some words, and without hyphens by which engines leave out others."""
    for phrase in excluded:
        query = re.sub(rf"(?i)-{{0,3}}[\"“”]?(?<!\w){re.escape(phrase)}(?!\w)[\"“”]?", " ", query)
    return " ".join(without_exclusions(query).split())


def narrowed_by_operators(request: RunRequest) -> tuple[RunRequest, Sequence[str]]:
    """Return a request with what the operators of its question narrow it to, and those that are not known.

    A scope that was chosen otherwise counts first. In what was pasted nothing is an operator.
    """
    if request.scope.documents or read_message(request.question, request.pasted).rest:
        return request, ()
    question, sites, files, others = read_operators(request.question)
    try:
        domains = request.scope.domains or narrowed(sites).domains
    except InputError:
        return request, [f"site:{site}" for site in sites]
    scope = replace(request.scope, domains=domains, filetype=files)
    return replace(request, question=question, scope=scope), others


def unknown_operators_message(operators: Sequence[str]) -> Message:
    """Say which operators of search engines were taken for words."""
    return Message(
        "Searched as words, since no such operator is known here: {operators}.",
        operators=", ".join(operators),
    )


def excluded_words(question: str) -> tuple[str, ...]:
    """Return what hyphens exclude from a question: words and phrases."""
    return _with_exclusions(question).without


def without_exclusions(query: str) -> str:
    """Return a query without the hyphens by which engines leave out pages with a word."""
    return _EXCLUSION.sub("", query)


def _names_suffice(names: Sequence[str], words: Sequence[str]) -> bool:
    """Say whether names alone are worth a search beside a question with these content words."""
    if len(names) != 1:
        return bool(names)
    # A single name of one word says too little: "Indian" finds all of India.
    size = count_words(names[0])
    return size > 1 and len(words) - size < _MANY_WORDS


def is_foreign(question: str) -> bool:
    """Say whether a question is in another language than English: more may be written about it in that."""
    return recognise(question) not in AS_ENGLISH


def language_of_query(query: str, question: str) -> str:
    """Return the language in which a query for a question is searched; empty if it is not recognised.

    A query that takes its words from the question has its language, also where they are too few to tell.
    One for an English question is in another language only if it is in another script.
    """
    code = language_of_question(question)
    asked = code if code in {ENGLISH, surely(question)} else ""
    # Both as English and in its language: an apostrophe ties differently in each.
    own_words = {*words(question), *words(question, asked)}
    if own_words.issuperset(words(query)) or own_words.issuperset(words(query, asked)):
        return asked
    # A query of a few English words may look Italian or Spanish: 10 of 199 did (decision 27).
    if asked == ENGLISH and scripts_of(query) <= scripts_of(question):
        return asked
    own = surely(query)
    if own or asked in AS_ENGLISH:
        return own
    names = set(terms(" ".join(named(question)), asked))
    # A name is the same in many languages: only other words that both have tell the query's.
    shared = content_words_of(question, asked).intersection(terms(query, asked))
    return asked if shared - names else ""


def wordings(
    parts: MessageParts, queries: Sequence[str], most: int, resolved: str = ""
) -> tuple[list[str], str]:
    """Return which of a plan's queries go out beside the openings of a question, and what asks it in another
    language, empty if nothing does.

    A question that is not English goes out in both languages, `most` queries in all, and one at least.
    """
    if not is_foreign(parts.question):
        return list(queries), ""
    own = recognise(parts.question)
    opened = initial_queries(parts, resolved)
    elsewhere = [query for query in queries if recognise(query) not in {"", own}]
    # First what asks in another language: the question itself goes out anyway.
    fresh = [q for q in dict.fromkeys([*elsewhere, *queries]) if q not in opened]
    return fresh[: max(1, most - len(opened))], next(iter(elsewhere), "")


def is_name(query: str, code: str) -> bool:
    """Say whether a query in a language is nothing but names."""
    return holds(" ".join(named(query, code)), query)


def is_date(query: str, code: str) -> bool:
    """Say whether a query is nothing but a day, a month or a number, in a language (empty if unknown) or in English."""
    known = [language(one) for one in {code, ENGLISH}]
    months = {fold(form) for one in known for forms in one.months for form in forms}
    return all(w.isdecimal() or len(w) < _SHORTEST_WORD or w in months for w in words(query))


def asked_of(queries: Sequence[str], question: str, shown: str) -> str:
    """Return the first name among queries with what the question asks of it; empty if there is none.

    Those are the question's words that neither the name has nor what is `shown` of another step.
    """
    name = next((query for query in queries if count_words(query) <= _LONGEST_NAME), "")
    code = language_of_question(question)
    known, spoken = {*terms(shown, code), *terms(name, code)}, language(code)
    asked = content_words(_without_excluded_phrases(_wanted(question), spoken), spoken).split()
    left = [word for word in asked if not known.issuperset(terms(word, code))]
    return " ".join([name, *left[:_MOST_ASKED]]) if name and left else ""


def holds(text: str, name: str, code: str = "") -> bool:
    """Say whether a text has all words of a name, up to inflection.

    `code` is the language of the text; where none is given, what it plainly is in.
    """
    code = code or plain_language(text)
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
        for name in dict.fromkeys([*wanted_names(question), *numbers])
        # `Москва` cannot stand in English evidence: that it does not, says nothing.
        if (not evidence or scripts_of(name) <= scripts)
        and not all(_is_known(term, known) for term in terms(name, code))
    ]


def content_words_of(question: str, code: str = "", own: str | None = None) -> set[str]:
    """Return the stems of a question's content words. What is one its `own` language says, recognised where None is given.

    They are stemmed in the language that is named, English if none is: in that of what they are looked
    for in (`ranking.tokens.terms`).
    """
    own = language_of_question(question) if own is None else own
    if own in AS_ENGLISH:
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
    # The longest first: what asks may be a part of a longer word that asks.
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
    # A number that is nearly another one is another one; a name may be spelled in two ways.
    return not word.isdigit() and bool(get_close_matches(word, known, 1, CLOSE))


# Queries that code makes: of a question that goes on from others, and of what pages call their
# parts.

# Questions that go on from those before: what they are about is searched beside their own words.
#
# A model's plan says that better. These words are there at once, and where no model gives a plan.

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
    # "And in London?" is too short to tell its language: the question before it tells.
    code = surely(turns[-1].question) or language_of_question(turns[-1].question)
    asked = _read(question, code)
    if not asked.goes_on:
        return ""
    subject = _subject([turn.question for turn in turns], code, is_whole=not asked.rest)
    # "When was she born?" may mean whom the last answer named, and no question did.
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


# Search hints: what the part of a page that nearly tells the answer is called, as one more query of a round.

# A page says something of what is missing where it has this share of the question's words.
LEAST_SHARE = 0.5
# A hint is a name or a phrase, not a sentence.
MOST_WORDS, MOST_CHARACTERS = 6, 60
# So much of a page tells its language.
_RECOGNISED_CHARACTERS = 2_000
# Titles end in the name of their site.
_SITE = re.compile(r"\s[|·–—-]\s")
# Words alone: a page must not bring operators such as `site:` or quotes into a query.
_WORD = re.compile(r"\w[\w'’+#.-]*")
_CODE_LANGUAGE = re.compile(
    r"^(?:```|~~~)[ \t]*([a-z][a-z0-9+#-]{0,19})[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_NO_CODE = frozenset({"text", "txt", "plain", "plaintext", "none", "console", "output", "markdown"})


def hint_query(question: str, pages: Sequence[Page], asked: Sequence[str]) -> str:
    """Return one query made of public pages' own words; empty where they bring none that is new.

    The part with most of the question's words says in its heading, or its page's title, what the subject is
    called, and in its blocks of code in which language that is written: this is searched with the words of
    the question that the part lacks.
    """
    best, query = LEAST_SHARE, ""
    for page in pages:
        code = recognise(page.markdown[:_RECOGNISED_CHARACTERS])
        wanted = content_words_of(question, code)
        known = {t for text in (question, *asked) for t in terms(text, code)}
        parts: dict[str, str] = {}
        for paragraph in split_paragraphs(page.markdown):
            text = f"{parts.get(paragraph.heading, '')}\n{paragraph.text}"
            parts[paragraph.heading] = text
        for heading, text in parts.items():
            found = wanted.intersection(terms(f"{heading}\n{text}", code))
            share = len(found) / max(1, len(wanted))
            missing = _words_of(question, wanted - found, code)
            named_in = (_line(heading), _line(_SITE.split(page.title)[0]))
            languages = (n for n in _CODE_LANGUAGE.findall(text) if n.lower() not in _NO_CODE)
            new = [_first_new(lines, known, code) for lines in (named_in, languages)]
            # Code's guess must bring something: words that the part lacks, beside what was not searched.
            if missing and any(new) and share > best:
                best, query = share, " ".join([*missing, *filter(None, new)])
    return query


def _first_new(lines: Iterable[str], known: set[str], code: str) -> str:
    return next((line for line in lines if not known.issuperset(terms(line, code))), "")


def _line(text: str) -> str:
    """Return the first words of a heading or a title, without any sign between them."""
    found = [word.rstrip(".-'’") for word in _WORD.findall(strip_invisible(text))]
    return " ".join(found[:MOST_WORDS])[:MOST_CHARACTERS].strip()


def _words_of(question: str, stems: set[str], code: str) -> list[str]:
    """Return the words of a question that have these stems, in its order, as they are written."""
    found = ((start, end) for term, start, end in term_spans(question, code) if term in stems)
    # Terms of scripts without spaces are pairs of characters, which overlap: a word is one again.
    spans = merged(found, overlap=1)
    return list(dict.fromkeys(question[start:end] for start, end in spans))
