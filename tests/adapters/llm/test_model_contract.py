"""What every `ChatModel` does, asked of scripted servers and, where they are at hand, of real ones."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio

from askance.adapters.llm import embedded
from askance.adapters.llm.embedded import EmbeddedModel
from askance.adapters.llm.ollama import OllamaModel
from askance.config.settings import LlmSettings
from askance.domain.errors import PromptTooLong
from askance.domain.ports.model import (
    ChatMessage,
    ChatModel,
    Finished,
    FinishReason,
    ModelCall,
    ReplyPart,
    Role,
    Text,
    Timing,
)
from servers.loopback import serve
from servers.ollama import FakeOllama
from servers.openai import FakeOpenAI
from servers.real_models import OLLAMA_MODEL, OLLAMA_URL, needs_ollama, running_llama, small_model

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.real]

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["answer"],
    "additionalProperties": False,
}
QUESTION = ChatMessage(Role.USER, "Where does Lisbon lie? Write at least two sentences.")


def call(max_tokens: int = 12, **fields: object) -> ModelCall:
    return ModelCall((ChatMessage(Role.SYSTEM, "You answer."), QUESTION), max_tokens, **fields)  # type: ignore[arg-type]


@asynccontextmanager
async def opened(kind: str) -> AsyncIterator[ChatModel]:
    match kind:
        case "scripted Ollama" | "scripted OpenAI":
            fake = FakeOllama() if kind == "scripted Ollama" else FakeOpenAI()
            async with serve(fake) as server, fake.model(server.url) as model:
                yield model
        case "llama.cpp":
            gguf = small_model()
            # Threads that wait for one another spin where other tests have the cores.
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(embedded, "physical_cores", lambda: 1)
                model = EmbeddedModel(LlmSettings(gguf=str(gguf), context_tokens=2048))
                async with model:
                    yield model
        case "llama.cpp's server":
            async with running_llama(num_ctx=2048) as llama, llama.model() as model:
                yield model
        case _:
            needs_ollama()
            async with OllamaModel(
                LlmSettings(url=OLLAMA_URL, model=OLLAMA_MODEL, context_tokens=2048)
            ) as model:
                yield model


# One server for all tests of a kind: on a busy machine the real ones take seconds to load.
@pytest_asyncio.fixture(
    scope="module",
    loop_scope="module",
    params=[
        "scripted Ollama",
        "scripted OpenAI",
        pytest.param("llama.cpp", marks=[pytest.mark.real, pytest.mark.exhaustive]),
        pytest.param("llama.cpp's server", marks=[pytest.mark.real, pytest.mark.exhaustive]),
        pytest.param("Ollama", marks=[pytest.mark.real, pytest.mark.exhaustive]),
    ],
)
async def model(request: pytest.FixtureRequest) -> AsyncIterator[ChatModel]:
    async with opened(request.param) as chat_model:
        yield chat_model


async def parts_of(model: ChatModel, asked: ModelCall) -> list[ReplyPart]:
    """The reply itself, without what the server counts on the way."""
    async with model.reply(asked) as parts:
        return [part async for part in parts if not isinstance(part, Timing)]


async def test_a_reply_is_text_in_pieces_and_ends_with_its_counts(model: ChatModel) -> None:
    *pieces, last = await parts_of(model, call())

    assert len(pieces) > 2
    assert all(isinstance(piece, Text) and piece.text for piece in pieces)
    assert isinstance(last, Finished)
    assert last.prompt_tokens > 5
    assert 0 < last.output_tokens <= 12


async def test_a_reply_stops_at_its_token_limit_and_says_so(model: ChatModel) -> None:
    *_, last = await parts_of(model, call(max_tokens=3))

    assert isinstance(last, Finished)
    assert (last.reason, last.output_tokens) == (FinishReason.LENGTH, 3)


async def test_a_schema_is_obeyed(model: ChatModel) -> None:
    *pieces, last = await parts_of(model, call(max_tokens=60, schema=SCHEMA))

    assert isinstance(last, Finished)
    assert last.reason is FinishReason.STOP
    written = json.loads("".join(piece.text for piece in pieces if isinstance(piece, Text)))
    assert written["answer"] in {"yes", "no"}


async def test_the_counts_of_a_prompt_include_what_was_cached(model: ChatModel) -> None:
    *_, first = await parts_of(model, call(max_tokens=1))
    *_, second = await parts_of(model, call(max_tokens=1))

    assert isinstance(first, Finished)
    assert isinstance(second, Finished)
    assert first.prompt_tokens == second.prompt_tokens


async def test_a_prompt_beyond_the_context_is_refused_with_its_size(model: ChatModel) -> None:
    limit = (await model.info()).context_tokens
    asked = ModelCall((ChatMessage(Role.USER, "word " * (limit + 50)),), 5)

    with pytest.raises(PromptTooLong) as caught:
        await parts_of(model, asked)

    assert caught.value.available == limit
    # Ollama refuses the prompt and does not tell its size (seen on 0.17.4).
    assert caught.value.needed > limit or caught.value.needed == 0
    assert "llm.context_tokens" in caught.value.fix


async def test_the_model_is_among_the_servers_models_and_fits_the_settings(
    model: ChatModel,
) -> None:
    info = await model.info()

    assert info in await model.models()
    assert info.name
    assert info.server
    assert info.context_tokens in {2048, 4096}
    assert "completion" in info.capabilities


async def test_after_a_reply_that_was_left_early_the_next_one_is_whole(model: ChatModel) -> None:
    async with model.reply(call(max_tokens=200)) as parts:
        first = await anext(parts)
    *_, last = await parts_of(model, call(max_tokens=3))

    assert isinstance(first, Text)
    assert isinstance(last, Finished)
    assert last.output_tokens == 3


async def test_a_cancelled_reply_passes_the_cancellation_on(model: ChatModel) -> None:
    begun = asyncio.Event()

    async def read() -> None:
        async with model.reply(call(max_tokens=200)) as parts:
            async for _ in parts:
                begun.set()
                await asyncio.Event().wait()

    async with asyncio.TaskGroup() as group:
        reading = group.create_task(read())
        await begun.wait()
        reading.cancel()

    assert reading.cancelled()
    assert isinstance((await parts_of(model, call(max_tokens=2)))[-1], Finished)


async def test_two_replies_at_once_do_not_mix(model: ChatModel) -> None:
    async with asyncio.TaskGroup() as group:
        long = group.create_task(parts_of(model, call(max_tokens=4)))
        short = group.create_task(parts_of(model, call(max_tokens=2)))

    ends = [long.result()[-1], short.result()[-1]]
    assert [end.output_tokens for end in ends if isinstance(end, Finished)] == [4, 2]
