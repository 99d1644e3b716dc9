"""What leaves the ask bar when something is sent."""

from __future__ import annotations

from dataclasses import dataclass

from askance.config.settings import AskMode
from askance.ui.model.chips import Origin


@dataclass(frozen=True, slots=True)
class Submission:
    """The text as it was typed, its command included, and the text that is quoted, if any.

    `mode` says what plain text asks. `origin` is where the quoted text comes from.
    """

    text: str
    quote: str = ""
    mode: AskMode = AskMode.WEB
    origin: Origin = Origin.QUOTED
