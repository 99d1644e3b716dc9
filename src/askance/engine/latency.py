"""What a server without counters takes before its first token: a wait, and so much for each token.

A server may make every request wait (a queue, a gateway, a network), take in what is new of a prompt,
or take in all of it each time because it keeps no prefix. One request tells none of these apart;
requests of different lengths do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MOST_SAMPLES = 12
# Of so many requests with about as many new tokens the newest are kept: portions are all of one size,
# and must not drive out what tells more.
MOST_ALIKE = 3
ALIKE = 1.3
# A server may become busier: each sample counts so much less than the one after it.
AGEING = 0.85
# Lengths that differ by less than this share, or by fewer tokens, tell nothing apart.
LEAST_RATIO = 1.5
LEAST_DIFFERENCE_TOKENS = 60
# Requests of one length differ by about so much of their time.
NOISE = 0.04
# So far off, seconds in proportion to the tokens, or all alike, are taken to be just that: what a
# prompt has in tokens is an estimate.
PROPORTIONAL_ERROR = 0.15
CONSTANT_ERROR = 0.06
# One explanation is believed where the other is wrong by so many times as much.
CLEARER = 1.8
# An explanation that is wrong by more than this share explains nothing.
WORST_ERROR = 0.3
# So much longer than the calls after it, the first one may have had the model loaded.
LOADED = 1.1
# Faster than any machine takes in a prompt: its length makes no difference.
MOST_PROMPT_TPS = 10_000.0


@dataclass(frozen=True, slots=True)
class Sample:
    """One request: the tokens that were new to its server, all of them, and the seconds that it took."""

    fresh: float
    whole: float
    waited_s: float
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Latency:
    """A wait in seconds, and the tokens a second taken in after it.

    `keeps_prefix` says whether only new tokens are taken in; None where the samples do not tell.
    """

    wait_s: float
    prompt_tps: float
    keeps_prefix: bool | None


@dataclass(frozen=True, slots=True)
class _Line:
    wait_s: float
    token_s: float
    error: float
    least_error: float
    intercept_s: float

    @property
    def is_loose(self) -> bool:
        """Whether it is too far off for requests that all take the same time."""
        return self.error > 2 * CONSTANT_ERROR


class LatencySamples:
    """The last requests to one server, and what explains the time that they took."""

    def __init__(self) -> None:
        self._samples: list[Sample] = []

    def add(self, sample: Sample) -> None:
        """Remember a request."""
        alike = [s for s in self._samples if _are_alike(s.fresh, sample.fresh)]
        if len(alike) >= MOST_ALIKE:
            self._samples.remove(alike[0])
        self._samples = [*self._samples, sample][-MOST_SAMPLES:]

    def explain(self, *, keeps_prefix: bool) -> Latency | None:
        """Return what explains the samples; None while their lengths are too much alike.

        `keeps_prefix` is what was held of the server before: it counts where they do not tell.
        """
        samples = self._usable()
        by_fresh = _line(samples, lambda s: s.fresh)
        by_whole = _line(samples, lambda s: s.whole)
        if by_fresh is None and by_whole is None:
            return None
        keeps = _kept(by_fresh, by_whole)
        is_kept = keeps_prefix if keeps is None else keeps
        line = (by_fresh or by_whole) if is_kept else (by_whole or by_fresh)
        if line is None or line.error > WORST_ERROR or (not line.token_s and line.is_loose):
            return None
        tps = 1 / line.token_s if line.token_s > 0 else math.inf
        return Latency(line.wait_s, min(tps, MOST_PROMPT_TPS), keeps)

    def clear(self) -> None:
        """Forget all requests: the server is not what it was."""
        self._samples.clear()

    def _usable(self) -> list[Sample]:
        """All samples but a first one in which the model may have been loaded.

        It counts where the others tell nothing by themselves, and it took no longer than one of them, or
        so much longer as its length explains.
        """
        samples = self._samples
        later = [s for s in samples if not s.is_first]
        if len(later) == len(samples) or _line(later, lambda s: s.fresh):
            return later
        longest_s = max((s.waited_s for s in later), default=0.0)
        if all(s.waited_s <= LOADED * longest_s for s in samples if s.is_first):
            return samples
        line = _line(samples, lambda s: s.fresh)
        return samples if line and line.intercept_s >= 0 and line.error <= WORST_ERROR else later


def _are_alike(one: float, other: float) -> bool:
    return max(one, other) <= ALIKE * min(one, other)


def _kept(by_fresh: _Line | None, by_whole: _Line | None) -> bool | None:
    """Say which tokens the time depends on: the new ones alone (True), all (False), or neither."""
    fresh_error = max(NOISE, by_fresh.least_error) if by_fresh else math.inf
    whole_error = max(NOISE, by_whole.least_error) if by_whole else math.inf
    if (
        by_whole
        and by_whole.token_s
        and whole_error <= WORST_ERROR
        and CLEARER * whole_error <= fresh_error
    ):
        return False
    if (
        by_fresh
        and by_fresh.token_s
        and fresh_error <= WORST_ERROR
        and CLEARER * fresh_error <= whole_error
    ):
        return True
    return None


def _line(samples: Sequence[Sample], length: Callable[[Sample], float]) -> _Line | None:
    """Fit seconds = wait + tokens * rate by least squares, neither below 0; None for lengths alike."""
    xs, ys = [length(s) for s in samples], [s.waited_s for s in samples]
    if len(xs) < 2 or max(xs) < max(LEAST_RATIO * min(xs), min(xs) + LEAST_DIFFERENCE_TOKENS):
        return None
    weights = [AGEING**age for age in range(len(xs) - 1, -1, -1)]
    whole = sum(weights)
    x_mean = sum(w * x for w, x in zip(weights, xs, strict=True)) / whole
    y_mean = sum(w * y for w, y in zip(weights, ys, strict=True)) / whole
    rows = list(zip(weights, xs, ys, strict=True))
    spread = sum(w * (x - x_mean) ** 2 for w, x, _ in rows)
    rate = max(0.0, sum(w * (x - x_mean) * (y - y_mean) for w, x, y in rows) / spread)
    wait_s = intercept_s = y_mean - rate * x_mean
    if abs(intercept_s) < NOISE * y_mean:
        intercept_s = 0.0
    if wait_s < 0:
        wait_s = 0.0
        rate = sum(w * x * y for w, x, y in rows) / sum(w * x * x for w, x, _ in rows)
    proportional = sum(w * x * y for w, x, y in rows) / sum(w * x * x for w, x, _ in rows)
    # Token counts are estimates: a small wait is only believed where there must be one.
    least_error = _error(rows, wait_s, rate)
    for a, b, most in ((y_mean, 0.0, CONSTANT_ERROR), (0.0, proportional, PROPORTIONAL_ERROR)):
        if (error := _error(rows, a, b)) <= most:
            return _Line(a, b, error, least_error, intercept_s)
    return _Line(wait_s, rate, least_error, least_error, intercept_s)


def _error(rows: Sequence[tuple[float, float, float]], wait_s: float, rate: float) -> float:
    """Return how far a line is off, as a share of the mean time."""
    errors = sum(w * (y - wait_s - rate * x) ** 2 for w, x, y in rows)
    mean_s = sum(w * y for w, _, y in rows) / sum(w for w, _, _ in rows)
    return math.sqrt(errors / sum(w for w, _, _ in rows)) / mean_s if mean_s > 0 else 0.0
