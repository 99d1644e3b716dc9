from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from bench.citing import score_citations
from bench.clock import simulate
from bench.costs import Speed
from bench.figures import sum_up
from bench.model import ScriptedModel
from bench.runs import TODAY, Run, Setup, run_question
from bench.script import Manner
from bench.web import SampleReader, SampleSearch, latency_s

from askance.config.settings import Settings
from askance.domain.conversation import RunRequest
from askance.domain.events import Judged, PageRequested, Planned, RunEvent, SearchStarted
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
from askance.sample_web.sample_pages import load_questions
from fakes.outbound import ignore

QUESTIONS = {q.id: q for q in load_questions()}
CHOSEN = ("crossing-time", "namesake-rescue", "cats")
SHIPPED = Setup()


@pytest.fixture
def measure() -> Callable[[list[str]], None]:
    """The command, where the library that draws its picture is installed."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: `make test` installs it")
    return importlib.import_module("bench.__main__").main


@lru_cache
def run(name: str, setup: Setup, manner: Manner = Manner.RIGHT) -> Run:
    return run_question(QUESTIONS[name], setup, Speed(), manner=manner)


def runs(setup: Setup) -> list[Run]:
    return [run(name, setup) for name in CHOSEN]


@pytest.mark.exhaustive
def test_the_same_question_gives_the_same_figures_twice() -> None:
    again = [run_question(QUESTIONS[name], SHIPPED, Speed()) for name in CHOSEN]
    assert sum_up(again) == sum_up(runs(SHIPPED))
    assert [r.end for r in again] == [r.end for r in runs(SHIPPED)]


def test_without_the_shared_prefix_all_that_is_sent_is_evaluated() -> None:
    for stored, lost in zip(runs(SHIPPED), runs(Setup(shared_prefix=False)), strict=True):
        assert lost.evaluated == lost.sent
        assert stored.evaluated < 0.6 * stored.sent
        assert lost.first_token_s > stored.first_token_s
        assert lost.shown.numbers == stored.shown.numbers


def test_a_server_that_keeps_no_prompt_is_seen_before_it_gets_many_portions() -> None:
    """Each portion would be evaluated from the beginning, and the server seem the slower for it."""
    stored, lost = (run("marrin-husband", Setup(shared_prefix=keeps)) for keeps in (True, False))
    assert lost.calls <= stored.calls + 2
    assert lost.total_s < 3 * stored.total_s


def test_without_the_early_stop_more_is_written_and_the_evidence_is_the_same() -> None:
    # A plan that is heard to its end brings one more query, which may find what a round would.
    for name in ("crossing-time", "cats"):
        early, whole = run(name, SHIPPED), run(name, Setup(early_stop=False))
        assert whole.written > early.written
        assert whole.first_token_s > early.first_token_s
        assert [n is None for n in whole.shown.numbers] == [n is None for n in early.shown.numbers]


def order_of_events(*, read_ahead: bool) -> list[type]:
    question = QUESTIONS["lichtsignal"]  # not in English: it has a plan
    events: list[RunEvent] = []

    async def ask() -> None:
        engine = Engine(
            ScriptedModel(question, Speed()),
            SampleSearch(),
            SampleReader(),
            load_prompts(),
            Settings(),
            lambda: TODAY,
        )
        await engine.run(RunRequest(question.question, reads_ahead=read_ahead), emit=events.append)

    simulate(ask())
    notable = (Planned, SearchStarted, PageRequested, Judged)
    return list(dict.fromkeys(type(e) for e in events if isinstance(e, notable)))


def test_what_is_read_ahead_begins_before_the_plan_is_made() -> None:
    assert order_of_events(read_ahead=True) == [SearchStarted, PageRequested, Planned, Judged]
    assert order_of_events(read_ahead=False)[:2] == [Planned, SearchStarted]


def test_a_page_takes_the_same_time_every_time() -> None:
    urls = [f"http://host{i}.example/" for i in range(400)]
    times = sorted(map(latency_s, urls))
    assert times == sorted(map(latency_s, urls))
    assert times[200] == pytest.approx(0.4, rel=0.15)
    assert times[0] > 0.03
    assert times[-1] < 5


def test_a_page_that_is_gone_is_a_failed_page() -> None:
    async def read() -> str:
        return (
            await SampleReader().read("http://ferry.hesperay.example/nowhere", sent=ignore)
        ).detail

    assert simulate(read()) == "The server answered with HTTP 404."


def test_the_citation_check_mends_what_careless_writers_do() -> None:
    careless = [run("namesake-rescue", SHIPPED, manner) for manner in (Manner.NONE, Manner.WRONG)]
    for each in careless:
        score = score_citations([each])
        assert (score.precision, score.recall) == (1, 1)
        assert score.markers == 2


def test_a_wrong_marker_and_a_sentence_without_one_cost_the_score() -> None:
    right = run("namesake-rescue", SHIPPED)
    one, *rest = right.end.citations
    strangers = {b.n for b in right.shown.blocks} - {c.n for c in right.end.citations}
    moved = replace(one, n=min(strangers))
    for citations, expected in (((moved, *rest), (0.5, 0.5)), ((one,), (1, 0.5))):
        score = score_citations([replace(right, end=replace(right.end, citations=citations))])
        assert (score.precision, score.recall) == expected


def test_questions_without_gold_have_no_recall() -> None:
    assert sum_up([run("cats", SHIPPED)]).recall is None
    assert sum_up([run("crossing-time", SHIPPED)]).recall == 1


def test_the_command_writes_a_page_and_a_picture(
    tmp_path: Path, measure: Callable[[list[str]], None]
) -> None:
    measure(["--questions", "1", "--out", str(tmp_path / "new")])
    page = (tmp_path / "new" / "pipeline.md").read_text(encoding="utf-8")
    assert "| as shipped | 1.000 |" in page
    assert "| none of them | 1.000 |" in page
    assert "| one page has it (1) |" in page
    assert "| wrong markers | 1 | 1.000 |" in page
    assert "$" not in page
    assert (tmp_path / "new" / "pipeline.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--prefill", "0"], "must be more than 0"),
        (["--decode", "nan"], "must be more than 0"),
        (["--questions", "0"], "no question to measure"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    arguments: list[str],
    complaint: str,
    measure: Callable[[list[str]], None],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    with pytest.raises(SystemExit, match="2"):
        measure([*arguments, "--out", str(tmp_path / "new")])
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
