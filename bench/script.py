"""What the scripted model says. It knows the right answers, and says only what its prompt shows."""

from __future__ import annotations

import json
import re
from enum import Enum, auto
from typing import Any

from askance.app.evaluation.running import GoldCoverage, look
from askance.engine.queries import named
from askance.sample_web.sample_server import Question
from askance.text.ranking.index_terms import STOP_WORDS, words

NOT_FOUND = "I could not find the answer in the sources."
MOST_GAPS = 3
_WORD = re.compile(r"[\w'’-]+")


class Manner(Enum):
    """How the writer sets its markers."""

    RIGHT = auto()
    NONE = auto()
    WRONG = auto()
    """One source too far, and one marker that names nothing."""


def reply_to(
    prompt: str,
    schema: dict[str, Any] | None,
    question: Question,
    manner: Manner,
    *,
    believes: bool = False,
) -> str:
    """Return the reply to a prompt. The schema alone tells plan, verdict and answer apart.

    A judge that `believes` finds everything sufficient.
    """
    fields = schema["properties"] if schema else {}
    if "action" in fields:
        return _plan(question)
    shown = look(question, prompt)
    if "sufficiency" not in fields:
        return _answer(shown, manner)
    return _verdict(shown, prompt, believes=believes)


def _plan(question: Question) -> str:
    plan = {
        "action": "proceed",
        "history_sufficiency": "insufficient",
        "optimized_query": " ".join(telling(question.question)),
        "clarifying_question": "",
    }
    return json.dumps(plan, ensure_ascii=False)


def _verdict(shown: GoldCoverage, prompt: str, *, believes: bool) -> str:
    if shown.complete or believes:
        verdict = ("sufficient", "The sources state every part of the answer.", [])
    else:
        queries = gap_queries(shown, prompt)
        about = " ".join(telling(shown.question.question)[:6])
        grade = "partial" if shown.found else "insufficient"
        verdict = (grade, f"The sources do not state all of this yet: {about}.", queries)
    fields = dict(zip(("sufficiency", "reasoning", "gap_queries"), verdict, strict=True))
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
    reports = [_cited(as_sentence(g.quote), n, manner, last) for g, n in pairs if n is not None]
    return " ".join(reports if shown.complete else [NOT_FOUND, *reports])


def as_sentence(quote: str) -> str:
    """Return a quote as a writer would put it: a row of a table as a list of its cells."""
    text = ", ".join(cell.strip() for cell in quote.strip("| ").split("|")).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


def _cited(sentence: str, n: int, manner: Manner, last: int) -> str:
    match manner:
        case Manner.RIGHT:
            return f"{sentence[:-1]} [{n}]."
        case Manner.NONE:
            return sentence
        case Manner.WRONG:
            return f"{sentence[:-1]} [{n % last + 1}][{last + 7}]."
