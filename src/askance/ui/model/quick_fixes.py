"""What a click can do about a failure, by what its remedy says to do."""

from __future__ import annotations

from enum import StrEnum

from askance.config.proxies import SET_PROXY
from askance.domain.messages import Message, Remedy
from askance.presentation.i18n import term, tr


class QuickFix(StrEnum):
    """Something that the window can do about a failure."""

    START_SERVICES = "start_services"
    ALLOW_SEARCH = "allow_search"
    DOWNLOAD_MODEL = "download_model"
    SET_UP_SEARCH = "set_up_search"
    DIAGNOSE = "diagnose"
    USE_PROXY = "use_proxy"

    @property
    def label(self) -> str:
        """What stands on its button."""
        return tr(_LABELS[self])


_LABELS = {
    QuickFix.START_SERVICES: term("Start it"),
    QuickFix.ALLOW_SEARCH: term("Use built-in search"),
    QuickFix.DOWNLOAD_MODEL: term("Choose a model"),
    QuickFix.SET_UP_SEARCH: term("Set up search"),
    QuickFix.DIAGNOSE: term("Find out why"),
    QuickFix.USE_PROXY: term("Use the proxy"),
}
_BY_COMMAND = {
    "askance up": QuickFix.START_SERVICES,
    "ollama pull": QuickFix.DOWNLOAD_MODEL,
    "ollama serve": QuickFix.DIAGNOSE,
    "askance doctor": QuickFix.DIAGNOSE,
    SET_PROXY: QuickFix.USE_PROXY,
}
_BY_SETTING = {
    "search.in_process": QuickFix.ALLOW_SEARCH,
    "llm.model": QuickFix.DOWNLOAD_MODEL,
}


def quick_fix_of(fix: Message) -> QuickFix | None:
    """Return what a click does of a remedy; None if a click can do nothing.

    Where there are two ways to a search, the first page knows which of them this machine can go.
    """
    if not isinstance(fix, Remedy):
        return None
    by_command, by_setting = _BY_COMMAND.get(fix.command), _BY_SETTING.get(fix.setting)
    if (by_command, by_setting) == (QuickFix.START_SERVICES, QuickFix.ALLOW_SEARCH):
        return QuickFix.SET_UP_SEARCH
    return by_command or by_setting
