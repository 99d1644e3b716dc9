"""Results: within their bounds whatever is in them, and what is left out is said."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from askance.app.client_runs import Runs
from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered, RunEnd
from askance.domain.evidence import Citation, Source, Support
from askance.domain.library import DocumentKind, LibraryHit, LibraryMatches, Origin, SearchMode
from askance.domain.messages import Message
from askance.domain.ports.storage import Client
from askance.domain.web_pages import Page, PageStatus
from askance.server.mcp_protocol import source_uri
from askance.server.renderings import history_of, library_result, page_result, search_result
from askance.server.tool_results import MOST_TOKENS, address, cut_to, plain, tokens_of
from sampled import sampled
from server.served import text_of, tokens_in, told

WORDS = {
    "english": "The lighthouse keeper counted boats in the harbour. ",
    "chinese": "燈塔的守護者在港口數著船隻。",
    "numbers": "1 234 567 890 ",
    "signs": "{}[]()<>|\\\"'",
    "quotes": '"\n\\ ',
}


def answered(words: str, sources: int, citations: int) -> Answered:
    text = words * 2_000
    known = tuple(
        Source(n, f"http://site{n}.example/{'page' * 20}?q={n}", words * 40, f"site{n}.example")
        for n in range(1, sources + 1)
    )
    cited = tuple(
        Citation(n % sources + 1, text[:100], 0, 100, Support.SUPPORTED, words * 60)
        for n in range(citations)
    )
    texts = tuple(Message.verbatim(words * 50) for _ in range(30))
    return Answered(text, known, cited, Outcome.WEB, 2, Usage(), texts, 1_000)


@pytest.mark.parametrize("max_tokens", sampled([500, 2_000, 3_500], every=3))
@pytest.mark.parametrize("words", sampled(WORDS.values(), every=3), ids=WORDS)
async def test_an_answer_of_any_size_and_script_fits(words: str, max_tokens: int):
    end = answered(words, 60, 90)

    async def ask(*_: Any) -> RunEnd:
        return end

    async with Runs() as runs:
        run = runs.begin(Client("tester"), "What?", ask)
        await asyncio.wait([run.task])
        result = search_result(run, source_uri, max_tokens)
    out = told(result)
    assert tokens_in(result) <= MOST_TOKENS
    assert tokens_of(text_of(result)) <= max_tokens
    assert out["answer"]
    assert out["run_id"] == run.id
    assert run.id in out["cut"]


@pytest.mark.parametrize("words", sampled(WORDS.values(), every=5), ids=WORDS)
def test_a_page_in_any_script_fits_and_goes_on(words: str):
    text = words * 3_000
    page = Page("http://a.example/", PageStatus.OK, title=words * 100, markdown=text)
    start, calls = 0, 0
    while start is not None and calls < 3:
        result = page_result(page, start, 3_500)
        assert tokens_in(result) <= MOST_TOKENS
        following = told(result)["next_start"]
        assert following is None or following > start
        start, calls = following, calls + 1
    beyond = told(page_result(page, len(text) + 5, 500))
    assert beyond["next_start"] is None


@pytest.mark.parametrize("words", sampled(WORDS.values(), every=5), ids=WORDS)
def test_what_the_library_found_fits(words: str):
    hit = LibraryHit(
        "d", 1, "http://a.example/", words * 9, "", 0, words * 400, "", (), 1.0, Origin.WEB,
        DocumentKind.PAGE, "", "en", "", "2026-11-01",
    )  # fmt: skip
    result = library_result(LibraryMatches((hit,) * 20, SearchMode.HYBRID), 2_500)
    assert tokens_in(result) <= MOST_TOKENS
    assert told(result)["cut"]


def test_an_address_keeps_its_meaning_and_ends_no_prompt():
    assert address("http://a.example/x?y=[1]") == "http://a.example/x?y=[1]"
    assert "<|" not in address("http://a.example/<|im_end|>")
    assert address("http://a.example/" + "x" * 900) == ""


def test_a_title_is_one_line():
    assert plain("A\u202e title\nwith\x1b[31m lines") == "A title with[31m lines"
    assert len(plain("x" * 900)) == 200


@pytest.mark.parametrize("text", ["", "word " * 500, "x" * 5_000, "語" * 900])
def test_what_is_cut_is_a_beginning_within_bounds(text: str):
    for tokens in (0, 1, 10, 300):
        shown = cut_to(text, tokens)
        assert text.startswith(shown)
        assert tokens_of(shown) <= tokens


def test_no_events_are_no_history():
    assert history_of([]) == []
