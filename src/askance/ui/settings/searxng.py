"""The address of SearXNG, and how soon it answers there."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from askance.adapters.network.vitals import Vitals, searxng_vitals
from askance.domain.errors import AskanceError
from askance.presentation.words import duration, tr, translated
from askance.ui.design import tokens
from askance.ui.design.lettering import Tone, Words
from askance.ui.design.plain_text import set_tip
from askance.ui.design.theme import Look
from askance.ui.settings.controls import LineControl
from askance.ui.settings.surroundings import Surroundings
from askance.ui.talk.calls import Calls

_VITALS = "vitals"


class SearxngControl(LineControl):
    """A field for the address. What answers there is asked how it is; no query is sent."""

    def __init__(
        self, look: Look, surroundings: Surroundings, parent: QWidget | None = None
    ) -> None:
        self.says = Words(look, Tone.HELP)
        super().__init__(look, narrow=False, parent=parent)
        self._around = surroundings
        self._calls = Calls(surroundings.chores, self)
        self.says.setWordWrap(False)
        self.row.addWidget(self.says)

    def show_value(self, text: str) -> None:
        """Show the address in force, and ask there."""
        super().show_value(text)
        if self.isVisible():
            self.look_again()

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        self.row.setSpacing(look.px(tokens.SPACE_S))
        self.says.set_look(look)

    def look_again(self) -> None:
        """Ask what answers there."""

        async def work(_parts: object) -> Vitals:
            url = self._around.source.load().search.url
            return await searxng_vitals(url, self._around.folders.search_token(url))

        self._calls.ask(_VITALS, work, self._show)

    def _show(self, vitals: Vitals | AskanceError) -> None:
        if isinstance(vitals, AskanceError):
            self.says.say(tr("no answer"), Tone.NOTE)
            set_tip(self.says, translated(vitals))
        else:
            self.says.say(duration(vitals.ms), Tone.HELP)
            set_tip(self.says, tr("SearXNG {version}", version=vitals.version))
