"""The look that the settings ask for."""

from __future__ import annotations

from dataclasses import replace

from askance.config.settings import Theme, WindowSettings
from askance.ui.design.theme import Look, system_look
from askance.ui.design.tokens import DARK, LIGHT


def chosen_look(settings: WindowSettings) -> Look:
    """Return the look of the system, with what the settings say otherwise."""
    look = replace(
        system_look(settings.text_size, moves=settings.animations), system_font=settings.system_font
    )
    match settings.theme:
        case Theme.LIGHT:
            return replace(look, colours=LIGHT)
        case Theme.DARK:
            return replace(look, colours=DARK)
        case Theme.SYSTEM:
            return look
