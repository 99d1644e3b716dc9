"""Model and search: looked at after each run, in a few bytes, and true."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.presentation.steps import Tone
from askance.ui.overlay.bar.status import look_at_lights
from servers.loopback import Request, Wire, serve
from servers.searxng import ScriptedSearxng

_ENOUGH_BYTES = 1_000


@pytest.mark.parametrize(
    ("formats", "consent", "text", "tone"),
    [
        (("html", "json"), "unasked", "SearXNG", Tone.PLAIN),
        (("html",), "unasked", "no search", Tone.AMBER),
        (("html",), "given", "built-in search", Tone.PLAIN),
    ],
)
async def test_searxng_is_asked_for_its_health_alone(
    formats: tuple[str, ...], consent: str, text: str, tone: Tone, tmp_path: Path
) -> None:
    searxng, sent = ScriptedSearxng(lambda _: [], formats), 0

    async def answer(request: Request, wire: Wire) -> None:
        nonlocal sent
        if request.path == "/healthz":
            await wire.send("OK")
        elif request.path == "/config":
            sent += 300_000
            await wire.send_json({"version": "2026.8.22"})
        else:
            await searxng(request, wire)

    async with serve(answer) as server:
        settings = Settings.model_validate({"search": {"url": server.url, "in_process": consent}})
        folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
        app = SimpleNamespace(model=None, settings=settings, folders=folders)
        _, light = await look_at_lights(cast("Any", app))
        assert {r.path for r in server.requests} == {"/healthz", "/search"}
    assert sent < _ENOUGH_BYTES
    assert (light.text, light.tone) == (text, tone)
    assert searxng.heard == []
