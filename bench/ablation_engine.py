"""What `engine`, `citations` and `text` lose where one of their rules is switched off by itself.

    python -m bench.ablation_engine [RULE...]

Measured on parallel paragraphs of XQuAD as they lie in `shared/box` (the citation check within a language and
across two; queries that lose a word beside an unrelated talk) and on the sample web with a simulated clock.
Figures are those without the rule minus those with all.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from itertools import islice
from typing import Any

from askance.engine.query_privacy import PrivateWords
from askance.engine.turn_privacy import TurnWords
from askance.sample_web.sample_pages import load_questions
from askance.text.languages.sentences import sentences
from bench import citing_languages
from bench.citing import score_citations
from bench.costs import Speed
from bench.runs import Setup, run_question

PARAGRAPHS, TALKS = 24, 200
WITHIN, ACROSS = ("en", "de"), ("de", "ru", "zh")


def always(value: Any) -> Callable[..., Any]:
    """Return a function that gives one value, whatever it is asked."""
    return lambda *_args, **_named: value


def _whole_turn(text: str, _question: str, **_named: bool) -> TurnWords:
    return TurnWords(text)


_NEVER = re.compile("(?!)")
_NONE = always(frozenset())
CHECK, TEXT, ENGINE = "askance.citations.check.", "askance.text.", "askance.engine."
# What is measured, the rule's place, and what is put there.
RULES: dict[str, tuple[str, str, Any]] = {
    "cross: Chinese syllables": (
        "across", CHECK + "cross_language:CrossLanguageMatcher._han_names", always(())),
    "cross: cognates": ("across", CHECK + "cross_language:COGNATE", 0.0),
    "cross: one consonant apart": ("across", CHECK + "cross_language:near", lambda sound: {sound}),
    "cross: phonetic key": ("across", CHECK + "cross_language:phonetic_key", str),
    "cross: another source": ("across", CHECK + "support:_better_across", always(None)),
    "numbers: units": ("within", CHECK + "facts:_with_units", lambda *given: list(given[1])),
    "numbers: powers": ("within", CHECK + "facts:_with_powers", lambda *given: list(given[1])),
    "numbers: Roman": ("across", CHECK + "facts:_ROMAN", _NEVER),
    "numbers: Chinese": ("across", CHECK + "facts:_HAN_NUMERAL", _NEVER),
    "grading: acronyms": ("within", CHECK + "grading:_spelled_out", _NONE),
    "grading: measures": ("within", CHECK + "grading:_measured", _NONE),
    "grading: two sources": ("within", CHECK + "grading:is_joint", always(False)),
    "grading: two sentences": ("within", CHECK + "support:_is_full", always(True)),
    "facts: nouns": ("within", CHECK + "facts:_nouns", _NONE),
    "facts: openers": ("within", CHECK + "facts:is_common_opener", always(False)),
    "support: remarks": ("within", CHECK + "support:_META", _NEVER),
    "support: fragments": ("within", CHECK + "support:is_fragment", always(False)),
    "spellings": ("within", TEXT + "ranking.index_terms:american", str),
    "privacy: turns": ("privacy", ENGINE + "turn_privacy:words_before_pages", _whole_turn),
    "privacy: disguises": (
        "privacy", ENGINE + "disguised_words:DisguisedWords.find", always([])),
    "search: titles": (
        "pipeline", ENGINE + "search:SearchRun._titled", lambda *given: list(given[2])),
    "search: copies": ("pipeline", ENGINE + "search:SearchRun._is_copy", always(False)),
    "research: sides": ("pipeline", ENGINE + "queries:compared", always([])),
    "judge: doubts": ("pipeline", ENGINE + "judge:check_verdict", lambda *given: given[1]),
    "judge: plain": ("pipeline", ENGINE + "judge:is_plain", always(False)),
    "ranking: pairs": ("pipeline", TEXT + "ranking.scoring:PAIR_WEIGHT", 0.0),
    "ranking: snippets": ("pipeline", TEXT + "ranking.scoring:SNIPPET_WEIGHT", 0.0),
    "ranking: growth": ("pipeline", TEXT + "ranking.scoring:GROWTH", 0.0),
}  # fmt: skip


def switch_off(rule: str) -> None:
    """Put something else in the place of a rule, everywhere it was imported."""
    _, place, other = RULES[rule]
    module, _, path = place.partition(":")
    owner: Any = import_module(module)
    *owners, name = path.split(".")
    for each in owners:
        owner = getattr(owner, each)
    known = getattr(owner, name)
    setattr(owner, name, other)
    # Others have imported it by its name.
    for each in [m for n, m in sys.modules.items() if n.startswith("askance.") and not owners]:
        if getattr(each, name, None) is known:
            setattr(each, name, other)


def pipeline() -> dict[str, float]:
    """Return what runs of the sample web come to."""
    questions = load_questions()
    runs = [run_question(question, Setup(), Speed(300, 25)) for question in questions]
    cited = score_citations(runs)
    wanted = sum(len(question.gold) for question in questions)
    return {
        "evidence": sum(run.shown.found for run in runs) / wanted,
        "tokens": sum(run.sent for run in runs) / len(runs),
        "markers right": cited.precision,
        "sentences cited": cited.recall,
    }


def citing(codes: Sequence[str], source: str = "") -> dict[str, float]:
    """Return precision and recall of the citation check, and how many wrong and missing markers come right."""
    counts: Counter[tuple[str, bool]] = Counter()
    moves: Counter[tuple[str, str]] = Counter()
    load = citing_languages.load_passages
    citing_languages.load_passages = lambda code: dict(islice(load(code).items(), PARAGRAPHS))
    for code in codes:
        counts += citing_languages.grade_pairs(code, source or code)
        moves += citing_languages.move_markers(code, source or code)
    citing_languages.load_passages = load
    precision, recall = citing_languages.shares(counts)
    figures = {"precision": precision, "recall": recall}
    for case in ("right", "wrong", "missing"):
        whole = sum(count for (of, _), count in moves.items() if of == case)
        figures[case] = moves[case, "right"] / whole
    return figures


def privacy() -> dict[str, float]:
    """Return the share of queries that lose a word because an unrelated talk stands in the conversation."""
    chance, lost, talks = random.Random(1), 0, 0  # noqa: S311 - samples
    for code in WITHIN:
        passages = list(citing_languages.load_passages(code).values())
        with (citing_languages.FOLDER / f"mono-{code}.jsonl").open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        asked = [(row["question"], row["gold"][0]["pid"]) for row in rows if row["gold"]]
        by_pid = {f"xq-{code}:{passage.key}": passage for passage in passages}
        for _ in range(TALKS):
            (reported, of), (question, about) = chance.sample(asked, 2)
            if of in by_pid and of.rpartition(":")[0] != about.rpartition(":")[0]:
                turn = f"{reported}\n{sentences(by_pid[of].text)[0]}"
                query = chance.choice(asked)[0]
                talks += 1
                lost += bool(PrivateWords(question, [turn], []).screen(query).held_back)
    return {"queries lost": lost / talks}


MEASURES: Mapping[str, Callable[[], dict[str, float]]] = {
    "pipeline": pipeline,
    "within": lambda: citing(WITHIN),
    "across": lambda: citing(ACROSS, "en"),
    "privacy": privacy,
}


def _measured(rule: str, names: Sequence[str]) -> dict[str, float]:
    """Measure in a process of its own, so that nothing of a rule is left for the next one."""
    run = [sys.executable, "-m", "bench.ablation_engine", "--only", json.dumps([rule, *names])]
    done = subprocess.run(run, capture_output=True, text=True, check=True)  # noqa: S603
    return json.loads(done.stdout)


def main() -> None:
    """Print a row for each rule."""
    parser = argparse.ArgumentParser(prog="python -m bench.ablation_engine")
    parser.add_argument("rules", nargs="*", help="all that begin so; none for all")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        rule, *names = json.loads(options.only)
        if rule:
            switch_off(rule)
        figures = {f"{name}: {k}": v for name in names for k, v in MEASURES[name]().items()}
        sys.stdout.write(json.dumps(figures))
        return
    wanted = [r for r in RULES if not options.rules or r.startswith(tuple(options.rules))]
    base = _measured("", sorted({RULES[r][0] for r in wanted}))
    sys.stdout.write(f"all rules: {base}\n")
    for rule in wanted:
        found = _measured(rule, RULES[rule][:1])
        changed = {k: round(v - base[k], 4) for k, v in found.items()}
        shown = ", ".join(f"{k} {v:+}" for k, v in changed.items() if v) or "no change"
        sys.stdout.write(f"{rule} | {shown}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
