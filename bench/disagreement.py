"""How often is it found where sources disagree, and how often is that right? Measured on files of the caller.

RAMDOCS is a file of JSON lines with `question`, `documents` (each with `text`, and `answer` or "unknown"), `gold_answers`
and `wrong_answers`, as RAMDocs (Wang et al. 2025, arXiv 2504.13079) has them. Of a question with two answers or more both
sides are to be found; what is found is right where its values are two different ones of these. `--sorter` has a model that
knows the truth sort what code has read. ALIKE has questions whose passages do not disagree, with `question` and `gold`,
a list of passages with `title` and `text`; the nearest others of POOL are added to each, with `pid`: whatever is found is false.

    python -m bench.disagreement RAMDOCS [--half 0|1] [--sorter] [--alike ALIKE --pool POOL]
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from askance.citations.check.asked_values import are_one, days_in, what_is_asked
from askance.citations.check.disagreement import checked_positions, compare_answers
from askance.citations.check.facts import find_numbers
from askance.domain.evidence import Disagreement, Extract, ExtractKind, Source
from askance.text.ranking.index_terms import query_terms, terms
from askance.text.ranking.scoring import Bm25f, ScoredField

Row = dict[str, Any]
CODE = "en"
NEAREST = 8
# Of two answers in words so many are the same: "ice hockey player" is ice hockey.
LEAST_SHARED = 0.5
_ENDING = re.compile(r"(?:er|ing|ist|s)$")


def read_rows(path: Path) -> list[Row]:
    """Read a file of JSON lines, compressed or not."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in text.decode().splitlines() if line.strip()]


def is_answer(value: str, answer: str) -> bool:
    """Say whether a value that was found is a documented answer."""
    if all(map(_is_exact, (value, answer))):
        return are_one(value, answer, CODE)
    ours, theirs = _words_of(value), _words_of(answer)
    if not ours or not theirs:
        return False
    is_part = ours <= theirs or theirs <= ours
    return is_part or len(ours & theirs) >= LEAST_SHARED * len(ours | theirs)


def _is_exact(text: str) -> bool:
    return bool(days_in(text, CODE) or find_numbers(text, CODE))


def _words_of(text: str) -> set[str]:
    return {_ENDING.sub("", term) for term in terms(text, CODE) if not term.isdecimal()}


def answers_of(row: Row) -> list[str]:
    """Return the different answers that are documented for a question."""
    different: list[str] = []
    for answer in (*row["gold_answers"], *row["wrong_answers"]):
        if not any(is_answer(answer, other) for other in different):
            different.append(answer)
    return different


def is_right(found: Sequence[Disagreement], answers: Sequence[str]) -> bool:
    """Say whether each disagreement has two values that are two different answers."""
    return bool(found) and all(_has_two(each, answers) for each in found)


def _has_two(found: Disagreement, answers: Sequence[str]) -> bool:
    which = [
        {i for i, answer in enumerate(answers) if is_answer(position.value, answer)}
        for position in found.positions
    ]
    return any(a != b for one, other in combinations(which, 2) for a in one for b in other)


def extracts_of(texts: Sequence[str]) -> list[Extract]:
    """Return texts as sources 1, 2, …"""
    return [Extract(n, ExtractKind.PASSAGE, text) for n, text in enumerate(texts, 1)]


def find(row: Row, *, sorts: bool) -> Sequence[Disagreement]:
    """Return what is found in the documents of a question, by code or by a model that knows what each says."""
    answers = compare_answers(row["question"], _extracts(row))
    return true_positions(row) if sorts and answers.values else answers.found


def true_positions(row: Row) -> Sequence[Disagreement]:
    """Return what the documents of a question answer differently, as far as it stands in their texts."""
    replied = [
        (answer, (n,))
        for n, document in enumerate(row["documents"], 1)
        for answer in _true_answers(row, document)
    ]
    return checked_positions(row["question"], replied, _extracts(row), ())


def _extracts(row: Row) -> list[Extract]:
    return extracts_of([document["text"] for document in row["documents"]])


def _true_answers(row: Row, document: Row) -> list[str]:
    known = document["answer"]
    return [known] if known != "unknown" else [*row["gold_answers"], *row["wrong_answers"]]


def measure(rows: Sequence[Row], *, sorts: bool) -> Iterator[str]:
    """Yield the lines of a table: questions by what they ask for, and all."""
    yield "| asked for | with two answers | in their texts | both found | share | reported | right | one answer | reported |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    by_kind: dict[str, list[tuple[bool, bool, bool, bool]]] = {}
    for row in rows:
        answers, found = answers_of(row), find(row, sorts=sorts)
        asked = what_is_asked(row["question"], CODE)
        has_both = bool(true_positions(row)) and len(answers) > 1
        outcome = (len(answers) > 1, bool(found), is_right(found, answers), has_both)
        by_kind.setdefault(asked.kind.value if asked else "other", []).append(outcome)
        by_kind.setdefault("all", []).append(outcome)
    for kind in sorted(by_kind, key=lambda kind: (kind == "all", kind)):
        outcomes = by_kind[kind]
        two, reported, right, both = (sum(o[i] for o in outcomes) for i in range(4))
        single = [o[1] for o in outcomes if not o[0]]
        yield (
            f"| {kind} | {two} | {both} | {right} | {right / max(1, both):.2f} | {reported} "
            f"| {right / max(1, reported):.2f} "
            f"| {len(single)} | {sum(single)} |"
        )


def false_alarms(rows: Sequence[Row], pool: Sequence[Row]) -> tuple[list[str], int]:
    """Return the questions at which something is found, and at how many a model would be asked."""
    fields = [{"text": terms(f"{p['title']} {p['text']}", CODE)} for p in pool]
    scorer = Bm25f(fields, {"text": ScoredField()})
    false: list[str] = []
    asked = 0
    for row in rows:
        scores = scorer.scores(query_terms(row["question"], CODE))
        order = sorted(range(len(pool)), key=lambda i: -scores[i])[:NEAREST]
        gold = row.get("gold") or []
        known = {passage["pid"] for passage in gold}
        passages = [*gold, *(pool[i] for i in order if pool[i]["pid"] not in known)][:NEAREST]
        sources = [Source(n, "", p["title"], "") for n, p in enumerate(passages, 1)]
        answers = compare_answers(
            row["question"], extracts_of([p["text"] for p in passages]), sources
        )
        asked += bool(answers.values)
        if answers.found:
            false.append(row["question"])
    return false, asked


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.disagreement", description=__doc__)
    parser.add_argument("ramdocs", type=Path)
    parser.add_argument("--half", type=int, choices=(0, 1), help="every second question alone")
    parser.add_argument("--sorter", action="store_true")
    parser.add_argument("--alike", type=Path, nargs="+", default=[])
    parser.add_argument("--pool", type=Path)
    options = parser.parse_args(arguments)
    rows = read_rows(options.ramdocs)
    if options.half is not None:
        rows = rows[options.half :: 2]
    for line in measure(rows, sorts=options.sorter):
        sys.stdout.write(f"{line}\n")
    if options.alike:
        alike = {row["question"]: row for path in options.alike for row in read_rows(path)}
        false, asked = false_alarms(list(alike.values()), read_rows(options.pool))
        sys.stdout.write(
            f"\n{len(alike)} questions without a disagreement: {len(false)} false alarms, {asked} would ask a model\n"
        )
        for question in false:
            sys.stdout.write(f"- {question}\n")


if __name__ == "__main__":
    main()
