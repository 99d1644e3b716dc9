"""What a sentence tells a person to type is offered as a click, where the window can do it."""

from __future__ import annotations

import pytest

from askance.adapters.llm.ollama import OllamaModel
from askance.adapters.search.searxng import SearxngSearch
from askance.config.settings import LlmSettings, SearchSettings
from askance.domain.errors import ServiceDown, ServiceSwitchedOff
from askance.ui.model.remedies import Remedy, remedy_of
from servers.faults import address_of_nobody
from servers.loopback import serve
from servers.searxng import ScriptedSearxng


@pytest.mark.parametrize(
    ("fix", "remedy"),
    [
        ("Start the services with `askance up`.", Remedy.START_SERVICES),
        (
            "Start it with `ollama serve` (https://ollama.com/download has it), or set llm.url.",
            Remedy.LOOK_AROUND,
        ),
        ("Let it: `askance config set search.in_process given`.", Remedy.ALLOW_SEARCH),
        ("Fetch it with `ollama pull x`, or set llm.model to another.", Remedy.FETCH_MODEL),
        ("Set llm.model to one of: a, b.", Remedy.FETCH_MODEL),
        ("`askance doctor` tells what is missing.", Remedy.LOOK_AROUND),
        ("Take a smaller model, or raise llm.timeout_s.", None),
        ("", None),
    ],
)
def test_a_command_that_is_named_has_its_button(fix: str, remedy: Remedy | None) -> None:
    assert remedy_of(fix) is remedy


async def test_a_searxng_without_json_can_be_gone_without_with_a_click() -> None:
    async with (
        serve(ScriptedSearxng(lambda _: [], formats=("html",))) as server,
        SearxngSearch(SearchSettings(url=server.url)) as search,
    ):
        with pytest.raises(ServiceSwitchedOff) as no_json:
            await search.search("lighthouse", wanted=5, sent=lambda _: None)
    assert remedy_of(no_json.value.fix) is Remedy.ALLOW_SEARCH


async def test_services_that_are_not_running_can_be_started_with_a_click() -> None:
    async with (
        OllamaModel(LlmSettings(url=address_of_nobody())) as model,
        SearxngSearch(SearchSettings(url=address_of_nobody())) as search,
    ):
        with pytest.raises(ServiceDown) as no_model:
            await model.info()
        with pytest.raises(ServiceDown) as no_search:
            await search.search("lighthouse", wanted=5, sent=lambda _: None)
    assert remedy_of(no_model.value.fix) is Remedy.LOOK_AROUND
    assert remedy_of(no_search.value.fix) is Remedy.SET_UP_SEARCH
