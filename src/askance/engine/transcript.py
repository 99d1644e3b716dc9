"""The conversation as the model's server has it: each turn with the evidence that its answer was written from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from askance.domain.conversation import Turn
from askance.domain.evidence import Extract, Source


@dataclass(frozen=True, slots=True)
class PromptedTurn:
    """A turn as it stands in prompts: `prompt` is the question, the evidence and the writer's task.

    `reply` is what the model wrote, before it was checked. `extracts` entered in this turn, and
    `sources` are those that they belong to.
    """

    prompt: str
    reply: str
    sources: tuple[Source, ...] = ()
    extracts: tuple[Extract, ...] = ()


class Transcript:
    """Remembers the turns of one conversation: a server keeps the prompts of no other."""

    def __init__(self) -> None:
        self._prompted: dict[tuple[str, ...], PromptedTurn] = {}

    def of(self, turns: Sequence[Turn]) -> tuple[PromptedTurn | None, ...]:
        """Return for each turn how it stands in prompts, None where that is not known."""
        answers = _answers(turns)
        return tuple(self._prompted.get(answers[: i + 1]) for i in range(len(answers)))

    def store(self, turns: Sequence[Turn], answer: str, prompted: PromptedTurn) -> None:
        """Remember the turn that followed these with an answer, and forget other conversations."""
        answers = _answers(turns)
        self._prompted = {k: turn for k, turn in self._prompted.items() if k == answers[: len(k)]}
        self._prompted[(*answers, answer)] = prompted

    def retain(self, turns: Collection[PromptedTurn]) -> None:
        """Forget all but these: what has left a prompt once is not in the server's cache any more."""
        self._prompted = {key: turn for key, turn in self._prompted.items() if turn in turns}


def _answers(turns: Sequence[Turn]) -> tuple[str, ...]:
    return tuple(turn.answer for turn in turns)
