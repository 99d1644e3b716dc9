"""Selecting: the round's share of tokens, no more than the context carries, and all of it told."""

from __future__ import annotations

import pytest

from askance.config.settings import EvidenceSettings
from askance.domain.events import PassagesSelected, RunEvent, WarningCode
from askance.engine.context_budget import ContextBudget
from askance.engine.evidence_selection import EvidenceSelection
from askance.engine.evidence_set import EvidenceSet
from askance.engine.progress import RunState
from askance.text.ranking.selection import FoundPage
from fakes.reader import page

QUESTION = "When was the lighthouse at Kelhaven built?"


def pages(*numbers: int) -> list[FoundPage]:
    return [
        FoundPage(
            page(
                f"https://p{n}.example/",
                "\n\n".join(
                    f"The lighthouse at Kelhaven, part {i} of page {n}: {f'stone{n}x{i} ' * 60}built."
                    for i in range(6)
                ),
                f"Page {n}",
                published="2024-05-06" if n == 1 else None,
            ),
            (f"query {n}",),
        )
        for n in numbers
    ]


@pytest.fixture
def ledger() -> EvidenceSet:
    return EvidenceSet("0")


def selecting_of(ledger: EvidenceSet, progress: RunState, **settings: int) -> EvidenceSelection:
    return EvidenceSelection(QUESTION, EvidenceSettings.model_validate(settings), ledger, progress)


async def test_each_round_has_its_share(
    ledger: EvidenceSet, progress: RunState, events: list[RunEvent]
) -> None:
    governor = ContextBudget(32_768, 900)
    selecting = selecting_of(ledger, progress, first_round_tokens=1000)
    first = await selecting.add(pages(1, 2), governor, 20_000, 1)
    between = governor.cost(ledger.text)
    second = await selecting.add(pages(1, 2), governor, 20_000, 2)
    assert 687 < between <= 1000 + 50
    assert 0 < governor.cost(ledger.text) - between <= 687 + 50
    assert first > second > 0
    reports = [e for e in events if isinstance(e, PassagesSelected)]
    assert [(e.round, e.passages) for e in reports] == [(1, first), (2, second)]
    assert sum(e.tokens for e in reports) == governor.cost(ledger.text)
    assert reports[0].dropped > 0
    assert not progress.warned


async def test_nothing_enters_twice(ledger: EvidenceSet, progress: RunState) -> None:
    governor = ContextBudget(32_768, 900)
    selecting = selecting_of(ledger, progress, first_round_tokens=20_000)
    await selecting.add(pages(1), governor, 20_000, 1)
    text = ledger.text
    assert await selecting.add(pages(1), governor, 20_000, 2) == 0
    assert ledger.text == text


async def test_the_context_bounds_the_share_and_what_is_left_out_is_told(
    ledger: EvidenceSet, progress: RunState, events: list[RunEvent]
) -> None:
    governor = ContextBudget(8192, 900)
    await selecting_of(ledger, progress, first_round_tokens=1500).add(pages(1, 2), governor, 400, 1)
    assert 0 < governor.cost(ledger.text) <= 400 + 50
    (reported,) = [e for e in events if isinstance(e, PassagesSelected)]
    assert progress.warned == {WarningCode.EVIDENCE_DROPPED}
    assert f"{reported.dropped} passages" in progress.warnings[0]


async def test_a_full_context_takes_nothing(ledger: EvidenceSet, progress: RunState) -> None:
    assert await selecting_of(ledger, progress).add(pages(1), ContextBudget(8192, 900), 0, 1) == 0
    assert ledger.text == ""
    assert progress.warned == {WarningCode.EVIDENCE_DROPPED}


async def test_a_source_knows_when_its_page_was_published(
    ledger: EvidenceSet, progress: RunState
) -> None:
    await selecting_of(ledger, progress).add(pages(1, 2), ContextBudget(8192, 900), 8000, 1)
    assert {s.url: s.published for s in ledger.sources} == {
        "https://p1.example/": "2024-05-06",
        "https://p2.example/": None,
    }


async def test_no_pages_give_an_empty_round(
    ledger: EvidenceSet, progress: RunState, events: list[RunEvent]
) -> None:
    assert await selecting_of(ledger, progress).add([], ContextBudget(8192, 900), 8000, 1) == 0
    assert events == [PassagesSelected(0, 0, 0, 0, 0, 1)]


async def test_a_round_comes_in_portions_that_make_up_its_share(
    ledger: EvidenceSet, progress: RunState
) -> None:
    governor = ContextBudget(32_768, 900)
    selecting = selecting_of(ledger, progress, first_round_tokens=1000)
    first = await selecting.add(pages(1, 2), governor, 20_000, 1, max_tokens=500)
    assert 0 < governor.cost(ledger.text) <= 500 + 50
    assert selecting.left == 1000 - governor.cost(ledger.text)
    rest = await selecting.add(
        pages(1, 2), governor, 20_000, 1, max_tokens=selecting.left, continue_round=True
    )
    assert first > 0 < rest
    assert 800 < governor.cost(ledger.text) <= 1000 + 50


async def test_a_round_whose_pages_have_all_entered_has_nothing_left(
    ledger: EvidenceSet, progress: RunState
) -> None:
    selecting = selecting_of(ledger, progress, first_round_tokens=20_000)
    await selecting.add(pages(1), ContextBudget(32_768, 900), 20_000, 1, max_tokens=10_000)
    assert selecting.left == 0


async def test_the_number_of_passages_holds_for_the_portions_of_a_round_together(
    ledger: EvidenceSet, progress: RunState
) -> None:
    selecting = selecting_of(ledger, progress, first_round_tokens=20_000, max_passages=2)
    assert await selecting.add(pages(1, 2), ContextBudget(32_768, 900), 20_000, 1) == 2
    assert (selecting.left, selecting.withheld) == (0, False)


async def test_a_snippet_of_a_passage_that_has_entered_is_known(
    ledger: EvidenceSet, progress: RunState
) -> None:
    selecting = selecting_of(ledger, progress)
    shown = "… lighthouse at Kelhaven, part 0 of page 1: stone1x0 stone1x0 stone1x0 stone1x0 sto…"
    assert not selecting.holds(shown)
    await selecting.add(pages(1), ContextBudget(32_768, 900), 20_000, 1)
    assert selecting.holds(shown)
    assert not selecting.holds("")
