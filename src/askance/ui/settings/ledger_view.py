"""The record of what left this computer, to be read."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from askance.adapters.storage.ledger import Entry
from askance.domain.events import Sending
from askance.domain.messages import Message
from askance.presentation.cleaning import one_line
from askance.presentation.words import term, tr, translated
from askance.ui.design import tokens
from askance.ui.design.theme import Look

# As many as a person looks through; the command line shows all.
MOST_SHOWN = 2000
_LINES = 10
_WHAT = {
    Sending.QUERY.value: term("query"),
    Sending.PAGE.value: term("page"),
    Sending.MODEL.value: term("model"),
}


class LedgerView(QPlainTextEdit):
    """Entries as text, the newest first, grouped by what they were for. Read-only; can be copied."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setProperty("field", True)
        self.setTabChangesFocus(True)
        self.setAccessibleName(tr("What left this computer"))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self.setFont(look.font(tokens.LABEL_TEXT))
        self.setFixedHeight(look.px(tokens.SMALL_LINE) * _LINES)

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show entries, the newest first like these."""
        shown = text_of(entries[:MOST_SHOWN])
        if len(entries) > MOST_SHOWN:
            shown += "\n\n" + tr("`askance ledger` shows older ones.")
        if shown != self.toPlainText():
            self.setPlainText(shown)


def text_of(entries: Sequence[Entry]) -> str:
    """Return entries as lines, with a heading where the day or the occasion is another."""
    lines: list[str] = []
    heading = ""
    for entry in entries:
        at = entry.at.astimezone()
        group = f"{at:%Y-%m-%d}  {one_line(entry.occasion)}"
        if group != heading:
            lines += ["", group] if lines else [group]
            heading = group
        what = tr(_WHAT.get(entry.sending, entry.sending))
        to = tr(
            "to {host} through {carrier}",
            host=entry.to,
            carrier=translated(Message.term(entry.through)),
        )
        lines.append(f"    {at:%H:%M:%S}  {what} {one_line(f'{to}: {entry.content}')}")
    return "\n".join(lines)
