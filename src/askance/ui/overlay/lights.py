"""The lights at the foot of the window: which model, which search, which reader. No Qt here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from askance.config.settings import Consent
from askance.domain.errors import AskanceError
from askance.presentation.cells import Tone
from askance.presentation.words import tr, translated
from askance.ui.overlay.bottom_bar import Light

if TYPE_CHECKING:
    from askance.wiring import App

MODEL, SERVICES = "model", "services"


async def look_at_lights(app: App) -> tuple[Light, ...]:
    """Look at the model and the search engine; nothing leaves this machine for it."""
    from askance.stores import reader_is_set_up  # noqa: PLC0415 - in the engine's thread

    settings = app.settings
    reader = (
        tr("reader") if reader_is_set_up(settings.reader, app.folders) else tr("built-in reader")
    )
    return (await _model_light(app), await _search_light(app), Light(reader))


def why_no_search(lights: tuple[Light, ...]) -> str:
    """Return why nothing can be searched, in a sentence; nothing if something can."""
    missing = (light for light in lights if light.action == SERVICES and light.tone is Tone.AMBER)
    return next((light.detail for light in missing), "")


def on_sample(lights: tuple[Light, ...]) -> tuple[Light, ...]:
    """Return the lights while the sample web is searched in place of the real one."""
    said = tr("An invented web on this computer. /new leaves it.")
    return (lights[0], Light(tr("sample web"), Tone.AMBER, said))


async def _model_light(app: App) -> Light:
    if app.model is None:
        return Light(tr("no model"), Tone.AMBER, tr("No language model is set up."), MODEL)
    try:
        info = await app.model.info()
    except AskanceError as exc:
        return Light(tr("no model"), Tone.AMBER, translated(exc), MODEL)
    return Light(info.name, Tone.GOOD, info.server, MODEL)


async def _search_light(app: App) -> Light:
    # Imported here, in the engine's thread: httpx costs half a second.
    from askance.checkup.first_steps import why_no_searxng  # noqa: PLC0415

    try:
        _, off = await why_no_searxng(app.settings.search, app.folders)
    except AskanceError as exc:
        why = translated(exc)
    else:
        if not off:
            return Light("SearXNG", detail=app.settings.search.url, action=SERVICES)
        why = translated(off)
    if app.settings.search.in_process is Consent.GIVEN:
        return Light(tr("built-in search"), detail=why, action=SERVICES)
    return Light(tr("no search"), Tone.AMBER, why, SERVICES)
