"""`askance evidence`: a prompt that grounds an answer, for whatever model is to give it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from askance.cli.consent import settled
from askance.cli.exits import Exit
from askance.cli.render.output import say
from askance.cli.shell import Shell, without_model
from askance.config.settings import Settings
from askance.domain.evidence import Evidence, EvidenceWish
from askance.domain.phases import Sufficiency
from askance.presentation.sanitizing import clean


def evidence(
    shell: Shell,
    question: str,
    wish: EvidenceWish,
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
    found = asyncio.run(_fetched(shell, without_model(settings), question, wish))
    if as_json:
        shell.stdout.line(json.dumps(as_record(found)))
        return Exit.DONE
    for warning in found.warnings:
        say(shell.stderr, f"askance: {warning}")
    if found.sufficiency is not Sufficiency.SUFFICIENT:
        say(shell.stderr, "askance: The evidence may not answer the question.")
    shell.stdout.line(clean(found.prompt))
    return Exit.DONE


async def _fetched(shell: Shell, settings: Settings, question: str, wish: EvidenceWish) -> Evidence:
    async with shell.open_app(settings, shell.folders) as app:
        assert app.evidence is not None
        return await app.evidence.fetch(question, wish, emit=lambda _event: None)


def as_record(found: Evidence) -> dict[str, Any]:
    """Return evidence as other programs get it."""
    return {
        "prompt": found.prompt,
        "tokens": found.tokens,
        "blocks": [
            {
                "n": block.n,
                "title": block.title,
                "url": block.url,
                "date": block.date,
                "preview": block.preview,
                "text": block.text,
                "tokens": block.tokens,
            }
            for block in found.blocks
        ],
        "outcome": found.outcome,
        "warnings": [str(warning) for warning in found.warnings],
    }
