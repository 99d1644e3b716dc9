"""What a local model's work costs: prompts by what its cache does not hold, replies by the token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askance.domain.ports.model import ChatMessage
from askance.engine.prompts import shared_chars

CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens a second. The defaults are those of a small model on a laptop without a GPU."""

    prefill: float = 300.0
    decode: float = 25.0


def count_tokens(text: str) -> int:
    """Return the tokens of a text, begun ones included."""
    return -(-len(text) // CHARS_PER_TOKEN)


def flatten(messages: Sequence[ChatMessage]) -> str:
    """Return a prompt as a chat template would lay it out."""
    return "".join(f"<|{m.role}|>\n{m.content}\n" for m in messages)


class PromptCache:
    """One slot: the last prompt and what was replied to it.

    As in llama.cpp, the next prompt is evaluated from where it first differs. The last token is
    evaluated in any case, because the reply begins with it.
    """

    def __init__(self) -> None:
        self._held = ""

    def unknown_tokens(self, prompt: str) -> int:
        """Return how many tokens of a prompt must be evaluated; at least one."""
        shared = shared_chars(self._held, prompt) // CHARS_PER_TOKEN
        return max(1, count_tokens(prompt) - shared)

    def hold(self, prompt: str, reply: str) -> None:
        """Remember a prompt and as much of its reply as was written."""
        self._held = prompt + reply
