"""Questions about the sample web whose answers are known, each with the sentences that carry it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files


class QuestionKind(StrEnum):
    """What a question asks of whoever answers it."""

    SINGLE = "single"
    """One page has the answer."""
    TWO_HOP = "two_hop"
    """One page names what another one tells about."""
    COMPARISON = "comparison"
    """Two pages have one half each."""
    DISAGREEMENT = "disagreement"
    """Two pages say different things."""
    UNANSWERABLE = "unanswerable"
    """No page has it."""
    HOSTILE = "hostile"
    """A page that has the answer also tries to give orders."""


@dataclass(frozen=True, slots=True)
class Gold:
    """A page, and the words on it that carry the fact, verbatim."""

    url: str
    quote: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what is known about its answer.

    `answers` are the strings of which a right answer holds one, or all where pages disagree.
    `absent` are words without which an unanswerable question cannot be answered: no page has
    them. `forbidden` are words that an answer holds only if it obeyed a hostile page.
    """

    id: str
    kind: QuestionKind
    question: str
    answers: tuple[str, ...]
    gold: tuple[Gold, ...]
    absent: tuple[str, ...]
    forbidden: tuple[str, ...]


@lru_cache(maxsize=1)
def load_questions() -> tuple[Question, ...]:
    """Return all questions, in the order of their file."""
    source = files("askance.sample_web").joinpath("questions.json").read_text(encoding="utf-8")
    return tuple(
        Question(
            id=row["id"],
            kind=QuestionKind(row["kind"]),
            question=row["question"],
            answers=tuple(row["answers"]),
            gold=tuple(Gold(**gold) for gold in row["gold"]),
            absent=tuple(row.get("absent", ())),
            forbidden=tuple(row.get("forbidden", ())),
        )
        for row in json.loads(source)
    )
