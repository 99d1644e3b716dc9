"""What a question names: people, places, titles, numbers. They can be searched for, and checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from unicodedata import category

from askance.languages.language import CODES, Capitals, Language, language
from askance.languages.recognition import recognise, scripts_of
from askance.languages.scripts import CJK, CJK_RUN, MARKS, fold
from askance.ranking.tokens import count_words, terms, words

_QUOTED = re.compile(r"[\"“„«「『《]([^\"”“„«»「」『』《》]{2,80})[\"”“»」』》]")
# A word as it stands in a name. What is written without spaces ends where it meets what is not.
_TOKEN = re.compile(rf"[^\W_{CJK}](?:[^\W{CJK}]|[{MARKS}'’.&-])*")
_PARTING = "-'’.&"
_NUMBER = re.compile(r"\b\d[\d.,]*\b")
CLOSE = 0.8
# So many small words may stand inside a name: "House of the Dead".
_MOST_JOINS = 2
_EDGES = " .,'’"
_AROUND_LINKS = " \t\n\"”“'’‘,"
# Beside a word that sets names side by side may stand an article.
_LONGEST_ARTICLE = 4
# German nouns that end so, and are so long, name nobody; "Jung" and "Samsung" do.
_COMMON_ENDINGS = (
    "ung",
    "ungen",
    "heit",
    "heiten",
    "keit",
    "keiten",
    "schaft",
    "schaften",
    "ismus",
)
_SHORTEST_COMMON = 8
_MOST_ADJECTIVES = 2
_HIRAGANA = re.compile("[\u3040-\u309f]+")


def named(question: str) -> list[str]:
    """Return the names in a question, in order: quoted titles and capitalised runs.

    What a capital says is the language's matter: German nouns count where no article, no other
    determiner and no list of common nouns speaks against them.
    """
    found = [m.group(1).strip() for m in _QUOTED.finditer(question)]
    rest = _QUOTED.sub(" . ", question)
    known = language(_language_of(question))
    tokens = [_Token(match) for match in _TOKEN.finditer(rest)]
    for first, last in _runs(rest, tokens, known):
        parts = [token.text for token in tokens[first : last + 1]]
        parts[0] = tokens[first].named
        name = " ".join(_name(parts, tokens[:first], known)).strip(_EDGES)
        if len(name) > 1:
            found.append(name)
    return list(dict.fromkeys(found))


def compared(question: str) -> list[str]:
    """Return the names that a question sets side by side: "Is A older than B", "A or B", "A and B"."""
    links = [language(code) for code in dict.fromkeys((_language_of(question), "en", "de"))]
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


def openings(question: str) -> list[str]:
    """Return what to search before anything is known: the question, and what it speaks of.

    That are its names, or where it has none its content words: an engine may not read questions. In
    other languages than English names are told less surely, and its content words are searched for.
    """
    code = _language_of(question)
    if code in _AS_ENGLISH:
        names = [name for name in named(question) if is_nameable(name)]
        stop_words = language(code).stop_words
        told = names or [word for word in words(question) if word not in stop_words]
    else:
        told = _content(question, language(code)).split()
    return list(dict.fromkeys([question, " ".join(told) or question]))


def is_foreign(question: str) -> bool:
    """Say whether a question is in another language than English: more may be written about it in that."""
    return recognise(question) not in _AS_ENGLISH


def wordings(question: str, queries: Sequence[str], most: int) -> tuple[list[str], str]:
    """Return which of a plan's queries go out beside the openings of a question, and what asks it in another
    language, empty if nothing does.

    A question that is not English goes out in both languages, `most` queries in all, and one at least.
    """
    if not is_foreign(question):
        return list(queries), ""
    own = recognise(question)
    opened = openings(question)
    elsewhere = [query for query in queries if recognise(query) not in {"", own}]
    fresh = [q for q in dict.fromkeys([*elsewhere, *queries]) if q not in opened]
    return fresh[: max(1, most - len(opened))], next(iter(elsewhere), "")


def is_name(query: str) -> bool:
    """Say whether a query is nothing but names."""
    return holds(" ".join(named(query)), query)


def holds(text: str, name: str, code: str = "") -> bool:
    """Say whether a text has all words of a name, up to inflection.

    `code` is the language of the text, recognised where none is told.
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


def telling_words(question: str, code: str = "") -> set[str]:
    """Return the stems of a question's content words. What is a content word, its own language says.

    They are stemmed in the language that is named, English if none is: in that of what they are looked
    for in (`ranking.tokens.terms`).
    """
    own = _language_of(question)
    if own in _AS_ENGLISH:
        return set(terms(question, code)) - set(terms(" ".join(language(own).stop_words), code))
    found = set(terms(_content(question, language(own)), code))
    # Japanese writes its particles and endings in Hiragana alone.
    return {term for term in found if not _HIRAGANA.fullmatch(term)} or found


def is_nameable(name: str) -> bool:
    """Say whether a name is worth a search of its own: several words, or one long enough."""
    return count_words(name) > 1 or len(name) > 4


_AS_ENGLISH = frozenset({"", "en"})


def _language_of(question: str) -> str:
    """Return the language of a question; titles that it quotes may be of another."""
    unquoted = _QUOTED.sub(" . ", question)
    if code := recognise(unquoted) or recognise(question):
        return code
    # What is too short to be told begins with a question word, perhaps.
    first = _TOKEN.search(unquoted)
    asking = fold(first.group()) if first else ""
    return next((c for c in CODES if asking and asking in language(c).question_words), "")


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of a question. `named` is what of it may begin a name: `Columbian` of `pre-Columbian`."""

    match: re.Match[str]

    @property
    def text(self) -> str:
        return self.match.group()

    @property
    def named(self) -> str:
        text = self.text
        capitals = [i for i, character in enumerate(text) if character.isupper()]
        if not capitals or capitals[0] == 0:
            return text if capitals else ""
        apart = [i for i in capitals if text[i - 1] in _PARTING or text[i - 1].isdecimal()]
        return text[apart[0] :] if apart else text

    @property
    def goes_on(self) -> bool:
        return self.text[0].isupper() or self.text[0].isdecimal()


def _runs(text: str, tokens: Sequence[_Token], known: Language) -> Iterator[tuple[int, int]]:
    """Yield the first and the last token of each capitalised run."""
    i = 0
    while i < len(tokens):
        last = i
        if tokens[i].named:
            while (following := _following(text, tokens, last, known)) is not None:
                last = following
            yield i, last
        i = last + 1


def _following(text: str, tokens: Sequence[_Token], last: int, known: Language) -> int | None:
    for i in range(last + 1, min(last + 2 + _MOST_JOINS, len(tokens))):
        if not text[tokens[i - 1].match.end() : tokens[i].match.start()].isspace():
            return None
        if tokens[i].goes_on:
            return i
        if not tokens[i].text.islower() or fold(tokens[i].text) not in known.name_joins:
            return None
    return None


def _name(parts: list[str], before: Sequence[_Token], known: Language) -> list[str]:
    """Return what of a capitalised run is a name, if anything."""
    written = parts[0]
    if known.code == "en":
        return _without_leading(parts, known.question_words)
    if not before:
        parts = [known.bare(parts[0]), *parts[1:]]
        leading = known.question_words | known.stop_words
    else:
        leading = known.question_words
    if not parts[0][:1].isupper() and not any(c.isupper() for c in parts[0]):
        return []
    kept = _without_leading([known.bare(p) if _is_tied(p, known) else p for p in parts], leading)
    # The first word of a sentence has a capital in any case.
    is_first = not before and len(kept) == len(parts) == 1 and _is_plain(kept[0])
    if is_first and not _is_tied(written, known):
        return []
    if known.capitals is Capitals.NOUNS:
        led = parts[: len(parts) - len(kept)]
        return _proper(kept, [*(token.text for token in before), *led], known)
    return kept


def _proper(parts: list[str], before: Sequence[str], known: Language) -> list[str]:
    """Return what of a German run is a name: nouns have capitals, too."""
    kept = list(parts)
    while kept and (_is_common(kept[0], known) or fold(kept[0]) in known.name_joins):
        kept.pop(0)
    while kept and _is_common(kept[-1], known):
        kept.pop()
    if len(kept) != 1 or not _is_plain(kept[0]) or len(kept) < len(parts):
        return kept
    at = len(before) - 1
    least = at - _MOST_ADJECTIVES
    while at >= 0 and at >= least:
        if fold(before[at]) in known.determiners:
            return []
        if not before[at].islower() or fold(before[at]) in known.stop_words:
            break
        at -= 1
    return kept


def _is_common(word: str, known: Language) -> bool:
    folded = fold(word)
    if folded in known.common_nouns:
        return True
    return len(folded) >= _SHORTEST_COMMON and folded.endswith(_COMMON_ENDINGS)


def _is_plain(word: str) -> bool:
    """Say whether a word has one capital, at its beginning, and no digit."""
    return not any(c.isupper() or c.isdecimal() for c in word[1:])


def _is_tied(word: str, known: Language) -> bool:
    """Say whether a word has an ending behind an apostrophe, and not an article before one."""
    return word != known.bare(word) and word.startswith(known.bare(word))


def _without_leading(parts: Sequence[str], leading: frozenset[str]) -> list[str]:
    kept = list(parts)
    while kept and fold(kept[0]) in leading:
        kept.pop(0)
    return kept


def _content(question: str, known: Language) -> str:
    """Return a question without its function words and question words, as it is written."""
    idle = known.stop_words | known.question_words
    kept: list[str] = []
    for piece in question.split():
        if CJK_RUN.search(piece):
            kept.append(_without_all(piece, known.question_words))
            continue
        kept += [
            text
            for token in _TOKEN.finditer(piece)
            if (text := known.bare(token.group().strip(_EDGES))) and fold(text) not in idle
        ]
    return " ".join(filter(None, kept))


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
