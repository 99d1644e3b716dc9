"""An answer on paper, by the desktop's own dialog."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from askance.ui.overlay.answer.answer_piece import SealedDocument


def print_page(page: str, parent: QWidget) -> None:
    """Ask which printer is to print a page of HTML, and print it. Nothing in it is loaded."""
    # Imported here: it looks for printers, which whoever never prints need not wait for.
    from PySide6.QtPrintSupport import QPrintDialog, QPrinter  # noqa: PLC0415

    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    dialog = QPrintDialog(printer, parent.window())
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def print_it() -> None:
        document = SealedDocument()
        document.setHtml(page)
        document.print_(printer)

    dialog.accepted.connect(print_it)
    # Not `exec`, whose own event loop could outlive the answer.
    dialog.setModal(True)
    dialog.show()
