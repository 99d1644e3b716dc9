"""`askance doctor`: every part looked at, what fixes it, and at a terminal the offer to do so."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from askance.app.checks.first_steps import CheckResult
from askance.app.checks.installation_check import has_network
from askance.app.checks.parts import LIMIT_S, Examination, Examiner, HasNetwork
from askance.app.container import local_services
from askance.cli.commands import services
from askance.cli.exits import Exit, guarded, run_async
from askance.cli.shell import CONSENT_SETTING, Shell, confirmed, is_interactive, with_answer
from askance.config.choices import Consent
from askance.config.sources import UnreadLine, load
from askance.domain.characters import one_line
from askance.domain.errors import SettingsError
from askance.domain.messages import FixKind

_WIDTH = 14


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
    if as_json or not is_interactive(shell):
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
    # A part that is not needed, such as the containers, costs a search nothing.
    whole = all(check.ok for check in found.results if check.needed)
    if not as_json:
        shell.stdout.line(
            "A search can be answered in full."
            if whole
            else "A search cannot be answered completely yet."
        )
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
        if FixKind.START_SERVICES in offered and confirmed(shell, "Run `askance up` now? [y/N] "):
            # It tells its own failure, as the command does.
            up = guarded(
                lambda: services.up(shell, overrides, open_services=doctor.open_services),
                stdout=shell.stdout,
                stderr=shell.stderr,
            )
            return overrides if up is Exit.DONE else None
        settings = shell.settings(overrides)
        if FixKind.ALLOW_SEARCH in offered and settings.search.in_process is Consent.UNASKED:
            answered = with_answer(shell, settings).search.in_process
            if answered is Consent.GIVEN:
                return {**overrides, CONSENT_SETTING: answered.value}
    # A closed input is no answer: nothing is changed.
    except EOFError:
        shell.stdout.line()
    return None


def _examined(doctor: Doctor, overrides: Mapping[str, Any]) -> Examination:
    file = doctor.shell.folders.settings_file
    shell = doctor.shell
    try:
        loaded = load(file, shell.environment, overrides, shell.note)
    # Without settings no part can be opened: this is the only finding (decision 46).
    except SettingsError as exc:
        fix = exc.fix or "Fix that setting; nothing else was checked."
        return Examination([CheckResult("settings", ok=False, message=exc.problem, fix=fix)])
    settings = loaded.settings
    examiner = Examiner(
        settings,
        shell.folders,
        shell.environment,
        shell.open_app,
        shell.serve_sample_web,
        doctor.open_services(settings, shell.folders, shell.environment),
        doctor.is_online,
        doctor.limit_s,
    )
    found = run_async(examiner.examine())
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
