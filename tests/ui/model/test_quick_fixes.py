"""What a remedy tells a person to do is offered as a click, where the window can do it."""

from __future__ import annotations

import pytest

from askance.adapters.llm.ollama import OllamaModel
from askance.adapters.search.searxng import SearxngSearch
from askance.config.settings import LlmSettings, SearchSettings
from askance.domain.errors import ServiceDown, ServiceSwitchedOff
from askance.domain.messages import NOTHING, FixKind, Message, Remedy, fix_of
from servers.faults import address_of_nobody
from servers.loopback import serve
from servers.searxng import ScriptedSearxng


@pytest.mark.parametrize(
    ("fix", "wanted"),
    [
        (Remedy("Start it.", command="askance up"), FixKind.START_SERVICES),
        (Remedy("Start it.", command="ollama serve"), FixKind.DIAGNOSE),
        (Remedy("Let it.", setting="search.in_process"), FixKind.ALLOW_SEARCH),
        (Remedy("Get one.", command="ollama pull", setting="llm.model"), FixKind.DOWNLOAD_MODEL),
        (Remedy("Set it.", setting="llm.model"), FixKind.DOWNLOAD_MODEL),
        (Remedy("Look.", command="askance doctor"), FixKind.DIAGNOSE),
        (
            Remedy("Either.", command="askance up", setting="search.in_process"),
            FixKind.SET_UP_SEARCH,
        ),
        (Remedy("Raise it.", setting="llm.idle_timeout_s"), None),
        (Message("Run `askance up`."), None),
        (NOTHING, None),
    ],
)
def test_what_a_remedy_does_has_its_button(fix: Message, wanted: FixKind | None) -> None:
    assert fix_of(fix) is wanted


async def test_a_searxng_without_json_can_be_gone_without_with_a_click() -> None:
    async with (
        serve(ScriptedSearxng(lambda _: [], formats=("html",))) as server,
        SearxngSearch(SearchSettings(url=server.url)) as search,
    ):
        with pytest.raises(ServiceSwitchedOff) as no_json:
            await search.search("lighthouse", wanted=5, sent=lambda _: None)
    assert fix_of(no_json.value.fix) is FixKind.ALLOW_SEARCH


async def test_services_that_are_not_running_can_be_started_with_a_click() -> None:
    async with (
        OllamaModel(LlmSettings(url=address_of_nobody())) as model,
        SearxngSearch(SearchSettings(url=address_of_nobody())) as search,
    ):
        with pytest.raises(ServiceDown) as no_model:
            await model.info()
        with pytest.raises(ServiceDown) as no_search:
            await search.search("lighthouse", wanted=5, sent=lambda _: None)
    assert fix_of(no_model.value.fix) is FixKind.DIAGNOSE
    assert fix_of(no_search.value.fix) is FixKind.SET_UP_SEARCH
