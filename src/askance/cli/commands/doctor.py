"""`askance doctor`: what is there, what is missing, and the one command that fixes it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from askance.app.checks.findings import CheckResult, FixKind, command_of
from askance.app.checks.first_steps import (
    MODEL,
    READER,
    SEARCH,
    look_at_model,
    look_at_reader,
    look_at_search,
)
from askance.app.checks.network import has_network
from askance.app.checks.parts import (
    CONFINEMENT,
    CONTAINERS,
    FONTS,
    LIMIT_S,
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
from askance.app.container import App, local_services
from askance.cli import consent
from askance.cli.commands import services
from askance.cli.exits import Exit, guarded, run_async
from askance.cli.shell import Shell, noting, without_model
from askance.config.choices import Consent
from askance.config.file_lines import UnreadLine
from askance.config.settings import SearchSettings, Settings
from askance.config.sources import load
from askance.domain.errors import AskanceError, SettingsError
from askance.domain.events import RequestSent
from askance.domain.messages import Remedy
from askance.domain.ports.containers import ContainerServices
from askance.presentation.sanitizing import one_line

Checks = dict[str, Callable[[], Coroutine[Any, Any, CheckResult]]]
HasNetwork = Callable[[SearchSettings], bool]

_WIDTH = 14
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


@dataclass(frozen=True, slots=True)
class Doctor:
    """What the examination finds around it."""

    shell: Shell
    limit_s: float
    open_services: services.Opener
    is_online: HasNetwork


def examine(
    shell: Shell,
    overrides: Mapping[str, Any],
    *,
    as_json: bool = False,
    limit_s: float = LIMIT_S,
    open_services: services.Opener = local_services,
    is_online: HasNetwork = has_network,
) -> Exit:
    """Look at every part at once, and return 0 if a search can be answered in full.

    A person at a terminal is offered what can be done right away; then everything is looked at
    once more.
    """
    doctor = Doctor(shell, limit_s, open_services, is_online)
    found = _examined(doctor, overrides)
    code = _report(shell, found, as_json=as_json)
    if as_json or not consent.is_interactive(shell):
        return code
    fixed = _fixed(doctor, overrides, found.results)
    if fixed is None:
        return code
    return _report(shell, _examined(doctor, fixed), as_json=False)


def as_text(result: CheckResult) -> str:
    """Return a finding for people: a sign, the part, what is there, and below it what fixes it."""
    sign = "✓" if result.ok else "✗" if result.needed else "–"
    line = f"{sign} {result.part:<{_WIDTH}} {one_line(result.details or result.message)}"
    if result.ok or not result.fix:
        return line
    indent = "\n" + " " * (_WIDTH + 3)
    return line + indent + indent.join(one_line(part) for part in result.fix.splitlines())


def as_record(result: CheckResult) -> str:
    """Return a finding for programs, on one line."""
    record = {
        "part": result.part,
        "ok": result.ok,
        "says": result.details or result.message,
        "fix": result.fix,
        "needed": result.needed,
        "offers": result.steps,
    }
    return json.dumps(record)


def _report(shell: Shell, found: Examination, *, as_json: bool) -> Exit:
    for result in found.results:
        shell.stdout.line(as_record(result) if as_json else as_text(result))
    whole = all(check.ok for check in found.results if check.needed)
    if not as_json:
        shell.stdout.line(f"A search can{'' if whole else 'not'} be answered in full.")
        if not whole and found.command not in {"", FixKind.ASK}:
            shell.stdout.line(f"Next: {found.command}")
    return Exit.DONE if whole else Exit.SERVICE_FAILED


def _fixed(
    doctor: Doctor, overrides: Mapping[str, Any], results: Sequence[CheckResult]
) -> Mapping[str, Any] | None:
    """Offer what can be done. Return the overrides to look again with, None if nothing was done."""
    shell = doctor.shell
    offered = {step for result in results for step in result.steps if not result.ok}
    try:
        if FixKind.START_SERVICES in offered and consent.confirmed(
            shell, "Run `askance up` now? [y/N] "
        ):
            # It tells its own failure, as the command does.
            up = guarded(
                lambda: services.up(shell, overrides, open_services=doctor.open_services),
                stdout=shell.stdout,
                stderr=shell.stderr,
            )
            return overrides if up is Exit.DONE else None
        settings = shell.settings(overrides)
        if FixKind.ALLOW_SEARCH in offered and settings.search.in_process is Consent.UNASKED:
            answered = consent.with_answer(shell, settings).search.in_process
            if answered is Consent.GIVEN:
                return {**overrides, consent.SETTING: answered.value}
    except EOFError:
        shell.stdout.line()
    return None


def _examined(doctor: Doctor, overrides: Mapping[str, Any]) -> Examination:
    file = doctor.shell.folders.settings_file
    shell = doctor.shell
    try:
        loaded = load(file, shell.environment, overrides, shell.note)
    except SettingsError as exc:
        fix = exc.fix or "Fix that setting; nothing else was checked."
        return Examination([CheckResult("settings", ok=False, message=exc.problem, fix=fix)])
    found = run_async(_look(doctor, loaded.settings))
    return replace(found, results=[_of_file(file, loaded.unread), *found.results])


def _of_file(file: Path, unread: Sequence[UnreadLine]) -> CheckResult:
    if unread:
        names = ", ".join(line.name for line in unread)
        message = f"Lines of {file} are not understood: {names}."
        return CheckResult(
            "settings", ok=False, message=message, fix="Fix these lines.", needed=False
        )
    there = file.exists()
    message = str(file) if there else f"{file} is not there yet: the defaults are in force."
    return CheckResult("settings", ok=True, message=message)


def _untold(_request: RequestSent) -> None:
    """The sample web is on this machine."""


async def _look(doctor: Doctor, settings: Settings) -> Examination:
    """Look at everything. Parts that cannot be opened are a finding; the others are looked at."""
    shell, folders = doctor.shell, doctor.shell.folders
    containers = doctor.open_services(settings, folders, shell.environment)
    looks, checks, unopened = Checks(), Checks(), list[CheckResult]()
    async with AsyncExitStack() as stack:
        web = stack.enter_context(shell.serve_sample_web())
        question = web.questions[0]
        try:
            # Only the sample's page is read, by the parts that are opened below.
            app = await stack.enter_async_context(shell.open_app(settings, folders, eager=False))
        except AskanceError as exc:
            unopened.append(CheckResult("start", ok=False, message=exc.problem, fix=exc.fix))
        else:
            sent = noting(shell, app, "askance doctor")
            looks = _first_looks(doctor, app, containers)
            checks[MODEL] = lambda: check_model(app)
            checks[SEARCH] = lambda: check_search(app, folders, sent)
        try:
            sample = await stack.enter_async_context(
                shell.open_app(without_model(settings), folders, sample_web=web)
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
            READER: lambda: look_at_reader(settings, folders, containers.survey),
            CONTAINERS: lambda: check_containers(containers.survey),
            "fallback": lambda: check_consent(settings.search),
            "proxies": lambda: check_proxies(settings, shell.environment),
            "window": lambda: check_window(shell.environment),
            "input method": lambda: check_input_method(shell.environment),
            FONTS: check_fonts,
            "page cache": lambda: check_cache(settings, folders),
            "ledger": lambda: check_ledger(settings, folders),
        }
        if sample is not None:
            checks["sample web"] = lambda: check_sample_web(sample, question.question, _untold)
        async with asyncio.TaskGroup() as group:
            looking = [
                group.create_task(_within(doctor.limit_s, look())) for look in looks.values()
            ]
            found = await _all(checks, doctor.limit_s)
        first = {look.part: look for task in looking if (look := task.result())}
        results = [*unopened, *(_with_ways(result, first) for result in found)]
        return Examination(results, _command(first, found))


def _first_looks(doctor: Doctor, app: App, containers: ContainerServices) -> Checks:
    """What the first page looks at: what can be done where the checks find something wrong."""
    shell, online = doctor.shell, doctor.is_online(app.settings.search)
    survey = containers.survey
    return {
        MODEL: lambda: look_at_model(app, shell.environment, online=online, asks=False),
        SEARCH: lambda: look_at_search(app.settings, shell.folders, survey, online=online),
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
