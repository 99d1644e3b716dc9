"""`askance doctor` over fake parts."""

from __future__ import annotations

import asyncio
import json

import pytest

from askance.cli.doctor import examine
from askance.domain.errors import ModelRefused, ServiceRefused, SettingsError
from askance.domain.web import Page, PageStatus, ResultPage, SilentEngine
from cli.desk import Desk, FakeModel, FakeReader, FakeSearch, run

SAMPLE = "https://sample.example/"


@pytest.fixture
def healthy(desk: Desk) -> Desk:
    """Everything is there."""
    desk.app.reader = FakeReader({SAMPLE: Page(SAMPLE, PageStatus.OK, words=9)})
    return desk


def lines(desk: Desk) -> dict[str, str]:
    """Return each part's line without its times, which differ."""
    rows = [line for line in desk.printed.splitlines() if line[:1] in "✓✗"]
    return {row[2:13].strip(): row[0] + " " + row[14:] for row in rows}


def test_a_healthy_machine_can_answer_in_full(healthy: Desk) -> None:
    assert run(healthy, "doctor") == 0
    rows = lines(healthy)
    assert rows["settings"].endswith("settings.toml is not there yet: the defaults are in force.")
    assert rows["model"] == (
        "✓ Ollama wren:8b at http://127.0.0.1:11434, on this machine, 8,192 tokens of context."
    )
    assert rows["search"].startswith("✓ SearXNG at http://127.0.0.1:25017: 1 result in ")
    assert rows["reader"].startswith("✓ in process, 2 workers, started in ")
    assert rows["sample web"].startswith("✓ 1 result in ")
    assert healthy.printed.endswith("A search can be answered in full.\n")


def test_what_is_wrong_stands_with_what_mends_it(healthy: Desk) -> None:
    fix = "In its settings:\nsearch:\n  formats: [html, json]"
    healthy.app.search = FakeSearch(
        ServiceRefused("SearXNG", "http://x", "JSON is switched off.", fix=fix)
    )
    assert run(healthy, "doctor") == 1
    indent = "\n" + " " * 14
    assert (
        f"✗ search      JSON is switched off.{indent}In its settings:{indent}search:{indent}formats"
        in healthy.printed
    )
    assert healthy.printed.endswith("A search cannot be answered in full.\n")


def test_engines_that_are_all_blocked_are_not_called_healthy(healthy: Desk) -> None:
    healthy.app.search = FakeSearch(ResultPage("q", (), (SilentEngine("owl", "CAPTCHA"),)))
    assert run(healthy, "doctor") == 1
    assert "Engines that did not answer: owl (CAPTCHA)." in lines(healthy)["search"]


def test_a_model_in_a_cloud_and_a_missing_one_are_told_apart(healthy: Desk) -> None:
    healthy.app.model = FakeModel(ModelRefused("wren runs in a cloud.", fix="Take another."))
    assert run(healthy, "doctor") == 1
    assert lines(healthy)["model"] == "✗ wren runs in a cloud."
    healthy.app.model = None
    assert run(healthy, "doctor") == 1
    assert lines(healthy)["model"] == "✗ No model server was found."


def test_a_model_on_another_machine_is_named_as_such(healthy: Desk) -> None:
    assert run(healthy, "doctor", "--set", "llm.url=http://attic.example:11434") == 0
    assert "http://attic.example:11434, on another machine" in lines(healthy)["model"]


def test_a_part_that_hangs_costs_its_limit_and_nothing_else(healthy: Desk) -> None:
    class Hanging:
        async def info(self) -> None:
            await asyncio.Event().wait()

    healthy.app.model = Hanging()
    assert examine(healthy.shell, {}, limit_s=0.05) == 1
    rows = lines(healthy)
    assert rows["model"] == "✗ It did not answer within 0.05 seconds."
    assert rows["search"].startswith("✓")


def test_wrong_settings_are_a_finding_too(desk: Desk) -> None:
    desk.environment["ASKANCE_SEARCH__KEPT"] = "many"
    assert run(desk, "doctor") == 1
    assert "ASKANCE_SEARCH__KEPT" in lines(desk)["settings"]
    assert desk.app.opened == []


def test_parts_that_cannot_be_opened_are_a_finding_too(desk: Desk) -> None:
    desk.app.failure = SettingsError("The GGUF file is not there.", fix="Set llm.gguf.")
    assert run(desk, "doctor") == 1
    assert lines(desk)["start"] == "✗ The GGUF file is not there."


def test_a_reader_that_cannot_read_is_found_out(desk: Desk) -> None:
    assert run(desk, "doctor") == 1
    assert lines(desk)["reader"] == "✗ The reader could not read a sample page: nothing is there"


def test_json_has_a_line_a_part(healthy: Desk) -> None:
    assert run(healthy, "doctor", "--json") == 0
    records = [json.loads(line) for line in healthy.printed.splitlines()]
    assert [record["part"] for record in records] == [
        "settings",
        "model",
        "search",
        "reader",
        "sample web",
    ]
    assert all(record["ok"] for record in records)


def test_an_embedded_model_is_started_once_and_not_for_the_sample_web(healthy: Desk) -> None:
    assert run(healthy, "doctor", "--set", "llm.api=embedded", "--set", "llm.gguf=wren.gguf") == 0
    apis = {web is None: settings.llm.api for settings, web in healthy.app.opened}
    assert apis == {True: "embedded", False: "ollama"}
