"""`python -m bench.citing_languages`: the citation check in several languages, and across two of them.

Parallel paragraphs are needed: the same 240 in each language, of XQuAD, as they lie in `shared/box`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from askance.citations.check.checking import check_citations
from askance.citations.check.facts import read_facts
from askance.citations.check.support import SupportIndex
from askance.domain.evidence import Extract, ExtractKind, Support
from askance.text.languages.language import language
from askance.text.languages.names import capitalised
from askance.text.languages.sentences import sentence_spans
from bench.beside import SHARED

FOLDER = SHARED / "box" / "data" / "languages"
LANGUAGES = ("en", "de", "es", "ru", "zh", "ar", "hi", "tr")
SEED = 1
_SENTENCES_A_PARAGRAPH = 2
_SAME_ARTICLE, _OTHER_ARTICLES = 4, 3
# A sentence of fewer characters is a heading or a fragment.
_SHORTEST, _SHORTEST_HAN = 40, 12
_COMMA = re.compile(r"(?<=[,،、\uff0c])")
_NUMBER = re.compile(r"\d+")
TRUE = ("verbatim", "shortened")
FALSE = ("number", "name", "negated", "elsewhere")


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph by the key that it has in every language, `Article:number`."""

    key: str
    title: str
    text: str

    @property
    def article(self) -> str:
        """The article that it is of."""
        return self.key.rpartition(":")[0]


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence, the paragraphs that it is held against, and the place of the one it cites.

    `kind` tells what was done to it; one of `TRUE` is carried by what it cites.
    """

    kind: str
    claim: str
    evidence: tuple[str, ...]
    cited: int


def load_passages(code: str, folder: Path = FOLDER) -> dict[str, Passage]:
    """Return the paragraphs of a language by their keys."""
    with gzip.open(folder / f"passages-{code}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    keys = [row["pid"].partition(":")[2] for row in rows]
    return {
        key: Passage(key, row["title"], row["text"]) for key, row in zip(keys, rows, strict=True)
    }


def pairs(code: str, passages: Mapping[str, Passage]) -> Iterator[Pair]:
    """Yield sentences of a language, true ones and ones that were changed."""
    chance = random.Random(f"{code}-{SEED}")  # noqa: S311 - the same sentences each time
    for passage in passages.values():
        evidence, same = _evidence(passage, passages, chance)
        here = evidence.index(passage.key)
        away = evidence.index(same[0] if same else next(k for k in evidence if k != passage.key))
        names = [n for key in same for n in capitalised(passages[key].text, code)]
        for sentence in _sample(passage, code, chance):
            yield Pair("verbatim", sentence, evidence, here)
            if shorter := _shortened(sentence, code):
                yield Pair("shortened", shorter, evidence, here)
            changed = {
                "number": _other_number(sentence, chance),
                "name": _other_name(sentence, passage.text, names, code, chance),
                "negated": _negated(sentence, code, chance),
            }
            for kind, claim in changed.items():
                if claim:
                    yield Pair(kind, claim, evidence, here)
            yield Pair("elsewhere", sentence, evidence, away)


def grade_pairs(code: str, source_code: str) -> Counter[tuple[str, bool]]:
    """Count by kind what the check calls supported, sentences of one language against sources of another."""
    claims, sources = load_passages(code), load_passages(source_code)
    counts: Counter[tuple[str, bool]] = Counter()
    known: tuple[str, ...] = ()
    evidence = SupportIndex((), {})
    for pair in pairs(code, claims):
        if pair.evidence != known:
            known = pair.evidence
            evidence = SupportIndex(*_numbered(known, sources), code)
        n = pair.cited + 1
        match = evidence.match(evidence.read(pair.claim), [n]).get(n)
        counts[pair.kind, match is not None and match.support is Support.SUPPORTED] += 1
    return counts


def move_markers(code: str, source_code: str) -> Counter[tuple[str, str]]:
    """Count what becomes of right, wrong and missing markers, and of sentences that no source has."""
    claims, sources = load_passages(code), load_passages(source_code)
    chance = random.Random(f"markers-{code}-{SEED}")  # noqa: S311
    counts: Counter[tuple[str, str]] = Counter()
    for passage in claims.values():
        evidence, _ = _evidence(passage, claims, chance)
        extracts, titles = _numbered(evidence, sources)
        here = evidence.index(passage.key) + 1
        strange = chance.choice([p for p in claims.values() if p.key not in evidence])
        others = [n for n in range(1, len(evidence) + 1) if n != here]
        for sentence in _sample(passage, code, chance)[:1]:
            text, stop = sentence.rstrip(".。।"), "." if sentence[-1] not in "。।" else sentence[-1]
            for case, marker in (
                ("right", f" [{here}]"),
                ("wrong", f" [{chance.choice(others)}]"),
                ("missing", ""),
            ):
                checked = check_citations(f"{text}{marker}{stop}", extracts, titles=titles)
                cited = {citation.n for citation in checked.citations}
                carried = any(c.support is Support.SUPPORTED for c in checked.citations)
                is_right = cited == {here}
                counts[case, "right"] += is_right
                counts[case, "another"] += bool(cited) and not is_right and carried
                counts[case, "doubted"] += bool(cited) and not is_right and not carried
                counts[case, "none"] += not cited
        for sentence in _sample(strange, code, chance)[:1]:
            checked = check_citations(sentence, extracts, titles=titles)
            counts["invented", "none"] += not checked.citations
            counts["invented", "another"] += bool(checked.citations)
    return counts


def shares(counts: Counter[tuple[str, bool]]) -> tuple[float, float]:
    """Return the precision and the recall of `supported`."""
    right = sum(counts[kind, True] for kind in TRUE)
    true = right + sum(counts[kind, False] for kind in TRUE)
    reported = right + sum(counts[kind, True] for kind in FALSE)
    return right / reported if reported else 1.0, right / true if true else 1.0


def _evidence(
    passage: Passage, passages: Mapping[str, Passage], chance: random.Random
) -> tuple[tuple[str, ...], list[str]]:
    """Eight paragraphs with one among them, and those of the same article."""
    same = [p.key for p in passages.values() if p.article == passage.article and p != passage]
    other = [p.key for p in passages.values() if p.article != passage.article]
    chance.shuffle(same)
    chance.shuffle(other)
    found = [passage.key, *same[:_SAME_ARTICLE], *other[:_OTHER_ARTICLES]]
    chance.shuffle(found)
    return tuple(found), same[:_SAME_ARTICLE]


def _numbered(
    keys: Sequence[str], passages: Mapping[str, Passage]
) -> tuple[list[Extract], dict[int, str]]:
    found = [passages[key] for key in keys]
    extracts = [Extract(n, ExtractKind.PASSAGE, p.text) for n, p in enumerate(found, 1)]
    return extracts, {n: p.title for n, p in enumerate(found, 1)}


def _sample(passage: Passage, code: str, chance: random.Random) -> list[str]:
    found = [passage.text[start:end] for start, end in sentence_spans(passage.text, code)]
    least = _SHORTEST_HAN if code == "zh" else _SHORTEST
    found = [sentence for sentence in found if len(sentence) > least]
    return chance.sample(found, min(_SENTENCES_A_PARAGRAPH, len(found)))


def _shortened(sentence: str, code: str) -> str:
    parts = _COMMA.split(sentence)
    shortened = "".join(parts[: max(1, (len(parts) + 1) // 2)])
    least = _SHORTEST_HAN if code == "zh" else _SHORTEST
    if len(parts) < 2 or len(shortened) <= least:
        return ""
    return shortened.rstrip(",،、\uff0c ") + ("。" if code == "zh" else ".")


def _other_number(sentence: str, chance: random.Random) -> str:
    numbers = list(_NUMBER.finditer(sentence))
    if not numbers:
        return ""
    found = chance.choice(numbers)
    other = int(found[0]) + chance.choice([1, 2, 3, 7, 11, 20])
    return f"{sentence[: found.start()]}{other}{sentence[found.end() :]}"


def _other_name(
    sentence: str, paragraph: str, names: Sequence[str], code: str, chance: random.Random
) -> str:
    known = paragraph.casefold()
    strange = [n for n in names if not any(word in known for word in n.casefold().split())]
    own = [name for name in capitalised(sentence, code) if not sentence.startswith(name)]
    if not own or not strange:
        return ""
    return sentence.replace(chance.choice(own), chance.choice(strange))


def _negated(sentence: str, code: str, chance: random.Random) -> str:
    if read_facts(sentence, code).negated:
        return ""
    word = language(code).negations[0]
    if code == "zh":
        middle = len(sentence) // 2
        return sentence[:middle] + word + sentence[middle:]
    parts = sentence.split(" ")
    at = len(parts) - 1 if code == "tr" else chance.randrange(len(parts) // 3, len(parts))
    return " ".join([*parts[:at], word, *parts[at:]])


def _pairs_row(code: str, source: str) -> str:
    counts = grade_pairs(code, source)
    precision, recall = shares(counts)
    cells = [f"{counts[k, True]} of {counts[k, True] + counts[k, False]}" for k in (*TRUE, *FALSE)]
    return f"| {code} | {precision:.3f} | {recall:.3f} | {' | '.join(cells)} |"


def _markers_row(code: str, source: str) -> str:
    counts = move_markers(code, source)
    totals: dict[str, int] = defaultdict(int)
    for (case, _), count in counts.items():
        totals[case] += count
    cells = [
        f"{counts['right', 'right']} of {totals['right']}",
        f"{counts['wrong', 'right']} of {totals['wrong']}",
        f"{counts['wrong', 'doubted']}",
        f"{counts['wrong', 'another']}",
        f"{counts['missing', 'right']} of {totals['missing']}",
        f"{counts['missing', 'another'] + counts['missing', 'doubted']}",
        f"{counts['invented', 'another']} of {totals['invented']}",
    ]
    return f"| {code} | {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.citing_languages", description=__doc__)
    parser.add_argument("--languages", nargs="+", default=list(LANGUAGES), choices=LANGUAGES)
    codes = parser.parse_args(arguments).languages
    _tables("Sentences and sources of one language", [(code, code) for code in codes])
    _tables("Sources in English", [(code, "en") for code in codes if code != "en"])


def _tables(title: str, languages: Sequence[tuple[str, str]]) -> None:
    kinds = (*TRUE, *FALSE)
    _tell(f"{title}\n\n| | precision | recall | {' | '.join(kinds)} |")
    _tell("|---|---:|---:|" + "---:|" * len(kinds))
    for code, source in languages:
        _tell(_pairs_row(code, source))
    _tell(
        "\n| | right ones kept | wrong ones moved right | doubted | moved wrong | missing ones set right"
        " | set wrong | invented sentences cited |\n|---|" + "---:|" * 7
    )
    for code, source in languages:
        _tell(_markers_row(code, source))
    _tell("")


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
