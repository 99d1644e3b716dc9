"""Selecting: the round's share of tokens, no more than the context carries, and all of it told."""

from __future__ import annotations

from askance.config.settings import EvidenceSettings, Settings
from askance.domain.conversation import RunRequest, SearchSize
from askance.domain.events import PassagesSelected, RunEvent, WarningCode
from askance.engine.evidence_set import TASK_TOKENS, EvidenceSet
from askance.engine.prompts import ContextBudget
from askance.engine.run_progress import RunState
from askance.text.ranking.scoring import FoundPage
from engine.contexts import context_of, session_of
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


def evidence_of(progress: RunState, context: int = 32_768, **settings: int) -> EvidenceSet:
    """Return an empty evidence set, for a model with so many tokens of context."""
    evidence = Settings(evidence=EvidenceSettings.model_validate(settings))
    return EvidenceSet(
        context_of(
            QUESTION, progress, evidence, session_of(progress, question=QUESTION, context=context)
        )
    )


def context_with_room(room: int, progress: RunState) -> int:
    """Return the tokens of the smallest context in which so many are left for evidence."""
    messages = session_of(progress, question=QUESTION, context=32_768).messages("", "")
    task = TASK_TOKENS + ContextBudget(32_768, 900).cost(QUESTION)
    sizes = range(300, 8192, 4)
    return next(n for n in sizes if ContextBudget(n, 900).room(messages) - task >= room)


def cost(evidence: EvidenceSet) -> int:
    return ContextBudget(32_768, 900).cost(evidence.text)


async def test_each_round_has_its_share(progress: RunState, events: list[RunEvent]) -> None:
    evidence = evidence_of(progress, first_round_tokens=1000)
    first = await evidence.select(pages(1, 2), 1)
    between = cost(evidence)
    second = await evidence.select(pages(1, 2), 2)
    assert 687 < between <= 1000 + 50
    assert 0 < cost(evidence) - between <= 687 + 50
    assert first > second > 0
    reports = [e for e in events if isinstance(e, PassagesSelected)]
    assert [(e.round, e.passages) for e in reports] == [(1, first), (2, second)]
    assert sum(e.tokens for e in reports) == cost(evidence)
    assert reports[0].dropped > 0
    assert not progress.warned


async def test_nothing_enters_twice(progress: RunState) -> None:
    evidence = evidence_of(progress, first_round_tokens=20_000)
    await evidence.select(pages(1), 1)
    text = evidence.text
    assert await evidence.select(pages(1), 2) == 0
    assert evidence.text == text


async def test_the_context_bounds_the_share_and_what_is_left_out_is_told(
    progress: RunState, events: list[RunEvent]
) -> None:
    context = context_with_room(400, progress)
    evidence = evidence_of(progress, context, first_round_tokens=1500)
    await evidence.select(pages(1, 2), 1)
    assert 0 < cost(evidence) <= 400 + 50
    (reported,) = [e for e in events if isinstance(e, PassagesSelected)]
    assert progress.warned == {WarningCode.EVIDENCE_DROPPED}
    assert f"{reported.dropped} passages" in progress.warnings[0]


async def test_a_full_context_takes_nothing(progress: RunState) -> None:
    evidence = evidence_of(progress, context_with_room(0, progress))
    assert await evidence.select(pages(1), 1) == 0
    assert evidence.text == ""
    assert progress.warned == {WarningCode.EVIDENCE_DROPPED}


async def test_what_is_for_the_user_alone_enters_a_full_context(progress: RunState) -> None:
    evidence = evidence_of(progress, context_with_room(0, progress))
    assert await evidence.select(pages(1), 1, for_model=False) > 0
    assert evidence.text


async def test_a_source_knows_when_its_page_was_published(progress: RunState) -> None:
    evidence = evidence_of(progress, 10_240)
    await evidence.select(pages(1, 2), 1)
    assert {s.url: s.published for s in evidence.sources} == {
        "https://p1.example/": "2024-05-06",
        "https://p2.example/": None,
    }


async def test_no_pages_give_an_empty_round(progress: RunState, events: list[RunEvent]) -> None:
    assert await evidence_of(progress).select([], 1) == 0
    assert events == [PassagesSelected(0, 0, 0, 0, 0, 1)]


async def test_a_round_comes_in_portions_that_make_up_its_share(progress: RunState) -> None:
    evidence = evidence_of(progress, first_round_tokens=1000)
    first = await evidence.select(pages(1, 2), 1, max_tokens=500)
    assert 0 < cost(evidence) <= 500 + 50
    assert evidence.left == 1000 - cost(evidence)
    rest = await evidence.select(pages(1, 2), 1, max_tokens=evidence.left, continue_round=True)
    assert first > 0 < rest
    assert 800 < cost(evidence) <= 1000 + 50


async def test_a_round_whose_pages_have_all_entered_has_nothing_left(progress: RunState) -> None:
    evidence = evidence_of(progress, first_round_tokens=20_000)
    await evidence.select(pages(1), 1, max_tokens=10_000)
    assert evidence.left == 0


async def test_the_number_of_passages_holds_for_the_portions_of_a_round_together(
    progress: RunState,
) -> None:
    evidence = evidence_of(progress, first_round_tokens=20_000)
    evidence._run.request = RunRequest(QUESTION, size=SearchSize(passages=2))
    assert await evidence.select(pages(1, 2), 1) == 2
    assert (evidence.left, evidence.withheld) == (0, False)


async def test_a_snippet_of_a_passage_that_has_entered_is_known(progress: RunState) -> None:
    evidence = evidence_of(progress)
    shown = "… lighthouse at Kelhaven, part 0 of page 1: stone1x0 stone1x0 stone1x0 stone1x0 sto…"
    assert not evidence.holds(shown)
    await evidence.select(pages(1), 1)
    assert evidence.holds(shown)
    assert not evidence.holds("")
