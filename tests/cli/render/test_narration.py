"""The whole trace in words."""

from __future__ import annotations

from askance.cli.render.narration import narrate
from askance.domain.events import (
    Cancelled,
    ClarifyAsked,
    Dequeued,
    Failed,
    Planned,
    Queued,
    ResultsRanked,
)
from askance.domain.messages import Message
from askance.domain.verdict import Action, Sufficiency
from cli.runs import RUN

GOLDEN = """\
   0.0 s Library: 2 passages, partial (4 ms)
   0.5 s Round 1: searching for “when was the lamp lit”, “skarn lamp”
   1.0 s Sent to its engines through SearXNG at http://127.0.0.1:25017: skarn lamp
   1.5 s Plan: proceed; the history is insufficient (850 ms)
         Also search for: skarn lamp
   2.0 s “skarn lamp”: 9 results, 7 new (640 ms)
         Engines that did not answer: owl (timeout)
   2.5 s “when was the lamp lit” failed: SearXNG was slow. (20000 ms)
   3.0 s Best results (1 near-copies set aside):
         1. The lamp's year <https://ferry.skarn.example/times>
         2. Paint <https://gazette.skarn.example/lamp>
   3.5 s Verdict on the snippets: partial (310 ms)
         The year is missing.
         Not taken at its word: no 1887
         It misses: year
   4.0 s Reading https://ferry.skarn.example/times
   4.5 s Read ferry.skarn.example (1,234 words) (410 ms)
   5.0 s Nothing on gazette.skarn.example: shows only a consent or login wall (90 ms)
   5.5 s No page from mirror.skarn.example: it answered 404 (30 ms)
   6.0 s Evidence: 4 passages of 1 page, 812 tokens; 2 dropped for want of room, 1 near-copies removed
   6.5 s Verdict on the passages: sufficient (290 ms)
         All there.
   7.0 s Missing, so next: “lamp colour”
   7.5 s Sources:
         [1] The lamp's year <https://ferry.skarn.example/times>
         [2] Paint <https://gazette.skarn.example/lamp>
         [3] A copy <https://mirror.skarn.example/lamp>
   9.0 s Citations: 1 supported, 1 weak, 1 unsupported; 1 added, 1 removed
         [1] supported: The lamp was first lit in 1887 [1]. by “lit in 1887”
         [2] weak: It is **white** [2]. by “painted white”
         [2] unsupported: It may turn [2].
   9.5 s Note (round_limit): Two rounds were not enough.
  10.0 s Answered from: web, 2 rounds (12345 ms)
         5 model calls, 4,100 tokens read, 230 written; 3 searched, 7 of 12 pages read"""


def test_a_whole_run_is_told_with_its_queries_pages_and_verdicts() -> None:
    lines = [line for i, event in enumerate(RUN) for line in narrate(event, i / 2)]
    assert "\n".join(lines) == GOLDEN


def test_a_plan_that_could_not_be_used_is_named_as_such() -> None:
    plan = Planned(Action.PROCEED, Sufficiency.INSUFFICIENT, (), True, 12)
    assert narrate(plan, 0) == [
        "   0.0 s Plan: none that could be used; the question is searched as it is (12 ms)"
    ]


def test_the_other_ends_are_told_too() -> None:
    assert narrate(ClarifyAsked("Which lamp?"), 1) == ["   1.0 s Asked back: Which lamp?"]
    assert narrate(Failed(Message("It is down."), Message("Start it.")), 1) == [
        "   1.0 s Failed: It is down.",
        "         Start it.",
    ]
    assert narrate(Cancelled(), 1) == ["   1.0 s Stopped."]


def test_a_title_can_neither_break_its_line_nor_move_the_cursor() -> None:
    ranked = ResultsRanked(("https://a.example/",), ("evil\n\x1b[2Jtitle",), 0, 1)
    assert narrate(ranked, 0)[1] == "         1. evil [2Jtitle <https://a.example/>"


def test_waiting_for_others_is_told_with_its_length() -> None:
    assert narrate(Queued(2), 0.1) == ["   0.1 s Waiting for 2 other questions"]
    assert narrate(Dequeued(2500), 2.6) == ["   2.6 s The model is free (2500 ms waited)"]
