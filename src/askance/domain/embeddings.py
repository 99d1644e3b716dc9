"""What embeds texts: which model, of which vectors, and which prefix it expects before a text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from askance.domain.messages import NOTHING, Message

Vector = Sequence[float]
"""A direction: its length is 1. Two texts are as similar as the product of theirs."""

_SHORTEST = 1e-12


class Scheme(StrEnum):
    """What a model wants to see before a question and before a passage."""

    NONE = "none"
    NOMIC = "nomic"
    E5 = "e5"
    GEMMA = "embeddinggemma"
    BGE = "bge"

    def question(self, text: str) -> str:
        """Return a question as the model wants it."""
        return f"{_BEFORE_QUESTIONS[self]}{text}"

    def passage(self, title: str, text: str) -> str:
        """Return a passage as the model wants it; its title goes first."""
        if self is Scheme.GEMMA:
            return f"title: {title or 'none'} | text: {text}"
        titled = f"{title}\n{text}" if title else text
        return f"{_BEFORE_PASSAGES[self]}{titled}"


# As the models' own cards have them.
_BEFORE_QUESTIONS = {
    Scheme.NONE: "",
    Scheme.NOMIC: "search_query: ",
    Scheme.E5: "query: ",
    Scheme.GEMMA: "task: search result | query: ",
    Scheme.BGE: "Represent this sentence for searching relevant passages: ",
}
_BEFORE_PASSAGES = {
    Scheme.NONE: "",
    Scheme.NOMIC: "search_document: ",
    Scheme.E5: "passage: ",
    Scheme.BGE: "",
}
_NAMED = {
    "nomic-embed": Scheme.NOMIC,
    "embeddinggemma": Scheme.GEMMA,
    "embedding-gemma": Scheme.GEMMA,
    "e5-": Scheme.E5,
}
# bge-m3 is the one of its family that wants none.
_BGE, _BGE_WITHOUT = "bge-", "bge-m3"


def scheme_of(model: str) -> Scheme:
    """Return the scheme of a model, by its name; none where the name tells nothing."""
    name = model.lower()
    for part, scheme in _NAMED.items():
        if part in name:
            return scheme
    return Scheme.BGE if _BGE in name and _BGE_WITHOUT not in name else Scheme.NONE


@dataclass(frozen=True, slots=True)
class Identity:
    """What two vectors must have in common to be compared: the model to the byte, and how it was asked.

    `digest` is what the server or the file tells of the model's contents, empty where nobody does.
    """

    model: str
    digest: str
    dimension: int
    scheme: Scheme = Scheme.NONE

    @property
    def key(self) -> str:
        """One line that names it, and nothing else."""
        return f"{self.scheme}|{self.dimension}|{self.digest}|{self.model}"


def model_of(key: str) -> str:
    """Return the model that an identity's key names."""
    return key.split("|", 3)[-1]


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A passage without a vector. `row` is its number in the store, `content` the hash of its text.

    `around` is the beginning of that text, of which a line on the passage may be made.
    """

    row: int
    content: str
    number: int
    title: str
    text: str
    around: str = ""


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """How far embedding is: passages that have a vector, all of them, and those that failed this time.

    `problem` says what failed last.
    """

    done: int
    of: int
    failed: int = 0
    problem: Message = NOTHING


def unit(values: Sequence[float]) -> list[float] | None:
    """Return a vector of length 1 in the same direction; None if it has none, or is no vector."""
    length = math.sqrt(math.fsum(value * value for value in values)) if values else 0.0
    if not math.isfinite(length) or length < _SHORTEST:
        return None
    return [value / length for value in values]
