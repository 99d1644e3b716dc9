"""`askance doctor`: what is there, what is missing, and the one command that mends it."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any

from askance.checkup.around import (
    CONTAINERS,
    READER,
    check_cache,
    check_consent,
    check_containers,
    check_ledger,
    check_proxies,
    check_reader_service,
)
from askance.checkup.confinement import CONFINEMENT, ConfinedReader, check_confinement
from askance.checkup.first_steps import Step, command_of, look_at_model, look_at_search
from askance.checkup.network import has_network
from askance.checkup.parts import (
    LIMIT_S,
    Finding,
    Offer,
    check_model,
    check_reader,
    check_sample_web,
    check_search,
    settled,
)
from askance.cli import consent
from askance.cli.commands import services
from askance.cli.endings import Exit, guarded
from askance.cli.keeping import noting
from askance.cli.parts import without_model
from askance.cli.shell import Shell
from askance.config.settings import Consent, SearchSettings, Settings
from askance.domain.errors import AskanceError, SettingsError
from askance.domain.events import RequestSent
from askance.presentation.cleaning import one_line

Checks = dict[str, Callable[[], Coroutine[Any, Any, Finding]]]

_WIDTH = 14
_NEEDED = frozenset({"model", "search", "reader"})


def examine(
    shell: Shell,
    overrides: Mapping[str, Any],
    *,
    as_json: bool = False,
    limit_s: float = LIMIT_S,
    open_services: services.Opener = services.local_services,
) -> Exit:
    """Look at every part at once, and return 0 if a search can be answered in full.

    A person at a terminal is offered what can be done right away; then everything is looked at
    once more.
    """
    findings = _findings(shell, overrides, limit_s, open_services)
    code = _told(shell, findings, as_json=as_json)
    if code is not Exit.DONE and not as_json:
        with suppress(SettingsError):  # that one is told already
            say_next(shell, shell.settings(overrides), limit_s, open_services)
    if as_json or not consent.is_interactive(shell):
        return code
    mended = _mended(shell, overrides, findings, open_services)
    if mended is None:
        return code
    return _told(shell, _findings(shell, mended, limit_s, open_services), as_json=False)


def as_text(finding: Finding) -> str:
    """Return a finding for people: a sign, the part, what is there, and below it what mends it."""
    sign = "✓" if finding.ok else "✗" if finding.needed else "–"
    line = f"{sign} {finding.part:<{_WIDTH}} {one_line(finding.says)}"
    if finding.ok or not finding.fix:
        return line
    indent = "\n" + " " * (_WIDTH + 3)
    return line + indent + indent.join(one_line(part) for part in finding.fix.splitlines())


def _told(shell: Shell, findings: Sequence[Finding], *, as_json: bool) -> Exit:
    for finding in findings:
        shell.stdout.line(json.dumps(dataclasses.asdict(finding)) if as_json else as_text(finding))
    whole = all(finding.ok for finding in findings if finding.needed)
    if not as_json:
        shell.stdout.line(f"A search can{'' if whole else 'not'} be answered in full.")
    return Exit.DONE if whole else Exit.SERVICE_FAILED


def _mended(
    shell: Shell,
    overrides: Mapping[str, Any],
    findings: Sequence[Finding],
    open_services: services.Opener,
) -> Mapping[str, Any] | None:
    """Offer what can be done. Return the overrides to look again with, None if nothing was done."""
    offers = {offer for finding in findings for offer in finding.offers if not finding.ok}
    try:
        if Offer.UP in offers and consent.confirmed(shell, "Run `askance up` now? [y/N] "):
            # It tells its own failure, as the command does.
            up = guarded(
                lambda: services.up(shell, overrides, open_services=open_services),
                stdout=shell.stdout,
                stderr=shell.stderr,
            )
            return overrides if up is Exit.DONE else None
        if Offer.CONSENT in offers:
            answered = consent.with_answer(shell, shell.settings(overrides)).search.in_process
            if answered is Consent.GIVEN:
                return {**overrides, consent.SETTING: answered.value}
    except EOFError:
        shell.stdout.line()
    return None


def _findings(
    shell: Shell, overrides: Mapping[str, Any], limit_s: float, open_services: services.Opener
) -> list[Finding]:
    file = shell.folders.settings_file
    try:
        settings = shell.settings(overrides)
    except SettingsError as exc:
        fix = exc.fix or "Fix that setting; nothing else was checked."
        return [Finding("settings", ok=False, says=exc.problem, fix=fix)]
    there = file.exists()
    says = str(file) if there else f"{file} is not there yet: the defaults are in force."
    found = asyncio.run(_look(shell, settings, limit_s, open_services))
    return [Finding("settings", ok=True, says=says), *_possible(found)]


def _possible(findings: Sequence[Finding]) -> list[Finding]:
    """Leave out the offer to start containers where nothing could run them."""
    runs = all(f.ok or f.offers for f in findings if f.part == CONTAINERS)
    return [
        finding
        if runs
        else dataclasses.replace(
            finding, offers=tuple(offer for offer in finding.offers if offer is not Offer.UP)
        )
        for finding in findings
    ]


def _untold(_request: RequestSent) -> None:
    """The sample web is on this machine."""


async def _look(
    shell: Shell, settings: Settings, limit_s: float, open_services: services.Opener
) -> list[Finding]:
    """Look at everything. Parts that cannot be opened are a finding; the others are looked at."""
    folders, checks, unopened = shell.folders, Checks(), list[Finding]()
    async with AsyncExitStack() as stack:
        web = stack.enter_context(shell.serve_sample_web())
        question = web.questions[0]
        try:
            app = await stack.enter_async_context(shell.open_app(settings, folders))
        except AskanceError as exc:
            unopened.append(Finding("start", ok=False, says=exc.problem, fix=exc.fix))
        else:
            sent = noting(shell, app, "askance doctor")
            checks["model"] = lambda: check_model(app)
            checks["search"] = lambda: check_search(app, folders, sent)
        try:
            sample = await stack.enter_async_context(
                shell.open_app(without_model(settings), folders, sample_web=web)
            )
        except AskanceError as exc:
            unopened.append(Finding("reader", ok=False, says=exc.problem, fix=exc.fix))
            sample = None
        else:
            url = question.gold[0].url
            checks["reader"] = lambda: check_reader(sample, url, _untold)
            confined = sample.reader
            if isinstance(confined, ConfinedReader):
                checks[CONFINEMENT] = lambda: check_confinement(confined)
        checks |= _around(shell, settings, open_services)
        if sample is not None:
            checks["sample web"] = lambda: check_sample_web(sample, question.question, _untold)
        return [*unopened, *await _all(checks, limit_s)]


def _around(shell: Shell, settings: Settings, open_services: services.Opener) -> Checks:
    folders = shell.folders
    containers = open_services(settings, folders, shell.environment)
    return {
        READER: lambda: check_reader_service(settings, folders),
        CONTAINERS: lambda: check_containers(containers.survey),
        "fallback": lambda: check_consent(settings.search),
        "proxies": lambda: check_proxies(settings),
        "page cache": lambda: check_cache(settings, folders),
        "ledger": lambda: check_ledger(settings, folders),
    }


async def _all(checks: Checks, limit_s: float) -> list[Finding]:
    async with asyncio.TaskGroup() as group:
        looking = [
            group.create_task(settled(part, check(), limit_s, needed=part in _NEEDED))
            for part, check in checks.items()
        ]
    return [task.result() for task in looking]


HasNetwork = Callable[[SearchSettings], bool]


def say_next(
    shell: Shell,
    settings: Settings,
    limit_s: float,
    open_services: services.Opener,
    is_online: HasNetwork = has_network,
) -> None:
    """Say what to do next where a search cannot be answered in full; nothing if that is not known."""
    try:
        command = asyncio.run(_command(shell, settings, limit_s, open_services, is_online))
    except (AskanceError, TimeoutError):
        return  # what is wrong stands above
    if command != Step.ASK:
        shell.stdout.line(f"Next: {command}")


async def _command(
    shell: Shell,
    settings: Settings,
    limit_s: float,
    open_services: services.Opener,
    is_online: HasNetwork,
) -> str:
    folders, online = shell.folders, is_online(settings.search)
    containers = open_services(settings, folders, shell.environment)
    async with asyncio.timeout(limit_s), shell.open_app(settings, folders) as app:
        model = await look_at_model(app, shell.environment, online=online)
        search = await look_at_search(settings, folders, containers.survey, online=online)
    return command_of(model, search)
