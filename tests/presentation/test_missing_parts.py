"""What keeps a question from being answered, as the window says it: a title, a sentence, one button, and no command."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

import pytest

import askance.adapters
import askance.engine
from askance.domain import errors
from askance.domain.errors import AskanceError, ServiceError
from askance.domain.events import Failed
from askance.domain.messages import NOTHING, Message, Remedy
from askance.domain.ports.hotkey import parse_combination
from askance.presentation import missing_parts
from askance.presentation.missing_parts import (
    Blocks,
    MissingPart,
    PartAction,
    first_missing,
    missing_part,
    with_download,
)
from askance.system.hotkey import bind_by_hand
from sampled import each_row

ADDRESS = "http://127.0.0.1:11434"
COMMANDS = re.compile(r"`|\baskance [a-z]|\bollama [a-z]|https?://|\b[a-z]+\.[a-z_]+\b")
SEARCH, MODEL = "search", "Ollama"
UP = Remedy("`askance up` starts it.", command="askance up")
ALLOW = Remedy(
    "`askance up` starts one, or set search.in_process.",
    command="askance up",
    setting="search.in_process",
)
SERVE = Remedy("Start it with `ollama serve`, or set llm.url.", command="ollama serve")
DOCTOR = Remedy("Run `askance doctor`.", command="askance doctor")


def failed(kind: type[AskanceError], service: str = "", fix: str = "") -> Failed:
    problem = Message("It is at {address}: run `askance doctor`.", address=ADDRESS)
    if issubclass(kind, ServiceError):
        return Failed.of(kind(service, ADDRESS, problem, fix=fix))
    return Failed.of(kind(problem, fix=fix))


@each_row(
    ("failure", "part"),
    [
        (failed(errors.ServiceAbsent, MODEL, SERVE), missing_parts.OLLAMA_OFF),
        (failed(errors.ServiceDown, "model", DOCTOR), missing_parts.NO_MODEL),
        (failed(errors.ServiceDown, "llama.cpp"), missing_parts.SERVER_OFF),
        (failed(errors.ServiceTimeout, MODEL), missing_parts.MODEL_SLOW),
        (failed(errors.ServiceRefused, MODEL), missing_parts.MODEL_FAILED),
        (failed(errors.ServiceProtocolError, MODEL), missing_parts.MODEL_FAILED),
        (failed(errors.OutOfMemory, MODEL), missing_parts.OUT_OF_MEMORY),
        (failed(errors.ServiceDown, "SearXNG", ALLOW), missing_parts.NO_SEARCH),
        (failed(errors.ServiceDown, "SearXNG", UP), missing_parts.SEARXNG_OFF),
        (failed(errors.ServiceRefused, SEARCH), missing_parts.NO_ENGINE),
        (failed(errors.ServiceTimeout, SEARCH), missing_parts.NO_ENGINE),
        (failed(errors.ServiceRefused, "ledger"), missing_parts.UNRECORDED),
        (failed(errors.DiskFull), missing_parts.DISK_FULL),
        (failed(errors.StorageError), missing_parts.FILE_FAULT),
        (failed(errors.SettingsError), missing_parts.SETTINGS_WRONG),
        (failed(errors.ModelMissing), missing_parts.MODEL_UNFIT),
        (failed(errors.ModelRefused), missing_parts.MODEL_ELSEWHERE),
        (failed(errors.PromptTooLong), missing_parts.TOO_LONG),
        (failed(errors.NotAllowed), missing_parts.NOT_DONE),
        (
            Failed(Message("It was interrupted.")),
            replace(missing_parts.NOT_DONE, title=Message("It was interrupted"), sentence=NOTHING),
        ),
    ],
)
def test_each_failure_is_one_state_of_the_window(failure: Failed, part: MissingPart) -> None:
    shown = missing_part(failure)
    assert (shown.title, shown.sentence, shown.button) == (part.title, part.sentence, part.button)
    assert failure.problem in shown.details


def test_without_a_network_the_search_is_not_what_is_wrong() -> None:
    search = failed(errors.ServiceRefused, SEARCH)
    assert missing_part(search, online=False).action is PartAction.ASK_LIBRARY
    model = failed(errors.ServiceDown, MODEL, SERVE)
    assert missing_part(model, online=False).action is PartAction.START_OLLAMA


def test_a_question_that_cannot_be_searched_says_so_itself() -> None:
    error = errors.InputError(
        Message("The question has no word that can be searched for."),
        fix=Message("Ask it in words."),
    )
    shown = missing_part(Failed.of(error))
    assert shown.title == "The question has no word that can be searched for"
    assert (shown.sentence, shown.action) == ("Ask it in words.", PartAction.EDIT_QUESTION)


def test_the_part_that_blocks_first_is_shown_and_a_chat_needs_no_web() -> None:
    parts = (missing_parts.NO_MODEL, missing_parts.NO_SEARCH)
    assert first_missing(parts, is_web=True) is missing_parts.NO_SEARCH
    assert first_missing(parts, is_web=False) is missing_parts.NO_MODEL
    assert first_missing((*parts, missing_parts.DISK_FULL), is_web=True) is missing_parts.DISK_FULL
    assert first_missing((), is_web=True) is None
    assert [blocks.value for blocks in Blocks] == sorted(blocks.value for blocks in Blocks)


def test_the_button_names_what_would_be_downloaded_and_how_large_it_is() -> None:
    part = with_download(missing_parts.NO_MODEL, "bird:4b", Message("Medium"), 2_500_000_000)
    assert part.button == "Download Medium, 2.5 GB"
    assert (part.action, part.model) == (PartAction.DOWNLOAD_MODEL, "bird:4b")


def all_modules() -> Iterator[ModuleType]:
    for package in (askance.adapters, askance.engine):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.rpartition(".")[2] != "__main__":
                yield importlib.import_module(module.name)


def all_kinds() -> Iterator[type[AskanceError]]:
    assert list(all_modules())
    waiting = [AskanceError]
    while waiting:
        kind = waiting.pop()
        yield kind
        waiting += kind.__subclasses__()


@pytest.mark.parametrize("service", [MODEL, SEARCH, "ledger", "page reader"])
@pytest.mark.parametrize("fix", ["", UP, ALLOW, SERVE, DOCTOR], ids=lambda fix: fix[:12])
def test_no_failure_shows_a_command_or_an_address(service: str, fix: str) -> None:
    for name in {errors.kind_of(kind.__new__(kind)) for kind in all_kinds()}:
        failure = failed(getattr(errors, name), service, fix)
        shown = missing_part(failure)
        texts = (shown.title, shown.sentence, shown.button)
        assert all(texts), name
        assert not [text for text in texts if COMMANDS.search(text)], name
        assert ADDRESS in shown.details


def test_the_window_leaves_out_what_is_to_be_typed_into_a_terminal() -> None:
    values = [value for module in all_modules() for value in vars(module).values()]
    messages = [value for value in values if isinstance(value, Message)]
    with_commands = [message for message in messages if re.search("`(askance|ollama) ", message)]
    assert len(with_commands) > 2
    for message in with_commands:
        assert "`" not in missing_parts.in_window_words(message), message
    rest = "Only keywords were searched: no passage is embedded yet."
    assert (
        missing_parts.in_window_words(Message(f"{rest} `askance library embed` does it.")) == rest
    )
    older = Message("{n} entries; `askance ledger` shows them.", n=3)
    assert missing_parts.in_window_words(older) == "3 entries."
    # What a page or a model says of code is theirs, and commands of the window are typed into it.
    for text in ("Use `x = 1` here.", "`/library lamp` searches it."):
        assert missing_parts.in_window_words(Message.verbatim(text)) == text


def test_the_command_that_a_desktop_has_to_bind_is_said_in_the_window() -> None:
    keys = parse_combination("Ctrl+Alt+A")
    for desktop in ("Hyprland", "sway", "i3", "GNOME", "KDE", "XFCE"):
        hint = bind_by_hand(keys, {"XDG_CURRENT_DESKTOP": desktop})
        assert missing_parts.in_window_words(hint) == hint
        assert "askance toggle" in hint
