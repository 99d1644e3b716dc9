"""Counts how much rarer a word is in each language of a group of neighbours than in the one where it is the most frequent.

    python -m tools.word_frequencies --subtitles DIR --nynorsk DIR --iberian DIR --sentences DIR

writes `text/languages/word_frequencies.json`, and `word_pairs.json` beside it: how much likelier a word is in Norwegian than
in Danish behind the one before it. The folders are checkouts of hermitdave/FrequencyWords, ltgoslo/norne, transducens/PILAR,
with the zips of its `asturian` unpacked where they lie, and orgtre/top-open-subtitles-sentences; wordfreq (3.1) has to be
installed. Nothing is downloaded. Licences are in docs/decisions/0047-word-frequencies.md.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from askance.text.languages.language_model import QUESTION_ENDS, TEXT_ENDS, TEXT_STARTS

TARGET = Path(__file__).parents[1] / "src/askance/text/languages/word_frequencies.json"
PAIRS = TARGET.with_name("word_pairs.json")
_GROUPS = (("da", "nb", "nn", "sv"), ("cs", "sk"), ("es", "pt", "gl", "ast", "ca"))
_STEP = 0.5
"""A step of the table, in natural logarithms."""
_MOST_STEPS = 5
# A word less frequent than this in every language of its group says little, and there are many of them.
_LEAST = 1e-5
# What a word that does not occur would be in the lists, which end at one in a million.
_ABSENT = 3e-7
# There are novels and a scientific journal in Asturian to count in, and none of what people say every day: that
# a word does not occur in them says less.
_ABSENT_IN = {"ast": 1e-5}
# A word that is so many steps rarer in Spanish is no Spanish word.
_MOST_STEPS_IN = {"ast": 3, "es": 8}
# Those novels and that journal speak of temperatures more often than Spaniards do. A word that both languages have, so long
# and so frequent in Spanish, is no more frequent in Asturian; short ones ("les") are of other kinds in it.
_SAME_IN = {"ast": "es"}
_LEAST_SAME, _SHORTEST_SAME = 3e-6, 6
_LONGEST = 24
_SUBTITLES = {"nb": "no"}
_WORD = re.compile(r"[^\W\d_]+")
# The lists of sentences have each with how often it was said: a greeting a thousand times. Its words go on as they do
# in one text of so many as the root of that.
_WEIGHT_OF_REPEATED = 0.5
# A word behind another counts as it would alone, until the other was seen so often (in weighed sentences).
_SEEN_OFTEN = {"nb": 640.0, "da": 1000.0}
_VOCABULARY = 20_000
# A pair that stands in fewer sentences than this in both languages is chance.
_LEAST_SENTENCES = 2
_PAIR_STEP = 0.2
_MOST_PAIR_STEPS = 9

Frequencies = Mapping[str, float]


def main() -> None:
    """Count, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("subtitles", "nynorsk", "iberian", "sentences"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    counted = {
        "nn": _in_treebank(options.nynorsk),
        "ast": _mean(
            [_in_text(path) for path in sorted(options.iberian.glob("asturian/**/*.txt"))]
        ),
        "gl": _in_subtitles(options.subtitles, "gl"),
        "ca": _in_web("ca"),
    }
    for code in ("da", "nb", "sv", "cs", "sk", "es", "pt"):
        counted[code] = _mean([_in_web(code), _in_subtitles(options.subtitles, code)])
    for code, known in _SAME_IN.items():
        counted[code] = _as_in(counted[known], counted[code])
    table = {" ".join(group): _steps(group, counted) for group in _GROUPS}
    for path, content in ((TARGET, table), (PAIRS, _pair_steps(options.sentences))):
        text = json.dumps(content, ensure_ascii=False, indent=0)
        path.write_text(f"{text}\n", encoding="utf-8")


def _steps(group: Sequence[str], counted: Mapping[str, Frequencies]) -> dict[str, str]:
    """Return the words of a group, by how many steps rarer they are in each of its languages."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for word in set[str]().union(*(counted[code] for code in group)):
        shares = [counted[code].get(word, 0.0) for code in group]
        if max(shares) < _LEAST or len(word) > _LONGEST:
            continue
        known = [
            math.log(share + _ABSENT_IN.get(code, _ABSENT))
            for code, share in zip(group, shares, strict=True)
        ]
        steps = [
            min(_MOST_STEPS_IN.get(code, _MOST_STEPS), round((max(known) - own) / _STEP))
            for code, own in zip(group, known, strict=True)
        ]
        if any(steps):
            found["".join(map(str, steps))].append(word)
    return {steps: " ".join(sorted(words)) for steps, words in sorted(found.items())}


def _pair_steps(folder: Path) -> dict[str, str]:
    """Return pairs of words, by how many steps likelier the second one is in Norwegian than in Danish for the first."""
    norwegian, danish = (_Sentences(folder, code) for code in ("nb", "da"))
    found: defaultdict[int, list[str]] = defaultdict(list)
    for pair in norwegian.pairs.keys() | danish.pairs.keys():
        if max(norwegian.sentences[pair], danish.sentences[pair]) >= _LEAST_SENTENCES:
            shift = norwegian.shift(pair) - danish.shift(pair)
            steps = min(_MOST_PAIR_STEPS, max(-_MOST_PAIR_STEPS, round(shift / _PAIR_STEP)))
            if steps:
                found[steps].append(" ".join(pair))
    return {str(steps): "|".join(sorted(pairs)) for steps, pairs in sorted(found.items())}


class _Sentences:
    """The most frequent sentences of subtitles in one language, counted."""

    def __init__(self, folder: Path, code: str) -> None:
        self.pairs: defaultdict[tuple[str, str], float] = defaultdict(float)
        self.sentences: Counter[tuple[str, str]] = Counter()
        self._words: defaultdict[str, float] = defaultdict(float)
        self._before: defaultdict[str, float] = defaultdict(float)
        self._often = _SEEN_OFTEN[code]
        path = folder / f"bld/top_sentences/{_SUBTITLES.get(code, code)}_top_sentences.csv"
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                self._count(row["sentence"], int(row["count"]) ** _WEIGHT_OF_REPEATED)
        self._total = sum(self._words.values())

    def _count(self, sentence: str, weight: float) -> None:
        end = QUESTION_ENDS if sentence.rstrip().endswith("?") else TEXT_ENDS
        words = [TEXT_STARTS, *_WORD.findall(sentence.casefold()), end]
        for word in words:
            self._words[word] += weight
        for pair in pairwise(words):
            self.pairs[pair] += weight
            self._before[pair[0]] += weight
        self.sentences.update(set(pairwise(words)))

    def shift(self, pair: tuple[str, str]) -> float:
        """Return how much likelier the second word is behind the first than anywhere, as a natural logarithm.

        Smoothed as by Dirichlet: what was seen seldom is as likely as anywhere.
        """
        alone = (self._words[pair[1]] + 1) / (self._total + _VOCABULARY)
        behind = (self.pairs[pair] + self._often * alone) / (self._before[pair[0]] + self._often)
        return math.log(behind / alone)


def _in_web(code: str) -> Frequencies:
    """Return the frequencies of wordfreq: of Wikipedia, news, subtitles, what people post."""
    return importlib.import_module("wordfreq").get_frequency_dict(code, wordlist="small")


def _in_subtitles(folder: Path, code: str) -> Frequencies:
    own = _SUBTITLES.get(code, code)
    lines = (folder / f"content/2018/{own}/{own}_50k.txt").read_text(encoding="utf-8").splitlines()
    return _shares({word: int(count) for word, count in map(str.split, lines)})


def _in_treebank(folder: Path) -> Frequencies:
    lines = (
        line.split("\t")
        for path in sorted(folder.glob("ndt/nno/*.conll"))
        for line in path.read_text(encoding="utf-8").splitlines()
    )
    return _more_than_once(columns[1] for columns in lines if len(columns) > 1)


def _in_text(path: Path) -> Frequencies:
    return _more_than_once([path.read_text(encoding="utf-8")])


def _more_than_once(texts: Iterable[str]) -> Frequencies:
    counts = Counter(word for text in texts for word in _WORD.findall(text.casefold()))
    shares = _shares(counts)
    return {word: shares[word] for word, count in counts.items() if count > 1}


def _as_in(known: Frequencies, own: Frequencies) -> Frequencies:
    """Return the frequencies of a language, none above that in another one of a long word that both have."""
    return {
        word: min(share, known[word])
        if len(word) >= _SHORTEST_SAME and known.get(word, 0.0) >= _LEAST_SAME
        else share
        for word, share in own.items()
    }


def _shares(counts: Mapping[str, int]) -> Frequencies:
    whole = sum(counts.values())
    return {word: count / whole for word, count in counts.items()}


def _mean(lists: Sequence[Frequencies]) -> Frequencies:
    words = set[str]().union(*lists)
    return {word: sum(known.get(word, 0.0) for known in lists) / len(lists) for word in words}


if __name__ == "__main__":
    main()
