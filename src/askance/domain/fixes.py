"""What can be done about what is wrong: one vocabulary for checks, failures of a run and every front end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from askance.domain.messages import NOTHING, Message, Remedy


class FixKind(StrEnum):
    """A step towards an answer. The value is what does it in a terminal."""

    START_OLLAMA = "ollama serve"
    DOWNLOAD_MODEL = "ollama pull"
    START_SERVICES = "askance up"
    ALLOW_SEARCH = "askance config set search.in_process given"
    DOWNLOAD_OLLAMA = "https://ollama.com/download"
    TRY_SAMPLE = "askance demo"
    ASK = "askance ask"
    DIAGNOSE = "askance doctor"
    # Where there are two ways to a search, the first page knows which of them this machine can go.
    SET_UP_SEARCH = "askance up, or search.in_process"
    USE_PROXY = "askance config set search.proxy"


@dataclass(frozen=True, slots=True)
class FixAction:
    """What a click does about a part: what stands on its button, and which model it would download."""

    step: FixKind
    label: Message = NOTHING
    model: str = ""


_ONE_CLICK = (
    FixKind.START_SERVICES,
    FixKind.DOWNLOAD_MODEL,
    FixKind.DIAGNOSE,
    FixKind.USE_PROXY,
)
_OF_COMMAND: dict[str, FixKind] = {
    **{kind.value: kind for kind in _ONE_CLICK},
    # Whether it can be started here is found out first.
    FixKind.START_OLLAMA.value: FixKind.DIAGNOSE,
}
_OF_SETTING = {
    "search.in_process": FixKind.ALLOW_SEARCH,
    "llm.model": FixKind.DOWNLOAD_MODEL,
}


def fix_of(remedy: Message) -> FixKind | None:
    """Return what a click does of a remedy; None if a click can do nothing."""
    if not isinstance(remedy, Remedy):
        return None
    by_command, by_setting = _OF_COMMAND.get(remedy.command), _OF_SETTING.get(remedy.setting)
    if (by_command, by_setting) == (FixKind.START_SERVICES, FixKind.ALLOW_SEARCH):
        return FixKind.SET_UP_SEARCH
    return by_command or by_setting
