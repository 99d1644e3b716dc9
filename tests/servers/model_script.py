"""A model's side of a run: what it says in each role, and what it was shown."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from servers.loopback import Handler, Request, Wire
from servers.ollama import FakeOllama, shown, tag
from servers.openai import FakeOpenAI

Role = Literal["plan", "judge", "choose", "verify", "positions", "answer"]
# A text, a JSON object, a text made of the prompt, or a fault.
Scripted = str | dict[str, Any] | Callable[[str], str] | Handler
PIECES = 5
GIVEN_UP = "I could not find the answer in the sources."
_FENCE = re.compile(r"<<<web (\w+)\n(.*?)\nweb \1>>>", re.DOTALL)


@dataclass(frozen=True)
class Call:
    """One request as the model saw it."""

    role: Role
    messages: tuple[dict[str, str], ...]
    options: dict[str, Any]
    schema: dict[str, Any]

    @property
    def task(self) -> str:
        """The last message: the question, the evidence, the task."""
        return self.messages[-1]["content"]

    @property
    def shown(self) -> str:
        """The task and all evidence, that of earlier turns first."""
        earlier = [m["content"] for m in self.messages[:-1] if _FENCE.search(m["content"])]
        return "\n".join([*earlier, self.task])

    @property
    def text(self) -> str:
        """The whole prompt."""
        return "\n".join(m["content"] for m in self.messages)

    @property
    def fenced(self) -> str:
        """What stands between the fences."""
        return "\n".join(body for _, body in _FENCE.findall(self.task))

    @property
    def unfenced(self) -> str:
        """The whole prompt without what stands between the fences."""
        return _FENCE.sub("", self.text)

    @property
    def nonces(self) -> set[str]:
        return {nonce for nonce, _ in _FENCE.findall(self.task)}


class NotAmongSources(LookupError):
    """A scripted writer does not find what it would cite, and gives up as a model does."""


def plan(query: str = "", **fields: str) -> dict[str, Any]:
    """A plan whose query stands before the decision, behind which a reply is not listened to."""
    return {
        "history_sufficiency": "insufficient",
        "optimized_query": query,
        "action": "proceed",
        "clarifying_question": "",
        **fields,
    }


def verdict(sufficiency: str, *gaps: str) -> dict[str, Any]:
    """A verdict in the schema's order."""
    return {"sufficiency": sufficiency, "gap_queries": list(gaps)}


def as_listed(prompt: str) -> dict[str, Any]:
    """The values of a prompt's last fence as positions: the model takes them as code has found them."""
    values = re.findall(r"(?:^|, )([^\[\]]+) ((?:\[\d+\])+)", _FENCE.findall(prompt)[-1][1])
    return {
        "positions": [
            {"value": value, "sources": [int(n) for n in re.findall(r"\d+", numbers)]}
            for value, numbers in values
        ]
    }


def number_of(prompt: str, title: str) -> int:
    """The number under which a source stands in a prompt."""
    found = re.search(rf"^\[(\d+)\] {re.escape(title)}", prompt, re.MULTILINE)
    if not found:
        raise NotAmongSources(title)
    return int(found.group(1))


@dataclass
class ModelScript:
    """An Ollama whose model says, role by role, what stands here; the last of a role is repeated.

    A prompt longer than the context is refused as Ollama refuses it, and counted in `overflows`.
    """

    plan: Sequence[Scripted]
    judge: Sequence[Scripted]
    answer: Sequence[Scripted]
    choose: Sequence[Scripted] = ()
    verify: Sequence[Scripted] = ()
    positions: Sequence[Scripted] = (lambda prompt: json.dumps(as_listed(prompt)),)
    context: int = 8192
    chars_per_token: float = 4.0
    size_bytes: int = 2_000_000_000
    calls: list[Call] = field(default_factory=list[Call])
    overflows: int = 0
    readied: int = 0
    """Calls that want one token, which nobody reads: they have the model take something in."""
    before: Handler | None = None
    """A fault for everything that is not a chat: the first contact."""

    def __post_init__(self) -> None:
        self.ollama = FakeOllama(
            tags=[tag("tiny:latest", size=self.size_bytes)],
            shows={"tiny:latest": shown(self.context)},
            on_chat=self._chat,
        )

    async def __call__(self, request: Request, wire: Wire) -> None:
        if self.before is not None and request.path != "/api/chat":
            await self.before(request, wire)
        else:
            await self.ollama(request, wire)

    def of(self, role: Role) -> list[Call]:
        """The calls in one role."""
        return [call for call in self.calls if call.role == role]

    def after(self, text: str, then: Callable[[Request, Wire], Awaitable[None]]) -> Handler:
        """Say a text, and then go wrong."""

        async def handler(request: Request, wire: Wire) -> None:
            await wire.start()
            await wire.chunk(self.ollama.text(text))
            await then(request, wire)

        return handler

    def by_llama_cpp(self) -> FakeOpenAI:
        """Return llama.cpp's server with the same model, which sees no pictures."""

        async def chat(request: Request, wire: Wire) -> None:
            body = request.json()
            options = {"num_predict": body["max_tokens"], "num_ctx": self.context}
            schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
            await self._reply(body | {"options": options, "format": schema}, server, request, wire)

        server = FakeOpenAI(n_ctx=self.context, modalities={"vision": False}, on_chat=chat)
        return server

    async def _chat(self, request: Request, wire: Wire) -> None:
        await self._reply(request.json(), self.ollama, request, wire)

    async def _reply(
        self, body: dict[str, Any], server: FakeOllama | FakeOpenAI, request: Request, wire: Wire
    ) -> None:
        if body["options"].get("num_predict") == 1:
            self.readied += 1
            await wire.start()
            await wire.chunk(server.end(prompt=100, output=1))
            return
        schema = body.get("format") or {}
        call = Call(role_of(body), tuple(body["messages"]), body["options"], schema)
        self.calls.append(call)
        tokens = round(len(call.text) / self.chars_per_token)
        if tokens > call.options["num_ctx"]:
            self.overflows += 1
            status, text = server.overflow(tokens, call.options["num_ctx"])
            await wire.send(text, status)
            return
        value = self._next(call.role)
        if inspect.iscoroutinefunction(value):
            await cast("Handler", value)(request, wire)
            return
        if callable(value):
            try:
                value = cast("Callable[[str], str]", value)(call.shown)
            except NotAmongSources:
                value = GIVEN_UP
        text = value if isinstance(value, str) else json.dumps(value)
        await wire.start()
        step = max(1, -(-len(text) // PIECES))
        for start in range(0, len(text), step):
            await wire.chunk(server.text(text[start : start + step]))
        await wire.chunk(server.end(prompt=tokens, output=len(text) // 4))

    def _next(self, role: Role) -> Scripted:
        lines: Sequence[Scripted] = getattr(self, role)
        return lines[min(len(self.of(role)), len(lines)) - 1]


_ROLES: dict[str, Role] = {
    "action": "plan",
    "sufficiency": "judge",
    "relevant": "choose",
    "supported": "verify",
    "positions": "positions",
}


def role_of(body: dict[str, Any]) -> Role:
    """In which role a chat request wants the model, by the schema that it asks for."""
    properties = body.get("format", {}).get("properties", {})
    for key, role in _ROLES.items():
        if key in properties:
            return role
    return "answer"
