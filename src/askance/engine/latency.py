"""What a server without counters takes before its first token: a wait, and so much for each token.

A server may make every request wait (a queue, a gateway), take in what is new of a prompt, or all of it
each time because it keeps nothing. One request cannot tell these apart, nor can many of one length:
requests of different length do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MOST_SAMPLES = 12
# Of so many requests of about one length the newest are kept: portions must not drive out what tells more.
MOST_ALIKE = 3
ALIKE = 1.6
# Lengths that differ by less tell nothing apart: that much estimates may be wrong.
LEAST_RATIO = 2.0
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
        alike = [s for s in self._samples if _are_alike(s.fresh, sample.fresh)]
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
        if len(self._samples) <= 2:
            return None
        fresh = _explained(self._samples, keeps_prefix=True)
        whole = _explained(self._samples, keeps_prefix=False)
        if fresh is None or whole is None:
            return None
        fresh_miss, whole_miss = max(NOISE_S, fresh.miss), max(NOISE_S, whole.miss)
        if min(fresh_miss, whole_miss) > WORST_ERROR:
            return None
        if CLEARER * fresh_miss <= whole_miss:
            return True
        return False if CLEARER * whole_miss <= fresh_miss else None


def _are_alike(one: float, other: float) -> bool:
    return max(one, other) <= ALIKE * min(one, other)


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
    spread = sum((x - x_mean) ** 2 for x, _ in rows)
    rate = sum((x - x_mean) * (y - y_mean) for x, y in rows) / spread if spread else 0.0
    rate = max(0.0, rate)
    wait_s = y_mean - rate * x_mean
    if wait_s < 0:
        wait_s, rate = 0.0, sum(x * y for x, y in rows) / sum(x * x for x, _ in rows)
    missed_s = math.sqrt(sum((y - wait_s - rate * x) ** 2 for x, y in rows) / len(rows))
    noise_s = max(missed_s, NOISE_SHARE * y_mean + NOISE_S)
    error = noise_s / math.sqrt(spread) if spread else math.inf
    lengths = [x for x, _ in rows]
    ratio = max(lengths) / min(lengths)
    return Latency(wait_s, rate, error, y_mean / x_mean, missed_s / y_mean, ratio)
