"""What a server without counters takes, explained by a few requests of different length."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from askance.engine.model_speed import Latencies, Latency, Sample
from sampled import each_row

# New tokens, and all: a plan, two portions, a verdict, an answer, the next question.
LENGTHS = [(350, 350), (40, 240), (120, 360), (900, 1500), (120, 1650), (300, 500)]
Seconds = Callable[[float, float], float]


def explained(
    seconds: Seconds, *, load_s: float = 0.0, lengths: Sequence[tuple[int, int]] = LENGTHS
) -> tuple[Latency | None, bool | None]:
    latencies = Latencies()
    for n, (fresh, whole) in enumerate(lengths):
        waited_s = seconds(fresh, whole) + (load_s if n == 0 else 0)
        latencies.add(Sample(fresh, whole, waited_s, is_first=n == 0))
    keeps = latencies.keeps_prefix()
    return latencies.explain(keeps_prefix=keeps is not False), keeps


@each_row("load_s", [0.0, 5.0, 40.0])
@each_row("tps", [60.0, 150.0, 300.0])
@each_row("wait_s", [0.0, 1.0, 3.0])
@each_row("keeps", [True, False])
def test_a_wait_the_tokens_and_a_kept_prefix_are_told_apart(
    keeps: bool, wait_s: float, tps: float, load_s: float
) -> None:
    def seconds(fresh: float, whole: float) -> float:
        return wait_s + (fresh if keeps else whole) / tps

    found, is_stored = explained(seconds, load_s=load_s)
    assert found is not None
    assert found.is_clear
    assert is_stored is keeps
    assert found.wait_s == pytest.approx(wait_s, abs=0.1)
    assert 1 / found.token_s == pytest.approx(tps, rel=0.1)


@pytest.mark.parametrize("wait_s", [0.5, 3.0, 10.0])
def test_a_portion_that_takes_as_long_as_a_whole_prompt_proves_a_wait(wait_s: float) -> None:
    found, _ = explained(lambda _fresh, _whole: wait_s, lengths=LENGTHS[:2])
    assert found is not None
    assert found.is_clear
    assert found.wait_s == pytest.approx(wait_s)
    assert found.token_s == 0


@pytest.mark.parametrize("tps", [25.0, 60.0, 300.0])
def test_of_requests_of_one_length_all_time_is_taken_for_their_tokens(tps: float) -> None:
    lengths = [(100 + n % 30, 100 * n) for n in range(1, 20)]
    found, _ = explained(lambda _fresh, _whole: 110 / tps, lengths=lengths)
    assert found is not None
    assert not found.is_clear
    assert 1 / found.safe_token_s == pytest.approx(tps, rel=0.15)


def test_portions_of_one_size_do_not_drive_out_what_tells_more() -> None:
    lengths = [(600, 800), (30, 830), *((100, 900 + 100 * n) for n in range(30))]
    found, _ = explained(lambda fresh, _: 1 + fresh / 60, lengths=lengths)
    assert found is not None
    assert found.is_clear
    assert found.wait_s == pytest.approx(1, abs=0.05)


def test_one_request_tells_nothing() -> None:
    assert explained(lambda fresh, _: fresh / 60, lengths=LENGTHS[:1]) == (None, None)


def test_a_server_that_became_slower_is_explained_anew() -> None:
    latencies = Latencies()
    for tps in (300, 60):
        for _ in range(4):
            for fresh, whole in LENGTHS:
                latencies.add(Sample(fresh, whole, fresh / tps))
                latencies.explain(keeps_prefix=True)
    found = latencies.explain(keeps_prefix=True)
    assert found is not None
    assert 1 / found.token_s == pytest.approx(60, rel=0.05)
