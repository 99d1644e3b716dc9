"""What the overlay says of downloads of models: on the model button, in the model switch, and of questions that wait."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from askance.domain.downloads import ModelDownload
from askance.domain.errors import AskanceError
from askance.presentation.i18n import tr, translated
from askance.presentation.model_words import button_of, download_text
from askance.ui.bridge import PendingCalls
from askance.ui.overlay.bar.model_switch import SwitchRow
from askance.ui.settings.download_list import DownloadList
from askance.ui.settings.waiting_questions import WaitingQuestions, WaitingRow

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from askance.ui.shell.missing_watch import PartOwner


class ModelArrivals(QObject):
    """Follows the list of downloads for the overlay, and has a model that has come used."""

    def __init__(self, desktop: PartOwner, downloads: DownloadList) -> None:
        super().__init__(desktop.overlay)
        overlay = desktop.overlay
        self._desktop, self._downloads, self._models = desktop, downloads, overlay.models
        self._button = overlay.ask_bar.tools.model_button
        # Before the questions that wait: they are asked of the new parts.
        downloads.arrived.connect(desktop.apply)
        ask = desktop.session.ask
        self.questions = WaitingQuestions(downloads, lambda: self._button.is_missing, ask)
        desktop.session.holds = self.questions.take
        desktop.missing_parts.is_model_coming = lambda: self.questions.is_model_coming
        self.row = WaitingRow(overlay.look, self.questions, downloads, overlay)
        overlay.ask_bar.put_below(self.row, self.row.changed)
        downloads.changed.connect(self._show)
        self._evaluations: dict[str, tuple[int, int]] = {}
        self._calls: PendingCalls | None = None
        self._button.lit.connect(self._follow_model)
        self._show()

    def _show(self) -> None:
        current = self._downloads.current
        if current is None:
            self._button.set_download("", None)
        else:
            self._button.set_download(current.name, current.fraction)
        rows = [self._row(entry) for entry in self._downloads.entries]
        self._models.set_downloads([*rows, *map(self._evaluation_row, self._evaluations)])

    def _row(self, entry: ModelDownload) -> SwitchRow:
        text = download_text(entry)
        if entry.is_active:
            state, press = button_of(entry.phase), lambda: self._downloads.press(entry)
            return SwitchRow(entry.name, text, state, "download", press=press)
        # Where it needs somebody, its page has the buttons for what can be done.
        return SwitchRow(entry.name, text, glyph="download", press=self._desktop.windows.welcome)

    def _evaluation_row(self, model: str) -> SwitchRow:
        done, of = self._evaluations[model]
        text = tr("Evaluating: {k} of {n}", k=done, n=of) if of else tr("Evaluating")
        return SwitchRow(model, text, tr("Stop"), "chip", press=partial(self._stop, model))

    def evaluate(self, model: str) -> None:
        """Find out what a model is good for here: on the sample web, which is on this machine."""
        if self._evaluations:
            return  # one after the other: two would measure each other
        context = self._desktop.context

        async def work(_parts: object, report: Callable[[Any], None]) -> None:
            from askance.app.model_choices import evaluate_model  # noqa: PLC0415 - in its thread

            await evaluate_model(context.source.load(), context.folders, model, report)

        def show(step: tuple[int, int]) -> None:
            self._evaluations[model] = step
            self._show()

        def then(result: object) -> None:
            self._stop(model)
            if isinstance(result, AskanceError):
                self._desktop.overlay.complain(translated(result.problem))

        self._calls = self._calls or PendingCalls(context.chores, self)
        self._calls.follow(model, work, show, then)
        show((0, 0))

    def _stop(self, model: str) -> None:
        """Measure no more; what was measured counts, and is not asked again."""
        if self._calls is not None:
            self._calls.give_up(model)
        self._evaluations.pop(model, None)
        self._show()

    def _follow_model(self) -> None:
        """Ask what waits once a model is there, whichever it is."""
        if not self._button.is_missing:
            self.questions.release()
