"""Runs at servers that make each request wait, keep no prefix or do not count, on a simulated clock."""

from __future__ import annotations

from functools import cache

import pytest
from bench.slow_model import ServerHabits
from bench.waiting_servers import QUESTIONS, Runs, Server, busy_after_stop_s, measure, servers

from askance.domain.ports.model import Speed
from askance.engine.model_speed import HANG_UP_S, ModelSpeed
from sampled import sampled

SERVERS = list(servers((0.0, 3.0, 10.0), (60.0, 300.0)))
FAST = 3000.0


@cache
def measured(server: Server, *, whole: bool = False) -> Runs:
    """Measure a server of which nothing is known before; several tests are about one server."""
    return measure(server, whole=whole)


class Stored:
    """What an earlier version has learned: a wait of 3 s, taken for a slow machine."""

    async def known(self, server: str, model: str) -> Speed:
        return Speed(prompt_tps=16.0, reply_tps=20.0)

    async def store(self, server: str, model: str, speed: Speed) -> None:
        """Keep nothing."""


@pytest.mark.parametrize("server", sampled(SERVERS, every=5), ids=str)
def test_portions_never_cost_as_much_again_and_always_bring_an_answer(server: Server) -> None:
    portions, whole = measured(server), measured(server, whole=True)
    assert portions.answers == len(QUESTIONS)
    assert portions.seconds <= 2.0 * whole.seconds


@pytest.mark.parametrize("wait_s", sampled([3.0, 1.0, 6.0, 10.0], every=4))
def test_a_wait_is_not_taken_for_a_slow_machine(wait_s: float) -> None:
    server = Server(FAST, ServerHabits(wait_s=wait_s))
    portions, whole = measured(server), measured(server, whole=True)
    # And what is evaluated ahead before that is known.
    assert portions.requests <= whole.requests + 5
    assert portions.answers == len(QUESTIONS)


@pytest.mark.parametrize("prefill", sampled([60.0, 150.0, 300.0], every=3))
def test_a_server_that_keeps_nothing_gets_whole_prompts(prefill: float) -> None:
    server = Server(prefill, ServerHabits(keeps_prompt=False))
    portions, whole = measured(server), measured(server, whole=True)
    # And what is evaluated ahead before that is known.
    assert portions.requests <= whole.requests + 5
    assert portions.answers == len(QUESTIONS)


def test_a_wait_that_an_earlier_version_took_for_slowness_is_found_out_at_once() -> None:
    server = Server(FAST, ServerHabits(wait_s=3.0))
    whole = measured(server, whole=True)
    # One verdict of the first run is asked for while that still holds.
    assert measure(server, pace=ModelSpeed(Stored(), "s")).requests <= whole.requests + 6


@pytest.mark.parametrize("counts", [True, False])
def test_a_slow_server_that_keeps_a_prefix_gets_portions_that_cost_next_to_nothing(
    counts: bool,
) -> None:
    server = Server(60.0, ServerHabits(counts=counts))
    portions, whole = measured(server), measured(server, whole=True)
    assert portions.requests > 1.5 * whole.requests
    assert portions.seconds < 1.4 * whole.seconds


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("noise", sampled([0.25, 0.0], every=2))
@pytest.mark.parametrize("prefill", sampled([60.0, 25.0, 150.0], every=3))
def test_a_stop_leaves_a_server_free_within_a_moment_where_nothing_waits(
    prefill: float, noise: float, counts: bool
) -> None:
    server = Server(prefill, ServerHabits(counts=counts, noise=noise))
    # The first step of the evidence is sent before much is known of a pace. Where a server does not count, its speed is
    # a fit to few calls.
    error = max(noise, 0.0 if counts else 0.25)
    assert busy_after_stop_s(server) <= HANG_UP_S * (1 + error)


def test_a_model_that_is_loaded_for_the_first_call_is_not_taken_for_a_slow_one() -> None:
    server = Server(FAST, ServerHabits(load_s=20.0))
    pace = ModelSpeed()
    portions = measure(server, pace=pace)
    assert portions.requests <= measured(server, whole=True).requests + 3
    assert pace.speed.prompt_tps > 1000
