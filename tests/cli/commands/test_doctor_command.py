"""`askance doctor` over fake parts."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from contextlib import closing

import pytest

from askance.adapters.storage import ledger as ledger_module
from askance.adapters.storage.ledger import SqliteLedger
from askance.app.checks.first_steps import START, CheckResult
from askance.cli.commands.doctor import as_text, examine
from askance.domain.errors import ModelRefused, ServiceRefused, SettingsError
from askance.domain.messages import Message
from askance.domain.web_pages import (
    Page,
    PageReason,
    PageStatus,
    ResultPage,
    SearchResult,
    UnresponsiveEngine,
)
from cli.commands.examination import SAMPLE, FakeServices, at_a_terminal, lines, look, made_healthy
from cli.fake_shell import FakeModel, FakeReader, FakeSearch, FakeShell, run


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


def test_a_damaged_ledger_is_a_finding_and_what_took_its_place_is_said(healthy: FakeShell) -> None:
    ledger = healthy.shell.folders.ledger
    ledger.parent.mkdir(parents=True, exist_ok=True)
    ledger.write_bytes(b"no database " * 1000)
    assert look(healthy) == 0
    text = lines(healthy)["ledger"]
    assert text.startswith("– The ledger was damaged ")
    assert "starts again empty; the damaged one is kept as " in text
    retained = [
        file for file in ledger.parent.iterdir() if file.read_bytes()[:11] == b"no database"
    ]
    assert str(retained[0]) in text


def test_a_damaged_page_cache_is_a_finding(healthy: FakeShell) -> None:
    cache = healthy.shell.folders.page_cache
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_bytes(b"no database " * 1000)
    assert look(healthy) == 0
    assert lines(healthy)["page cache"].startswith("– ")
    assert "starts again empty" in lines(healthy)["page cache"]


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
