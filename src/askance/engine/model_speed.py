"""How fast a model is, by its server's counters or by what its calls took, and what can be expected of it.

A server without counters shows one figure a call: the time before its first token. It may make every request
wait (a queue, a gateway), take in what is new of a prompt, or all of it each time because it keeps nothing.
One request cannot tell these apart, nor can many of one length. Requests of different length do: `Latencies`
fits a line to the last of them.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from askance.domain.ports.model import (
    MOST_RUNS,
    Finished,
    FinishReason,
    ModelChanged,
    ReplyPart,
    Retracted,
    Speed,
    Speeds,
    Text,
    Thought,
    Timing,
)

MOST_SAMPLES = 12
# Of so many requests of about one length the newest are stored: portions must not drive out what tells more.
MOST_ALIKE = 3
ALIKE = 1.6
# Lengths that differ by less tell nothing apart: that much estimates may be wrong.
LEAST_RATIO = 3.0
# Requests of one length differ by about so much: tokens are estimated, and machines do other things.
NOISE_SHARE, NOISE_S = 0.15, 0.05
# A line that misses by more than this share of the time explains nothing.
WORST_ERROR = 0.2
# One explanation is believed where the other misses by so many times as much.
CLEARER = 2.0


@dataclass(frozen=True, slots=True)
class Sample:
    """One request: the tokens that were new to its server, all of them, and the seconds that it took.

    For the first one the model may have been loaded.
    """

    fresh: float
    whole: float
    waited_s: float
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Latency:
    """What explains the time of some requests: seconds to wait, and seconds for each token.

    `error_token_s` is how far the latter may be off. `usual_token_s` is what a token takes if there is
    no wait at all; `miss` is the share of the time that is not explained, `ratio` that of the longest
    request to the shortest one.
    """

    wait_s: float
    token_s: float
    error_token_s: float
    usual_token_s: float
    miss: float
    ratio: float

    @property
    def is_clear(self) -> bool:
        """Whether the requests differ enough in length to tell a wait from the time of the tokens."""
        return self.ratio >= LEAST_RATIO and self.error_token_s < self.usual_token_s / 3

    @property
    def safe_token_s(self) -> float:
        """What a token takes at the most, as far as is known."""
        return min(self.token_s + self.error_token_s, self.usual_token_s)


class Latencies:
    """The last requests to one server, and what explains the time that they took."""

    def __init__(self) -> None:
        self._samples: list[Sample] = []

    def add(self, sample: Sample) -> None:
        """Remember a request."""
        if sample.fresh <= 0 or sample.waited_s <= 0:
            return
        # Samples of one length say the same again: they make room first.
        lengths = sample.fresh / ALIKE, sample.fresh * ALIKE
        alike = [s for s in self._samples if lengths[0] <= s.fresh <= lengths[1]]
        if len(alike) >= MOST_ALIKE:
            self._samples.remove(alike[0])
        self._samples = [*self._samples, sample][-MOST_SAMPLES:]

    def explain(self, *, keeps_prefix: bool) -> Latency | None:
        """Return what explains the requests where the server keeps a prefix or not; None if nothing does.

        Then the oldest one is forgotten: perhaps the server has changed since.
        """
        found = _explained(self._samples, keeps_prefix=keeps_prefix)
        if found is not None and found.miss > WORST_ERROR:
            self._samples = self._samples[1:]
            return None
        return found

    def keeps_prefix(self) -> bool | None:
        """Say whether the server takes in only what is new of a prompt; None where they do not tell."""
        # Two points lie on a line by either explanation: it takes a third to tell them apart.
        if len(self._samples) <= 2:
            return None
        fresh = _explained(self._samples, keeps_prefix=True)
        whole = _explained(self._samples, keeps_prefix=False)
        if fresh is None or whole is None:
            return None
        fresh_miss, whole_miss = max(NOISE_S, fresh.miss), max(NOISE_S, whole.miss)
        if min(fresh_miss, whole_miss) > WORST_ERROR:
            return None
        # Only where one explanation misses twice as much: a wrong answer here costs portions or
        # whole prompts.
        if CLEARER * fresh_miss <= whole_miss:
            return True
        return False if CLEARER * whole_miss <= fresh_miss else None


def _explained(samples: Sequence[Sample], *, keeps_prefix: bool) -> Latency | None:
    """Fit a line; a first request counts only where the others need it and it fits in with them."""

    def tokens(sample: Sample) -> float:
        return sample.fresh if keeps_prefix else sample.whole

    later = [s for s in samples if not s.is_first]
    found = _line(later, tokens)
    if len(later) == len(samples) or (found is not None and found.is_clear):
        return found
    first = next(s for s in samples if s.is_first)
    # Whatever the wait, a longer request takes at the most as long for each token: the model was loaded.
    was_loaded = any(
        first.waited_s > (1 + WORST_ERROR) * s.waited_s * max(1.0, tokens(first) / tokens(s))
        for s in later
    )
    return found if was_loaded else _line(samples, tokens)


def _line(samples: Sequence[Sample], tokens: Callable[[Sample], float]) -> Latency | None:
    """Fit seconds = wait + tokens * rate by least squares, neither below 0; None for one sample alone."""
    if len(samples) < 2:
        return None
    rows = [(tokens(s), s.waited_s) for s in samples]
    x_mean, y_mean = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    # Least squares: rate = Sxy / Sxx, and its standard error noise / √Sxx. Two unknowns, so two
    # samples at the least.
    spread = sum((x - x_mean) ** 2 for x, _ in rows)
    rate = sum((x - x_mean) * (y - y_mean) for x, y in rows) / spread if spread else 0.0
    rate = max(0.0, rate)
    wait_s = y_mean - rate * x_mean
    if wait_s < 0:  # then the best line through the origin
        wait_s, rate = 0.0, sum(x * y for x, y in rows) / sum(x * x for x, _ in rows)
    missed_s = math.sqrt(sum((y - wait_s - rate * x) ** 2 for x, y in rows) / len(rows))
    # A perfect fit of two points says nothing of their noise: no less is assumed than requests
    # usually have.
    noise_s = max(missed_s, NOISE_SHARE * y_mean + NOISE_S)
    # The standard error of a slope of least squares.
    error = noise_s / math.sqrt(spread) if spread else math.inf
    lengths = [x for x, _ in rows]
    ratio = max(lengths) / min(lengths)
    return Latency(wait_s, rate, error, y_mean / x_mean, missed_s / y_mean, ratio)


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
# Each portion waits anew: it takes so many times as long as its server waits before it, at the least.
PORTION_TO_WAIT = 1.5
# Until it is clear what a wait is, portions differ in length: only that can tell.
FIRST_PROBE = 1 / 3
LEAST_PROBE_TOKENS = 16
# A processor takes in so many tokens in the time in which it writes one, or more.
PROMPT_TO_REPLY = 8.0
# And never fewer than so many: where a prompt seems slower than that, its request waited.
LEAST_PROMPT_TO_REPLY = 2.5
# Longer than this another asker was served first, where only one call has waited so long.
LONGEST_SINGLE_WAIT_S = 5.0
LONGEST_WAIT_S = 30.0
# Faster than any machine takes in a prompt: its length makes no difference.
MOST_PROMPT_TPS = 10_000.0
# At least so much of what a call took is counted as taking in its prompt.
LEAST_TAKING_IN = 0.1
# So long a context is remembered that a refusal named.
CONTEXT_KNOWN_S = 1_800.0
# What is shorter than this before a reply is no reasoning: an empty block, the news of a model being loaded.
LEAST_THOUGHT_TOKENS = 40
# A load that went wrong must not be waited for a second time.
LONGEST_LOAD_S = 120.0


class ModelSpeed:
    """What an engine knows of its model's speed. It lives as long as the engine.

    Before anything is known every estimate is 0: nothing is put off for a speed nobody has seen.
    `held` is the prompt that the server has evaluated last, as far as is known, and `used_at` when that
    was, in seconds of the event loop's clock. `token_factor` is that of `ContextBudget`.
    """

    def __init__(self, speeds: Speeds | None = None, server: str = "") -> None:
        self._speeds = speeds
        self._server = server
        self._busy_until = 0.0
        self._is_guess = False
        self.used_at = -math.inf
        self.hang_up_s = HANG_UP_S
        self._forget("")

    async def recall(self, model: str) -> None:
        """Begin with what earlier runs learned of this model."""
        if model != self.model:
            self._forget(model)
            if self._speeds is not None:
                self.speed = await self._speeds.known(self._server, model)

    async def remember(self, run_s: float = 0.0) -> None:
        """Keep what was learned; `run_s` is what a whole run took, 0 for none."""
        if not self.model:
            return
        if run_s > 0 and not self._is_guess:
            runs = (*self.speed.runs_s, round(run_s, 1))[-MOST_RUNS:]
            self.speed = replace(self.speed, runs_s=runs)
        # What was measured while the model was being loaded is no speed to begin with next time.
        known = Speed(thought_tokens=self.speed.thought_tokens) if self._is_guess else self.speed
        if self._speeds is not None and known != Speed():
            await self._speeds.store(self._server, self.model, known)

    @property
    def is_known(self) -> bool:
        """Whether the model was seen to take in a prompt, in this run or before."""
        return self.speed.prompt_tps > 0 and not self._is_guess

    def limit_context(self, tokens: int) -> None:
        """Note that the server takes no longer prompts than this, whatever it says of its context."""
        self._context = (tokens, asyncio.get_running_loop().time())

    def context_tokens(self, stated: int) -> int:
        """Return the context to reckon with, in tokens, where the server says that it has `stated`.

        After a while a smaller one is tried no more: the model may have been loaded with a larger one.
        """
        seen, at = self._context
        is_recent = asyncio.get_running_loop().time() - at < CONTEXT_KNOWN_S
        return min(stated, seen) if is_recent else stated

    def prompt_s(self, tokens: float) -> float:
        """Estimate the seconds until so many tokens are taken in."""
        return tokens / self.speed.prompt_tps if self.speed.prompt_tps else 0.0

    def reply_s(self, tokens: float) -> float:
        """Estimate the seconds until so many tokens are written."""
        # Before any reply was seen, writing is taken to be eight times slower than taking in: the
        # ratio of processors.
        tps = self.speed.reply_tps or self.speed.prompt_tps / PROMPT_TO_REPLY
        return tokens / tps if tps else 0.0

    @property
    def wait_s(self) -> float:
        """What a call waits before the server begins with it, as far as was seen."""
        return min(self.speed.wait_s, LONGEST_WAIT_S)

    def call_s(self, prompt_tokens: float, reply_tokens: float) -> float:
        """Estimate the seconds of a whole call, from its request to the end of its reply."""
        reply_tokens += self.speed.thought_tokens
        return self.wait_s + self.prompt_s(prompt_tokens) + self.reply_s(reply_tokens)

    def again(self, known: int) -> int:
        """Estimate how many of so many tokens are evaluated again that the server has evaluated before."""
        is_lost = not self.keeps_prefix and not self.speed.again
        return known if is_lost else self.speed.usual_again(known)

    @property
    def load_s(self) -> float:
        """What the first call may have to wait for the model to be loaded."""
        return 0.0 if self.is_warm else min(self.speed.load_s, LONGEST_LOAD_S)

    def tokens_in(self, seconds: float, most: int) -> int:
        """Return how many prompt tokens are taken in within so many seconds, at the most `most`."""
        if not self.speed.prompt_tps:
            return most
        return max(0, min(most, int(seconds * self.speed.prompt_tps)))

    @property
    def measures_wait(self) -> bool:
        """Whether what a call waits is known apart from the time that its tokens take."""
        return self._counts or self._has_fitted

    @property
    def portion_tokens(self) -> int:
        """So much of a prompt that stopping in its midst leaves the server busy for a moment only.

        All the waits of a prompt's portions must cost less than the prompt, and so must what each has evaluated
        once more.
        """
        lost_s = self.wait_s + self.prompt_s(self.speed.usual_again())
        seconds = max(PORTION_S, PORTION_TO_WAIT * lost_s)
        return max(SMALLEST_PORTION_TOKENS, int(seconds * self._portion_tps))

    def probe_tokens(self, number: int) -> int:
        """Return how long the next portion is, where so many were sent: a shorter one first, to learn the wait."""
        share = FIRST_PROBE if number == 0 and not self.measures_wait else 1.0
        return max(LEAST_PROBE_TOKENS, int(share * self.portion_tokens))

    def is_short(self, tokens: int) -> bool:
        """Whether the server takes in so many tokens within the moment that a stop may leave it busy."""
        tps = self._portion_tps
        return not tps or tokens / tps <= self.hang_up_s

    def busy_s(self) -> float:
        """Estimate for how long the server goes on with a call that was dropped."""
        return max(0.0, self._busy_until - asyncio.get_running_loop().time())

    def begin(self, tokens: int) -> None:
        """Note that the server has a prompt to take in, so many tokens of which are new to it."""
        now = asyncio.get_running_loop().time()
        # Behind what the server is still busy with: it takes one request after the other.
        self._busy_until = max(now, self._busy_until) + self.prompt_s(tokens)

    def settle(self, tokens: int, waited_s: float) -> None:
        """Note that the server has begun to write: from here on it notices a hang-up at once.

        Whether it had to load the model first may not be known, only that it was no slower than
        this. Where that is fast enough, no more need be known.
        """
        self._busy_until = 0.0
        self.is_warm = True
        # A lower bound is enough here: at this speed nothing depends on the exact figure.
        if not self.is_known and tokens >= max(LEAST_PROMPT_TOKENS, FAST_TPS * waited_s):
            self.speed = replace(self.speed, prompt_tps=tokens / max(waited_s, 1e-6))
            self._is_guess = False

    def saw_prompt(
        self, tokens: float, waited_s: float, timing: Timing, *, whole: float = 0.0
    ) -> None:
        """Learn from a prompt of which `tokens` were new, and the first token came after `waited_s`.

        The server's own counters are believed as far as they fit into the time that passed here.
        Without them, a slow first call says little: perhaps the model was loaded for it. Calls of
        different length, in new tokens or as a `whole`, tell a wait from the time that tokens take; 0 for
        one of which nobody knows what the server had of it.
        """
        if timing.prompt_s > 0:
            self._counts, self._safe_tps = True, 0.0
            # The server knows what its cache had; what is new to it is an estimate here.
            tokens = timing.evaluated_tokens or tokens
            seconds = min(timing.prompt_s, waited_s)
            self._learn_wait(max(0.0, waited_s - seconds - timing.load_s), timing.load_s)
        # Not mixed into what was known: the line has all of the last calls in it already.
        elif whole and not self._counts and self._is_explained(tokens, whole, waited_s):
            return
        elif self.is_known or self._had_first:
            seconds = max(waited_s - self.wait_s, LEAST_TAKING_IN * waited_s)
        else:
            self._had_first = True
            self.saw_nothing(tokens, waited_s)
            return
        self._had_first = True
        if tokens >= LEAST_PROMPT_TOKENS and seconds > 0:
            before = 0.0 if self._is_guess else self.speed.prompt_tps
            tps = _mixed(before, tokens, seconds, PROMPT_SAMPLE_TOKENS)
            self.speed = replace(self.speed, prompt_tps=tps)
            self._is_guess = False

    def saw_nothing(self, tokens: float, waited_s: float) -> None:
        """Learn from a prompt whose first token did not come: the server is no faster than that."""
        if tokens < LEAST_PROMPT_TOKENS or waited_s <= 0:
            return
        tps = tokens / max(waited_s - self.wait_s, LEAST_TAKING_IN * waited_s)
        if not self.speed.prompt_tps or self._is_guess:
            # Perhaps the model was being loaded: good for the next call, and no longer.
            self.speed = replace(self.speed, prompt_tps=tps)
            self._is_guess = True
        elif self._had_first and tps < self.speed.prompt_tps:
            tps = _mixed(self.speed.prompt_tps, tokens, tokens / tps, PROMPT_SAMPLE_TOKENS)
            self.speed = replace(self.speed, prompt_tps=tps)

    def saw_reply(self, tokens: float, seconds: float) -> None:
        """Learn from a reply of so many tokens."""
        if tokens >= LEAST_REPLY_TOKENS and seconds > 0:
            seconds = max(seconds, tokens / MOST_REPLY_TPS)
            tps = _mixed(self.speed.reply_tps, tokens, seconds, REPLY_SAMPLE_TOKENS)
            self.speed = replace(self.speed, reply_tps=tps)

    def saw_thought(self, tokens: int) -> None:
        """Learn how much the model reasons before a reply although it was asked not to.

        One that did so once is asked in every form the next time, and this must not be forgotten because
        that helps.
        """
        known, seen = self.speed.thought_tokens, tokens * (tokens >= LEAST_THOUGHT_TOKENS)
        if known or seen:
            # Slowly down: a server may keep it from reasoning in JSON, and not in prose.
            self.speed = replace(self.speed, thought_tokens=max(seen, known * 3 // 4, 1))

    def _forget(self, model: str) -> None:
        """Know nothing yet of a model, and of its server with it."""
        self.model = model
        self.speed = Speed()
        """What is known now."""
        self.token_factor = 1.0
        self.held = ""
        self.keeps_prefix = True
        self.is_warm = False
        self._had_first = False
        """Whether the first call was seen, which may have waited for the model to be loaded."""
        self._counts = False
        """Whether the server has counters."""
        self._last_wait_s = 0.0
        self._latencies = Latencies()
        self._has_fitted = False
        """Whether `Latencies` have told what a call waits from what its tokens take."""
        self._knows_prefix = False
        self._safe_tps = 0.0
        self._context = (0, -math.inf)

    @property
    def _portion_tps(self) -> float:
        """Tokens a second that are taken in for sure, as far as is known."""
        if self._safe_tps or self.measures_wait or not self.speed.prompt_tps:
            return self._safe_tps or self.speed.prompt_tps
        return max(self.speed.prompt_tps, LEAST_PROMPT_TO_REPLY * self.speed.reply_tps)

    def _is_explained(self, fresh: float, whole: float, waited_s: float) -> bool:
        """Learn from a call without counters, where it and those before it explain what it took."""
        self._latencies.add(Sample(fresh, whole, waited_s, is_first=not self._had_first))
        # Afterwards one call shows it: see `ReplyOpener`.
        keeps_prefix = None if self._knows_prefix else self._latencies.keeps_prefix()
        if keeps_prefix is not None:
            self.keeps_prefix, self._knows_prefix = keeps_prefix, True
        latency = self._latencies.explain(keeps_prefix=self.keeps_prefix)
        self._safe_tps = 0.0
        if latency is None or not latency.is_clear:
            return False
        self._had_first, self._has_fitted, self._is_guess = True, True, False
        tps = 1 / max(latency.token_s, 1 / MOST_PROMPT_TPS)
        wait_s = round(min(latency.wait_s, LONGEST_WAIT_S), 3)
        self.speed = replace(self.speed, prompt_tps=tps, wait_s=wait_s)
        self._safe_tps = min(tps, 1 / latency.safe_token_s)
        return True

    def _learn_wait(self, wait_s: float, load_s: float) -> None:
        """Learn from a server's counters: what two calls after each other have waited is its habit."""
        # One long wait was another asker's turn; two in a row are how this server is.
        steady_s = min(wait_s, self._last_wait_s)
        self._last_wait_s = wait_s
        before = min(self.speed.wait_s, LONGEST_SINGLE_WAIT_S)
        wait_s = before + WAIT_SHARE * (min(wait_s, LONGEST_SINGLE_WAIT_S) - before)
        wait_s = min(max(wait_s, steady_s), LONGEST_WAIT_S)
        self.speed = replace(
            self.speed, wait_s=round(wait_s, 3), load_s=max(load_s, 0.9 * self.speed.load_s)
        )


def _mixed(known_tps: float, tokens: float, seconds: float, weight: float) -> float:
    """Mix a sample into what is known, by the time that a token takes: slow ones count in full."""
    # Times are mixed, and not speeds: the mean of speeds would forget the slow calls, which cost
    # most.
    seen = seconds / tokens
    if known_tps > 0:
        share = tokens / (tokens + weight)
        seen = share * seen + (1 - share) / known_tps
    return 1 / seen


class ReplyWatch:
    """What was seen of one reply."""

    def __init__(self) -> None:
        self.is_exact = False
        """Whether it is known what of the prompt was new to the server."""
        self.first_at = self.last_at = 0.0
        self.is_settled = self.has_thought = False
        self.text = self.thought = self.reply = ""
        self.end = Finished(FinishReason.STOP)
        self.timing = Timing()

    def see(self, part: ReplyPart, now: float) -> None:
        """Take in a part that came at this moment."""
        match part:
            case Timing():
                self.timing = part
            case Finished():
                self.end = part
                self._reach(now)
            case Text(text=text) | Thought(text=text):
                self.text += text
                if isinstance(part, Thought):
                    self.has_thought = True
                    self.thought += text
                else:
                    self.reply += text
                self._reach(now)
            case Retracted():
                self.has_thought = True
                self.thought, self.reply = self.thought + self.reply, ""
            case ModelChanged():
                pass

    def _reach(self, now: float) -> None:
        self.first_at = self.first_at or now
        self.last_at = now
