"""What a server without counters takes, told from a few requests of different length."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askance.engine.latency import Latency, LatencySamples, Sample

# New tokens, and all: a plan, two verdicts, an answer, the next question.
LENGTHS = [(350, 350), (420, 650), (900, 1500), (120, 1550), (110, 460), (700, 1100)]


def explained(
    seconds: Callable[[float, float], float], *, load_s: float = 0.0, count: int = 6
) -> Latency | None:
    samples = LatencySamples()
    for n, (fresh, whole) in enumerate(LENGTHS[:count]):
        waited_s = seconds(fresh, whole) + (load_s if n == 0 else 0)
        samples.add(Sample(fresh, whole, waited_s, is_first=n == 0))
    return samples.explain(keeps_prefix=True)


@pytest.mark.parametrize("load_s", [0.0, 5.0, 40.0])
@pytest.mark.parametrize("tps", [60.0, 150.0, 300.0])
@pytest.mark.parametrize("wait_s", [0.0, 3.0, 10.0])
@pytest.mark.parametrize("keeps", [True, False])
def test_a_wait_the_tokens_and_a_kept_prefix_are_told_apart(
    keeps: bool, wait_s: float, tps: float, load_s: float
) -> None:
    found = explained(
        lambda fresh, whole: wait_s + (fresh if keeps else whole) / tps, load_s=load_s
    )
    assert found is not None
    # Where the wait is most of the time it makes no difference.
    assert found.keeps_prefix in ({keeps, None} if wait_s * tps > 1500 else {keeps})
    rights = [wait_s + (fresh if keeps else whole) / tps for fresh, whole in LENGTHS]
    usual_s = sum(rights) / len(rights)
    for (fresh, whole), right_s in zip(LENGTHS, rights, strict=True):
        length = whole if found.keeps_prefix is False else fresh
        foreseen_s = found.wait_s + length / found.prompt_tps
        assert foreseen_s == pytest.approx(right_s, rel=0.35, abs=0.4 * usual_s)


@pytest.mark.parametrize("wait_s", [0.5, 3.0, 10.0])
def test_requests_that_take_as_long_whatever_their_length_have_waited(wait_s: float) -> None:
    found = explained(lambda _fresh, _whole: wait_s)
    assert found is not None
    assert found.wait_s == pytest.approx(wait_s)
    assert found.prompt_tps > 1000


def test_one_request_tells_nothing() -> None:
    assert explained(lambda fresh, _: fresh / 60, count=1) is None


def test_requests_of_one_length_tell_nothing() -> None:
    samples = LatencySamples()
    for n in range(8):
        samples.add(Sample(100 + n, 100 + n, 2.0, is_first=n == 0))
    assert samples.explain(keeps_prefix=True) is None


def test_portions_of_one_size_do_not_drive_out_what_tells_more() -> None:
    samples = LatencySamples()
    samples.add(Sample(600, 800, 10.0))
    samples.add(Sample(100, 900, 10 / 6))
    for n in range(30):
        samples.add(Sample(100, 900 + 100 * n, 10 / 6))
    found = samples.explain(keeps_prefix=True)
    assert found is not None
    assert found.keeps_prefix
    assert found.prompt_tps == pytest.approx(60, rel=0.05)
