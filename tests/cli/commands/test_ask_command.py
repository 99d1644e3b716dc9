"""`askance ask` with a scripted engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askance.domain.conversation import SearchSize
from askance.domain.errors import ModelMissing, ServiceDown
from askance.domain.events import ClarifyAsked, Failed
from askance.domain.messages import Message
from askance.domain.web_pages import WHOLE_WEB, Recency, SearchScope
from cli.fake_shell import FakeShell, FakeStream, run
from cli.runs import RUN


def test_an_answer_goes_out_and_the_parts_are_closed(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [RUN]
    assert run(fake_shell, "ask", "When", "was", "it", "lit?") == 0
    assert fake_shell.printed.startswith("The lamp was first lit in 1887 [1].")
    assert fake_shell.app.engine.asked[0][:2] == ("run", "When was it lit?")
    assert fake_shell.app.engine.asked[0][2].turns == ()
    assert fake_shell.app.closed == 1
    assert fake_shell.errors == ""


def test_a_dash_reads_the_question_from_standard_input(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [RUN]
    fake_shell.stdin = FakeStream("When was it lit?\n")
    assert run(fake_shell, "ask", "-") == 0
    assert fake_shell.app.engine.asked[0][1] == "When was it lit?"


@pytest.mark.parametrize("words", [[""], ["  "], ["-"], ["\x1b\x07"]])
def test_an_empty_question_is_wrong_usage(fake_shell: FakeShell, words: list[str]) -> None:
    assert run(fake_shell, "ask", *words) == 2
    assert fake_shell.errors.startswith("askance: ")


def test_options_become_settings_of_this_call(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [RUN]
    options = [
        "--queries",
        "2",
        "--results",
        "7",
        "--passages",
        "4",
        "--long",
        "--set",
        "limits.rounds=1",
    ]
    assert run(fake_shell, "ask", "q", *options, "--set", "server.hosts=a.example,b.example") == 0
    settings, sample_web = fake_shell.app.opened[0]
    assert fake_shell.app.engine.sizes == [SearchSize(2, 7, 4)]
    assert settings.answer.length == "long"
    assert (settings.limits.rounds, settings.server.hosts) == (1, ("a.example", "b.example"))
    assert sample_web is None


def test_a_question_can_be_narrowed_to_websites_and_an_age(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [RUN, RUN]
    sites = ["--site", "docs.python.org", "--site", "www.Example.org"]
    assert run(fake_shell, "ask", "q", *sites, "--since", "month") == 0
    assert run(fake_shell, "ask", "q") == 0
    part = SearchScope(("docs.python.org", "example.org"), Recency.MONTH)
    assert fake_shell.app.engine.narrowed == [part, WHOLE_WEB]


def test_a_question_can_be_narrowed_to_documents_of_the_library(
    fake_shell: FakeShell, tmp_path: Path
) -> None:
    note = tmp_path / "ferry.md"
    note.write_text("# Ferry\n\nThe ferry leaves at nine.", encoding="utf-8")
    assert run(fake_shell, "library", "add", str(note)) == 0
    fake_shell.app.engine.runs = [RUN]
    assert run(fake_shell, "ask", "When?", "--document", str(note)) == 0
    (part,) = fake_shell.app.engine.narrowed
    assert len(part.documents) == 1
    (settings, _) = fake_shell.app.opened[-1]
    assert settings.library.recall == "only"


@pytest.mark.parametrize(
    "options",
    [["--document", "nowhere.md"], ["--document", "x", "--site", "a.example"],
     ["--document", "x", "--fresh"]],
)  # fmt: skip
def test_documents_that_cannot_answer_are_wrong_usage(
    fake_shell: FakeShell, options: list[str]
) -> None:
    assert run(fake_shell, "ask", "q", *options) == 2
    assert fake_shell.app.opened == []


@pytest.mark.parametrize("options", [["--site", "a OR site:b"], ["--since", "hour"]])
def test_a_part_of_the_web_that_is_none_is_wrong_usage(
    fake_shell: FakeShell, options: list[str]
) -> None:
    assert run(fake_shell, "ask", "q", *options) == 2
    assert fake_shell.app.opened == []


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--set", "limits.round=3"], "limits.rounds"),
        (["--set", "limits.rounds"], "gives no value"),
    ],
)
def test_a_wrong_setting_is_told_before_anything_is_opened(
    fake_shell: FakeShell, options: list[str], named: str
) -> None:
    assert run(fake_shell, "ask", "q", *options) == 2
    assert named in fake_shell.errors
    assert fake_shell.app.opened == []


def test_json_is_one_event_a_line_and_ends_with_the_answer(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [RUN]
    assert run(fake_shell, "ask", "q", "--json") == 0
    records = [json.loads(line) for line in fake_shell.printed.splitlines()]
    assert len(records) == len(RUN)
    wanted = {"answer", "sources", "citations", "outcome", "rounds", "usage", "warnings"}
    assert wanted <= records[-1].keys()


def test_a_clarifying_question_is_a_success(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [[ClarifyAsked("Which lamp?")]]
    assert run(fake_shell, "ask", "q") == 0
    assert fake_shell.printed == "Which lamp?\n"


def test_a_failed_service_is_named_on_the_error_stream(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [
        [Failed(Message("Nothing answers."), Message("Start it."), "SearXNG", "http://x")]
    ]
    assert run(fake_shell, "ask", "q") == 1
    assert fake_shell.errors == "askance: SearXNG: Nothing answers. Start it.\n"
    assert fake_shell.printed == ""


def test_parts_that_cannot_be_opened_end_json_with_a_failed_line(fake_shell: FakeShell) -> None:
    fake_shell.app.failure = ServiceDown("Reader", "http://x", "It is gone.")
    assert run(fake_shell, "ask", "q", "--json") == 1
    (record,) = [json.loads(line) for line in fake_shell.printed.splitlines()]
    assert (record["type"], record["service"]) == ("failed", "Reader")
    assert fake_shell.errors == "askance: Reader: It is gone.\n"


def test_a_missing_model_is_for_the_user_to_change(fake_shell: FakeShell) -> None:
    fake_shell.app.failure = ModelMissing("There is no wren:8b.", fix="`ollama pull wren:8b`")
    assert run(fake_shell, "ask", "q") == 2


def test_a_run_leaves_a_trace_unless_that_is_switched_off(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [RUN, RUN]
    assert run(fake_shell, "ask", "q", "--set", "trace.keep=0") == 0
    assert not fake_shell.shell.folders.traces.exists()
    assert run(fake_shell, "ask", "q") == 0
    assert len(list(fake_shell.shell.folders.traces.iterdir())) == 1


def test_a_trace_that_cannot_be_kept_is_told_and_the_answer_stays(fake_shell: FakeShell) -> None:
    fake_shell.home.mkdir(exist_ok=True)
    (fake_shell.home / "data").write_text("in the way")
    fake_shell.app.engine.runs = [RUN]
    assert run(fake_shell, "ask", "q") == 0
    assert fake_shell.printed.startswith("The lamp")
    assert "The trace of this run is not kept" in fake_shell.errors


def test_verbose_tells_the_steps(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [RUN]
    assert run(fake_shell, "ask", "q", "-v") == 0
    assert "“when was the lamp lit” · asked" in fake_shell.errors
