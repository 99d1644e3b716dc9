"""What a query may be made of, by where its words come from.

A word may leave this machine if it stands in the question, in what already went out, or in what the
web said. What stands only in the user's own texts and in the conversation stays, in any inflection
and however it is spelled; so do the names of the machine and its user. A word that stands nowhere
is the model's own knowledge and may go, unless it looks like an identifier.

Words that are written so that no comparison word by word finds them are looked for by their letters
(`disguised_words`). Words are compared as English ones, and by the stems of the languages that the user's texts are written in
besides: either holds a word back. The function words of those languages are nobody's secret.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from urllib.parse import unquote

from askance.domain.patterns import lazy_re
from askance.engine.disguised_words import DisguisedWords, beginning_with, letters_of
from askance.engine.turn_privacy import (
    held_stretches,
    is_one_word,
    syllable_pairs,
    without_syllables,
    words_before_pages,
)
from askance.extract.text.characters import strip_invisible
from askance.text.languages.language import AS_ENGLISH, BIGRAMS, ENGLISH, is_vietnamese, language
from askance.text.languages.recognition import recognise, surely
from askance.text.languages.scripts import CJK_RUN
from askance.text.ranking.index_terms import STOP_WORDS, merged, stem, terms, words

_TOKEN = lazy_re(r"\S++")
_DIGITS = lazy_re(r"\d++(?:[ \u00a0\u2009.,:/()_-]{1,3}+\d++|)*+")
_DIGIT = lazy_re(r"\d")
# So many digits in a row tell one number from others: an account's, not a year's.
SHARED_DIGITS = 5
# More digits than this are no date and no span of years, and longer mixtures of letters and digits
# no name of a product: who knows them has received them.
MOST_DIGITS = 8
# An address of mail; letters and digits mixed, twelve at least, as of a key; an account number such
# as an IBAN.
_IDENTIFIER = lazy_re(
    r"[^\s@]{1,64}+@[^\s@]{2,255}+"
    r"|(?=[A-Za-z_-]{0,40}+\d)(?=[\d_-]{0,40}+[A-Za-z])[A-Za-z0-9_-]{12,}+"
    r"|[A-Za-z]{2}\d{2}[A-Za-z0-9]{8,}+"
)
# A word, and a year, a decade or one digit beside it.
_COMPOUND = lazy_re(
    r"(?:1[5-9]|20)\d\d[a-z]{0,3}-[A-Za-z]?[a-z]{2,40}|[A-Za-z]?[a-z]{3,40}\d-[A-Za-z]?[a-z]{2,40}"
)
# Where a path of a user's own begins; those of the system (`/etc`, `C:\\Windows`, `~/.bashrc`) are the same everywhere.
_EVERYWHERE = r"(?:[a-z]{1,9}\+)?https?|ftps?|wss?|git|svn|gopher|gemini|ipfs|chrome|edge|steam"
# Of the schemes of programs (`vscode://file/…`, `obsidian://open?file=…`) nobody knows all.
_SCHEME = (
    rf"(?<![+-])(?i:file:/{{1,3}}|(?:smb|nfs|afp|sftp|cifs)://"
    rf"|(?!(?:{_EVERYWHERE})://|ssh://git@)[a-z][a-z\d+.-]{{1,30}}://(?=[^\s/?]{{0,200}}[/?]\w))"
)
_SHARE = r"(?<!:)//(?!www\.|[\w.-]{1,200}\.(?:com|org|net|edu|gov|dev|[a-z]{2})/)[\w.-]{1,200}/"
_SCRIPTS = r"(?:configure|gradlew|mvnw|autogen\.sh|manage\.py|a\.out|node_modules)(?![\w.-])"
_RELATIVE = rf"(?:\.\.?[\\/]){{1,20}}(?=\w)(?!{_SCRIPTS})"
_ROOT = (
    rf"(?:{_SCHEME}|{_SHARE}|{_RELATIVE}|~[A-Za-z]{{0,32}}[\\/](?!\.)|\$(?:HOME|\{{HOME\}})/(?!\.)"
    r"|(?:%(?i:userprofile|homepath|onedrive)%|\$(?i:env:(?:userprofile|homepath|onedrive)))[\\/]"
    r"|/(?:home|Users|root|media|mnt|tmp|run/(?:media|user)|var/home|Volumes|[a-z]/Users|cygdrive|data|work"
    r"|srv|export|nas|net|shares?|backups?|sdcard|storage|volume\d)/"
    r"|[A-Za-z]:[\\/](?!(?i:windows|program))|\\\\(?=\w|[?.]\\))"
)
_PATH_ENDS = r"(?=[\s\"',;:!?)\]]|$)"
# Folders with a document at their end, wherever they begin; a name with a point before the first slash is a website's.
_DOCUMENT = (
    r"(?<![\w./\\:@%=&?#~+)-])(?:/(?!(?:usr|etc|opt|var|proc|sys|dev|lib|bin|nix|snap)/)|\w)[^\s./\\:]{0,60}"
    r"[\\/](?:[^\s/\\]{1,99}[\\/]){0,20}[^\s/\\]{0,99}\w\.(?i:pdf|docx?|od[tsp]|xlsx?|pptx?|rtf|md|txt|csv|tsv"
    rf"|epub|heic|eml|msg|mbox)(?=\.?(?:{_PATH_ENDS}))"
)
# In quotes, or up to the ending of a file: names of files have blanks.
_PATH = lazy_re(
    rf"([\"'`])(?={_ROOT})[^\"'`\n]{{1,400}}\1"
    rf"|(?<![\w./\\]){_ROOT}(?:\S{{1,999}}\.\w{{1,5}}{_PATH_ENDS}"
    rf"|\S{{0,999}}(?:[ ]\S{{1,60}}){{1,6}}?\.\w{{1,5}}{_PATH_ENDS}|\S{{1,999}})|{_DOCUMENT}"
)
# Counts and years alone tell nobody apart.
_HARMLESS_NUMBER = lazy_re(r"\d{1,2}|(?:19|20)\d\d")
# German umlauts as two letters.
_UMLAUT = lazy_re("([aou])e")
# Two words are forms of one where they begin alike for so long, in whatever language.
_SHORTEST_STEM, _STEM_SHARE = 5, 0.6
# A word may be parted into so many pieces, by spaces or by signs.
_MOST_PIECES = 6
_SHORTEST_JOINED = 3
# A word in which so long a private one stands says it too.
_LONGEST_PART = 6
# In an honest query few words look like disguises: the rest need not be looked for in what is public.
_MOST_LOOKED_UP = 64
# What is left of a query when a word is taken out may say another; after so many times nothing is asked.
_MOST_PASSES = 4


@dataclass(slots=True)
class _Known:
    """The words and the numbers of some texts. `roots` are the stems in each of some languages other than English."""

    codes: Sequence[str]
    stems: set[str] = field(default_factory=set[str])
    roots: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    digits: set[str] = field(default_factory=set[str])
    identifiers: set[str] = field(default_factory=set[str])
    # The stems in order: those that begin alike stand side by side.
    ordered: list[str] = field(default_factory=list[str])
    _long: str = "\n"

    def add(self, text: str, idle: frozenset[str] = frozenset()) -> None:
        """Take in a text but for words that say nothing: those of English, and `idle` ones."""
        text = strip_invisible(text)
        found = {word for word in words(text) if word not in STOP_WORDS and word not in idle}
        new = set(map(stem, found | set(map(_without_umlauts, found)))) - self.stems
        self.stems |= new
        self.ordered += new
        # What was there is in order already: linear but for the new ones.
        self.ordered.sort()
        # One text of all long stems: `find` searches it in C, and no stem has the line feed between two.
        self._long += "".join(f"{known}\n" for known in new if _is_part(known))
        for code in self.codes:
            self.roots.setdefault(code, set()).update(
                root for root in terms(text, code) if root not in idle
            )
        for number in _numbers(text):
            self.digits |= set(_shingles(number))
        self.identifiers |= {_compact(found) for found in _identifiers(text)}

    def forms(self, root: str) -> Iterator[str]:
        """Yield the stems that are forms of a word."""
        if root in self.stems:
            yield root
        alike = beginning_with(self.ordered, root[:_SHORTEST_STEM])
        yield from (known for known in alike if _is_form(root, known))

    def parts(self, root: str) -> Iterator[str]:
        """Yield the stems that hold a word, or stand in it; both are long."""
        if len(root) < _LONGEST_PART:
            return
        at = self._long.find(root)
        while at >= 0:
            end = self._long.index("\n", at)
            yield self._long[self._long.rindex("\n", 0, at) + 1 : end]
            at = self._long.find(root, end)
        for i in range(len(root) - _LONGEST_PART + 1):
            for known in beginning_with(self.ordered, root[i : i + _LONGEST_PART]):
                if root.startswith(known, i) and _is_part(known):
                    yield known


@dataclass(frozen=True, slots=True)
class Screened:
    """A query without its private words; empty if nothing is left that could be searched.

    `paths` are those of this computer that were in it.
    """

    query: str
    held_back: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


class PrivateWords:
    """Screens the queries of one run."""

    def __init__(
        self,
        question: str,
        private: Iterable[str],
        published: Iterable[str],
        unknown: Iterable[str] = (),
    ) -> None:
        """`private` are texts of the user's own, and turns; `unknown` are turns of unknown origin."""
        self._steered = False
        # A run's searches are screened in its event loop while a thread may prepare for the next ones.
        self._lock = threading.RLock()
        self._unread: list[tuple[Callable[[str], None], str]] = []
        # Earlier questions were searched without their paths, too: these are not public by that.
        parted = [_without_paths(text) for text in (question, *published)]
        question, *published = (text for text, _ in parted)
        paths = [path for _, found in parted for path in found]
        self._question = question
        # An address of a file has its blanks and letters in numbers.
        named = (*paths, *map(unquote, paths))
        known, others = list(dict.fromkeys([*private, *named])), list(dict.fromkeys(unknown))
        self._texts = [*known, *others]
        self._turns = [
            *(words_before_pages(text, question) for text in known),
            *(words_before_pages(text, question, from_memory=False) for text in others),
        ]
        self._held = [turn.held for turn in self._turns]
        # Names alone do not say in which language they stand.
        self._codes = {turn.held: turn.code for turn in self._turns}
        self._published = list(dict.fromkeys((question, *published)))
        self._letters: dict[str, str] = {}
        self._read_anew(map(_recognised, (question, *self._held)))

    def publish(self, text: str) -> None:
        """Take note of what the web said: its words may be searched."""
        self._unread.append((self._publish, text))

    def hold(self, text: str) -> None:
        """Take note of what is the user's own: words that stand there alone may not be searched."""
        self._unread.append((self._hold_back, text))

    def prepare(self) -> None:
        """Read all texts up to now, so that the next query is screened at once.

        Long conversations take seconds: call it in a thread where an event loop waits.
        """
        with self._lock:
            for take_in, text in self._unread:
                take_in(text)
            self._unread.clear()

    def _publish(self, text: str) -> None:
        self.steer()
        if text not in self._published:
            self._published.append(text)
            self._add_public(text)

    def _hold_back(self, text: str) -> None:
        self.steer()
        if text in self._held:
            return
        self._held.append(text)
        # A new language changes how all texts are stemmed: only then are all of them read again.
        if (code := _recognised(text)) in {"", ENGLISH, *self._private.codes}:
            self._hold(text)
        else:
            self._read_anew({code, *self._private.codes})

    def steer(self) -> None:
        """From now on queries may be what a page wants: all of the conversation is held back."""
        if not self._steered:
            self._steered = True
            self._turns = []
            if self._held != self._texts:
                self._held = self._texts
                self._read_anew(map(_recognised, (self._question, *self._held)))

    def _read_anew(self, private_texts: Iterable[str]) -> None:
        """Read all texts in these languages: what is compared must have been read in the same."""
        codes = sorted(set(private_texts) - {"", ENGLISH})
        self._private, self._public = _Known(codes), _Known(codes)
        self._disguised = DisguisedWords(codes, self._is_looked_for)
        self._idle = frozenset[str]()
        self._pairs = set[tuple[str, str]]()
        for text in self._held:
            self._hold(text)
        for text in self._published:
            self._add_public(text)

    def _add_public(self, text: str) -> None:
        self._public.add(text)
        if self._pairs:
            self._pairs -= {pair for pair, _, _ in syllable_pairs(text)}

    def _hold(self, text: str) -> None:
        idle = _idle_words(("" if is_one_word(text) else surely(text)) or self._codes.get(text, ""))
        self._idle |= idle
        if is_vietnamese(text):
            self._pairs |= {pair for pair, _, _ in syllable_pairs(text)}
            text = without_syllables(text)
        self._private.add(text, idle)
        self._disguised.add(strip_invisible(text), idle)

    def _is_looked_for(self, word: str) -> bool:
        """Say whether a word is private, and no form of it public."""
        root = stem(word)
        return root in self._private.stems and next(self._public.forms(root), None) is None

    def public_words(self, text: str) -> tuple[str, ...]:
        """Return the words and numbers of a text that may be searched because something public has them."""
        self.prepare()
        text = strip_invisible(text)
        found = {
            word: None
            for word in words(text)
            if word not in STOP_WORDS and stem(word) in self._public.stems
        }
        for number in _numbers(text):
            shingles = set(_shingles(number))
            if shingles and shingles <= self._public.digits:
                found[number] = None
        for name in _identifiers(text):
            if _compact(name) in self._public.identifiers:
                found[name] = None
        return tuple(found)

    def allows(self, query: str) -> bool:
        """Say whether a query may leave as it is."""
        return not self.screen(query).held_back

    def screen(self, query: str) -> Screened:
        """Take out of a query what may not leave."""
        held: dict[str, None] = {}
        with self._lock:
            left, paths = _without_paths(strip_invisible(query))
            # Taken out, a word may leave two halves of another one side by side.
            for _ in range(_MOST_PASSES):
                spans = self._private_spans(left)
                if not spans:
                    return Screened(left, tuple(held), paths)
                left, taken = _without(left, spans)
                held |= dict.fromkeys(taken)
        return Screened("", tuple(held), paths)

    def _private_spans(self, query: str) -> list[tuple[int, int]]:
        self.prepare()
        spans = {*self._private_tokens(query), *self._private_numbers(query)}
        for turn in self._turns:
            spans.update(turn.spans(query, self._has_public_words))
        if self._pairs:
            spans.update((a, b) for pair, a, b in syllable_pairs(query) if pair in self._pairs)
        for i, (start, end) in enumerate(self._disguised.find(query)):
            if i >= _MOST_LOOKED_UP or not self._is_published(query[start:end]):
                spans.add((start, end))
        return merged(sorted(spans))

    def _has_public_words(self, text: str) -> bool:
        found = words(text)
        return bool(found) and all(stem(word) in self._public.stems for word in found)

    def _letters_of(self, published: str) -> str:
        if published not in self._letters:
            self._letters[published] = letters_of(published)
        return self._letters[published]

    def _is_published(self, stretch: str) -> bool:
        """Say whether words in which a private one stands are public themselves, in a row or one by one.

        A form of a public word is not enough: the private one may be what it ends in.
        """
        letters = letters_of(stretch)
        if any(letters in self._letters_of(text) for text in self._published):
            return True
        return len(stretch.split()) == 1 and self._has_public_words(stretch)

    def _private_tokens(self, query: str) -> Iterator[tuple[int, int]]:
        pieces: deque[tuple[int, str]] = deque(maxlen=_MOST_PIECES)
        for match in _TOKEN.finditer(query):
            start, end = match.span()
            if CJK_RUN.search(match.group()):
                yield from self._private_bigrams(match)
                pieces.clear()
                continue
            found = words(match.group())
            if (
                any(map(self._is_private, found))
                or self._has_private_root(match.group())
                or self._is_identifier(match.group())
            ):
                yield start, end
            # A private word may be parted by spaces: up to six pieces in a row are tried as one.
            for word in found:
                pieces.append((start, word))
                if (begin := self._joined(pieces)) is not None:
                    yield begin, end

    def _private_bigrams(self, match: re.Match[str]) -> Iterator[tuple[int, int]]:
        """Of scripts without spaces only the characters are held back that the private text has."""
        text = match.group()
        for run in CJK_RUN.finditer(text):
            begin = match.start() + run.start()
            if len(run.group()) == 1 and self._is_secret(run.group()):
                yield begin, begin + 1
            for start, end in held_stretches(run.group(), self._is_secret):
                yield begin + start, begin + end
        rest = CJK_RUN.sub(" ", text)
        if any(map(self._is_private, words(rest))) or self._has_private_root(rest):
            yield match.span()

    def _private_numbers(self, query: str) -> Iterator[tuple[int, int]]:
        """Find numbers that stand in private texts, or in no text at all, however they are grouped."""
        for match in _DIGITS.finditer(query):
            number = _digits_of(match.group())
            shingles = set(_shingles(number))
            # Five digits in a row, so that a grouping or a prefix hides no number.
            leaked = (shingles & self._private.digits) - self._public.digits
            unknown = len(number) > MOST_DIGITS and not shingles <= self._public.digits
            if leaked or (unknown and "," not in match.group()):
                start, end = match.span()
                left = max(query.rfind(" ", 0, start), query.rfind("\n", 0, start)) + 1
                right = re.compile(r"\S*+").match(query, end)
                yield left, right.end() if right else end

    def _is_secret(self, root: str) -> bool:
        """Say whether a stem stands in private texts alone: what is public as well is no secret."""
        return root in self._private.stems and root not in self._public.stems

    def _has_private_root(self, text: str) -> bool:
        """Say whether a text has a word in a form of its own language; counts and years tell nobody."""
        return any(
            root in known
            and root not in self._public.roots.get(code, ())
            and not _HARMLESS_NUMBER.fullmatch(root)
            for code, known in self._private.roots.items()
            for root in terms(text, code)
        )

    def _is_private(self, word: str) -> bool:
        root, private = stem(word), self._private
        if word in STOP_WORDS or root in self._public.stems or _HARMLESS_NUMBER.fullmatch(word):
            return False
        if word in self._idle and not self._is_secret(root):
            return False  # it only begins like a private word
        roots = {root, stem(_without_umlauts(word))}
        alike = (known for r in roots for known in chain(private.forms(r), private.parts(r)))
        if not any(map(self._is_secret, alike)):
            return False
        # A word with digits is an identifier: that a public one begins alike does not free it.
        return bool(_DIGIT.search(root)) or next(self._public.forms(root), None) is None

    def _joined(self, pieces: Sequence[tuple[int, str]]) -> int | None:
        """Return where a private word begins that the last of these pieces complete, two at least."""
        whole = pieces[-1][1]
        for start, piece in reversed([*pieces][:-1]):
            whole = piece + whole
            if len(whole) >= _SHORTEST_JOINED and (
                self._is_secret(stem(whole)) or self._has_private_root(whole)
            ):
                return start
        return None

    def _is_identifier(self, token: str) -> bool:
        return any(_compact(found) not in self._public.identifiers for found in _identifiers(token))


def _recognised(text: str) -> str:
    return "" if is_one_word(text) else recognise(text)


def _without_paths(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without the paths of this computer in it, and those."""
    paths = tuple(match.group() for match in _PATH.finditer(text))
    return (" ".join(_PATH.sub(" ", text).split()) if paths else text), paths


def _without(query: str, spans: Sequence[tuple[int, int]]) -> tuple[str, list[str]]:
    """Return what is left of a query, empty if nothing in it could be searched, and what was taken out."""
    retained: list[str] = []
    taken: list[str] = []
    done = 0
    for start, end in spans:
        retained.append(query[done:start])
        taken.append(query[start:end].strip("\"'.,;:!?()[]"))
        done = end
    rest = " ".join(" ".join([*retained, query[done:]]).split())
    return (rest if terms(rest) else ""), taken


def _idle_words(code: str) -> frozenset[str]:
    """Return the words of a language that tell nothing; of English they are known anyhow."""
    if code in AS_ENGLISH:
        return frozenset()
    known = language(code)
    idle = known.stop_words | known.question_words
    if code in BIGRAMS:
        # What is left of function words where texts are compared by pairs of characters.
        single = [word for word in sorted(idle) if len(word) == 1]
        pairs = {word[i : i + 2] for word in idle for i in range(len(word) - 1)}
        return idle | pairs | {one + other for one in single for other in single}
    return idle


def _is_part(known: str) -> bool:
    """Say whether a private stem is long enough to count where it stands in another word."""
    return len(known) >= _LONGEST_PART and not _DIGIT.search(known)


def _is_form(one: str, other: str) -> bool:
    longer = max(len(one), len(other))
    # By the longer of both: a short word begins many long ones.
    needed = max(_SHORTEST_STEM, round(_STEM_SHARE * longer))
    return len(one) >= needed and one[:needed] == other[:needed]


def _without_umlauts(word: str) -> str:
    """Return `muller` of `mueller`: what folding makes of `Müller`."""
    return _UMLAUT.sub(r"\1", word)


def _identifiers(text: str) -> list[str]:
    """Return what looks like an identifier; no decade is one: `1970er-Jahren`."""
    return [found for found in _IDENTIFIER.findall(text) if not _COMPOUND.fullmatch(found)]


def _numbers(text: str) -> Iterator[str]:
    for match in _DIGITS.finditer(text):
        yield _digits_of(match.group())


def _digits_of(number: str) -> str:
    """Return the digits of a number in ASCII, whichever script they are written in."""
    return "".join(f"{unicodedata.digit(digit)}" for digit in _DIGIT.findall(number))


def _shingles(number: str) -> Iterator[str]:
    for i in range(len(number) - SHARED_DIGITS + 1):
        yield number[i : i + SHARED_DIGITS]


def _compact(identifier: str) -> str:
    return "".join(c for c in identifier.casefold() if c.isalnum())
