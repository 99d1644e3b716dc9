"""Counts how much rarer a word is in each language of a group of neighbours than in the one where it is the most frequent.

    python -m tools.word_frequencies --subtitles DIR --nynorsk DIR --iberian DIR

writes `text/languages/word_frequencies.json`. The folders are checkouts of hermitdave/FrequencyWords,
ltgoslo/norne and transducens/PILAR, with the zips of its `asturian` unpacked
where they lie; wordfreq (3.1) has to be installed. Nothing is downloaded. Licences are in
docs/decisions/0047-word-frequencies.md.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src/askance/text/languages/word_frequencies.json"
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
_MOST_STEPS_IN = {"ast": 3}
_LONGEST = 24
_SUBTITLES = {"nb": "no"}
_WORD = re.compile(r"[^\W\d_]+")

Frequencies = Mapping[str, float]


def main() -> None:
    """Count, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("subtitles", "nynorsk", "iberian"):
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
    table = {" ".join(group): _steps(group, counted) for group in _GROUPS}
    text = json.dumps(table, ensure_ascii=False, indent=0)
    TARGET.write_text(f"{text}\n", encoding="utf-8")


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


def _shares(counts: Mapping[str, int]) -> Frequencies:
    whole = sum(counts.values())
    return {word: count / whole for word, count in counts.items()}


def _mean(lists: Sequence[Frequencies]) -> Frequencies:
    words = set[str]().union(*lists)
    return {word: sum(known.get(word, 0.0) for known in lists) / len(lists) for word in words}


if __name__ == "__main__":
    main()
