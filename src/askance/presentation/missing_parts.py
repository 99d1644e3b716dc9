"""What keeps a question from being answered, in the window's words: a title, what still works, and one button that helps.

The command line says the same failures with commands and addresses; here those stand in the details alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum, StrEnum

from askance.domain import errors
from askance.domain.attached_files import NO_ARCHIVES
from askance.domain.events import Failed, PageRead, RunEvent, Warned
from askance.domain.messages import NOTHING, FixKind, Message, Remedy, fix_of
from askance.presentation.i18n import gigabytes, tr, translated

_SEARCH = {"search", "SearXNG", "the search engines"}
_LEDGER = "ledger"
# What is less is shown as no gigabytes.
_WORTH_CLEARING = 50_000_000


class PartAction(StrEnum):
    """What the button of a missing part does."""

    DOWNLOAD_MODEL = "download"
    CHOOSE_MODEL = "choose model"
    START_OLLAMA = "start Ollama"
    USE_BUILT_IN = "use built-in search"
    START_SERVICES = "start services"
    USE_PROXY = "use proxy"
    ASK_AGAIN = "ask again"
    ASK_LIBRARY = "ask library"
    CLEAR_PAGES = "clear pages"
    SHOW_STORED = "show what is stored"
    ASK_WITHOUT = "ask without"
    ANSWER_WITH = "answer with"
    EDIT_QUESTION = "edit question"
    OPEN_SETTINGS = "open settings"


class Blocks(Enum):
    """What cannot come without a part; what blocks first stands first."""

    ALL = 0
    WEB = 1
    MODEL = 2
    ONE_QUESTION = 3


@dataclass(frozen=True, slots=True)
class MissingPart:
    """Something that is not there or failed. `icon` names its picture; `details` have addresses and commands."""

    icon: str
    blocks: Blocks
    action: PartAction
    button: Message
    title: Message
    sentence: Message
    details: Message = NOTHING
    model: str = ""
    """What would be downloaded, or answer."""


# fmt: off
_CHOOSE, _AGAIN = Message("Choose a model"), Message("Ask again")
NO_MODEL = MissingPart("chip", Blocks.MODEL, PartAction.CHOOSE_MODEL, _CHOOSE,
    Message("No model yet"), Message("Until then you get the best passages, quoted."))
OLLAMA_OFF = MissingPart("chip", Blocks.MODEL, PartAction.START_OLLAMA, Message("Start Ollama"),
    Message("Ollama is not running"), Message("Your question is asked when it is."))
SERVER_OFF = MissingPart("chip", Blocks.MODEL, PartAction.CHOOSE_MODEL, _CHOOSE,
    Message("The model server does not answer"), Message("Your question is asked when it does."))
NO_SEARCH = MissingPart("search", Blocks.WEB, PartAction.USE_BUILT_IN, Message("Use built-in search"),
    Message("Web search is not set up"), Message("It can ask five public engines from this computer."))
SEARXNG_OFF = MissingPart("search", Blocks.WEB, PartAction.START_SERVICES, Message("Start SearXNG"),
    Message("SearXNG is not running"), Message("Your question is asked when it is."))
NO_ENGINE = MissingPart("search", Blocks.ONE_QUESTION, PartAction.ASK_AGAIN, Message("Search again"),
    Message("No engine answered"), Message("Some refuse an address that asks often; this passes."))
BEHIND_PROXY = MissingPart("search", Blocks.ONE_QUESTION, PartAction.USE_PROXY, Message("Use the proxy"),
    Message("No engine answered"), Message("This computer has a proxy that the search does not use yet."))
OFFLINE = MissingPart("offline", Blocks.WEB, PartAction.ASK_LIBRARY, Message("Ask the library"),
    Message("This computer is offline"),
    Message("The library and the model work. The web is asked when it is back."))
DISK_FULL = MissingPart("disk", Blocks.ALL, PartAction.SHOW_STORED, Message("Show what is stored"),
    Message("The disk is full"), Message("Answers are shown but no longer kept."))
OUT_OF_MEMORY = MissingPart("chip", Blocks.ONE_QUESTION, PartAction.CHOOSE_MODEL, _CHOOSE,
    Message("The model ran out of memory"), Message("What was written is kept above. A smaller one needs less."))
MODEL_SLOW = MissingPart("chip", Blocks.ONE_QUESTION, PartAction.ASK_AGAIN, _AGAIN,
    Message("The model took too long"), Message("It may still be loading."))
MODEL_FAILED = MissingPart("chip", Blocks.ONE_QUESTION, PartAction.ASK_AGAIN, _AGAIN,
    Message("The model gave no answer"), Message("The steps say what its server answered."))
MODEL_UNFIT = MissingPart("chip", Blocks.MODEL, PartAction.CHOOSE_MODEL, _CHOOSE,
    Message("This model cannot be used"), Message("Another one can be chosen or downloaded."))
MODEL_ELSEWHERE = MissingPart("chip", Blocks.MODEL, PartAction.CHOOSE_MODEL, _CHOOSE,
    Message("This model does not run here"), Message("It would send what you ask to a cloud."))
TOO_LONG = MissingPart("text", Blocks.ONE_QUESTION, PartAction.EDIT_QUESTION, Message("Edit question"),
    Message("This is too long for the model"), Message("A shorter question fits, or a model that takes in more."))
SETTINGS_WRONG = MissingPart("settings", Blocks.ALL, PartAction.OPEN_SETTINGS, Message("Show settings"),
    Message("A setting is not understood"), Message("Until it is right nothing leaves this computer."))
UNRECORDED = MissingPart("disk", Blocks.ALL, PartAction.ASK_AGAIN, _AGAIN,
    Message("Nothing was sent"), Message("What leaves this computer could not be written down."))
FILE_FAULT = MissingPart("disk", Blocks.ONE_QUESTION, PartAction.ASK_AGAIN, _AGAIN,
    Message("A file of Askance cannot be used"), Message("The steps say which one it is."))
NOT_DONE = MissingPart("attention", Blocks.ONE_QUESTION, PartAction.ASK_AGAIN, _AGAIN,
    Message("There is no answer"), Message("The steps say what went wrong."))
# fmt: on

_OF_FIX = {
    FixKind.SET_UP_SEARCH: NO_SEARCH,
    FixKind.ALLOW_SEARCH: NO_SEARCH,
    FixKind.START_SERVICES: SEARXNG_OFF,
    FixKind.USE_PROXY: BEHIND_PROXY,
}
# By the kind of error, that of its base where it has no row itself.
_OF_MODEL = {
    errors.OutOfMemory: OUT_OF_MEMORY,
    errors.ServiceDown: SERVER_OFF,
    errors.ServiceTimeout: MODEL_SLOW,
    errors.ServiceError: MODEL_FAILED,
}
_OF_INPUT = {
    errors.DiskFull: DISK_FULL,
    errors.StorageError: FILE_FAULT,
    errors.SettingsError: SETTINGS_WRONG,
    errors.ModelMissing: MODEL_UNFIT,
    errors.ModelRefused: MODEL_ELSEWHERE,
    errors.PromptTooLong: TOO_LONG,
}


def missing_part(failed: Failed, *, online: bool = True) -> MissingPart:
    """Return what to show of a run that failed. `online` says whether this computer has a network."""
    found = _found(failed, online=online)
    if found is None:
        found = _of_question(failed)
    where = (failed.address,) if failed.address and failed.address not in failed.problem else ()
    return replace(found, details=Message.joined(failed.problem, failed.fix, *where))


def _found(failed: Failed, *, online: bool) -> MissingPart | None:
    kind = getattr(errors, failed.kind, errors.AskanceError)
    command = failed.fix.command if isinstance(failed.fix, Remedy) else ""
    is_down = issubclass(kind, errors.ServiceDown)
    if failed.service == _LEDGER:
        return UNRECORDED
    if failed.service in _SEARCH:
        if not online:
            return OFFLINE
        return _OF_FIX.get(fix_of(failed.fix) or FixKind.ASK, NO_ENGINE)
    if command == FixKind.START_OLLAMA:
        return OLLAMA_OFF
    if failed.service and is_down and command == FixKind.DIAGNOSE:
        return NO_MODEL
    rows = _OF_MODEL if failed.service else _OF_INPUT
    return next((rows[base] for base in kind.__mro__ if base in rows), None)


def _of_question(failed: Failed) -> MissingPart:
    """Return what is wrong with a question itself: its own sentences say so, if they have no commands in them."""
    has_command = "`" in f"{failed.problem}{failed.fix}"
    if not failed.kind and not has_command:
        # No error: a run that was interrupted, or a fault of this program, both in words for its user.
        return replace(NOT_DONE, title=failed.problem.clause(), sentence=failed.fix or NOTHING)
    if failed.kind != errors.InputError.__name__ or has_command:
        return NOT_DONE
    problem, fix = failed.problem.clause(), failed.fix or TOO_LONG.button
    return replace(TOO_LONG, title=problem, sentence=fix, icon="text")


# Accepts a command of a terminal as messages write it, such as `askance up` and `OLLAMA_HOST=… ollama serve`; not
# `askance toggle`, which no button can bind to a key of the desktop.
_COMMAND = re.compile(
    r"`(?:askance(?! toggle`)|docker|ollama|pip|podman|[A-Z_]{1,30}=\S{0,99})\s[^`\n]{0,200}`"
)
_CLAUSE_END = re.compile(r"(?<=[.!?:;])\s+")


def in_window_words(message: Message | str) -> str:
    """Return a message without what it says of commands: in the window a button does that, or nothing is to be done."""
    text = translated(message)
    if not _COMMAND.search(text):
        return text
    left = " ".join(part for part in _CLAUSE_END.split(text) if not _COMMAND.search(part))
    return f"{left[:-1]}." if left.endswith((":", ";")) else left


def in_window_step(event: RunEvent) -> RunEvent:
    """Return an event as the steps of the window say it: without commands of a terminal."""
    match event:
        case Warned(message=message):
            return replace(event, message=Message.verbatim(in_window_words(message)))
        case PageRead(detail=detail) if detail:
            return replace(event, detail=Message.verbatim(in_window_words(detail)))
        case Failed():
            return replace(event, problem=missing_part(event).title)
        case _:
            return event


def first_missing(parts: Iterable[MissingPart], *, is_web: bool) -> MissingPart | None:
    """Return the part that blocks first of those that a question needs: the model alone needs no web."""
    needed = [part for part in parts if is_web or part.blocks is not Blocks.WEB]
    return min(needed, key=lambda part: part.blocks.value, default=None)


def with_download(part: MissingPart, name: str, label: Message, size_bytes: int) -> MissingPart:
    """Return a missing model with the one that would be downloaded on its button; `label` is what it is called."""
    button = Message("Download {model}, {n} GB", model=label, n=_gigabytes(size_bytes))
    return replace(part, button=button, action=PartAction.DOWNLOAD_MODEL, model=name)


def with_smaller(name: str, label: Message, size_bytes: int) -> MissingPart:
    """Return a model without memory with one on the button that has enough; `label` is what it is called."""
    needed = _gigabytes(size_bytes)
    sentence = Message(
        "What was written is kept above. {model} needs {n} GB.", model=label, n=needed
    )
    button = Message("Answer with {model}", model=label)
    action = PartAction.ANSWER_WITH
    return replace(OUT_OF_MEMORY, button=button, sentence=sentence, action=action, model=name)


def with_saved_pages(size_bytes: int) -> MissingPart:
    """Return a full disk, with what can be done at once where pages take room on it."""
    if size_bytes < _WORTH_CLEARING:
        return DISK_FULL
    sentence = Message(
        "Answers are shown but no longer kept. {n} GB are in saved pages.", n=_gigabytes(size_bytes)
    )
    button, action = Message("Clear saved pages"), PartAction.CLEAR_PAGES
    return replace(DISK_FULL, sentence=sentence, button=button, action=action)


def unreadable(name: str, problem: Message) -> MissingPart:
    """Return a file that was attached and cannot be read, with why."""
    if problem == NO_ARCHIVES:
        problem = Message("Archives are not opened. Unpack it and drop the files.")
    title, button = Message("{file} cannot be read", file=name), Message("Ask without it")
    one = Blocks.ONE_QUESTION
    return MissingPart("file", one, PartAction.ASK_WITHOUT, button, title, problem)


def _gigabytes(size_bytes: int) -> str:
    # Written here: an English message is its own text, with all decimals of its numbers.
    return tr("{n}", n=gigabytes(size_bytes))
