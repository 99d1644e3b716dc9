"""What llama.cpp is asked to evaluate by itself before a prompt, so that models which only go back to checkpoints
need not evaluate it again."""

from __future__ import annotations

import gc
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from askance.adapters.llm.model_server import ModelStream
from askance.adapters.llm.openai import OpenAIModel
from askance.domain.conversation import Picture
from askance.domain.ports.model import (
    ChatMessage,
    Finished,
    ModelCall,
    ReplyPart,
    Role,
    Timing,
)
from servers.loopback import Request, Wire, serve
from servers.openai import FakeOpenAI

SYSTEM = ChatMessage(Role.SYSTEM, "You answer from evidence.")
EVIDENCE = "Question: Where do wrens nest?\n\n[1] Wrens nest in holes."
GROWN = f"{EVIDENCE}\n\n[2] They line them with moss."
PICTURE = Picture(b"\x89PNG", "image/png")


def call(evidence: str, task: str = "Task: judge.", max_tokens: int = 5) -> ModelCall:
    content = f"{evidence}\n\n{task}" if task else evidence
    messages = (SYSTEM, ChatMessage(Role.USER, content))
    return ModelCall(messages, max_tokens, repeated=len(evidence))


@dataclass
class LlamaCpp(FakeOpenAI):
    """llama.cpp with a template, which counts ten tokens of each prompt that is evaluated by itself."""

    n_ctx: int = 4096
    renders: bool = True
    completes: bool = True
    trims: bool = False
    evaluated: list[str] = field(default_factory=list[str])

    async def __call__(self, request: Request, wire: Wire) -> None:
        match request.path:
            case "/apply-template" if self.renders:
                await wire.send_json({"prompt": self._prompt(request.json()["messages"])})
            case "/v1/completions" if self.completes:
                await self._complete(request.json(), wire)
            case _:
                await super().__call__(request, wire)

    def _prompt(self, messages: list[dict[str, Any]]) -> str:
        texts = [f"<{m['role']}>\n{m['content']}</>\n" for m in messages]
        prompt = "".join(texts) + "<assistant>\n"
        return " ".join(prompt.split()) if self.trims else prompt

    async def _complete(self, body: dict[str, Any], wire: Wire) -> None:
        assert body["max_tokens"] == 1, "0 is no limit to some"
        self.evaluated.append(body["prompt"])
        timings = {"prompt_n": 10, "cache_n": 0, "prompt_ms": 500.0, "predicted_ms": 0.0}
        choice = {"index": 0, "text": "x", "finish_reason": "length"}
        reply = {"object": "text_completion", "choices": [choice], "timings": timings}
        if not body["stream"]:
            await wire.send_json(reply)
            return
        await wire.start()
        await wire.chunk(self.event(json.dumps(reply)) + self.event("[DONE]"))

    async def _chat(self, request: Request, wire: Wire) -> None:
        timings = {"prompt_n": 7, "cache_n": 20, "prompt_ms": 250.0, "predicted_ms": 40.0}
        await wire.start()
        await wire.chunk(self.text("Yes.") + self.event(json.dumps({"timings": timings})))
        await wire.chunk(self.end())


async def replies(server: LlamaCpp, *calls: ModelCall) -> list[list[ReplyPart]]:
    async def parts_of(model: OpenAIModel, asked: ModelCall) -> AsyncIterator[ReplyPart]:
        async with model.reply(asked) as parts:
            async for part in parts:
                yield part

    async with serve(server) as address, server.model(address.url) as model:
        return [[part async for part in parts_of(model, asked)] for asked in calls]


def note_unread(unread: list[str]) -> Callable[[ModelStream], None]:
    def note(stream: ModelStream) -> None:
        if not stream._response.is_closed:
            unread.append(str(stream._response.url))

    return note


def before(text: str) -> str:
    return f"<system>\n{SYSTEM.content}</>\n<user>{text}"


async def test_the_system_text_and_the_evidence_are_evaluated_before_the_task_and_counted() -> None:
    server = LlamaCpp()
    (parts,) = await replies(server, call(EVIDENCE))
    assert server.evaluated == [before(""), before(f"\n{EVIDENCE}")]
    assert len(server.chats) == 1
    timing = next(part for part in parts if isinstance(part, Timing))
    assert timing == Timing(27, 1.25, 0.04, prompt_tokens=27)


async def test_evidence_that_only_grew_is_not_left_for_the_system_text() -> None:
    server = LlamaCpp()
    await replies(server, call(EVIDENCE), call(EVIDENCE, "Task: answer."), call(GROWN))
    assert server.evaluated[2:] == [before(f"\n{GROWN}")]


async def test_another_question_begins_behind_the_system_text() -> None:
    server = LlamaCpp()
    other = "Question: Is it so?\n\n[1] It is."
    await replies(server, call(EVIDENCE), call(other))
    assert server.evaluated[2:] == [before(""), before(f"\n{other}")]


@pytest.mark.parametrize("repeated", [len(EVIDENCE), 2 * len(EVIDENCE)])
async def test_what_nobody_reads_is_only_evaluated(repeated: int) -> None:
    server = LlamaCpp()
    portion = replace(call(EVIDENCE, "", max_tokens=0), repeated=repeated)
    (parts,) = await replies(server, portion)
    assert server.evaluated == [before(""), before(f"\n{EVIDENCE}")]
    assert server.chats == []
    assert Timing(20, 1.0, prompt_tokens=10) in parts
    assert isinstance(parts[-1], Finished)


@pytest.mark.parametrize(
    "server",
    [
        LlamaCpp(renders=False),
        LlamaCpp(completes=False),
        LlamaCpp(trims=True),
        LlamaCpp(n_ctx=0),
    ],
    ids=["no template", "no completions", "another text", "another server"],
)
async def test_a_server_that_cannot_is_asked_as_ever(
    server: LlamaCpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    unread = list[str]()
    monkeypatch.setattr(ModelStream, "__del__", note_unread(unread), raising=False)
    for parts in await replies(server, call(EVIDENCE), call(GROWN, "", max_tokens=0)):
        assert isinstance(parts[-1], Finished)
    assert server.evaluated == []
    assert [chat["max_tokens"] for chat in server.chats] == [5, 1]
    gc.collect()
    # The window collects no garbage while it is busy: what is not closed keeps a connection.
    assert unread == []


async def test_no_prompt_with_a_picture_and_none_that_stands_alone_is_sent_twice() -> None:
    server = LlamaCpp()
    seen = call(EVIDENCE)
    shown = replace(seen.messages[-1], pictures=(PICTURE,))
    alone = replace(seen, repeated=None)
    await replies(server, replace(seen, messages=(SYSTEM, shown)), alone)
    assert server.evaluated == []
    assert len(server.chats) == 2
