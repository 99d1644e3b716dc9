"""The look that the settings ask for."""

from __future__ import annotations

from askance.config.settings import Theme, WindowSettings
from askance.ui.look.theme import Look, system_look
from askance.ui.look.tokens import DARK, LIGHT


def chosen_look(settings: WindowSettings) -> Look:
    """Return the look of the system, with what the settings say otherwise."""
    look = system_look(settings.text_size, moves=settings.motion)
    match settings.theme:
        case Theme.LIGHT:
            return Look(LIGHT, look.scale, look.moves)
        case Theme.DARK:
            return Look(DARK, look.scale, look.moves)
        case Theme.SYSTEM:
            return look
