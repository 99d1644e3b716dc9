"""What the scripted model says. It knows the right answers, and says only what its prompt shows."""

from __future__ import annotations

import json
import random
import re
from enum import Enum, auto
from typing import Any

from askance.app.evaluation.running import GoldCoverage, look
from askance.engine.queries import named
from askance.sample_web.sample_pages import Question
from askance.text.languages.sentences import sentences
from askance.text.ranking.index_terms import STOP_WORDS, words

NOT_FOUND = "I could not find the answer in the sources."
MOST_GAPS = 3
_WORD = re.compile(r"[\w'’-]+")


class Manner(Enum):
    """How the writer sets its markers, or what else the model does wrong."""

    RIGHT = auto()
    NONE = auto()
    WRONG = auto()
    """One source too far, and one marker that names nothing."""
    NOISY = auto()
    """One verdict in five is the opposite, and in one case of five it writes what it does not know."""
    GARBAGE = auto()
    """Broken JSON, nothing and endless text, in turn with replies that are sound."""
    EAGER = auto()
    """A writer that never gives up."""
    TIMID = auto()
    """A writer that always does."""


MARKERS = (Manner.RIGHT, Manner.NONE, Manner.WRONG)
NOISE = 0.2
GARBAGE = ('{"sufficiency": "suff', "", "and so on " * 2_000, None)


def reply_to(
    prompt: str,
    schema: dict[str, Any] | None,
    question: Question,
    manner: Manner,
    *,
    believes: bool = False,
    turn: int = 0,
    seed: int = 0,
) -> str:
    """Return the reply to a prompt. The schema alone tells plan, verdict and answer apart.

    A judge that `believes` finds everything sufficient. `turn` counts the calls of a run, and `seed` sets of runs:
    with them another model of the same manner errs elsewhere.
    """
    fields = schema["properties"] if schema else {}
    if manner is Manner.GARBAGE and (broken := GARBAGE[(turn + seed) % len(GARBAGE)]) is not None:
        return broken
    if "action" in fields:
        return _plan(question)
    shown = look(question, prompt)
    roll = random.Random(f"{question.id} {seed} {turn}").random()  # noqa: S311
    errs = manner is Manner.NOISY and roll < NOISE
    if "supported" in fields:
        return json.dumps({"supported": []})
    if "positions" in fields:
        return json.dumps({"positions": []})
    if "sufficiency" in fields:
        return _verdict(shown, prompt, is_content=believes or shown.complete is not errs)
    if manner is Manner.TIMID or not (shown.complete or errs or manner is Manner.EAGER):
        return _given_up(shown, manner)
    return _answer(shown, manner) if shown.complete else _guess(shown)


def _plan(question: Question) -> str:
    plan = {
        "action": "proceed",
        "history_sufficiency": "insufficient",
        "optimized_query": " ".join(telling(question.question)),
        "clarifying_question": "",
    }
    return json.dumps(plan, ensure_ascii=False)


def _verdict(shown: GoldCoverage, prompt: str, *, is_content: bool) -> str:
    if is_content:
        verdict = ("sufficient", [])
    else:
        queries = gap_queries(shown, prompt)
        grade = "partial" if shown.found else "insufficient"
        verdict = (grade, queries)
    fields = dict(zip(("sufficiency", "gap_queries"), verdict, strict=True))
    return json.dumps(fields, ensure_ascii=False)


def gap_queries(shown: GoldCoverage, prompt: str) -> list[str]:
    """Return what to search for next, in words of the question and names that the prompt shows."""
    asked = set(words(shown.question.question))
    seen = set(words(prompt))
    queries: list[str] = []
    for gold, n in zip(shown.question.gold, shown.numbers, strict=True):
        new = [name for name in named(gold.quote) if not set(words(name)) <= asked]
        known = [name for name in new if set(words(name)) <= seen]
        if n is not None:
            queries += known
    names = [name for name in named(shown.question.question) if set(words(name)) <= seen]
    queries += [name for gold in shown.missing for name in names if name in gold.quote]
    queries.append(" ".join(telling(shown.question.question)[1:]))
    return list(dict.fromkeys(queries))[:MOST_GAPS]


def telling(text: str) -> list[str]:
    """Return the words of a text that tell something, as they are written."""
    return [word for word in _WORD.findall(text) if word.casefold() not in STOP_WORDS]


def _answer(shown: GoldCoverage, manner: Manner) -> str:
    pairs = list(zip(shown.question.gold, shown.numbers, strict=True))
    last = max((block.n for block in shown.blocks), default=0)
    return " ".join(
        _cited(as_sentence(g.quote), n, manner, last) for g, n in pairs if n is not None
    )


def _given_up(shown: GoldCoverage, manner: Manner) -> str:
    return " ".join([NOT_FOUND, _answer(shown, manner)]).strip()


def _guess(shown: GoldCoverage) -> str:
    """Something that the sources do say, of whatever it may be."""
    if not shown.blocks:
        return "The sources agree on this."
    first = shown.blocks[0]
    said = max(sentences(first.text.partition("\n")[2]), key=len, default=first.text)
    return f"{' '.join(said.split()).rstrip('.')} [{first.n}]."


def as_sentence(quote: str) -> str:
    """Return a quote as a writer would put it: a row of a table as a list of its cells."""
    text = ", ".join(cell.strip() for cell in quote.strip("| ").split("|")).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


def _cited(sentence: str, n: int, manner: Manner, last: int) -> str:
    match manner:
        case Manner.NONE:
            return sentence
        case Manner.WRONG:
            return f"{sentence[:-1]} [{n % last + 1}][{last + 7}]."
        case _:
            return f"{sentence[:-1]} [{n}]."
