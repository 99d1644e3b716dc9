"""`askance doctor`: what is there, what is missing, and the one command that mends it."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any

from askance.cli.checks import (
    LIMIT_S,
    Finding,
    check_model,
    check_reader,
    check_sample_web,
    check_search,
    settled,
)
from askance.cli.cleaning import one_line
from askance.cli.endings import Exit
from askance.cli.noting import noting
from askance.cli.parts import without_model
from askance.cli.shell import Shell
from askance.config.settings import Settings
from askance.domain.errors import AskanceError, SettingsError
from askance.domain.events import RequestSent


def examine(
    shell: Shell, overrides: Mapping[str, Any], *, as_json: bool = False, limit_s: float = LIMIT_S
) -> Exit:
    """Look at every part at once, and return 0 if a search can be answered in full."""
    file = shell.folders.settings_file
    try:
        settings = shell.settings(overrides)
    except SettingsError as exc:
        fix = exc.fix or "Mend that setting; nothing else was looked at."
        findings = [Finding("settings", ok=False, says=exc.problem, fix=fix)]
    else:
        says = (
            str(file) if file.exists() else f"{file} is not there yet: the defaults are in force."
        )
        findings = [Finding("settings", ok=True, says=says)]
        findings += asyncio.run(_look(shell, settings, limit_s))
    for finding in findings:
        shell.stdout.line(json.dumps(dataclasses.asdict(finding)) if as_json else as_text(finding))
    whole = all(finding.ok for finding in findings if finding.needed)
    if not as_json:
        shell.stdout.line(
            "A search can be answered in full." if whole else "A search cannot be answered in full."
        )
    return Exit.DONE if whole else Exit.SERVICE_FAILED


def as_text(finding: Finding) -> str:
    """Return a finding for people: a sign, the part, what is there, and below it what mends it."""
    line = f"{'✓' if finding.ok else '✗'} {finding.part:<11} {one_line(finding.says)}"
    if finding.ok or not finding.fix:
        return line
    indent = "\n" + " " * 14
    return line + indent + indent.join(one_line(part) for part in finding.fix.splitlines())


def _untold(_request: RequestSent) -> None:
    """The sample web is on this machine."""


async def _look(shell: Shell, settings: Settings, limit_s: float) -> list[Finding]:
    try:
        async with AsyncExitStack() as stack:
            web = stack.enter_context(shell.serve_sample_web())
            app = await stack.enter_async_context(shell.open_app(settings, shell.folders))
            sample = await stack.enter_async_context(
                shell.open_app(without_model(settings), shell.folders, sample_web=web)
            )
            checks = {
                "model": check_model(app),
                "search": check_search(app, noting(shell, app, "askance doctor")),
                "reader": check_reader(sample, web.questions[0].gold[0].url, _untold),
                "sample web": check_sample_web(sample, web.questions[0].question, _untold),
            }
            async with asyncio.TaskGroup() as group:
                looking = [
                    group.create_task(settled(part, check, limit_s))
                    for part, check in checks.items()
                ]
            return [task.result() for task in looking]
    except AskanceError as exc:
        return [Finding("start", ok=False, says=exc.problem, fix=exc.fix)]
