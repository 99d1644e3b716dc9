"""The model's context: what its tokens are worth, what of a prompt fits into it, and how evidence is cut to fit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from askance.config.settings import Settings
from askance.domain.conversation import Turn
from askance.domain.errors import AskanceError, PromptTooLong, ServiceRefused
from askance.domain.messages import Message
from askance.domain.ports.model import ChatMessage, ModelInfo
from askance.engine.prompts import PromptedTurn
from askance.text.ranking.tokens import estimated_tokens

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
# How far the estimate goes down towards one prompt that the server counted.
LEARNING_RATE = 0.5
# In a prompt of fewer tokens the template counts for too much to learn from.
SMALLEST_SAMPLE = 200
# The factor stays within these, whatever a server says that it counted.
BOUNDS = (0.5, 3.0)
# What a model reasons counts as a part of its reply: without room of its own it eats the answer.
THINKING_TOKENS = 2000
# The evidence that is tried again where a server found a prompt too long, as a share of what was sent.
USUAL_SHARE = 0.5
LEAST_SHARE = 0.1
# Estimates of tokens err by so much.
_CUT_SAFETY = 1.15
# Statuses by which a server refuses what has nothing to do with a prompt's length.
_OTHER_REFUSALS = frozenset({401, 402, 403, 404, 405, 407, 408, 429})
# A fence of the evidence: see `evidence_set.NumberedEvidence`.
_FENCE = re.compile(r"<<<(web \w+)\n")
# Where a page or a passage ends, and failing that a line, a sentence, a word.
_ENDS = (re.compile(r"\n(?=\[\d+\] |\.\.\.\n)"), re.compile(r"\n"), re.compile(r"(?<=[.!?。]) "),
         re.compile(r" "))  # fmt: skip


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


def is_too_long(error: AskanceError) -> bool:
    """Say whether a server may have refused a prompt for its length, in whatever words."""
    if isinstance(error, PromptTooLong):
        return True
    if not isinstance(error, ServiceRefused):
        return False
    return 400 <= error.status < 500 and error.status not in _OTHER_REFUSALS


def fitting_share(error: AskanceError, evidence_share: float, reply_tokens: int) -> float:
    """Return how much of the evidence to try: half, or less where the server's numbers ask for it.

    `evidence_share` is that of the evidence in the prompt; `reply_tokens` must fit behind it.
    """
    if not isinstance(error, PromptTooLong) or not error.needed > error.available > 0:
        return USUAL_SHARE
    excess = error.needed - error.available + min(reply_tokens, error.available // 4)
    share = 1 - _CUT_SAFETY * excess / max(1.0, evidence_share * error.needed)
    return min(USUAL_SHARE, max(LEAST_SHARE, share))


def shorten(evidence: str, most: float) -> str:
    """Return the beginning of the evidence's text, at most so many characters and its fence closed.

    It ends behind a whole passage, or a sentence, where one ends in its second half. Empty where nothing
    but a fence would be left.
    """
    if len(evidence) <= most:
        return evidence
    shortened = evidence[: int(most)]
    ends = (max((m.start() for m in end.finditer(shortened)), default=0) for end in _ENDS)
    shortened = shortened[
        : next((end for end in ends if end > len(shortened) / 2), len(shortened))
    ].rstrip()
    fence = _FENCE.match(evidence)
    if fence is None:
        return shortened
    opening, closing = fence[0].rstrip(), f"{fence[1]}>>>"
    shortened = shortened.removesuffix(opening).rstrip()
    # A closing line that was cut in two is no text.
    last = shortened.rpartition("\n")[2]
    if closing.startswith(last) and last:
        shortened = shortened.removesuffix(last).rstrip()
    if shortened.count(opening) > shortened.count(closing):
        shortened += f"\n{closing}"
    return shortened if len(shortened) > len(opening) + len(closing) + 1 else ""
