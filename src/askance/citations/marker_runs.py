"""The citations in a text: forms of markers that stand together where a citation can stand."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from askance.citations.marker_context import MarkerContext
from askance.citations.marker_forms import MOST_NUMBER, FormKind, MarkerForm, Span, forms

ANY_NUMBER = frozenset(range(1, MOST_NUMBER + 1))
_MOST_INVENTED = 99
"""No model invents a source of a higher number; `[404]` is something else."""
# What a model sets around a whole citation goes with it.
_WRAPPERS = (
    ("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("(", ")"), ("\uff08", "\uff09"), ("<sup>", "</sup>"),
    ("<cite>", "</cite>"), ("^", "^"),
)  # fmt: skip
# Between two forms of one run; in a range over two brackets, `[1]–[3]`; in `[1] and [2]`.
_GAP = re.compile(r"[ \t]{0,2}[,;、]?[ \t]{0,2}")
_SPAN_GAP = re.compile(r"[ \t]?[–—~-][ \t]?|[ \t](?:to|through|bis)[ \t]")
_AND_GAP = re.compile(r"[ \t](?:and|und|et|y|e|и|og|och|en|i)[ \t]")


@dataclass(frozen=True, slots=True)
class MarkerRun:
    """Citations that stand together from `start` to `end`, with what is around them.

    `numbers` are the known sources in order, `unknown` counts the numbers and ranges that name others.
    """

    start: int
    end: int
    numbers: tuple[int, ...]
    unknown: int
    forms: tuple[MarkerForm, ...]


def marker_runs(
    text: str, known: Collection[int] | None, code: Sequence[Span]
) -> Iterator[MarkerRun]:
    """Yield the citations of a text in order; `known` are the numbers of the sources, any if None."""
    found = list(forms(text))
    if not found:
        return
    numbers = ANY_NUMBER if known is None else known
    around = MarkerContext(text, code)
    run: list[MarkerForm] = []
    for form in found:
        is_literal = around.is_literal(form.start)
        if is_literal or not _may_cite(form, numbers):
            yield from _settled(text, run, numbers, around)
            if not is_literal:
                around.refuse(form)
            run = []
            continue
        if run and not _belongs(text, run[-1], form, numbers, around):
            yield from _settled(text, run, numbers, around)
            run = []
        run.append(form)
    yield from _settled(text, run, numbers, around)


def _settled(
    text: str, run: Sequence[MarkerForm], known: Collection[int], around: MarkerContext
) -> Iterator[MarkerRun]:
    if not run:
        return
    start, end = _unwrapped(text, run[0].start, run[-1].end)
    ranges = _ranges(text, run)
    named = [n for low, high in ranges for n in range(low, high + 1)]
    is_known = all(n in known for n in named)
    if not around.can_cite(run, (start, end), is_known=is_known):
        # A power or a formula behind a citation is none, and takes nothing from it.
        alike = list(takewhile(lambda form: form.kind is run[0].kind, run))
        rest = run[len(alike) :]
        if rest:
            yield from _settled(text, alike, known, around)
        for form in rest or run:
            around.refuse(form)
        return
    numbers = dict.fromkeys(n for n in named if n in known)
    unknown = sum(any(n not in known for n in range(low, high + 1)) for low, high in ranges)
    yield MarkerRun(start, end, tuple(numbers), unknown, tuple(run))


def _may_cite(form: MarkerForm, known: Collection[int]) -> bool:
    """Say whether what it names can be sources."""
    if any(low > high for low, high in form.ranges):
        return False
    numbers = form.numbers
    if form.has_label or form.kind is FormKind.COMMAND:
        return any(n in known for n in numbers) or max(numbers) <= _MOST_INVENTED
    if form.kind is FormKind.RAISED:
        return all(n in known for n in numbers)
    if form.is_series:
        is_possible = min(numbers) > 0 and max(numbers) <= max(_MOST_INVENTED, *known, 0)
        return (
            is_possible and len(set(numbers)) == len(numbers) and any(n in known for n in numbers)
        )
    return numbers[0] in known or 0 < numbers[0] <= _MOST_INVENTED


def _belongs(
    text: str, before: MarkerForm, form: MarkerForm, known: Collection[int], around: MarkerContext
) -> bool:
    """Say whether two forms are one run."""
    if _GAP.fullmatch(text, before.end, form.start):
        return True
    if form.start - before.end > len(" through ") or before.is_series or form.is_series:
        return False
    first, last = before.numbers[0], form.numbers[0]
    if _SPAN_GAP.fullmatch(text, before.end, form.start):
        return first < last and all(n in known for n in range(first, last + 1))
    return bool(_AND_GAP.fullmatch(text, before.end, form.start)) and around.ends_clause(
        before, form
    )


def _ranges(text: str, run: Sequence[MarkerForm]) -> list[Span]:
    """Return the ranges that a run names; `[1]-[3]` is one."""
    ranges: list[Span] = []
    for i, form in enumerate(run):
        if i and _SPAN_GAP.fullmatch(text, run[i - 1].end, form.start):
            ranges[-1] = (ranges[-1][0], form.ranges[0][1])
        else:
            ranges += form.ranges
    return ranges


def _unwrapped(text: str, start: int, end: int) -> Span:
    """Return a marker's span with the brackets or emphasis right around it."""
    for _ in range(len(_WRAPPERS)):
        for opening, closing in _WRAPPERS:
            if text.endswith(opening, 0, start) and text.startswith(closing, end):
                start, end = start - len(opening), end + len(closing)
    return start, end
