"""Telling once that the program crashed, and showing the report. Nothing is sent."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QUrl

from askance.config.folders import Folders
from askance.diagnostics.reports import mark_told, new_reports
from askance.presentation.words import tr
from askance.ui.overlay.complaint import Step
from askance.ui.overlay.overlay import Overlay


def offer_report(overlay: Overlay, folders: Folders, open_address: Callable[[str], bool]) -> None:
    """Offer to show the newest report of which nobody was told yet, if there is one.

    `open_address` opens it where text files are read, and returns whether it could; where it could
    not, its path is said.
    """
    found = new_reports(folders)
    if not found:
        return
    mark_told(folders, found)
    newest = found[-1]

    def show() -> None:
        if not open_address(QUrl.fromLocalFile(str(newest)).toString()):
            overlay.complain(tr("The report is {path}.", path=str(newest)))

    said = tr("Askance crashed. A report was saved on this computer; nothing was sent.")
    overlay.complain(said, Step(tr("Show report"), show))
