"""`askance doctor` over fake parts."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from askance import __version__
from askance.adapters.containers.problems import DaemonDown, NoCli, NoComposePlugin
from askance.adapters.llm.model_queue import SpeedFile
from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import SystemResolver
from askance.adapters.storage import ledger as ledger_module
from askance.adapters.storage.ledger import SqliteLedger
from askance.app.checks.first_steps import START, CheckResult, ask_for_token
from askance.app.checks.parts import check_confinement
from askance.app.evaluation.running import load_batches
from askance.cli.commands.doctor import as_text, examine
from askance.config.folders import find_folders
from askance.config.settings import ReaderSettings
from askance.domain.errors import ModelMissing, ModelRefused, ServiceRefused, SettingsError
from askance.domain.messages import Message
from askance.domain.ports.containers import READER, SEARXNG, RoundTrip, ServiceState, Survey
from askance.domain.ports.model import Speed
from askance.domain.web_pages import (
    Page,
    PageReason,
    PageStatus,
    ResultPage,
    SearchResult,
    UnresponsiveEngine,
)
from askance.extract.sandbox import Protection, Protections
from cli.commands.examination import (
    DOCKER,
    DOWN,
    SAMPLE,
    WELL,
    FakeServices,
    at_a_terminal,
    lines,
    look,
    made_healthy,
    running,
)
from cli.fake_shell import FakeModel, FakeReader, FakeSearch, FakeShell, run
from remedies import remedy_of
from servers.faults import address_of_nobody
from servers.loopback import Request, Wire, serve
from servers.openai import FakeOpenAI


@pytest.fixture
def healthy(fake_shell: FakeShell) -> FakeShell:
    """A machine on which everything that is needed is there."""
    return made_healthy(fake_shell)


@pytest.fixture
def person(fake_shell: FakeShell) -> FakeShell:
    """The same, with somebody at a terminal."""
    return at_a_terminal(made_healthy(fake_shell))


def test_a_healthy_machine_can_answer_in_full(healthy: FakeShell) -> None:
    assert look(healthy) == 0
    rows = lines(healthy)
    url, model = healthy.environment["ASKANCE_SEARCH__URL"], healthy.environment["ASKANCE_LLM__URL"]
    assert rows["settings"].startswith("✓ ")
    assert "settings.toml" in rows["settings"]
    assert all(text in rows["model"] for text in ("✓ ", "wren:8b", model, "8,192"))
    assert rows["search"].startswith(f"✓ SearXNG at {url}: 1 result in ")
    assert rows["reader"].startswith("✓ In this program, 2 ")
    assert rows["sample web"].startswith("✓ 1 result in ")
    assert rows["reader service"].startswith("– ")
    assert rows["containers"].startswith("✓ Docker 28.5.1; ")
    assert rows["proxies"].startswith("✓ ")
    assert rows["page cache"] == "✓ 0 pages, 0.0 of 200 MiB."
    assert rows["ledger"].startswith("✓ 0 entries ")
    assert healthy.errors == ""


@pytest.mark.parametrize(
    ("api", "again", "shown"),
    [("ollama", 30, "97 %"), ("openai", 950, "5 %"), ("embedded", 950, "5 %")],
)
def test_what_a_server_keeps_of_prompts_is_told_as_past_runs_have_seen_it(
    healthy: FakeShell, api: str, again: int, shown: str
) -> None:
    server = "wren.gguf" if api == "embedded" else healthy.environment["ASKANCE_LLM__URL"]
    speeds = SpeedFile(healthy.shell.folders.speeds)
    asyncio.run(speeds.store(server, "wren:8b", Speed(again=((1000, again),))))
    assert look(healthy, llm__api=api, llm__gguf="wren.gguf") == 0
    assert shown in lines(healthy)["model"]


@pytest.mark.parametrize(("part", "name"), [("ledger", "ledger"), ("page cache", "page_cache")])
def test_a_damaged_file_is_a_finding_and_what_took_its_place_is_said(
    healthy: FakeShell, part: str, name: str
) -> None:
    file: Path = getattr(healthy.shell.folders, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"no database " * 1000)
    assert look(healthy) == 0
    text = lines(healthy)[part]
    assert text.startswith("– ")
    assert "starts again empty" in text
    retained = [found for found in file.parent.iterdir() if b"no database" in found.read_bytes()]
    # Pages can be read again, and what has left the machine cannot be looked up anywhere else.
    assert [str(found) in text for found in retained] == ([True] if part == "ledger" else [])


def test_the_command_looks_at_the_containers_of_this_machine(healthy: FakeShell) -> None:
    assert run(healthy, "doctor") == 0
    assert lines(healthy)["containers"].startswith("– ")


def test_what_is_wrong_stands_with_what_mends_it(healthy: FakeShell) -> None:
    fix = "In its settings:\nsearch:\n  formats: [html, json]"
    healthy.app.search = FakeSearch(
        ServiceRefused("SearXNG", "http://x", "JSON is switched off.", fix=fix)
    )
    assert look(healthy) == 1
    indent = "\n" + " " * 17
    assert (
        f"✗ search         JSON is switched off.{indent}In its settings:{indent}search:{indent}"
        "formats" in healthy.printed
    )


def test_engines_that_are_all_blocked_are_not_called_healthy(healthy: FakeShell) -> None:
    healthy.app.search = FakeSearch(
        ResultPage("q", (), (UnresponsiveEngine("owl", Message("CAPTCHA")),))
    )
    assert look(healthy) == 1
    assert "owl (CAPTCHA)" in lines(healthy)["search"]


def test_search_without_searxng_is_healthy_and_says_what_it_is(healthy: FakeShell) -> None:
    found = SearchResult("https://a.example/", "A", "a")
    healthy.app.search = FakeSearch(ResultPage("q", (found,), fallback=Message("Nothing answers.")))
    assert look(healthy, search__in_process="given") == 0
    rows = lines(healthy)
    url = healthy.environment["ASKANCE_SEARCH__URL"]
    assert re.fullmatch(rf"✓ .* {re.escape(url)}; .*: 1 result in .*", rows["search"])
    assert "brave, duckduckgo, mojeek, startpage, wikipedia" in rows["fallback"]


@pytest.mark.parametrize(
    ("consent", "said"), [("unasked", "you were not asked yet"), ("refused", "as you chose")]
)
def test_without_consent_there_is_no_search_without_searxng(
    healthy: FakeShell, consent: str, said: str
) -> None:
    look(healthy, search__in_process=consent)
    assert said in lines(healthy)["fallback"]


def test_a_model_in_a_cloud_and_a_missing_one_are_told_apart(healthy: FakeShell) -> None:
    healthy.app.model = FakeModel(ModelRefused("wren runs in a cloud.", fix="Take another."))
    assert look(healthy) == 1
    assert lines(healthy)["model"] == "✗ wren runs in a cloud."
    healthy.app.model = None
    assert look(healthy) == 1
    assert lines(healthy)["model"].startswith("✗ ")


def test_a_model_on_another_machine_is_named_as_such(healthy: FakeShell) -> None:
    assert look(healthy, llm__url="http://attic.invalid:11434") == 0
    assert "http://attic.invalid:11434, " in lines(healthy)["model"]
    assert "another" in lines(healthy)["model"]


def test_a_part_that_hangs_costs_its_limit_and_nothing_else(healthy: FakeShell) -> None:
    class Hanging:
        async def info(self) -> None:
            await asyncio.Event().wait()

        models = info

    healthy.app.model = Hanging()
    services = FakeServices()
    assert examine(healthy.shell, {}, limit_s=0.5, open_services=lambda *_: services) == 1
    rows = lines(healthy)
    assert re.fullmatch(r"✗ .* 1\.5 seconds\.", rows["model"])
    assert rows["search"].startswith("✓")


def test_wrong_settings_are_a_finding_too(fake_shell: FakeShell) -> None:
    fake_shell.environment["ASKANCE_LIMITS__ROUNDS"] = "many"
    assert look(fake_shell) == 1
    assert "ASKANCE_LIMITS__ROUNDS" in lines(fake_shell)["settings"]
    assert fake_shell.app.opened == []


def test_parts_that_cannot_be_opened_are_a_finding_and_the_rest_is_looked_at(
    healthy: FakeShell,
) -> None:
    healthy.app.failure = SettingsError("The GGUF file is not there.", fix="Set llm.gguf.")
    assert look(healthy) == 1
    rows = lines(healthy)
    assert rows["start"] == "✗ The GGUF file is not there."
    assert rows["reader"] == "✗ The GGUF file is not there."
    assert rows["containers"].startswith("✓ Docker")


def test_a_model_file_that_is_not_there_costs_search_and_reader_nothing(healthy: FakeShell) -> None:
    healthy.app.model = FakeModel(SettingsError("The GGUF file is not there.", fix="Set llm.gguf."))
    assert look(healthy, llm__api="embedded", llm__gguf="gone.gguf") == 1
    rows = lines(healthy)
    assert rows["model"] == "✗ The GGUF file is not there."
    assert rows["search"].startswith("✓ SearXNG")
    assert rows["reader"].startswith("✓ In this program")
    assert rows["sample web"].startswith("✓")


@pytest.mark.parametrize(
    ("reason", "reinstalls"), [(PageReason.EXTRACTION, True), (PageReason.NETWORK, False)]
)
def test_a_new_installation_is_advised_only_where_the_reader_itself_is_broken(
    healthy: FakeShell, reason: PageReason, reinstalls: bool
) -> None:
    page = Page(SAMPLE, PageStatus.FAILED, reason, Message("It did not come."))
    healthy.app.reader = FakeReader({SAMPLE: page})
    assert look(healthy) == 1
    assert ("--force-reinstall" in healthy.printed) is reinstalls


def test_a_reader_that_cannot_read_is_found_out(healthy: FakeShell) -> None:
    healthy.app.reader = FakeReader()
    assert look(healthy) == 1
    assert re.fullmatch(r"✗ .*: nothing is there", lines(healthy)["reader"])


@dataclass
class Entailing:
    """A model of entailment that knows the built-in sentences, and is wrong about the first so many; or fails."""

    wrong: int = 0
    error: Exception | None = None

    async def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        if self.error is not None:
            raise self.error
        stated = {s.text: s.is_stated for batch in load_batches() for s in batch.sentences}
        return [float(stated[text] is (n >= self.wrong)) for n, (_, text) in enumerate(pairs)]


def test_a_model_of_entailment_is_loaded_and_counted_where_one_is_set(healthy: FakeShell) -> None:
    look(healthy)
    assert "entailment" not in lines(healthy)
    healthy.app.engine.entailment = Entailing(wrong=7)
    assert look(healthy) == 0
    of = sum(len(batch.sentences) for batch in load_batches())
    row = f"✓ Loaded; it is right about {of - 7} of {of} test sentences."
    assert lines(healthy)["entailment"] == row
    healthy.app.engine.entailment = Entailing(wrong=8)
    assert look(healthy) == 0
    assert lines(healthy)["entailment"].startswith(f"– Loaded; it is right about {of - 8} of {of}")
    assert "Set answer.entailment to another model" in healthy.printed


def test_a_model_of_entailment_that_cannot_be_used_is_no_reason_to_fail(healthy: FakeShell) -> None:
    healthy.app.engine.entailment = Entailing(error=SettingsError(Message("The folder is gone.")))
    assert look(healthy) == 0
    assert lines(healthy)["entailment"] == "– The folder is gone."


def test_json_has_a_line_a_part_and_offers_nothing(person: FakeShell) -> None:
    assert run(person, "doctor", "--json") == 0
    records = [json.loads(line) for line in person.printed.splitlines()]
    assert [record["part"] for record in records] == [
        "settings",
        "model",
        "search",
        "reader",
        "reader service",
        "containers",
        "fallback",
        "proxies",
        "window",
        "input method",
        "fonts",
        "page cache",
        "ledger",
        "installation",
        "updates",
        "sample web",
    ]
    assert all(record["ok"] for record in records if record["needed"])
    assert person.prompts == []


def test_an_embedded_model_is_started_once_and_not_for_the_sample_web(healthy: FakeShell) -> None:
    assert look(healthy, llm__api="embedded", llm__gguf="wren.gguf") == 0
    apis = {web is None: settings.llm.api for settings, web in healthy.app.opened}
    assert apis == {True: "embedded", False: "ollama"}


def test_where_requests_go_out_is_told_without_passwords(healthy: FakeShell) -> None:
    tor, company = "socks5h://me:secret@127.0.0.1:9050", "http://me:secret@proxy.example:3128"
    look(healthy, search__proxy=tor, reader__proxy=company)
    look(healthy, search__proxy=company, reader__proxy=company)
    look(healthy, search__proxy=tor)
    look(healthy, search__proxy=tor, reader__proxy="direct")
    assert "secret" not in healthy.printed
    reports = [line for line in healthy.printed.splitlines() if " proxies " in line]
    assert [
        re.findall(r"Queries(?: and pages)? |, pages |socks5h\S+:9050|http\S+:3128", t)
        for t in reports
    ] == [
        ["Queries ", "socks5h://127.0.0.1:9050", ", pages ", "http://proxy.example:3128"],
        ["Queries and pages ", "http://proxy.example:3128"],
        ["Queries and pages ", "socks5h://127.0.0.1:9050"],
        ["Queries ", "socks5h://127.0.0.1:9050", ", pages "],
    ]


def test_files_that_cannot_be_used_are_found_out(healthy: FakeShell) -> None:
    folders = healthy.shell.folders
    for file in (folders.page_cache, folders.ledger):
        file.mkdir(parents=True)
    # Without its ledger nothing is sent, without the cache pages are read anew.
    assert look(healthy) == 1
    rows = lines(healthy)
    assert rows["page cache"][0] == "–"
    assert rows["ledger"][0] == "✗"


def test_a_ledger_that_can_be_read_but_not_written_is_found_out(
    healthy: FakeShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "BUSY_TIMEOUT_S", 0.02)
    file = healthy.shell.folders.ledger
    with closing(SqliteLedger(file, 90, pytest.fail)) as ledger:
        ledger.check()
    # A full disk can be read as well: only writing shows it.
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert look(healthy) == 1
    assert lines(healthy)["ledger"][0] == "✗"


def test_a_cache_that_is_switched_off_is_not_looked_at(healthy: FakeShell) -> None:
    look(healthy, cache__size_mb="0")
    assert lines(healthy)["page cache"] == "✓ Switched off."


def test_a_finding_reads_as_a_line_with_its_remedy_below() -> None:
    wrong = CheckResult("search", ok=False, message="a\nb\x1b[2J", fix="c", actions=(START,))
    assert as_text(wrong) == "✗ search         a b[2J\n                 c"
    optional = CheckResult("reader service", ok=False, message="a", needed=False)
    assert as_text(optional) == "– reader service a"


# `askance doctor` and the services: containers, the reader's, and what it offers to do.

UP, CONSENT = "Run `askance up` now? [y/N] ", "Ask them directly from now on? [y/N] "


def test_containers_that_nothing_could_start_are_no_offer(person: FakeShell) -> None:
    lacking = NoComposePlugin("docker", fix="Install it with `sudo apt install docker-compose`.")
    person.app.search = FakeSearch(DOWN)
    look(person, FakeServices(Survey(DOCKER, (), lacking=lacking)), search__in_process="refused")
    assert lines(person)["containers"].startswith("– Docker 28.5.1; ")
    assert str(lacking.problem) in lines(person)["containers"]
    assert str(lacking.fix) in person.printed
    assert UP not in person.prompts


def test_containers_that_are_well_are_listed_with_their_round_trips(healthy: FakeShell) -> None:
    look(healthy, FakeServices(WELL))
    assert lines(healthy)["containers"] == (
        "✓ Docker 28.5.1: searxng healthy (3 ms), reader healthy."
    )


@pytest.mark.parametrize(
    ("state", "trip", "said"),
    [
        (ServiceState(SEARXNG, "exited", exit_code=1), None, "searxng exited"),
        (ServiceState(SEARXNG), None, "searxng missing"),
        (
            running(SEARXNG),
            RoundTrip(SEARXNG, "http://x", problem="does not answer"),
            "searxng does not answer",
        ),
    ],
)
def test_a_container_that_is_ill_is_named_with_its_remedy(
    healthy: FakeShell, state: ServiceState, trip: RoundTrip | None, said: str
) -> None:
    survey = Survey(DOCKER, (state, running(READER)), (trip,) if trip else ())
    assert look(healthy, FakeServices(survey)) == 0
    assert lines(healthy)["containers"] == f"– Docker 28.5.1: {said}, reader healthy."
    assert "`askance logs searxng`" in healthy.printed


@pytest.mark.parametrize("problem", [NoCli(), DaemonDown("Docker", "unix:///run/docker.sock")])
def test_no_containers_are_no_obstacle_where_search_works(
    healthy: FakeShell, problem: Exception
) -> None:
    assert look(healthy, FakeServices(problem)) == 0
    assert lines(healthy)["containers"].startswith("– ")


class TestOffers:
    @pytest.mark.parametrize(
        ("answers", "services", "elsewhere", "prompts", "ups", "looks"),
        [
            (["y"], FakeServices(), {}, [UP], 1, 2),
            (
                ["y"],
                FakeServices(up_is=DaemonDown("Docker", "unix:///run/docker.sock")),
                {},
                [UP],
                1,
                1,
            ),
            (["n"], FakeServices(NoCli()), {}, [CONSENT], 0, 1),
            (["n"], FakeServices(), {"search__url": "http://attic.invalid:8080"}, [CONSENT], 0, 1),
            ([EOFError()], FakeServices(), {}, [UP], 0, 1),
        ],
        ids=["started", "not to be started", "no containers", "elsewhere", "closed input"],
    )
    def test_a_search_engine_that_is_down_is_offered_where_it_can_be_started(
        self,
        person: FakeShell,
        answers: list[str | BaseException],
        services: FakeServices,
        elsewhere: dict[str, str],
        prompts: list[str],
        ups: int,
        looks: int,
    ) -> None:
        person.app.search = FakeSearch(DOWN)
        person.lines = list(answers)
        assert look(person, services, **elsewhere) == 1
        assert (person.prompts, services.ups) == (prompts, ups)
        assert person.printed.count("✗ search") == looks
        started = "✓ containers     Docker 28.5.1: searxng healthy" in person.printed
        assert started is (looks > 1)
        assert (str(DaemonDown("Docker", "unix:///run/docker.sock").problem) in person.errors) is (
            looks == ups == 1
        )

    def test_who_declines_is_asked_about_the_other_way(self, person: FakeShell) -> None:
        person.app.search = FakeSearch(DOWN)
        person.lines = ["n", "y"]
        services = FakeServices()
        look(person, services)
        assert (person.prompts, services.ups) == ([UP, CONSENT], 0)
        given = dict.fromkeys(s.search.in_process for s, web in person.app.opened if web is None)
        assert list(given) == ["unasked", "given"]

    def test_who_declines_both_is_left_alone(self, person: FakeShell) -> None:
        person.app.search = FakeSearch(DOWN)
        person.lines = ["", ""]
        assert look(person) == 1
        assert look(person) == 1
        assert person.prompts == [UP, CONSENT, UP]
        assert person.printed.count("✗ search") == 2

    def test_nothing_is_offered_where_nothing_is_wrong(self, person: FakeShell) -> None:
        assert look(person) == 0
        assert person.prompts == []

    def test_nobody_at_the_terminal_is_offered_nothing(self, healthy: FakeShell) -> None:
        healthy.app.search = FakeSearch(DOWN)
        assert look(healthy) == 1
        assert healthy.prompts == []


class TestRealServices:
    async def test_versions_and_round_trips_are_shown(self, healthy: FakeShell) -> None:
        values: dict[str, Any] = {
            "/healthz": "OK",
            "/search": "",
            "/config": {"version": "2026.8.22\x1b[2J"},
            "/version": {"askance": __version__},
            "/api/ps": {"models": [{"name": "wren:8b", "context_length": 4096}]},
        }

        async def answer(request: Request, wire: Wire) -> None:
            body = values[request.path]
            await (wire.send(body) if isinstance(body, str) else wire.send_json(body))

        async with serve(answer) as server:
            await asyncio.to_thread(
                look,
                healthy,
                search__url=server.url,
                llm__url=server.url,
                reader__url=server.url,
                reader__mode="container",
            )
            values["/version"] = {"askance": "0.0.9"}
            values["/api/ps"] = {"models": []}
            first = lines(healthy)
            await asyncio.to_thread(
                look, healthy, llm__url=server.url, reader__url=server.url, reader__mode="container"
            )
        again = lines(healthy)
        assert first["search"].startswith(f"✓ SearXNG 2026.8.22[2J at {server.url} (")
        assert first["reader service"].startswith(f"✓ {__version__} at {server.url} (")
        assert re.findall(r"\d,\d+", first["model"]) == ["8,192", "4,096"]
        assert re.findall(r"\d,\d+", again["model"]) == ["8,192"]
        assert again["reader service"].startswith(f"– 0.0.9 at {server.url}")
        assert again["reader service"].endswith(f" {__version__}.")

    def test_a_reader_service_that_is_gone_is_replaced_by_this_program(
        self, healthy: FakeShell
    ) -> None:
        url = address_of_nobody()
        assert look(healthy, reader__url=url, reader__mode="container") == 0
        assert lines(healthy)["reader service"].startswith("– ")
        assert f" {url}; " in lines(healthy)["reader service"]
        assert "`askance logs reader`" in healthy.printed

    def test_a_reader_that_was_set_up_is_looked_for(self, healthy: FakeShell) -> None:
        token = find_folders({"ASKANCE_HOME": str(healthy.home)}).reader_token
        token.parent.mkdir(parents=True)
        token.write_text("a-token-of-the-tests-only")
        look(healthy, reader__url=address_of_nobody())
        assert re.match(r"– .* http://127\.0\.0\.1:", lines(healthy)["reader service"])
        look(healthy, reader__mode="inprocess")
        assert lines(healthy)["reader service"] == "✓ Not used: reader.mode is inprocess."

    def test_a_reader_that_no_page_may_leave_is_needed(self, healthy: FakeShell) -> None:
        url = address_of_nobody()
        assert look(healthy, reader__url=url, reader__mode="container_only") == 1
        assert lines(healthy)["reader service"].startswith("✗ ")
        assert url not in lines(healthy)["reader service"]
        token = find_folders({"ASKANCE_HOME": str(healthy.home)}).reader_token
        token.parent.mkdir(parents=True)
        token.write_text("a-token-of-the-tests-only")
        assert look(healthy, reader__url=url, reader__mode="container_only") == 1
        assert lines(healthy)["reader service"].startswith("✗ ")
        assert f" {url}; " in lines(healthy)["reader service"]
        assert "`askance up`" in healthy.printed


# The trial of `askance doctor`: a model has to give a word of text.

LONG = "Let me see. " * 30


def thinking(*, room: int = 0, kind: str = "thought", reason: str = "length") -> FakeOpenAI:
    """A server whose model reasons until its limit; with `room` tokens it comes to a reply, 0 never."""
    fake = FakeOpenAI(n_ctx=8192)

    async def chat(request: Request, wire: Wire) -> None:
        await wire.start()
        if kind:
            await wire.chunk(getattr(fake, kind)(LONG))
        if room and request.json()["max_tokens"] >= room:
            await wire.chunk(fake.text("Hello."))
            await wire.chunk(fake.end())
        else:
            await wire.chunk(fake.end(reason))

    fake.on_chat = chat
    return fake


async def trial(fake: FakeOpenAI) -> None:
    async with serve(fake) as server, fake.model(server.url) as model:
        await ask_for_token(model, None, "doctor")


@pytest.mark.parametrize("kind", ["thought", ""])
@pytest.mark.parametrize("reason", ["length", "stop"])
async def test_a_model_that_only_reasons_fails_and_what_to_set_is_said(
    kind: str, reason: str
) -> None:
    with pytest.raises(ModelMissing) as caught:
        await trial(thinking(kind=kind, reason=reason))
    assert remedy_of(caught.value).setting == "llm.model"
    said = "empty replies" if (kind, reason) == ("", "stop") else "used up its tokens by reasoning"
    assert said in str(caught.value)


async def test_a_reply_that_is_the_reasoning_once_more_is_no_word_of_text() -> None:
    fake = FakeOpenAI()

    async def chat(_request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.chunk(fake.thought("Hello."))
        await wire.chunk(fake.text("Hello."))
        await wire.chunk(fake.end())

    fake.on_chat = chat
    with pytest.raises(ModelMissing, match="by reasoning"):
        await trial(fake)


async def test_a_model_that_comes_to_a_word_with_more_room_passes() -> None:
    # So much some reason to say hello, and answer in full when a search leaves them the room.
    fake = thinking(room=4_000)
    await trial(fake)
    first, second = fake.chats
    assert first["max_tokens"] < 600
    assert 4_000 <= second["max_tokens"] < fake.n_ctx
    assert "think" in second


async def test_a_model_that_says_a_word_is_asked_once() -> None:
    fake = FakeOpenAI()
    await trial(fake)
    assert len(fake.chats) == 1


# `askance doctor` on what holds for the processes that take pages apart.

ALL = Protections(landlock=7)
CONTAINER = Protections({Protection.NAMESPACE: "Operation not permitted"}, landlock=4)
OLD = Protections(
    dict.fromkeys((Protection.LANDLOCK, Protection.SECCOMP), "Function not implemented")
)


@dataclass
class HeldReader(FakeReader):
    """A reader whose children are held in some ways."""

    held: Protections = field(default_factory=Protections)

    async def protections(self) -> Protections:
        return self.held


def found(protections: Protections) -> CheckResult:
    return asyncio.run(check_confinement(HeldReader(held=protections)))


def test_all_that_holds_is_named() -> None:
    assert found(ALL).ok
    held = found(ALL).message.partition(": ")[2]
    assert held.endswith(", Landlock 7, seccomp.")
    assert held.count(", ") == 4


def test_what_is_missing_stands_with_its_reason() -> None:
    assert found(CONTAINER).ok
    assert found(CONTAINER).message.endswith(
        " Landlock 4, seccomp. Not here: network namespace: Operation not permitted."
    )


@pytest.mark.parametrize("missing", [OLD, Protections(dict.fromkeys(Protection, "not here"))])
def test_a_machine_that_holds_little_says_what_that_means(missing: Protections) -> None:
    finding = found(missing)
    assert not finding.ok
    assert finding.fix
    # Pages are read all the same.


def test_the_command_has_a_line_for_it(fake_shell: FakeShell) -> None:
    made_healthy(fake_shell)
    fake_shell.app.reader = HeldReader(pages=fake_shell.app.reader.pages, held=CONTAINER)
    assert look(fake_shell) == 0
    assert re.match(r"✓ .*: memory ", lines(fake_shell)["confinement"])


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has these: run it on Linux")
async def test_a_real_child_of_this_machine_tells_what_holds_for_it() -> None:
    async with InProcessReader(ReaderSettings(), resolver=SystemResolver()) as reader:
        finding = await check_confinement(reader)
    assert "memory limit" in finding.message
