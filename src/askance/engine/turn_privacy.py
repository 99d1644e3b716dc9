"""What of an earlier turn is private while no page was read, and whether a text speaks of who writes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from askance.text.languages.language import (
    AS_ENGLISH,
    BIGRAMS,
    ENGLISH,
    Capitals,
    WordList,
    as_written,
    has_listed,
    is_delicate,
    is_idle_syllable,
    is_vietnamese,
    language,
    listed,
)
from askance.text.languages.names import EDGES, capitalised, language_of_question
from askance.text.languages.recognition import surely
from askance.text.languages.scripts import CJK_RUN, THAI, fold, has_case
from askance.text.languages.sentences import sentence_spans
from askance.text.message_parts import is_letter, read_message
from askance.text.ranking.index_terms import STOP_WORDS, count_words, merged, stem, terms, words

# Languages in which "I" is a word of another kind.
_OTHER_I = frozenset({"it", "pl"})
# What somebody else is quoted with; and "I" where it is no number.
_QUOTED = re.compile(
    r'"[^"\n]{1,400}"|„[^“”„\n]{1,400}[“”]|“[^“”\n]{1,400}(?:“[^“”\n]{1,400})?”|”[^“”\n]{1,400}”'
    r"|«[^«»\n]{1,400}»|»[^«»\n]{1,400}«|[「『][^「」『』\n]{1,400}[」』]"
)
# `I'm`, `I am`; with the word before it, which tells "World War I began" from a first person.
_ENGLISH_I = re.compile(r"(?:\b(\w{1,30})\s)?\bI(?:['’]\w|\s[a-z])")
# What is counted in Roman numerals: "grade I listed".
_COUNTED = frozenset(
    {"category", "chapter", "class", "grade", "level", "part", "phase", "stage", "type", "volume"}
)
# An answer is about whoever asks where so large a part of its sentences says "we".
_OWN_SHARE = 0.5
_SEVERAL = re.compile(r"\S\s+\S|[^\x00-\u024f]")
_ANY_WORD = re.compile(r"[^\W\d_]+")


def is_one_word(text: str) -> bool:
    """Say whether a text is one word in Latin letters, as the names of this machine are.

    It is of no language that could be told, and what recognises them takes half a second to load.
    """
    return _SEVERAL.search(text) is None


def code_of(text: str) -> str:
    """Return the language of a message or an answer; empty for Vietnamese, which is compared by its syllables."""
    if is_one_word(text):
        return ""
    return "" if is_vietnamese(text) else surely(text) or language_of_question(text)


def is_personal(message: str, answer: str, code: str) -> bool:
    """Say whether a message speaks of its writer, or an answer of whoever asks: a letter, a text in the first person.

    Texts about anything say "we" now and then.
    """
    if any(_first_persons(message, code)):
        return True
    if is_letter(answer):
        return True
    text = _QUOTED.sub(" ", answer)
    own = code_of(text) or code
    # One is enough: who says "I" speaks of themselves, "we" may be all of mankind.
    singular, _ = _first_persons(text, own, has_i=own in AS_ENGLISH)
    if singular:
        return True
    found = [text[start:end] for start, end in sentence_spans(text)]
    shared = sum(_first_persons(each, own, has_i=False)[1] for each in found)
    return shared > 0 and shared >= _OWN_SHARE * len(found)


def _first_persons(text: str, code: str, *, has_i: bool = True) -> tuple[bool, bool]:
    """Say whether a text has a first person of its own, and whether it has one that others share: "we".

    In its language or in English; `has_i` says whether a capital I may be one.
    """
    text = _QUOTED.sub(" ", text)
    if is_vietnamese(text):  # without their marks its words are those of other languages
        lowered = text.lower()
        shared = as_written(WordList.WE, "vi")
        is_shared = any(phrase in lowered for phrase in shared)
        written = {match.group() for match in _ANY_WORD.finditer(_without_each(lowered, shared))}
        return not written.isdisjoint(as_written(WordList.FIRST_PERSON, "vi")), is_shared
    is_english = has_i and surely(text) not in _OTHER_I
    is_own = is_english and not all(map(_is_numeral, _ENGLISH_I.finditer(text)))
    is_shared = False
    for each in {code, ENGLISH}:
        found = words(text)
        is_shared |= has_listed(WordList.WE, each, text, found)
        if each in BIGRAMS:
            rest = _without_each(text, as_written(WordList.WE, each))
            is_own |= has_listed(WordList.FIRST_PERSON, each, rest, found)
        else:
            own = listed(WordList.FIRST_PERSON, each) - listed(WordList.WE, each)
            is_own |= not own.isdisjoint(found)
    return is_own, is_shared


def _without_each(text: str, phrases: tuple[str, ...]) -> str:
    for phrase in phrases:
        text = text.replace(phrase, " ")
    return text


def _is_numeral(match: re.Match[str]) -> bool:
    """Say whether an I is a number: "World War I", "Elizabeth I", "grade I"."""
    before = match[1] or ""
    named = before[:1].isupper() and before.lower() not in STOP_WORDS
    return named or before.lower() in _COUNTED


# A question that is about nobody in particular ("How big is Lisbon?") and an answer that speaks of
# nobody's own say little of the user. Of such an answer only names, numbers and identifiers are the
# conversation's, its other words are anybody's. Of such a question an ordinary word tells nothing
# by itself, two of them do; names and delicate words do alone. The thing or place that it names is
# free where the question at hand refers to it. All else stays private: statements, texts in the
# first person, letters, and persons.

# A topic is asked about with few words besides: "what is", "tell me about".
_LONGEST_TOPIC = 6
# A short message is its topic: each of its words tells it. Of a longer one so many must come together.
_SHORT, _TOGETHER = 2, 2
# Words that are shorter tell nothing of a script without spaces: of Thai, and of the others.
_LEAST_THAI, _LEAST_OTHER = 6, 3
# So short a message names something, and states nothing.
_LONGEST_NAME = 2
_ASKING = frozenset({"about", "know", "me", "please", "something", "say", "describe", "called"})
_ASKS = re.compile("[?\uff1f\u061f;\u037e][\\s\"'”»]{0,4}$")
_IDENTIFIER = re.compile(
    r"(?<![A-Za-z0-9@._/-])(?=[A-Za-z@._/-]{0,40}\d|[A-Za-z0-9._-]{1,64}@)[A-Za-z0-9@._/-]{3,200}"
)
# Years, decades, counts, and shares.
_HARMLESS = re.compile(
    r"\d{1,2}|[12]\d{3}[A-Za-z'’-]{0,12}|\d{1,3}(?:[.,]\d{3}){1,3}|\d{1,3}[.,]\d{1,2}|\d{1,2}[a-z]{1,3}"
)
_TITLE = re.compile(r"\b(?:Dr|Prof|Mr|Mrs|Ms|Sir|Herrn?|Frau|Mme|Sra?|Dott)\b")
_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(r"\S+")
# An initial, one to three vowels, a final: all that a Vietnamese syllable is without its marks.
_SYLLABLE = re.compile(
    r"(?:ngh|ng|nh|gh|gi|kh|ph|th|tr|ch|qu|[bcdđghklmnpqrstvx])?[aeiouy]{1,3}(?:ch|ng|nh|[cmnpt])?"
)
_IS_THAI = re.compile(f"[{THAI}]")
_AROUND = " .,;:!?()[]\"'“”„«»’"
_QUOTES = " \"'“„«("


@dataclass(frozen=True, slots=True)
class TurnWords:
    """What of a turn a plan's query may not say: `held` and units of `alone` not at all, no two of `together`.

    What is `held` is looked for in disguise, too. `in_syllables` says that the turn is in Vietnamese.
    """

    held: str
    together: frozenset[str] = frozenset()
    code: str = ""
    alone: frozenset[str] = frozenset()
    in_syllables: bool = False

    def spans(self, query: str, is_public: Callable[[str], bool]) -> list[tuple[int, int]]:
        """Return where a query has units that tell something, alone or together."""
        alone = self._places(query, self.alone, is_public, in_names=True)
        found = self._places(query, self.together, is_public, in_names=False)
        apart = merged(found, overlap=1)
        words = {fold(query[start:end]) for start, end in apart}
        is_long = any(b - a >= 2 * _least(query[a:b]) - 2 for a, b in apart)
        # An ordinary word is anybody's; two of one message in one query are that message.
        is_identifying = len(words) >= _TOGETHER or (self.code in BIGRAMS and is_long)
        return [*alone, *found] if is_identifying else alone

    def _places(
        self,
        query: str,
        wanted: frozenset[str],
        is_public: Callable[[str], bool],
        *,
        in_names: bool,
    ) -> list[tuple[int, int]]:
        if not wanted:
            return []
        if self.in_syllables:
            units = _pair_units(query)
        else:
            units = (_name_units if in_names else _units)(query, self.code)
        found = [(start, end) for unit, start, end in units if unit in wanted]
        return [place for place in found if not is_public(query[slice(*place)])]


def words_before_pages(text: str, question: str, *, from_memory: bool = True) -> TurnWords:
    """Return what of a private text a plan may not say.

    That is all of it where it is no turn, its message on the first line, or where it is about somebody. Of an
    answer of which nobody knows that it is `from_memory` all but common words is private.
    """
    message, _, answer = text.partition("\n")
    code = code_of(message)
    # A text that stands beside a question was pasted: none of it is an answer from memory.
    is_turn = bool(answer.strip()) and not read_message(message).rest
    if not is_turn or not _asks(message, code) or is_personal(message, answer, code):
        return TurnWords(text)
    topic = _topic(message, code, question)
    names = [name for name in _names(message, code) if name != topic]
    names = [_distinctive_words(name, code) for name in names]
    texts = list(_answer_names(answer, message, code) if from_memory else [_uncommon(answer, code)])
    asked = message.replace(topic, " ") if topic else message
    ordinary = _ordinary(asked, code)
    is_short = len(ordinary) <= _SHORT
    names += [word for word in ordinary if is_short or is_delicate(fold(word), code)]
    names += [*_identifiers(asked), *(_identifiers(answer) if from_memory else ())]
    in_syllables = is_vietnamese(text)
    if in_syllables:  # one syllable of a name is in many words
        names += texts
        alone = frozenset(unit for name in names for unit, _, _ in _pair_units(name))
        names = [without_syllables(name) for name in names]
    elif from_memory and code:
        names += filter(CJK_RUN.search, texts)
        alone = frozenset(unit for name in texts for unit, _, _ in _name_units(name, code))
    else:
        names, alone = [*names, *texts], frozenset[str]()
    if topic and not in_syllables:
        alone -= {unit for unit, _, _ in _name_units(topic, code)}
    held = "\n".join(names)
    if topic:
        held = held.replace(topic, " ")
    units = () if is_short else _units(asked, code)
    together = frozenset(unit for unit, _, _ in units)
    return TurnWords(held, together, code, alone, in_syllables)


def syllable_pairs(text: str) -> Iterator[tuple[tuple[str, str], int, int]]:
    """Yield the pairs of Vietnamese syllables that stand side by side, and where: one alone is no word."""
    for line in re.finditer(r"[^\n]+", text):
        before: re.Match[str] | None = None
        for match in _WORD.finditer(line.group()):
            if is_idle_syllable(match.group().lower()):
                before = None
                continue
            if before is not None and match.start() - before.end() <= 1:
                pair = (fold(before.group()), fold(match.group()))
                yield pair, line.start() + before.start(), line.start() + match.end()
            before = match


def without_syllables(text: str) -> str:
    """Return a Vietnamese text without its syllables: foreign names, numbers and identifiers."""
    return " ".join(
        w for w in text.split() if not _SYLLABLE.fullmatch(fold(w).strip(".,;:!?\"'()"))
    )


def _asks(message: str, code: str) -> bool:
    """Say whether a message is a question or a request, and not a statement."""
    if _ASKS.search(message) or count_words(message) <= _LONGEST_NAME:
        return True
    found = words(message)
    if any(has_listed(WordList.ASKING, each, message, found) for each in {code, ""} - {ENGLISH}):
        return True
    asking = language(code or ENGLISH).question_words | listed(WordList.ASKING, ENGLISH)
    return not asking.isdisjoint(found[:1])


def _topic(message: str, code: str, question: str) -> str:
    """Return the one thing or place that a message is about and a question refers to; empty if there is none."""
    asked_in = surely(question) or code or ENGLISH
    found = words(question)
    if not has_listed(WordList.THINGS, asked_in, question, found):
        return ""
    # "Where does she live?" refers to a person, who stays private even if a place is named.
    if has_listed(WordList.PERSONS, asked_in, question, found):
        return ""
    code_of_topic = code or ENGLISH
    if has_listed(WordList.PERSONS, code_of_topic, message, words(message)):
        return ""
    names = _names(message, code)
    # Of two names nobody knows which one is meant; a title makes a person of a name.
    if len(names) != 1 or _TITLE.search(message):
        return ""
    idle = _idle_words(code_of_topic)
    rest = [word for word in words(message.replace(names[0], " ")) if word not in idle]
    is_short = len(words(message)) <= _LONGEST_TOPIC + len(names[0].split())
    return names[0] if is_short and len(rest) <= 1 else ""


def _names(text: str, code: str) -> list[str]:
    """Return the names in a message but for countries; its first word has a capital in any case."""
    begins = text.lstrip(_QUOTES)
    free = listed(WordList.COUNTRIES, code)
    names = capitalised(text, code or ENGLISH)
    names = [name for name in names if " " in name or not begins.startswith(name)]
    return [name for name in names if not free.issuperset(words(name))]


def _idle_words(code: str) -> frozenset[str]:
    known = language(code)
    return known.stop_words | known.question_words | _ASKING


def _ordinary(message: str, code: str) -> list[str]:
    """Return the content words of a message; of a script without spaces its longer pieces."""
    if CJK_RUN.search(message):
        return [unit for unit, _, _ in _units(message, code)]
    idle = _idle_words(code or ENGLISH)
    found = [match.group() for match in _WORD.finditer(message)]
    if is_vietnamese(message):
        return [word for word in found if not is_idle_syllable(word.lower())]
    return [word for word in found if fold(word) not in idle and not _is_common(word, code)]


def _answer_names(text: str, message: str, message_code: str) -> Iterator[str]:
    """Yield the names of an answer; countries and their people are no secret.

    An answer too short to be recognised is in the language of its message.
    """
    code = code_of(text) or message_code
    is_plain = is_vietnamese(text)
    given = listed(WordList.GIVEN_NAMES, "")
    is_german = language(code or ENGLISH).capitals is Capitals.NOUNS
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        for name in capitalised(sentence, code or ENGLISH):
            is_first = sentence.lstrip(_QUOTES).startswith(name) and " " not in name
            # "Bridges are …": a capital at the beginning of a sentence is nobody's name if the word
            # stands elsewhere without.
            if is_first and (is_plain or _is_small(name, f"{message} {text}")):
                continue
            if " " not in name and (
                is_german or (is_plain and _SYLLABLE.fullmatch(fold(name.strip(EDGES))))
            ):
                continue
            distinctive = _distinctive_words(name, code)
            # Given names alone tell nobody apart; without them the surname is what identifies.
            surnames = [
                part for part in distinctive.split() if fold(part).strip(EDGES) not in given
            ]
            yield " ".join(surnames) or distinctive


def _distinctive_words(name: str, code: str) -> str:
    """Return the words of a name that are no function words and no country's."""
    known = language(code or ENGLISH)
    idle = known.stop_words | known.question_words | known.name_joins
    idle |= listed(WordList.COUNTRIES, code)
    parts = [part for part in name.split() if fold(part).strip(EDGES) not in idle]
    parts = [part for part in parts if not _is_common(part.strip(EDGES), code)]
    return " ".join(part for part in parts if not is_idle_syllable(part.lower()))


def _uncommon(text: str, code: str) -> str:
    return " ".join(word for word in text.split() if not _is_common(word.strip(_AROUND), code))


def _is_common(word: str, code: str) -> bool:
    """Say whether a word, in any of its forms, is one of those that stand in all kinds of names and questions."""
    return any(stem(fold(word), each) in _common_stems(each) for each in {code, ENGLISH})


@cache
def _common_stems(code: str) -> frozenset[str]:
    known = listed(WordList.COMMON, code) | listed(WordList.COUNTRIES, code)
    return frozenset(stem(word, code) for word in known)


def _identifiers(text: str) -> list[str]:
    """Return addresses, numbers but for years and counts, and what mixes letters and digits."""
    found = [match.group().strip("._/-") for match in _IDENTIFIER.finditer(text)]
    return [one for one in found if "@" in one or not _HARMLESS.fullmatch(one)]


def _is_small(word: str, text: str) -> bool:
    """Say whether a word stands in small letters somewhere in a text: its capital is the sentence's."""
    return has_case(word[0]) and word.lower() in {match.group() for match in _WORD.finditer(text)}


def _units(text: str, code: str) -> Iterator[tuple[str, int, int]]:
    """Yield what of a text is compared, and where it stands: stems, pairs of syllables, pieces of runs."""
    if is_vietnamese(text):
        yield from _pair_units(text)
        return
    idle = _idle_words(code or ENGLISH)
    for token in _TOKEN.finditer(text):
        if CJK_RUN.search(token.group()):
            for run in CJK_RUN.finditer(token.group()):
                # Pieces of equal length from each place on: no word borders are known in these
                # scripts.
                least = _least(run.group())
                begin = token.start() + run.start()
                for i in range(len(run.group()) - least + 1):
                    yield run.group()[i : i + least], begin + i, begin + i + least
            continue
        for word in words(token.group()):
            if word not in idle and word not in STOP_WORDS:
                found = terms(token.group(), code) if code not in AS_ENGLISH else [stem(word)]
                yield from ((unit, *token.span()) for unit in found[:1])


def _pair_units(text: str) -> Iterator[tuple[str, int, int]]:
    return ((" ".join(pair), start, end) for pair, start, end in syllable_pairs(text))


def _name_units(text: str, code: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words of names as they are compared: by their stems, in a language and in English."""
    known = language(code or ENGLISH)
    idle = known.stop_words | known.question_words
    for token in _TOKEN.finditer(text):
        plain = CJK_RUN.sub(" ", token.group())
        found = [stem(word) for word in words(plain) if word not in idle and word not in STOP_WORDS]
        found += [unit for unit in terms(plain, code) if fold(unit) not in idle]
        for unit in dict.fromkeys(found):
            if len(unit) > 1 and not _HARMLESS.fullmatch(unit):
                yield unit, *token.span()


def _least(run: str) -> int:
    """Return how many characters of a run say something."""
    return _LEAST_THAI if _IS_THAI.search(run) else _LEAST_OTHER


def held_stretches(run: str, private: Callable[[str], bool]) -> list[tuple[int, int]]:
    """Return where a run of a script without spaces has a private word: pairs of characters that stand in a row.

    One pair alone tells nothing, unless it is all of the run; nor do a few syllables of Thai.
    """
    is_thai = _least(run) == _LEAST_THAI
    pairs = [i for i in range(len(run) - 1) if private(run[i : i + 2])]
    rows = merged(((i, i + 2) for i in pairs), overlap=1)
    # A word that is taken apart has its pairs in several places.
    if not is_thai and len({run[i : i + 2] for i in pairs}) >= _LEAST_OTHER:
        return rows
    least = min(_least(run), len(run))
    return [(start, end) for start, end in rows if end - start >= least]
