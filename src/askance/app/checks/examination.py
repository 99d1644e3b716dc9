"""Everything that `askance doctor` looks at: one list of checks, all of them at once.

A new check is a function in `parts` and a line in `Examiner.examine`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any

from askance.app.checks.findings import CheckResult, command_of
from askance.app.checks.first_steps import (
    MODEL,
    READER,
    SEARCH,
    look_at_model,
    look_at_reader,
    look_at_search,
)
from askance.app.checks.installation import (
    INSTALLATION,
    UPDATES,
    check_installation,
    check_updates,
)
from askance.app.checks.parts import (
    CONFINEMENT,
    CONTAINERS,
    FONTS,
    ConfinedReader,
    check_cache,
    check_confinement,
    check_consent,
    check_containers,
    check_fonts,
    check_input_method,
    check_ledger,
    check_model,
    check_proxies,
    check_reader,
    check_sample_web,
    check_search,
    check_window,
    settled,
)
from askance.app.container import App, without_model
from askance.app.updates import UpdateChecker
from askance.config.folders import Folders
from askance.config.settings import SearchSettings, Settings
from askance.domain.errors import AskanceError
from askance.domain.events import RequestSent
from askance.domain.messages import Remedy
from askance.domain.ports.containers import Services
from askance.domain.ports.web import Sent
from askance.presentation.sanitizing import one_line
from askance.sample_web.server import SampleWeb

Checks = dict[str, Callable[[], Coroutine[Any, Any, CheckResult]]]
HasNetwork = Callable[[SearchSettings], bool]

_READS = "reader"
_NEEDED = frozenset({MODEL, SEARCH, _READS})
# These start child processes, or load a model, which takes so many times as long on a busy machine.
_STARTING = frozenset({MODEL, _READS, CONFINEMENT})
_BUSY_MACHINE = 3


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found of each part, and the command that leads on, where one is known."""

    results: list[CheckResult]
    command: str = ""


def _untold(_request: RequestSent) -> None:
    """The sample web is on this machine."""


@dataclass(frozen=True, slots=True)
class Examiner:
    """Looks at every part. `noting` returns what enters requests into the ledger of the open parts."""

    settings: Settings
    folders: Folders
    environment: Mapping[str, str]
    open_app: Callable[..., AbstractAsyncContextManager[App]]
    serve_sample_web: Callable[[], AbstractContextManager[SampleWeb]]
    services: Services
    noting: Callable[[App, str], Sent]
    is_online: HasNetwork
    limit_s: float

    async def examine(self) -> Examination:
        """Look at everything. Parts that cannot be opened are a finding; the others are looked at."""
        settings, folders, survey = self.settings, self.folders, self.services.survey
        looks, checks, unopened = Checks(), Checks(), list[CheckResult]()
        async with AsyncExitStack() as stack:
            web = stack.enter_context(self.serve_sample_web())
            question = web.questions[0]
            try:
                # Only the sample's page is read, by the parts that are opened below.
                app = await stack.enter_async_context(self.open_app(settings, folders, eager=False))
            except AskanceError as exc:
                unopened.append(CheckResult("start", ok=False, message=exc.problem, fix=exc.fix))
            else:
                sent = self.noting(app, "askance doctor")
                looks = self._first_looks(app)
                checks[MODEL] = lambda: check_model(app)
                checks[SEARCH] = lambda: check_search(app, folders, sent)
            try:
                sample = await stack.enter_async_context(
                    self.open_app(without_model(settings), folders, sample_web=web)
                )
            except AskanceError as exc:
                unopened.append(CheckResult(_READS, ok=False, message=exc.problem, fix=exc.fix))
                sample = None
            else:
                url = question.gold[0].url
                checks[_READS] = lambda: check_reader(sample, url, _untold)
                confined = sample.reader
                if isinstance(confined, ConfinedReader):
                    checks[CONFINEMENT] = lambda: check_confinement(confined)
            checks |= {
                READER: lambda: look_at_reader(settings, folders, survey),
                CONTAINERS: lambda: check_containers(survey),
                "fallback": lambda: check_consent(settings.search),
                "proxies": lambda: check_proxies(settings, self.environment),
                "window": lambda: check_window(self.environment),
                "input method": lambda: check_input_method(self.environment),
                FONTS: check_fonts,
                "page cache": lambda: check_cache(settings, folders),
                "ledger": lambda: check_ledger(settings, folders),
                INSTALLATION: lambda: check_installation(self.environment),
                UPDATES: lambda: check_updates(self._updates, self.environment),
            }
            if sample is not None:
                checks["sample web"] = lambda: check_sample_web(sample, question.question, _untold)
            async with asyncio.TaskGroup() as group:
                looking = [
                    group.create_task(_within(self.limit_s, look())) for look in looks.values()
                ]
                found = await _all(checks, self.limit_s)
            first = {look.part: look for task in looking if (look := task.result())}
            results = [*unopened, *(_with_ways(result, first) for result in found)]
            return Examination(results, _command(first, found))

    @property
    def _updates(self) -> UpdateChecker:
        return UpdateChecker(self.settings, self.folders, self.is_online)

    def _first_looks(self, app: App) -> Checks:
        """What the first page looks at: what can be done where the checks find something wrong."""
        online, survey = self.is_online(app.settings.search), self.services.survey
        return {
            MODEL: lambda: look_at_model(app, self.environment, online=online, asks=False),
            SEARCH: lambda: look_at_search(app.settings, self.folders, survey, online=online),
        }


def _with_ways(result: CheckResult, first: Mapping[str, CheckResult]) -> CheckResult:
    look = first.get(result.part)
    return result if result.ok or look is None else replace(result, actions=look.actions)


def _command(first: Mapping[str, CheckResult], found: Sequence[CheckResult]) -> str:
    """Return what to do next; nothing if that is not known."""
    model = next((result for result in found if result.part == MODEL and not result.ok), None)
    fix = model.fix if model is not None else ""
    has_command = (isinstance(fix, Remedy) and bool(fix.command)) or (
        MODEL in first and bool(first[MODEL].actions)
    )
    if fix and not has_command and {MODEL, SEARCH} <= first.keys():
        return one_line(fix)
    return command_of(first[MODEL], first[SEARCH]) if {MODEL, SEARCH} <= first.keys() else ""


async def _within(limit_s: float, look: Coroutine[Any, Any, CheckResult]) -> CheckResult | None:
    try:
        async with asyncio.timeout(limit_s):
            return await look
    except TimeoutError:
        return None


async def _all(checks: Checks, limit_s: float) -> list[CheckResult]:
    async with asyncio.TaskGroup() as group:
        looking = [
            group.create_task(
                settled(
                    part,
                    check(),
                    limit_s * (_BUSY_MACHINE if part in _STARTING else 1),
                    needed=part in _NEEDED,
                )
            )
            for part, check in checks.items()
        ]
    return [task.result() for task in looking]
