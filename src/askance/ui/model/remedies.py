"""What a click can mend, by the command that the sentence of a remedy names."""

from __future__ import annotations

from enum import StrEnum

from askance.telling.words import term, tr


class Remedy(StrEnum):
    """Something that the window can do about a failure."""

    START_SERVICES = "start_services"
    ALLOW_SEARCH = "allow_search"
    FETCH_MODEL = "fetch_model"
    SET_UP_SEARCH = "set_up_search"
    LOOK_AROUND = "look_around"

    @property
    def label(self) -> str:
        """What stands on its button."""
        return tr(_LABELS[self])


_LABELS = {
    Remedy.START_SERVICES: term("Start it"),
    Remedy.ALLOW_SEARCH: term("Use built-in search"),
    Remedy.FETCH_MODEL: term("Choose a model"),
    Remedy.SET_UP_SEARCH: term("Set up search"),
    Remedy.LOOK_AROUND: term("Find out why"),
}
_COMMANDS = {
    "askance up": Remedy.START_SERVICES,
    "ollama serve": Remedy.LOOK_AROUND,
    "search.in_process": Remedy.ALLOW_SEARCH,
    "ollama pull": Remedy.FETCH_MODEL,
    "llm.model": Remedy.FETCH_MODEL,
    "askance doctor": Remedy.LOOK_AROUND,
}


_EITHER_SEARCH = ("askance up", "search.in_process")


def remedy_of(fix: str) -> Remedy | None:
    """Return what a click does of what a sentence tells to do; None if a click can do nothing.

    Where there are two ways to a search, the first page knows which of them this machine can go.
    """
    if all(command in fix for command in _EITHER_SEARCH):
        return Remedy.SET_UP_SEARCH
    return next((remedy for command, remedy in _COMMANDS.items() if command in fix), None)
