"""`askance read` and `evidence`: pages, and a prompt of the best passages, without a model."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from askance.app.container import App, without_model
from askance.cli.exits import Exit, run_async
from askance.cli.render.output import write_line
from askance.cli.shell import Shell, noting, settled
from askance.config.settings import Settings
from askance.domain.characters import clean, one_line
from askance.domain.errors import ServiceError
from askance.domain.evidence import Evidence, EvidenceRequest
from askance.domain.phases import Sufficiency
from askance.domain.ports.web import Sent
from askance.domain.web import CONCURRENT_PAGES, Page, PageReason, PageStatus
from askance.presentation.i18n import counted


def read(
    shell: Shell, urls: Sequence[str], overrides: Mapping[str, Any], *, as_json: bool = False
) -> Exit:
    """Read pages at once and write them in the order they were asked for; 0 if one of them is ok.

    Raises:
        ServiceError: the reader failed, and no page is ok.
    """
    settings = shell.settings(overrides)
    statuses = run_async(_read_all(shell, settings, urls, as_json=as_json))
    return Exit.DONE if PageStatus.OK in statuses else Exit.SERVICE_FAILED


async def _read_all(
    shell: Shell, settings: Settings, urls: Sequence[str], *, as_json: bool
) -> set[PageStatus]:
    statuses: set[PageStatus] = set()
    errors: list[ServiceError] = []
    slots = asyncio.Semaphore(CONCURRENT_PAGES)
    async with (
        shell.open_app(without_model(settings), shell.folders) as app,
        asyncio.TaskGroup() as group,
    ):
        sent = noting(shell, app, "askance read")
        reading = [group.create_task(_read(app, url, slots, sent, errors)) for url in urls]
        for task in reading:
            page = await task
            statuses.add(page.status)
            shell.stdout.line(as_line(page) if as_json else as_text(page))
    if errors and PageStatus.OK not in statuses:
        raise errors[0]
    return statuses


async def _read(
    app: App, url: str, slots: asyncio.Semaphore, sent: Sent, errors: list[ServiceError]
) -> Page:
    async with slots:
        try:
            return await app.reader.read(url, sent=sent)
        except ServiceError as exc:  # it costs this page, and not those that are read beside it
            errors.append(exc)
            return Page(url, PageStatus.FAILED, PageReason.NETWORK, exc.message)


def as_line(page: Page) -> str:
    """Return a page as one line of JSON: its fields, status and reason as their codes."""
    return json.dumps(dataclasses.asdict(page))


def as_text(page: Page) -> str:
    """Return a page for people: what became of it and how it was read, then its Markdown."""
    if page.status is not PageStatus.OK:
        return one_line(f"{page.url}: {page.status}. {page.detail or page.reason}") + "\n"
    head = one_line(f"# {page.title or page.url}")
    about = one_line(f"<{page.final_url or page.url}>, {counted(page.words, 'word')}")
    how = f"{one_line(str(page.detail))}\n" if page.detail else ""
    return f"{head}\n{about}\n{how}\n{clean(page.markdown)}\n"


def evidence(
    shell: Shell,
    question: str,
    wish: EvidenceRequest,
    overrides: Mapping[str, Any],
    *,
    as_json: bool = False,
) -> Exit:
    """Write the prompt, or with `as_json` one object with `prompt`, `tokens` and `blocks`.

    Raises:
        ServiceError: nothing could be searched.
        InputError: the question leaves no room for evidence.
    """
    settings = shell.settings(overrides)
    if not as_json:
        settings = settled(shell, settings)
    found = run_async(_fetched(shell, without_model(settings), question, wish))
    if as_json:
        shell.stdout.line(json.dumps(evidence_record(found)))
        return Exit.DONE
    for warning in found.warnings:
        write_line(shell.stderr, f"askance: {warning}")
    if found.sufficiency is not Sufficiency.SUFFICIENT:
        write_line(shell.stderr, "askance: The evidence may not answer the question.")
    shell.stdout.line(clean(found.prompt))
    return Exit.DONE


async def _fetched(
    shell: Shell, settings: Settings, question: str, wish: EvidenceRequest
) -> Evidence:
    async with shell.open_app(settings, shell.folders) as app:
        assert app.evidence is not None
        return await app.evidence.fetch(question, wish, emit=lambda _event: None)


def evidence_record(found: Evidence) -> dict[str, Any]:
    """Return evidence as other programs get it."""
    return {
        "prompt": found.prompt,
        "tokens": found.tokens,
        "blocks": [dataclasses.asdict(block) for block in found.blocks],
        "outcome": found.outcome,
        "warnings": [str(warning) for warning in found.warnings],
    }
