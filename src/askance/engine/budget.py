"""The context governor: estimates tokens, learns from what the server counts, and fits prompts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from askance.config.settings import Settings
from askance.domain.conversation import Turn
from askance.domain.errors import PromptTooLong
from askance.domain.messages import Message
from askance.engine.transcript import PromptedTurn
from askance.languages.scripts import (
    ARABIC,
    CYRILLIC,
    DEVANAGARI,
    GREEK,
    HAN,
    HANGUL,
    HEBREW,
    KANA,
    THAI,
)
from askance.ports.model import ChatMessage, ModelInfo

# Characters a token of English text in common vocabularies.
CHARS_PER_TOKEN = 4.0
# The same for other scripts, as the usual vocabularies have them; what the server counts corrects it.
CHARS_PER_TOKEN_OF = (
    (re.compile(f"[{CYRILLIC}]"), 3.0),
    (re.compile(f"[{ARABIC}]"), 2.5),
    (re.compile(f"[{GREEK}{HEBREW}{DEVANAGARI}{THAI}]"), 2.0),
    (re.compile(f"[{KANA}{HAN}{HANGUL}]"), 1.5),
)
# Signs, pictures, and scripts that vocabularies hardly know.
RARE_CHARS_PER_TOKEN = 1.6
_FIRST_RARE = "\u02af"
# A chat template adds a few tokens to each message.
MESSAGE_TOKENS = 6
# Estimates err; a prompt must fit all the same.
SAFETY = 1.1
# Code and tables have so many more tokens than the estimate, which has not learned yet.
DENSE = 1.35
# The conversation may take this share of the context at the most: the evidence needs the rest.
HISTORY_SHARE = 0.25
LEARNING_RATE = 0.5
SMALLEST_SAMPLE = 200
BOUNDS = (0.5, 3.0)
# What a model reasons counts as a part of its reply: without room of its own it eats the answer.
THINKING_TOKENS = 2000


def reply_tokens(settings: Settings) -> int:
    """Return how long a written reply may get: the answer, and the reasoning before it if any."""
    return settings.answer.max_tokens + (THINKING_TOKENS if settings.llm.think else 0)


def context_for(info: ModelInfo, answer_tokens: int, messages: Sequence[ChatMessage]) -> int:
    """Return the context that a prompt needs, in tokens: the usual one, or one that is doubled until
    the prompt fits, up to what the model can be asked for."""
    context = info.context_tokens
    while context < info.largest_context:
        governor = Governor(context, answer_tokens)
        if DENSE * governor.prompt_cost(messages) <= context - governor.answer_tokens:
            break
        context = min(2 * context, info.largest_context)
    return context


class Governor:
    """Knows the model's context and what its tokens are worth."""

    def __init__(self, context_tokens: int, answer_tokens: int) -> None:
        self.context_tokens = context_tokens
        # A small context must not be eaten up by the room kept for the answer.
        self.answer_tokens = min(answer_tokens, context_tokens // 4)
        self._factor = 1.0

    def cost(self, text: str) -> int:
        """Estimate the tokens of a text."""
        return round(_raw_cost(text) * self._factor)

    def prompt_cost(self, messages: Sequence[ChatMessage]) -> int:
        """Estimate the tokens of a prompt."""
        return self.cost("".join(m.content for m in messages)) + MESSAGE_TOKENS * len(messages)

    def learn(self, messages: Sequence[ChatMessage], counted: int) -> None:
        """Correct the estimate by what the server counted for a prompt (0: it did not count)."""
        raw = sum(_raw_cost(m.content) for m in messages)
        if counted <= 0 or raw < SMALLEST_SAMPLE:
            return
        seen = (counted - MESSAGE_TOKENS * len(messages)) / raw
        # Too low an estimate overflows the context, too high a one leaves a little of it empty.
        rate = 1.0 if seen > self._factor else LEARNING_RATE
        factor = self._factor + rate * (seen - self._factor)
        self._factor = min(max(factor, BOUNDS[0]), BOUNDS[1])

    def fit_history(self, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """Drop the oldest turns until the rest fits its share; turns are never cut."""
        return tuple(
            t for t in self.fit_turns(turns, [None] * len(turns), 0) if isinstance(t, Turn)
        )

    def fit_turns(
        self,
        turns: Sequence[Turn],
        prompted: Sequence[PromptedTurn | None],
        evidence_tokens: int,
    ) -> tuple[Turn | PromptedTurn, ...]:
        """Return the turns as they may stand in a prompt, the newest with their evidence where it is known.

        Evidence leaves whole, the oldest first, so that `evidence_tokens` of new evidence and the answer
        fit behind the rest. A turn without evidence has its share of the context; the oldest are dropped.
        """
        room = self.room(()) - evidence_tokens
        share = HISTORY_SHARE * self.context_tokens
        kept: list[Turn | PromptedTurn] = []
        keeps_evidence = True
        for turn, seen in zip(reversed(turns), reversed(prompted), strict=True):
            if keeps_evidence and seen is not None:
                cost = self.cost(seen.prompt + seen.reply) + 2 * MESSAGE_TOKENS
                if keeps_evidence := cost <= room:
                    room -= cost
                    kept.append(seen)
                    continue
            cost = self.cost(turn.question + turn.answer) + 2 * MESSAGE_TOKENS
            share -= cost
            if share < 0:
                break
            room -= cost
            kept.append(turn)
        return tuple(reversed(kept))

    def room(self, messages: Sequence[ChatMessage]) -> int:
        """Tokens that may still be added to a prompt so that the answer fits behind it; never < 0."""
        used = SAFETY * self.prompt_cost(messages)
        return max(0, int((self.context_tokens - self.answer_tokens - used) / SAFETY))

    def check(self, messages: Sequence[ChatMessage]) -> None:
        """Refuse a prompt that cannot fit.

        Raises:
            PromptTooLong: with the estimated and the available tokens.
        """
        needed = self.prompt_cost(messages)
        available = self.context_tokens - self.answer_tokens
        if needed > available:
            raise PromptTooLong(
                Message(
                    "The question is too long: about {needed} tokens, and the model's context leaves "
                    "room for {available}.",
                    needed=needed,
                    available=available,
                ),
                fix=Message("Shorten it, or raise llm.context_tokens if the model allows more."),
                needed=needed,
                available=available,
            )


def _raw_cost(text: str) -> float:
    if text.isascii():
        return len(text) / CHARS_PER_TOKEN
    cost = 0.0
    for letters, chars_per_token in CHARS_PER_TOKEN_OF:
        rest = letters.sub("", text)
        cost += (len(text) - len(rest)) / chars_per_token
        text = rest
    rare = sum(c > _FIRST_RARE for c in text)
    return cost + (len(text) - rare) / CHARS_PER_TOKEN + rare / RARE_CHARS_PER_TOKEN
