"""Models that reason although they were asked not to, behind loopback servers of both protocols: what is lost.

    python -m bench.reasoning_servers --out docs/bench/reasoning.md

Whole runs of one question, with nothing known of the model before. Beside each stands the same server
with a model that does not reason.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from pathlib import Path
from string import Template
from typing import Any

from askance.adapters.llm.ollama import OllamaModel
from askance.adapters.llm.openai import OpenAIModel
from askance.config.choices import LlmApi
from askance.config.settings import LlmSettings, Settings
from askance.domain.conversation import Outcome, RunRequest
from askance.domain.events import Answered, RunEvent, Warned, WarningCode
from askance.engine.model_speed import ModelSpeed
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
from askance.sample_web.sample_pages import load_questions
from bench.web import SampleReader, SampleSearch

THOUGHTS = (300, 1500, 4000)
SWITCHES = {
    LlmApi.OPENAI: ("reasoning_effort", "enable_thinking", "thinking", "think", "effort", ""),
    LlmApi.OLLAMA: ("think", "level", ""),
}
"""By what each server lets its model stop: fields, options of the template, levels; empty for nothing."""
MOST_MORE_REQUESTS = 2
REPLIES = {
    "action": {
        "history_sufficiency": "insufficient",
        "optimized_query": "",
        "action": "proceed",
        "clarifying_question": "",
    },
    "sufficiency": {"sufficiency": "sufficient", "gap_queries": []},
    "supported": {"supported": [1]},
    "positions": {"positions": []},
}
ANSWER = "The first source tells it [1]."
PAGE = Path(__file__).with_name("reasoning_servers.md")
CHUNK = 50


@dataclass
class ReasoningServer:
    """A server whose model reasons so many tokens before each reply, until `switch` stops it.

    `counts` says that its reasoning counts against the limit of a reply. A token is a word here.
    """

    api: LlmApi
    thinks: int
    switch: str
    counts: bool
    requests: int = 0

    @asynccontextmanager
    async def model(self) -> AsyncIterator[OllamaModel | OpenAIModel]:
        """Serve it on loopback, and speak to it as the program does."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        kind = OllamaModel if self.api is LlmApi.OLLAMA else OpenAIModel
        async with server, kind(LlmSettings(url=url)) as model:
            yield model

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            lines = dict(line.lower().split(": ", 1) for line in head.splitlines()[1:] if line)
            body = await reader.readexactly(int(lines.get("content-length", 0)))
            status, lines_out = self._answered(head.split(" ")[1], json.loads(body or b"{}"))
            writer.write(f"HTTP/1.1 {status} X\r\nConnection: close\r\n\r\n".encode())
            for line in lines_out:
                writer.write(line)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _answered(self, path: str, body: dict[str, Any]) -> tuple[int, list[bytes]]:
        shown = {"capabilities": ["completion", "thinking"], "model_info": {}}
        known: dict[str, Any] = {
            "/v1/models": {"data": [{"id": "thinker"}]},
            "/api/version": {"version": "0.20.0"},
            "/api/tags": {"models": [{"name": "thinker"}]},
            "/api/show": shown,
        }
        if path.endswith(("/chat/completions", "/api/chat")):
            if body.get("max_tokens", body.get("options", {}).get("num_predict")) == 1:
                return 200, list(self._streamed([], [], "length", 1))
            self.requests += 1
            return 200, list(self._reply(body))
        return (200, [json.dumps(known[path]).encode()]) if path in known else (404, [b"{}"])

    def _reply(self, body: dict[str, Any]) -> Iterator[bytes]:
        schema = json.dumps(body.get("response_format") or body.get("format") or "")
        reply = next((json.dumps(r) for key, r in REPLIES.items() if f'"{key}"' in schema), ANSWER)
        limit = body.get("max_tokens") or body["options"]["num_predict"]
        thoughts = [f"step {n} " for n in range(self._thoughts(body) // 2)]
        words = [f"{word} " for word in reply.split()]
        # Two words each.
        room = max(0, limit - 2 * len(thoughts)) if self.counts else limit
        reason = "length" if len(words) > room else "stop"
        shown = thoughts[: limit // 2] if self.counts else thoughts
        yield from self._streamed(shown, words[:room], reason, 2 * len(shown) + len(words[:room]))

    def _thoughts(self, body: dict[str, Any]) -> int:
        options = body.get("chat_template_kwargs", {})
        match self.switch:
            case "enable_thinking" | "thinking":
                is_off = options.get(self.switch) is False
            case "effort":
                is_off = body.get("reasoning", {}).get("effort") == "none"
            case "reasoning_effort":
                is_off = body.get("reasoning_effort") == "none"
            case "level":
                return self.thinks // 4 if body.get("think") == "low" else self.thinks
            case switch:
                is_off = bool(switch) and body.get(switch) is False
        return 0 if is_off else self.thinks

    def _streamed(
        self, thoughts: list[str], words: list[str], reason: str, written: int
    ) -> Iterator[bytes]:
        for start in range(0, len(thoughts), CHUNK):
            yield self._piece("".join(thoughts[start : start + CHUNK]), "")
        for word in words:
            yield self._piece("", word)
        if self.api is LlmApi.OLLAMA:
            end = {"done": True, "done_reason": reason, "eval_count": written}
            yield json.dumps({"message": {}, **end, "prompt_eval_count": 0}).encode() + b"\n"
            return
        yield _event({"choices": [{"delta": {}, "finish_reason": reason}]})
        yield _event({"choices": [], "usage": {"prompt_tokens": 0, "completion_tokens": written}})
        yield b"data: [DONE]\n\n"

    def _piece(self, thought: str, text: str) -> bytes:
        if self.api is LlmApi.OLLAMA:
            message = {"role": "assistant", "content": text, "thinking": thought}
            return json.dumps({"message": message, "done": False}).encode() + b"\n"
        return _event({"choices": [{"delta": {"content": text, "reasoning_content": thought}}]})


def _event(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


@dataclass(frozen=True, slots=True)
class Seen:
    """What one run has: its plan, its verdicts, its answer, and how many requests that took."""

    plan: bool
    verdict: bool
    answer: bool
    warned: bool
    requests: int


def servers() -> Iterator[ReasoningServer]:
    """Return every kind of server."""
    for api, thinks, counts in product(LlmApi, THOUGHTS, (True, False)):
        for switch in SWITCHES.get(api, ()):
            yield ReasoningServer(api, thinks, switch, counts)


async def seen_of(server: ReasoningServer, speed: ModelSpeed | None = None) -> Seen:
    """Ask one question. `speed` is what is known of the model; nothing where it is left out."""
    events: list[RunEvent] = []
    # A machine that does other things must not end the run: this is not about time.
    settings = Settings.model_validate({"limits": {"run_timeout_s": 240.0}})
    server.requests = 0
    async with server.model() as model:
        engine = Engine(
            model,
            SampleSearch(),
            SampleReader(),
            load_prompts(),
            settings,
            lambda: date(2026, 3, 2),
            model_speed=speed or ModelSpeed(),
        )
        end = await engine.run(RunRequest(load_questions()[0].question), emit=events.append)
    warned = {event.code for event in events if isinstance(event, Warned)}
    return Seen(
        WarningCode.PLAN_FAILED not in warned,
        WarningCode.JUDGE_FAILED not in warned,
        isinstance(end, Answered) and end.outcome is not Outcome.PASSAGES_ONLY,
        bool({WarningCode.REASONED_UNASKED, WarningCode.ONLY_REASONED} & warned),
        server.requests,
    )


def row(server: ReasoningServer, seen: Seen, again: Seen, plain: Seen) -> str:
    """Return a line of the table."""
    whole = " | ".join(_yes(found) for found in (seen.plan, seen.verdict, seen.answer, seen.warned))
    return (
        f"| {server.api} | {server.thinks} | {server.switch or '–'} | {_yes(server.counts)} | {whole} |"
        f" {seen.requests} | {again.requests} | {plain.requests} |"
    )


def _yes(value: bool) -> str:
    return "yes" if value else "no"


async def _measured() -> list[tuple[str, bool]]:
    rows: list[tuple[str, bool]] = []
    for server in servers():
        speed = ModelSpeed()
        plain = await seen_of(replace(server, thinks=0))
        seen, again = await seen_of(server, speed), await seen_of(server, speed)
        is_whole = all((seen.plan, seen.verdict, seen.answer, again.answer))
        is_cheap = seen.requests <= plain.requests + MOST_MORE_REQUESTS
        rows.append((row(server, seen, again, plain), is_whole and is_cheap))
        sys.stderr.write(f"{rows[-1][0]}\n")
    return rows


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.reasoning_servers", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rows = asyncio.run(_measured())
    text = Template(PAGE.read_text("utf-8")).substitute(
        rows="\n".join(text for text, _ in rows),
        whole=sum(is_whole for _, is_whole in rows),
        count=len(rows),
        most=MOST_MORE_REQUESTS,
    )
    options.out.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
