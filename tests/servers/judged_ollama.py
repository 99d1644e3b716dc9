"""An Ollama whose model has one of the characters of `fakes.judged_models`."""

from __future__ import annotations

from fakes.judged_models import Character, asked_in
from servers.faults import stalls
from servers.loopback import Request, Wire
from servers.ollama import FakeOllama

_PIECE = 60


def judged_ollama(character: Character, *, questions: int) -> FakeOllama:
    """Return the server. Behind so many questions it is silent."""
    return _JudgedOllama(character, questions)


class _JudgedOllama(FakeOllama):
    def __init__(self, character: Character, questions: int) -> None:
        super().__init__(on_chat=self._said)
        self._character, self._most = character, questions
        self._asked: set[str] = set()

    async def _said(self, request: Request, wire: Wire) -> None:
        body = request.json()
        prompt = "\n".join(message["content"] for message in body["messages"])
        self._asked.add(asked_in(prompt).id)
        if len(self._asked) > self._most:
            await stalls(request, wire)
            return
        text = self._character(prompt, body.get("format"))
        await wire.start()
        for start in range(0, len(text), _PIECE):
            await wire.chunk(self.text(text[start : start + _PIECE]))
        await wire.chunk(self.end(prompt=len(prompt) // 4, output=len(text) // 4))
