"""Prompts that a server finds too long: sent again with less, and said to the user."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askance.domain.conversation import Outcome
from askance.domain.events import Answered
from integration.order import assert_legal
from servers.loopback import Handler, Request, Wire
from servers.model_script import ModelScript, plan, verdict
from servers.world import RecordedEvents, world

ANSWER = "In the year 1871 the engineer Clara Whitlow wrote about the Lindmouth lighthouse [1]."
UNKNOWN = '{"error": {"message": "bad_request_body"}}'
WORDS = '{"error": "the input length exceeds the context length"}'
NUMBERS = '{"error": "This model\'s maximum context length is 1500 tokens. However, your request has 9000 input tokens."}'


async def long_pages(request: Request, wire: Wire) -> None:
    text = "\n\n".join(
        f"In the year {1871 + n} the engineer Clara Whitlow wrote about the Lindmouth lighthouse that"
        f" its lamp number {n} burned for {n * 7} nights, and {n + 3} ships were guided past the rock."
        for n in range(60)
    )
    await wire.send(f"# Lighthouse\n\n{text}\n", headers={"Content-Type": "text/markdown"})


def refusing(most_characters: int, status: int, body: str) -> Callable[[Request], Handler | None]:
    """A server that takes no longer prompts than this, and says so in its own words."""

    async def refuse(_request: Request, wire: Wire) -> None:
        await wire.send(body, status)

    def fault_of(request: Request) -> Handler | None:
        if request.path != "/api/chat":
            return None
        length = sum(len(m["content"]) for m in request.json()["messages"])
        return refuse if length > most_characters else None

    return fault_of


async def asked(
    most: int, status: int = 400, body: str = WORDS
) -> tuple[ModelScript, RecordedEvents]:
    script = ModelScript([plan()], [verdict("sufficient")], [ANSWER])
    breaks = {"model": refusing(most, status, body)}
    async with world(script, web=long_pages, breaks=breaks) as w:
        reported = await w.ask()
    assert_legal(reported.events)
    return script, reported


@pytest.mark.parametrize(
    ("status", "body"),
    [(400, UNKNOWN), (413, "too big"), (422, UNKNOWN), (400, WORDS), (500, WORDS), (400, NUMBERS)],
)
async def test_a_long_prompt_that_is_refused_is_sent_again_with_less_evidence(
    status: int, body: str
) -> None:
    script, reported = await asked(3400, status, body)
    assert isinstance(reported.end, Answered)
    assert reported.end.outcome is Outcome.WEB
    assert script.of("answer")
    assert "evidence_dropped" in reported.warned
    assert any("shown a part" in warning for warning in reported.end.warnings)


async def test_a_fence_that_was_cut_is_closed() -> None:
    script, _ = await asked(3400)
    for call in script.of("answer"):
        (nonce,) = call.nonces
        assert call.text.count(f"<<<web {nonce}") == call.text.count(f"web {nonce}>>>") > 0


@pytest.mark.parametrize("status", [401, 404, 429, 500])
async def test_a_refusal_for_another_reason_is_not_tried_again(status: int) -> None:
    _script, reported = await asked(3400, status, UNKNOWN)
    assert not any("shown a part" in warning for warning in reported.end.warnings)


async def test_an_overflow_at_the_plan_does_not_end_the_run() -> None:
    _script, reported = await asked(0)
    assert isinstance(reported.end, Answered)
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert {"plan_failed", "judge_failed"} <= reported.warned
    assert "\n> " in reported.end.answer


@pytest.mark.parametrize("context", [300, 400, 512, 600])
async def test_what_was_found_and_fits_no_prompt_is_shown(context: int) -> None:
    script = ModelScript([plan()], [verdict("sufficient")], [ANSWER], context=context)
    async with world(script) as w:
        reported = await w.ask()
    assert isinstance(reported.end, Answered)
    assert "could not find" not in reported.end.answer
    assert "Lindmouth lighthouse" in reported.end.answer
    assert reported.end.sources
    assert script.overflows == 0
