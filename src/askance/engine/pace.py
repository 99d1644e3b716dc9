"""The pace of a model: learned from what its calls took, and what can be expected of it."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

from askance.ports.model import MOST_RUNS, Speed, Speeds, Timing

# Samples count by their size; one of these counts as much as all before it.
PROMPT_SAMPLE_TOKENS = 400
REPLY_SAMPLE_TOKENS = 60
WAIT_SHARE = 0.3
# What says less than this says nothing: it is mostly the way to the server and back.
LEAST_PROMPT_TOKENS = 40
LEAST_REPLY_TOKENS = 8
# What comes faster than any machine writes was held back on its way, and came in one piece.
MOST_REPLY_TPS = 1_000.0
# A hang-up is noticed at the first token only: what a server goes on with must not take longer.
HANG_UP_S = 3.0
# At this speed and above no limit and no portion of evidence depends on it.
FAST_TPS = 150.0
# What is aimed at, since the same tokens take longer behind a long prompt.
PORTION_S = 1.8
SMALLEST_PORTION_TOKENS = 48
# A processor takes in so many tokens in the time in which it writes one, or more.
PROMPT_TO_REPLY = 8.0
# Longer than this another asker was served first: that is no habit of the server.
LONGEST_WAIT_S = 5.0
# So long a context is remembered that a refusal told of.
CONTEXT_KNOWN_S = 1_800.0
# A load that went wrong must not be waited for a second time.
LONGEST_LOAD_S = 120.0


class Pace:
    """What an engine knows of its model's speed. It lives as long as the engine.

    Before anything is known every estimate is 0: nothing is put off for a speed nobody has seen.
    `held` is the prompt that the server has evaluated last, as far as is known, and `used_at` when that
    was, in seconds of the event loop's clock. `token_factor` is the governor's.
    """

    def __init__(self, speeds: Speeds | None = None, server: str = "") -> None:
        self._speeds = speeds
        self._server = server
        self._model = ""
        self._speed = Speed()
        self._busy_until = 0.0
        self._is_guess = False
        self.held = ""
        self.token_factor = 1.0
        self.used_at = -math.inf
        self.hang_up_s = HANG_UP_S
        self.keeps_prefix = True
        self.is_warm = False
        self._had_first = False
        self._context = (0, -math.inf)

    async def recall(self, model: str) -> None:
        """Begin with what earlier runs learned of this model."""
        if model != self._model:
            self._model = model
            self._speed = Speed()
            self.token_factor = 1.0
            self.held, self.keeps_prefix, self.is_warm, self._had_first = "", True, False, False
            self._context = (0, -math.inf)
            if self._speeds is not None:
                self._speed = await self._speeds.known(self._server, model)

    async def remember(self, run_s: float = 0.0) -> None:
        """Keep what was learned; `run_s` is what a whole run took, 0 for none."""
        if not self._model or self._is_guess:
            return
        if run_s > 0:
            runs = (*self._speed.runs_s, round(run_s, 1))[-MOST_RUNS:]
            self._speed = replace(self._speed, runs_s=runs)
        if self._speeds is not None and self._speed != Speed():
            await self._speeds.keep(self._server, self._model, self._speed)

    @property
    def speed(self) -> Speed:
        """What is known now."""
        return self._speed

    @property
    def is_known(self) -> bool:
        """Whether the model was seen to take in a prompt, in this run or before."""
        return self._speed.prompt_tps > 0 and not self._is_guess

    def limit_context(self, tokens: int) -> None:
        """Note that the server takes no longer prompts than this, whatever it says of its context."""
        self._context = (tokens, asyncio.get_running_loop().time())

    def context_tokens(self, told: int) -> int:
        """Return the context to reckon with, in tokens, where the server says that it has `told`.

        After a while a smaller one is tried no more: the model may have been loaded with a larger one.
        """
        seen, at = self._context
        is_recent = asyncio.get_running_loop().time() - at < CONTEXT_KNOWN_S
        return min(told, seen) if is_recent else told

    def prompt_s(self, tokens: float) -> float:
        """Estimate the seconds until so many tokens are taken in."""
        return tokens / self._speed.prompt_tps if self._speed.prompt_tps else 0.0

    def reply_s(self, tokens: float) -> float:
        """Estimate the seconds until so many tokens are written."""
        tps = self._speed.reply_tps or self._speed.prompt_tps / PROMPT_TO_REPLY
        return tokens / tps if tps else 0.0

    @property
    def wait_s(self) -> float:
        """What a call waits before the server begins with it, as far as was seen."""
        return min(self._speed.wait_s, LONGEST_WAIT_S)

    @property
    def load_s(self) -> float:
        """What the first call may have to wait for the model to be loaded."""
        return 0.0 if self.is_warm else min(self._speed.load_s, LONGEST_LOAD_S)

    def tokens_in(self, seconds: float, most: int) -> int:
        """Return how many prompt tokens are taken in within so many seconds, at the most `most`."""
        if not self._speed.prompt_tps:
            return most
        return max(0, min(most, int(seconds * self._speed.prompt_tps)))

    @property
    def portion_tokens(self) -> int:
        """So much of a prompt that stopping in its midst leaves the server busy for a moment only."""
        return max(SMALLEST_PORTION_TOKENS, int(PORTION_S * self._speed.prompt_tps))

    def busy_s(self) -> float:
        """Estimate for how long the server goes on with a call that was dropped."""
        return max(0.0, self._busy_until - asyncio.get_running_loop().time())

    def begin(self, tokens: int) -> None:
        """Note that the server has a prompt to take in, so many tokens of which are new to it."""
        now = asyncio.get_running_loop().time()
        self._busy_until = max(now, self._busy_until) + self.prompt_s(tokens)

    def settle(self, tokens: int, waited_s: float) -> None:
        """Note that the server has begun to write: from here on it notices a hang-up at once.

        Whether it had to load the model first may not be known, only that it was no slower than
        this. Where that is fast enough, no more need be known.
        """
        self._busy_until = 0.0
        self.is_warm = True
        if not self.is_known and tokens >= max(LEAST_PROMPT_TOKENS, FAST_TPS * waited_s):
            self._speed = replace(self._speed, prompt_tps=tokens / max(waited_s, 1e-6))
            self._is_guess = False

    def saw_prompt(self, tokens: float, waited_s: float, timing: Timing) -> None:
        """Learn from a prompt of which `tokens` were new, and the first token came after `waited_s`.

        The server's own counters are believed as far as they fit into the time that passed here.
        Without them, a slow first call says little: perhaps the model was loaded for it.
        """
        if timing.prompt_s > 0:
            tokens = timing.evaluated_tokens or tokens
            seconds = min(timing.prompt_s, waited_s)
            self._learn_wait(max(0.0, waited_s - seconds - timing.load_s), timing.load_s)
        elif self.is_known or self._had_first:
            seconds = waited_s
        else:
            self._had_first = True
            self.saw_nothing(tokens, waited_s)
            return
        self._had_first = True
        if tokens >= LEAST_PROMPT_TOKENS and seconds > 0:
            before = 0.0 if self._is_guess else self._speed.prompt_tps
            tps = _mixed(before, tokens, seconds, PROMPT_SAMPLE_TOKENS)
            self._speed = replace(self._speed, prompt_tps=tps)
            self._is_guess = False

    def saw_nothing(self, tokens: float, waited_s: float) -> None:
        """Learn from a prompt whose first token did not come: the server is no faster than that."""
        if tokens < LEAST_PROMPT_TOKENS or waited_s <= 0:
            return
        tps = tokens / waited_s
        if not self._speed.prompt_tps or self._is_guess:
            # Perhaps the model was being loaded: good for the next call, and no longer.
            self._speed = replace(self._speed, prompt_tps=tps)
            self._is_guess = True
        elif self._had_first and tps < self._speed.prompt_tps:
            tps = _mixed(self._speed.prompt_tps, tokens, waited_s, PROMPT_SAMPLE_TOKENS)
            self._speed = replace(self._speed, prompt_tps=tps)

    def saw_reply(self, tokens: float, seconds: float) -> None:
        """Learn from a reply of so many tokens."""
        if tokens >= LEAST_REPLY_TOKENS and seconds > 0:
            seconds = max(seconds, tokens / MOST_REPLY_TPS)
            tps = _mixed(self._speed.reply_tps, tokens, seconds, REPLY_SAMPLE_TOKENS)
            self._speed = replace(self._speed, reply_tps=tps)

    def _learn_wait(self, wait_s: float, load_s: float) -> None:
        before = self._speed.wait_s
        wait_s = before + WAIT_SHARE * (wait_s - before)
        self._speed = replace(
            self._speed, wait_s=round(wait_s, 3), load_s=max(load_s, 0.9 * self._speed.load_s)
        )


def _mixed(known_tps: float, tokens: float, seconds: float, weight: float) -> float:
    """Mix a sample into what is known, by the time that a token takes: slow ones count in full."""
    seen = seconds / tokens
    if known_tps > 0:
        share = tokens / (tokens + weight)
        seen = share * seen + (1 - share) / known_tps
    return 1 / seen
