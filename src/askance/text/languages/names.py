"""What a text names, by what a capital letter says in its language: people, places, titles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile

from askance.domain.patterns import lazy_re
from askance.text.languages.language import (
    CODES,
    ENGLISH,
    Capitals,
    Language,
    WordList,
    language,
    listed,
)
from askance.text.languages.recognition import is_unknown, recognise
from askance.text.languages.scripts import CJK, MARKS, fold

# A title as it is quoted in any of these languages: “Le Monde”, «Война и мир», 「羅生門」. What is
# longer than 80 characters is speech.
_QUOTED = lazy_re(r"[\"“„«「『《]([^\"”“„«»「」『』《》]{2,80})[\"”“»」』》]")
# A word as it stands in a name: a letter or a digit, and what stands within names (AT&T, O'Brien, U.S., Jean-Luc).
# It ends before letters of a script without spaces.
WORD = lazy_re(rf"[^\W_{CJK}](?:[^\W{CJK}]|[{MARKS}'’.&-])*")
_PARTING = "-'’.&"
# So many small words may stand inside a name: "House of the Dead".
_MOST_JOINS = 2
EDGES = " .,'’"
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
# In capitals it is a name.
_ORGANISATION = "who"
# So many may stand between an article and its noun: „der neue große Bahnhof“.
_MOST_ADJECTIVES = 2


def named(question: str, code: str = "") -> list[str]:
    """Return the names in a question, in order: quoted titles and capitalised runs; its language is recognised if not given.

    What a capital says is the language's matter: German nouns count where no article, no other
    determiner and no list of common nouns speaks against them.
    """
    found = [m.group(1).strip() for m in _QUOTED.finditer(question)]
    code = code or language_of_question(question) or ENGLISH
    return list(dict.fromkeys([*found, *capitalised(_QUOTED.sub(" . ", question), code)]))


def capitalised(text: str, code: str) -> list[str]:
    """Return the capitalised runs of a text that are names in its language, in order."""
    known = language(code)
    tokens = [_Token(match, known) for match in WORD.finditer(text)]
    found: list[str] = []
    for first, last in _runs(text, tokens, known):
        parts = [token.text for token in tokens[first : last + 1]]
        parts[0] = tokens[first].named
        name = " ".join(_name(parts, tokens[:first], known)).strip(EDGES)
        if len(name) > 1:
            found.append(name)
    return found


def language_of_question(question: str) -> str:
    """Return the language of a question; titles that it quotes may be of another."""
    unquoted = _QUOTED.sub(" . ", question)
    if code := recognise(unquoted) or recognise(question):
        return code
    if is_unknown(unquoted):
        return ""
    # What is too short to be told begins with a question word, perhaps.
    first = WORD.search(unquoted)
    asking = fold(first.group()) if first else ""
    return next((c for c in CODES if asking and asking in language(c).question_words), "")


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of a question. `named` is what of it may begin a name: `Columbian` of `pre-Columbian`."""

    match: re.Match[str]
    known: Language

    @property
    def text(self) -> str:
        return self.match.group()

    @property
    def named(self) -> str:
        text = self.text
        capitals = [i for i, character in enumerate(text) if character.isupper()]
        if self._is_stressed:
            return ""
        if not capitals or capitals[0] == 0:
            return text if capitals else ""
        # A capital in the midst of letters makes no name of its own: `iPhone` is one word,
        # `pre-Columbian` two.
        apart = [i for i in capitals if text[i - 1] in _PARTING or text[i - 1].isdecimal()]
        return text[apart[0] :] if apart else text

    @property
    def goes_on(self) -> bool:
        is_name = self.text[0].isupper() or self.text[0].isdecimal()
        return is_name and not self._is_stressed

    @property
    def _is_stressed(self) -> bool:
        if len(self.text) < 2 or not self.text.isupper():
            return False
        known, word = self.known, fold(self.text)
        idle = {*known.stop_words, *known.question_words, *known.negations} - {_ORGANISATION}
        return word in listed(WordList.STRESSED, "") or (len(word) > 2 and word in idle)


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
        # Any sign between two words ends a name: in "Rome, Italy" there are two.
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
    # English is read as it always was: what was measured for it holds (decision 27).
    if known.code == "en":
        return _without_leading(parts, known.question_words)
    if not before:
        parts = [known.bare(parts[0]), *parts[1:]]
        # Any word has a capital there, so function words go as well; inside a sentence theirs is a
        # name's.
        leading = known.question_words | known.stop_words
    else:
        leading = known.question_words
    if not parts[0][:1].isupper() and not any(c.isupper() for c in parts[0]):
        return []
    parts_left = _without_leading(
        [known.bare(p) if _is_tied(p, known) else p for p in parts], leading
    )
    # The first word of a sentence has a capital in any case.
    is_first = not before and len(parts_left) == len(parts) == 1 and _is_plain(parts_left[0])
    if is_first and not _is_tied(written, known):
        return []
    if known.capitals is Capitals.NOUNS:
        led = parts[: len(parts) - len(parts_left)]
        return _proper(parts_left, [*(token.text for token in before), *led], known)
    return parts_left


def _proper(parts: list[str], before: Sequence[str], known: Language) -> list[str]:
    """Return what of a German run is a name: nouns have capitals, too."""
    parts_left = list(
        dropwhile(lambda part: _is_common(part, known) or fold(part) in known.name_joins, parts)
    )
    while parts_left and _is_common(parts_left[-1], known):
        parts_left.pop()
    if len(parts_left) != 1 or not _is_plain(parts_left[0]) or len(parts_left) < len(parts):
        return parts_left
    at = len(before) - 1
    least = at - _MOST_ADJECTIVES
    # An article says that a common noun follows, also with adjectives between them.
    while at >= 0 and at >= least:
        if fold(before[at]) in known.determiners:
            return []
        if not before[at].islower() or fold(before[at]) in known.stop_words:
            break
        at -= 1
    return parts_left


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
    return list(dropwhile(lambda part: fold(part) in leading, parts))
