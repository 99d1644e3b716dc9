"""Runs at servers that make each request wait, keep no prefix or do not count, on a simulated clock."""

from __future__ import annotations

import pytest
from bench.waiting_servers import QUESTIONS, Server, measure, servers

from askance.engine.pace import Pace
from askance.ports.model import Speed

SERVERS = list(servers((0.0, 3.0, 10.0), (60.0, 300.0)))
FAST = 3000.0


class Stored:
    """What an earlier version has learned: a wait of 3 s, taken for a slow machine."""

    async def known(self, server: str, model: str) -> Speed:
        return Speed(prompt_tps=20.0, reply_tps=20.0)

    async def keep(self, server: str, model: str, speed: Speed) -> None:
        """Keep nothing."""


@pytest.mark.parametrize("server", SERVERS, ids=str)
def test_portions_never_cost_as_much_again_and_always_bring_an_answer(server: Server) -> None:
    portions, whole = measure(server), measure(server, whole=True)
    assert portions.answers == len(QUESTIONS)
    assert portions.seconds <= 1.6 * whole.seconds


@pytest.mark.parametrize("wait_s", [1.0, 3.0, 6.0, 10.0])
def test_a_wait_is_not_taken_for_a_slow_machine(wait_s: float) -> None:
    server = Server(wait_s, FAST, keeps_prompt=True, counts=False)
    portions, whole = measure(server), measure(server, whole=True)
    assert portions.requests <= whole.requests + 1
    assert portions.answers == len(QUESTIONS)


@pytest.mark.parametrize("prefill", [60.0, 150.0])
def test_a_server_that_keeps_nothing_gets_whole_prompts(prefill: float) -> None:
    server = Server(0.0, prefill, keeps_prompt=False, counts=False)
    portions, whole = measure(server), measure(server, whole=True)
    assert portions.requests <= whole.requests + 3
    assert portions.answers == len(QUESTIONS)


def test_a_wait_that_an_earlier_version_took_for_slowness_is_found_out_at_once() -> None:
    server = Server(3.0, FAST, keeps_prompt=True, counts=False)
    whole = measure(server, whole=True)
    assert measure(server, pace=Pace(Stored(), "s")).requests <= whole.requests + 2


def test_a_server_that_counts_gets_portions_from_the_first_question_on() -> None:
    server = Server(0.0, 60.0, keeps_prompt=True, counts=True)
    portions, whole = measure(server), measure(server, whole=True)
    assert portions.requests > 2 * whole.requests
    assert portions.seconds < 1.1 * whole.seconds


def test_a_server_without_counters_gets_portions_once_it_was_seen_to_keep_a_prefix() -> None:
    server = Server(0.0, 60.0, keeps_prompt=True, counts=False)
    pace = Pace()
    measure(server, QUESTIONS[:1], pace=pace)
    assert pace.takes_portions
    first = measure(server, QUESTIONS[:1], pace=pace)
    assert first.requests > measure(server, QUESTIONS[:1], whole=True).requests
