"""How likely a text is in each of 139 languages: the model of py3langid, without its code, and what tells those that it
confuses from one another.

Its code imports numpy and copies the model, 95 MB in all, of which 24 MB stay. Here a file is mapped, and only the pages
of it that a text needs are in memory, for as long as the model is used.
"""

from __future__ import annotations

import lzma
import math
import mmap
import re
import shutil
import tempfile
import unicodedata
import zipfile
from array import array
from ast import literal_eval
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from struct import Struct, unpack_from
from threading import Lock, Timer
from time import monotonic

from askance.text.languages.language import CODES, read_table

# So long after its last use the model is let go of.
IDLE_S = 45.0
_FILE = "data/model.npz.xz"
_CHUNK_BYTES = 1 << 20


class LanguageModel:
    """A naive Bayes classifier: an automaton finds sequences of bytes that are typical of languages.

    Making one takes a third of a second, and 68 MB of the folder for temporary files.

    Raises:
        ImportError: py3langid is not installed.
        OSError: the model cannot be unpacked, as on a full disk.
    """

    def __init__(self) -> None:
        with tempfile.TemporaryFile() as file:
            with lzma.open(_path()) as packed:
                shutil.copyfileobj(packed, file, _CHUNK_BYTES)
            file.flush()
            with zipfile.ZipFile(file) as archive:
                starts = {entry.filename: entry.header_offset for entry in archive.infolist()}
            # It has a handle of its own.
            view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        arrays = {name: _array(view, start) for name, start in starts.items()}
        self._priors = arrays["pc.npy"].cast("f").tolist()
        size = len(self._priors)
        names = arrays["classes.npy"]
        width = len(names) // size
        self._codes = [
            str(names[at : at + width], "utf-32-le").rstrip("\0")
            for at in range(0, len(names), width)
        ]
        # Of each feature a number for each language.
        self._weights, self._row = arrays["ptc.npy"], Struct(f"<{size}e")
        # Of each state of the automaton the number of its row, which has the next state for each
        # byte; and the feature that ends there, or -1.
        self._next = arrays["nextmove.npy"].cast("I")
        self._rows = arrays["nextmove_row.npy"].cast("H")
        self._features = arrays["out_feat.npy"].cast("i")

    def likelihoods(self, text: str) -> dict[str, float]:
        """Return how likely a text is in each language, by codes of ISO 639; in all they are 1."""
        # Capitals alone are rare in what the model was trained on.
        normal = unicodedata.normalize("NFC", text.lower() if text.isupper() else text)
        data = normal.encode("utf-8", "surrogatepass")
        scores = self._scores(data)
        # The longer a text is, the surer the sums are of it: more than they are right.
        scale, most = 1 / math.sqrt(len(data) or 1), max(scores)
        parts = [math.exp(scale * (score - most)) for score in scores]
        whole = sum(parts)
        found: defaultdict[str, float] = defaultdict(float)
        # A language that is written in two scripts is there twice.
        for code, part in zip(self._codes, parts, strict=True):
            found[code] += part / whole
        return dict(found)

    def _scores(self, data: bytes) -> Sequence[float]:
        rows: defaultdict[int, list[tuple[float, ...]]] = defaultdict(list)
        for feature, count in Counter(self._found(data)).items():
            row = self._row.unpack_from(self._weights, feature * self._row.size)
            rows[count].append(row)
        # Where nothing is found, no language is likelier than another.
        scores: Sequence[float] = self._priors if rows else [0.0] * len(self._priors)
        # By counts: `sum` is many times as fast as products one by one.
        for count, same in rows.items():
            weight = math.log1p(count)
            sums = map(sum, zip(*same, strict=True))
            scores = [score + weight * more for score, more in zip(scores, sums, strict=True)]
        return scores

    def _found(self, data: bytes) -> list[int]:
        following, rows, features = self._next, self._rows, self._features
        state = 0
        found: list[int] = []
        for byte in data:
            state = following[256 * rows[state] + byte]
            if (feature := features[state]) >= 0:
                found.append(feature)
        return found


class SharedModel:
    """The one model of a process: loaded at its first use, forgotten when it was not used for `IDLE_S` seconds.

    `forgotten` is called then, in a thread of its own.
    """

    def __init__(self, forgotten: Callable[[], None]) -> None:
        # Texts are recognised in threads: two at once would load the model twice.
        self._loading = Lock()
        self._model: LanguageModel | None = None
        self._forgotten = forgotten
        self._used_s = 0.0

    @property
    def is_loaded(self) -> bool:
        """Whether it is in memory."""
        return self._model is not None

    def get(self) -> LanguageModel:
        """Return the model.

        Raises:
            ImportError: see `LanguageModel`.
            OSError: see `LanguageModel`.
        """
        with self._loading:
            self._used_s = monotonic()
            if self._model is None:
                self._model = LanguageModel()
                self._look_after(IDLE_S)
            return self._model

    def forget(self) -> None:
        """Let go of it, and of what was loaded for it."""
        with self._loading:
            self._model = None
            self._forgotten()

    def _look_after(self, seconds: float) -> None:
        timer = Timer(seconds, self._forget_if_idle)
        # It does not hold up the end of the program.
        timer.daemon = True
        timer.start()

    def _forget_if_idle(self) -> None:
        left = self._used_s + IDLE_S - monotonic()
        if left > 0:
            self._look_after(left)
        else:
            self.forget()


def _path() -> Path:
    # Found, not imported: its own code would bring numpy.
    spec = find_spec("py3langid")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("py3langid is not installed.", name="py3langid")
    return Path(spec.submodule_search_locations[0]) / _FILE


def _array(archive: memoryview, start: int) -> memoryview:
    """Return the bytes of one of numpy's arrays in an archive that is not compressed, given where its entry starts."""
    name, extra = unpack_from("<26xHH", archive, start)
    start += 30 + name + extra
    (size,) = unpack_from("<8xH", archive, start)
    start += 10 + size
    header = literal_eval(str(archive[start - size : start], "ascii").strip())
    # Such as "<f2", and "<U3" of characters of four bytes.
    kind, width = header["descr"][1], int(header["descr"][2:])
    count = math.prod(header["shape"]) * width * (4 if kind == "U" else 1)
    return archive[start : start + count]


# The one model of a process, with what is read and searched as one language.

# What the model calls otherwise, and what is read and searched as one language.
_CODES = {
    "no": "nb", "nn": "nb", "pcm": "en", "ary": "ar", "arz": "ar", "yue": "zh", "wuu": "zh",
}  # fmt: skip


# What stands behind them has not changed the language of any of 360 texts, and takes four times as long.
_SCORED_CHARACTERS = 600


def likelihoods(text: str) -> dict[str, float]:
    """Return how likely a text is in each language, by codes of ISO 639.

    Loading the model takes a third of a second; it is unpacked into a temporary file. Where the disk is full nothing
    is returned, and the next call tries again.
    """
    found: defaultdict[str, float] = defaultdict(float)
    try:
        model = _model.get()
    # English is what an unknown text is treated as: a full disk costs the language, not the
    # question.
    except OSError:
        return found
    for code, likelihood in model.likelihoods(text[:_SCORED_CHARACTERS]).items():
        own = _CODES.get(code, code)
        found[own] = max(found[own], likelihood)
    return found


def _forget_tables() -> None:
    for table in (_words, _groups, _pairs, _foreign):
        table.cache_clear()


_model = SharedModel(_forget_tables)


# What languages do not have that their neighbours have: letters and words that count against them.

# Each letter or word that a language does not have makes it so much less likely; a name brings one in.
_LESS_LIKELY = 0.3
# Three at the most: it is 0.027 times as likely then, and more would silence the model.
_MOST_COUNTED = 3
# Languages that are seldom written, and that the model hears in short texts of their neighbours, count for less;
# where a text may be Danish or Norwegian it hears Norwegian more often (docs/bench/questions.md).
_SHARES = (
    dict.fromkeys(("gcf", "lij", "ltg", "se", "vec", "wa"), 0.5)
    | dict.fromkeys(("an", "ext"), 0.3)
    | {"nb": 0.78, "gl": 1.3}
)


@dataclass(frozen=True, slots=True)
class _Foreign:
    """What a language does not have. Of `doubtful` words it has some: two count as one."""

    letters: frozenset[str]
    words: frozenset[str]
    doubtful: frozenset[str]
    endings: tuple[str, ...]
    spelling: re.Pattern[str] | None

    def count(self, letters: frozenset[str], words: frozenset[str]) -> int:
        return (
            len(letters & self.letters)
            # Integer division: one doubtful word alone counts nothing.
            + len(words & self.doubtful) // 2
            + sum(map(self._is_foreign, words))
        )

    def _is_foreign(self, word: str) -> bool:
        if word in self.words or word.endswith(self.endings):
            return True
        return self.spelling is not None and self.spelling.search(word) is not None


def foreign_to(
    letters: frozenset[str], words: frozenset[str], codes: Iterable[str]
) -> dict[str, int]:
    """Return how many of these letters and words, in small letters, each of some languages does not have; if any."""
    known = _foreign()
    found = {code: known[code].count(letters, words) for code in codes if code in known}
    return {code: count for code, count in found.items() if count}


def reweighed(likely: Mapping[str, float], foreign: Mapping[str, int]) -> dict[str, float]:
    """Return how likely a text is in each language, given what in it is foreign to them (`foreign_to`).

    What an unknown language loses the others gain; what a known one loses may be of one that nobody knows.
    """
    weighed = {
        code: share
        * _SHARES.get(code, 1.0)
        * _LESS_LIKELY ** min(foreign.get(code, 0), _MOST_COUNTED)
        for code, share in likely.items()
    }
    lost = sum(likely[code] - share for code, share in weighed.items() if code not in CODES)
    whole = sum(likely.values())
    gain = whole / (whole - lost) if 0 < lost < whole else 1.0
    return {code: share * gain for code, share in weighed.items()}


@cache
def _foreign() -> dict[str, _Foreign]:
    data: dict[str, dict[str, str]] = read_table("neighbours.json")
    found: dict[str, _Foreign] = {}
    for code, known in data.items():
        patterns = known.get("patterns", "").split()
        found[code] = _Foreign(
            frozenset(known.get("letters", "")),
            frozenset(known.get("words", "").split()),
            frozenset(known.get("doubtful", "").split()),
            # No word ends in a line break.
            tuple(known.get("endings", "\n").split(" ")),
            re.compile("|".join(patterns)) if patterns else None,
        )
    return found


# How frequent words are in languages that are close to one another: tells them apart where letters
# do not.

# Below this share the model sees no language of a group in a text.
_LEAST_MASS = 0.01
# What `bench/questions.py` chose on one half of its sentences and questions: how much words say beside the
# model, whose letters are of the same words, and how much at most.
_WEIGHT = 0.25
_MOST = 5.0
_MOST_OF_WORD = 5
# Of a language that the model does not know, so much of what it gives to the group, beside the known one that it is
# taken for: where each word may be of that one, and where one is not.
_UNKNOWN_TO_MODEL = {"ast": ("es", 0.05, 0.4)}
# So many steps rarer a word is not of the language.
_FOREIGN_STEPS = 7
# More of the texts that are right in both are in the first.
_FAVOURED = {"cs": 0.5}
# The forms of a language that words are counted in one by one.
_FORMS = {"nn": "nb"}

# What stands before and behind the words of a text, in the table of pairs.
TEXT_STARTS, TEXT_ENDS, QUESTION_ENDS = "^", "$", "?"
# What a step of the table of pairs says beside the frequencies of the words, as a natural logarithm.
_PAIR_WEIGHT = 0.14


class _WordTable:
    """Of each word of a group of languages, how much rarer it is in each of them, in steps of half a natural logarithm.

    Held are the sorted 64-bit hashes of the words: the words themselves would take ten times the memory.
    """

    def __init__(self, table: Mapping[str, str]) -> None:
        # One value for many words: there are some hundred of them.
        self._steps = [tuple(map(int, steps)) for steps in table]
        hashes, numbers = array("q"), array("H")
        for number, words in enumerate(table.values()):
            hashes.extend(map(hash, words.split()))
            numbers.extend([number] * (len(hashes) - len(numbers)))
        order = sorted(range(len(hashes)), key=hashes.__getitem__)
        self._hashes = array("q", (hashes[i] for i in order))
        self._numbers = array("H", (numbers[i] for i in order))

    def find(self, words: Iterable[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield those of the words that are known, each with its steps by language."""
        for word in words:
            at = bisect_left(self._hashes, wanted := hash(word))
            if at < len(self._hashes) and self._hashes[at] == wanted:
                yield word, self._steps[self._numbers[at]]


def reapportioned(
    received: Mapping[str, float],
    likely: Mapping[str, float],
    words: Iterable[str],
    foreign: Mapping[str, int],
) -> dict[str, float]:
    """Return how likely a text is in each language, given how frequent its words are in those of each group.

    Languages of a group keep together what the model gave to them (`received`): that a text is in one of
    them the model knows well, but not in which. Each gets a part by what it is thought to be (`likely`), and
    by its words. `foreign` is how much in the text each language does not have (`foreign_to`).
    """
    found = dict(likely)
    counted = Counter(words)
    for group in _groups():
        codes = {_FORMS.get(code, code) for code in group.split()}
        # The tables of a group take up to 58 ms to read: only a text that may be of it pays for
        # that.
        mass = sum(received.get(code, 0.0) for code in codes)
        if mass < _LEAST_MASS:
            continue
        rarer = _rarer(group, counted)
        parts = {
            code: (likely.get(code, 0.0) + _share_unknown(code, group, counted, foreign) * mass)
            # Bayes' rule: a step of the table is half a natural logarithm, and at 0.25 counts half
            # of that.
            * math.exp(_FAVOURED.get(code, 0.0) - min(_WEIGHT * rarer[code], _MOST))
            for code in sorted(codes)
        }
        if whole := sum(parts.values()):
            found |= {code: mass * part / whole for code, part in parts.items()}
    return found


def _share_unknown(code: str, group: str, words: Counter[str], foreign: Mapping[str, int]) -> float:
    """Return how much of what the model gives to a group may be a language's that the model does not know."""
    if code not in _UNKNOWN_TO_MODEL:
        return 0.0
    known, least, most = _UNKNOWN_TO_MODEL[code]
    own, other = (group.split().index(each) for each in (code, known))
    is_foreign = foreign.get(known, 0) > 0 or any(
        steps[other] - steps[own] >= _FOREIGN_STEPS for _, steps in _words(group).find(words)
    )
    return most if is_foreign else least


def norwegian_by_pairs(words: Sequence[str]) -> float:
    """Return how much likelier a question is Norwegian than Danish by which word follows which, as a natural logarithm.

    "Når starter det?" has words of both, but a Dane begins such a question with "Hvornår".
    """
    known = _pairs()
    steps = sum(known.get(f"{a} {b}", 0) for a, b in pairwise([TEXT_STARTS, *words, QUESTION_ENDS]))
    # Pairs were taken from subtitles, where each sentence stands alone: hence the marks at both
    # ends.
    return _PAIR_WEIGHT * steps


def _rarer(group: str, words: Counter[str]) -> dict[str, int]:
    """Return how much rarer the words are in each language than in the one where they are the most frequent."""
    codes = group.split()
    totals = [0] * len(codes)
    for word, rarer in _words(group).find(words):
        for i, steps in enumerate(rarer):
            totals[i] += min(steps, _MOST_OF_WORD) * words[word]
    least = min(totals)
    found: dict[str, int] = {}
    for code, total in zip(codes, totals, strict=True):
        own = _FORMS.get(code, code)
        # Bokmål and nynorsk are one language here: a text is as far from it as from the nearer
        # form.
        found[own] = min(found.get(own, total - least), total - least)
    return found


@cache
def _words(group: str) -> _WordTable:
    return _WordTable(_groups()[group])


@cache
def _groups() -> dict[str, dict[str, str]]:
    return read_table("word_frequencies.json")


@cache
def _pairs() -> dict[str, int]:
    table: dict[str, str] = read_table("word_pairs.json")
    return {pair: int(steps) for steps, pairs in table.items() for pair in pairs.split("|")}
