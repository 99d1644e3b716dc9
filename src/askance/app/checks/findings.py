"""What is found out about the parts of an installation: how each is, and what can be done about it.

Data alone: `askance doctor`, the first page and the settings show it, each in its own way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from askance.adapters.search.metasearch_engines import engines_for
from askance.config.settings import SearchSettings
from askance.domain.addresses import bare_address
from askance.domain.fixes import FixAction, FixKind
from askance.domain.messages import Message

# What is done with a click before what must be installed; without a model a search still quotes.
_ORDER = (
    FixKind.START_OLLAMA,
    FixKind.DOWNLOAD_MODEL,
    FixKind.START_SERVICES,
    FixKind.ALLOW_SEARCH,
    FixKind.DOWNLOAD_OLLAMA,
)


START = FixAction(FixKind.START_SERVICES, Message("Start it"))


@dataclass(frozen=True, slots=True)
class CheckResult:
    """How one part is. What it says are messages wherever they can be said in another language.

    `details` are for who looks closely: addresses, versions, times. `actions` are what can be done
    now, the best first, and `more` is read before; `fix` is what to do by hand. `needed` says that
    without the part no search can be answered in full.
    """

    part: str
    ok: bool
    message: str
    details: str = ""
    fix: str = ""
    needed: bool = True
    actions: tuple[FixAction, ...] = ()
    more: str = ""

    @property
    def is_well(self) -> bool:
        """Whether nothing need be done about it."""
        return self.ok or not (self.needed or self.actions or self.more)

    @property
    def steps(self) -> list[FixKind]:
        """The steps of the ways, in their order."""
        return [action.step for action in self.actions]


def main_step(model: CheckResult, search: CheckResult) -> FixKind:
    """Return what is best done next: the page shows it as its main button."""
    offered = [step for found in (model, search) if not found.is_well for step in found.steps]
    return next_step(offered, can_search=search.is_well)


def command_of(model: CheckResult, search: CheckResult) -> str:
    """Return the command to run next, or the page where it is to be had."""
    step = main_step(model, search)
    actions = (action for found in (model, search) for action in found.actions)
    name = next((action.model for action in actions if action.step is step), "")
    return f"{step} {name}".strip()


def next_step(offered: Iterable[FixKind], *, can_search: bool) -> FixKind:
    """Return the best of what is offered for the parts that are not well; there always is one.

    Where nothing can be done about them, a question is asked if it can be searched, and else the
    sample web is there, which needs neither a model nor a network.
    """
    there = set(offered)
    last = FixKind.ASK if can_search else FixKind.TRY_SAMPLE
    return next((step for step in _ORDER if step in there), last)


def explanation(settings: SearchSettings) -> Message:
    """Say what leaves this computer, whereto and how, once public engines may be asked."""
    engines = ", ".join(engines_for(settings)) or Message("none that the settings allow")
    proxy = bare_address(settings.proxy)
    if proxy:
        return Message(
            "Your queries then go through {proxy} straight to {engines}.",
            proxy=proxy,
            engines=engines,
        )
    return Message(
        "Your queries then go from your own address straight to {engines}.", engines=engines
    )
