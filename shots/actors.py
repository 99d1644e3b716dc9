"""Who speaks in the pictures: a model with a script, a search and a reader that keep their turns, and downloads that stand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from askance.app.checks.first_steps import FIRST_PROMPT
from askance.domain.downloads import DownloadPhase, ModelDownload, ModelTier
from askance.domain.events import RequestSent
from askance.domain.ports.model import (
    Finished,
    FinishReason,
    ModelCall,
    ModelInfo,
    ReplyPart,
    Text,
    Timing,
)
from askance.domain.ports.web import PageReader, Sent, WebSearch
from askance.domain.web_pages import WHOLE_WEB, Page, ResultPage, SearchScope
from askance.engine.model_speed import ModelSpeed
from shots import story

MODELS = (
    ModelInfo("gemma3:4b", 8192, "Ollama", 3_338_801_804),
    ModelInfo("gemma3:1b", 8192, "Ollama", 815_319_791),
    ModelInfo("qwen3:8b", 40960, "Ollama", 5_225_388_164),
    ModelInfo("mistral-small3.2:24b", 131072, "Ollama", 15_177_384_862),
)
_CHARS_PER_TOKEN = 4
# How far a download is, and its pace.
_SHARE, _BYTES_PER_S = 0.44, 9_400_000.0


class Cue:
    """Something that a run waits for until its picture is taken."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self._given = asyncio.Event()

    async def wait(self) -> None:
        """Wait until it is given."""
        self.reached.set()
        await self._given.wait()

    def give(self) -> None:
        """Let the run go on."""
        self._given.set()


class TurnTaker:
    """Lets one query after the other through, in the order in which they were asked."""

    def __init__(self, search: WebSearch) -> None:
        self._search = search
        self._turn = asyncio.Lock()

    async def search(
        self,
        query: str,
        *,
        wanted: int,
        sent: Sent,
        narrowing: SearchScope = WHOLE_WEB,  # noqa: ARG002 - nobody narrows a picture
        language: str | None = None,
    ) -> ResultPage:
        """Search as the other one does."""
        async with self._turn:
            return await self._search.search(query, wanted=wanted, sent=sent, language=language)


class OrderlyReader:
    """Hands pages over in the order in which they were asked for; after `before_cue` the rest waits."""

    def __init__(self, reader: PageReader, cue: Cue, before_cue: int) -> None:
        self._reader, self._cue, self._before_cue = reader, cue, before_cue
        self._asked = self._handed = 0
        self._changed = asyncio.Condition()

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        """Read as the other one does. What was sent is told late: pages that were not seen to be
        fetched set no pace, and without a pace the engine waits for all of them."""
        place, self._asked = self._asked, self._asked + 1
        requests: list[RequestSent] = []
        page = await self._reader.read(url, sent=requests.append, known=known, scope=scope)
        if place >= self._before_cue:
            await self._cue.wait()
        async with self._changed:
            await self._changed.wait_for(lambda: self._handed == place)
            self._handed += 1
            self._changed.notify_all()
        for request in requests:
            asyncio.get_running_loop().call_soon(sent, request)
        return page

    async def until_handed(self, pages: int) -> None:
        """Wait until so many pages were handed over."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._handed >= pages)


class UnseenPace(ModelSpeed):
    """Learns nothing: a model that waits for its picture is not a slow one, and no call of the script
    may be put off, left out or sent in portions for it."""

    def settle(self, tokens: int, waited_s: float) -> None:
        """See nothing in when a reply began."""

    def saw_prompt(
        self, tokens: float, waited_s: float, timing: Timing, *, whole: float = 0.0
    ) -> None:
        """See nothing in how long a prompt took."""

    def saw_nothing(self, tokens: float, waited_s: float) -> None:
        """See nothing in a reply that did not come."""

    def saw_reply(self, tokens: float, seconds: float) -> None:
        """See nothing in how long a reply took."""


class ScriptedModel:
    """Says what the story wants; its answer stops at the cue."""

    def __init__(self, reader: OrderlyReader, cue: Cue) -> None:
        self._reader, self._cue = reader, cue
        self._verdicts = 0

    async def info(self) -> ModelInfo:
        """Return the first model."""
        return MODELS[0]

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return all models of the server."""
        return MODELS

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        """Open a reply."""
        fields = (call.schema or {}).get("properties", {})
        prompt = "\n".join(message.content for message in call.messages)
        if "action" in fields:
            # What was read ahead is there by then, so that the steps always come in one order.
            await self._reader.until_handed(story.FIRST_PAGES)
            text = story.plan()
        elif "sufficiency" in fields:
            text = story.verdict(self._verdicts)
            self._verdicts += 1
        elif len(call.messages) == 2 and call.messages[-1].content == FIRST_PROMPT:
            text = "Hello."
        else:
            text = story.answer(prompt)
        is_answer = call.schema is None and text not in {"Hello.", story.GIVEN_UP}
        yield self._parts(text, len(prompt) // _CHARS_PER_TOKEN, is_answer=is_answer)

    async def _parts(self, text: str, sent: int, *, is_answer: bool) -> AsyncGenerator[ReplyPart]:
        held = text.find(story.HELD_AT) + len(story.HELD_AT) if is_answer else len(text)
        for piece in (text[:held], text[held:]):
            for start in range(0, len(piece), _CHARS_PER_TOKEN):
                yield Text(piece[start : start + _CHARS_PER_TOKEN])
            if is_answer and piece:
                await self._cue.wait()
        yield Finished(FinishReason.STOP, sent, len(text) // _CHARS_PER_TOKEN)


class StandingDownloads:
    """The list of downloads, in which what was begun stands at one place until it is cancelled."""

    def __init__(self, *arguments: Any, adopt: object) -> None:  # noqa: ARG002 - nothing arrives
        self._entries: dict[str, ModelDownload] = {}
        self._note: Callable[[], None] = arguments[-1]

    def entries(self) -> tuple[ModelDownload, ...]:
        """Return all of them."""
        return tuple(self._entries.values())

    def download(self, tier: ModelTier) -> str:
        """Begin with a file."""
        return self.pull(tier.file, tier.name, tier.bytes)

    def pull(self, model: str, name: str = "", size: int = 0) -> str:
        """Begin with a model."""
        done = round(_SHARE * size)
        self._entries[model] = ModelDownload(
            model, name, DownloadPhase.RUNNING, done, size, _BYTES_PER_S
        )
        self._note()
        return model

    def cancel(self, key: str) -> None:
        """Take it out."""
        self._entries.pop(key, None)
        self._note()
