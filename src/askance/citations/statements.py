"""Extracts read as statements, each with what is known around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from askance.citations.facts import Facts, read_facts
from askance.citations.numbers import Number, find_numbers
from askance.domain.evidence import Extract
from askance.ranking.sentences import sentence_spans
from askance.ranking.tokens import terms


@dataclass(frozen=True, slots=True)
class Background:
    """What is known around the statements of an extract without standing in them.

    `title` holds the stems of the page's title and the heading, `numbers` their numbers, `subject`
    the names of the first statement; `initials` and `acronyms` are those of the whole extract.
    """

    title: frozenset[str]
    numbers: tuple[Number, ...]
    subject: frozenset[str]
    initials: frozenset[str]
    acronyms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of an extract, at `start` to `end` of its text. `extract` is the extract's index."""

    extract: int
    start: int
    end: int
    facts: Facts


def read_statements(
    extracts: Sequence[Extract], titles: Mapping[int, str]
) -> tuple[list[Statement], list[Background]]:
    """Return the statements of all extracts in order, and the background of each extract."""
    statements: list[Statement] = []
    backgrounds: list[Background] = []
    for i, extract in enumerate(extracts):
        own = [
            Statement(i, start, end, read_facts(extract.text[start:end]))
            for start, end in sentence_spans(extract.text)
        ]
        statements += own
        backgrounds.append(_background(f"{titles.get(extract.n, '')}\n{extract.heading}", own))
    return statements, backgrounds


def _background(above: str, statements: Sequence[Statement]) -> Background:
    subject: frozenset[str] = frozenset()
    if statements:
        subject = statements[0].facts.names | {statements[0].facts.opener}
    runs = [run for s in statements for run in s.facts.runs] + list(read_facts(above).runs)
    return Background(
        title=frozenset(terms(above)),
        numbers=tuple(find_numbers(above)),
        subject=subject,
        initials=frozenset(initials for initials, _ in runs),
        acronyms=frozenset[str]().union(*(s.facts.acronyms for s in statements)),
    )
