"""The context governor: estimates tokens, learns from what the server counts, and fits prompts."""

from __future__ import annotations

from collections.abc import Sequence

from askance.config.settings import Settings
from askance.domain.conversation import Turn
from askance.domain.errors import PromptTooLong
from askance.domain.messages import Message
from askance.domain.ports.model import ChatMessage, ModelInfo
from askance.engine.prompts import PromptedTurn
from askance.text.token_estimate import estimated_tokens

# A chat template adds a few tokens to each message.
MESSAGE_TOKENS = 5
# No server that is of any use has less.
SMALLEST_CONTEXT = 256
# With less there is no room for a question, its evidence and an answer: passages are quoted instead.
ANSWERING_CONTEXT = 1024
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


def reply_tokens(settings: Settings, *, think: bool, most: int = 0) -> int:
    """Return how long a written reply may get: the answer, and the reasoning before it if any.

    `most` is what is wanted at the most; 0 is what the settings allow.
    """
    answer = min(settings.answer.max_tokens, most or settings.answer.max_tokens)
    return answer + (THINKING_TOKENS if think else 0)


def context_for(info: ModelInfo, answer_tokens: int, messages: Sequence[ChatMessage]) -> int:
    """Return the context that a prompt needs, in tokens: the usual one, or one that is doubled until
    the prompt fits, up to what the model can be asked for."""
    context = info.context_tokens
    while context < info.largest_context:
        budget = ContextBudget(context, answer_tokens)
        if DENSE * budget.prompt_cost(messages) <= context - budget.answer_tokens:
            break
        context = min(2 * context, info.largest_context)
    return context


def too_small(info: ModelInfo) -> Message:
    """Return the sentence about a model whose context is too small for answers."""
    return Message(
        "The context of {model} holds {n} tokens: too few to answer from sources.",
        model=info.name,
        n=info.context_tokens,
    )


class ContextBudget:
    """Knows the model's context and what its tokens are worth.

    `factor` is the number of its tokens to one of the estimate, as far as is known.
    """

    def __init__(self, context_tokens: int, answer_tokens: int, factor: float = 1.0) -> None:
        self.context_tokens = context_tokens
        # A small context must not be eaten up by the room kept for the answer.
        self.answer_tokens = min(answer_tokens, context_tokens // 4)
        self.factor = factor

    def limit(self, context_tokens: int) -> None:
        """Go on with a smaller context: the server was seen to have no more."""
        self.context_tokens = min(self.context_tokens, max(SMALLEST_CONTEXT, context_tokens))
        self.answer_tokens = min(self.answer_tokens, self.context_tokens // 4)

    def cost(self, text: str) -> int:
        """Estimate the tokens of a text."""
        return round(estimated_tokens(text) * self.factor)

    def prompt_cost(self, messages: Sequence[ChatMessage]) -> int:
        """Estimate the tokens of a prompt."""
        return self.cost("".join(m.content for m in messages)) + MESSAGE_TOKENS * len(messages)

    def learn(self, messages: Sequence[ChatMessage], counted: int) -> None:
        """Correct the estimate by what the server counted for a prompt (0: it did not count)."""
        raw = sum(estimated_tokens(m.content) for m in messages)
        if counted <= 0 or raw < SMALLEST_SAMPLE:
            return
        seen = (counted - MESSAGE_TOKENS * len(messages)) / raw
        # Too low an estimate overflows the context, too high a one leaves a little of it empty.
        rate = 1.0 if seen > self.factor else LEARNING_RATE
        factor = self.factor + rate * (seen - self.factor)
        self.factor = min(max(factor, BOUNDS[0]), BOUNDS[1])

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
        retained: list[Turn | PromptedTurn] = []
        keeps_evidence = True
        for turn, seen in zip(reversed(turns), reversed(prompted), strict=True):
            if keeps_evidence and seen is not None:
                cost = self.cost(seen.prompt + seen.reply) + 2 * MESSAGE_TOKENS
                if keeps_evidence := cost <= room:
                    room -= cost
                    retained.append(seen)
                    continue
            cost = self.cost(turn.question + turn.answer) + 2 * MESSAGE_TOKENS
            share -= cost
            if share < 0:
                break
            room -= cost
            retained.append(turn)
        return tuple(reversed(retained))

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
