"""What is stored on this computer: how much it is, a look at it, and a button that forgets it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from askance.config.diagnostics import delete_reports, reports
from askance.config.regular_files import out_of_reach
from askance.domain.errors import AskanceError
from askance.domain.events import LedgerEntry, Sending
from askance.domain.messages import Message
from askance.presentation.i18n import plural, size_text, term, tr, translated
from askance.presentation.sanitizing import one_line
from askance.ui.design import tokens
from askance.ui.design.composing import Button, row_of, style
from askance.ui.design.controls import ConfirmButton
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look
from askance.ui.engine.bridge import PendingCalls
from askance.ui.settings.context import SettingsContext
from askance.ui.settings.controls import Control

# As many as a person looks through; the command line shows all.
MOST_SHOWN = 2000
_LINES = 10
_WHAT = {
    Sending.QUERY.value: term("query"),
    Sending.PAGE.value: term("page"),
    Sending.MODEL.value: term("model"),
    Sending.LIBRARY.value: term("library"),
    Sending.UPDATE.value: term("update"),
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
        style(self, look, font=tokens.LABEL_TEXT, height=tokens.SMALL_LINE * _LINES)

    def show_entries(self, entries: Sequence[LedgerEntry]) -> None:
        """Show entries, the newest first like these."""
        shown = text_of(entries[:MOST_SHOWN])
        if len(entries) > MOST_SHOWN:
            shown += "\n\n" + tr("`askance ledger` shows older ones.")
        if shown != self.toPlainText():
            self.setPlainText(shown)


def text_of(entries: Sequence[LedgerEntry]) -> str:
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


_COUNT, _CLEAR = "count", "clear"


@dataclass(frozen=True, slots=True)
class StoredData:
    """Something that is stored. `count` and `clear` block; `describe` says what `count` returned."""

    count: Callable[[SettingsContext], Any]
    clear: Callable[[SettingsContext], object]
    describe: Callable[[Any], str]


class StoredDataControl(Control):
    """Says how much is stored, and forgets it once that was asked twice."""

    def __init__(self, look: Look, context: SettingsContext, data: StoredData) -> None:
        super().__init__(look)
        self._around, self._data = context, data
        self._calls = PendingCalls(context.chores, self)
        self.count_label = StyledLabel(look, TextStyle.BODY, parent=self)
        self.forget = ConfirmButton(
            look, tr("Delete all…"), tr("Delete permanently?"), tr("Delete"), self
        )
        self.forget.confirmed.connect(self._forget)
        self.buttons = row_of(look, self.forget)
        self.stacked = self.stack(self.count_label, self.buttons)
        self._main = self.forget.offer

    def call(self, label: str, about: str) -> None:
        """Say what would be forgotten before each button."""
        self.forget.call(label, about)

    def refresh(self) -> None:
        """Count what is stored now."""
        self._calls.in_thread(_COUNT, lambda: self._data.count(self._around), self.show_count)

    def show_count(self, counted: Any) -> None:
        """Show what was counted, or why it could not be."""
        problem = isinstance(counted, AskanceError)
        text = translated(counted) if problem else self._data.describe(counted)
        self.count_label.show_text(text, TextStyle.NOTE if problem else TextStyle.BODY)

    def _forget(self) -> None:
        def work() -> Any:
            self._data.clear(self._around)
            return self._data.count(self._around)

        def then(counted: Any) -> None:
            self.show_count(counted)
            announce(self, self.count_label.text())

        self._calls.in_thread(_CLEAR, work, then)


class LedgerControl(StoredDataControl):
    """The record of what left this computer, which can be looked at."""

    is_wide = True

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look, context, _LEDGER)
        self.show_it = Button(look, tr("View"), self)
        self.buttons.insertWidget(0, self.show_it)
        self.view = LedgerView(look, self)
        self.view.hide()
        self.stacked.addWidget(self.view)
        self.show_it.clicked.connect(self._toggle)

    def show_count(self, counted: Any) -> None:
        """Show how many entries there are, and the entries themselves if they are looked at."""
        super().show_count(counted)
        self.view.show_entries(() if isinstance(counted, AskanceError) else counted)

    def _toggle(self) -> None:
        self.view.setVisible(self.view.isHidden())
        self.show_it.setText(tr("View") if self.view.isHidden() else tr("Close"))
        self.refresh()


# What is stored, by its kind. What blocks raises an AskanceError where a file cannot be used.


def _ledger_entries(around: SettingsContext) -> list[LedgerEntry]:
    """Return what left this computer, the newest first."""
    with around.container() as parts:
        days = parts.settings.ledger.keep_days
        return parts.ledger.entries(datetime.now(UTC) - timedelta(days=days))


def _clear_ledger(around: SettingsContext) -> None:
    with around.container() as parts:
        parts.ledger.clear()


def _ledger_text(entries: list[LedgerEntry]) -> str:
    return plural("{n} request is on record.", "{n} requests are on record.", len(entries))


def _history_size(around: SettingsContext) -> int:
    """Return the bytes that past conversations take, 0 for none."""
    with around.container() as parts:
        if not parts.history.conversations(1):
            return 0
    return around.folders.history.stat().st_size


def _clear_history(around: SettingsContext) -> None:
    """Forget all conversations, and what was typed and not sent."""
    with around.container() as parts:
        parts.history.delete_all()
    with suppress(OSError):
        around.folders.drafts.unlink(missing_ok=True)


def _history_text(size: int) -> str:
    if not size:
        return tr("No conversations are kept.")
    return tr("Conversations take {size}.", size=size_text(size))


def _cache_contents(around: SettingsContext) -> tuple[int, int]:
    """Return how many pages are stored, and their bytes."""
    with around.container() as parts:
        contents = parts.page_cache.contents()
    return contents.pages, contents.bytes


def _clear_cache(around: SettingsContext) -> None:
    with around.container() as parts:
        parts.page_cache.clear()


def _cache_text(contents: tuple[int, int]) -> str:
    pages, size = contents
    if not pages:
        return tr("No pages are kept.")
    counted = plural("{n} page", "{n} pages", pages)
    return tr("{counted}, {size}.", counted=counted, size=size_text(size))


def _crash_reports(around: SettingsContext) -> int:
    return len(reports(around.folders))


def _clear_crash_reports(around: SettingsContext) -> None:
    try:
        delete_reports(around.folders)
    except OSError as exc:
        raise out_of_reach(exc, Message("The crash reports"), around.folders.crashes) from exc


def _crash_reports_text(number: int) -> str:
    if not number:
        return tr("No crash reports.")
    return plural(
        "{n} crash report. None is ever sent.", "{n} crash reports. None is ever sent.", number
    )


_LEDGER = StoredData(_ledger_entries, _clear_ledger, _ledger_text)
HISTORY = StoredData(_history_size, _clear_history, _history_text)
CACHE = StoredData(_cache_contents, _clear_cache, _cache_text)
CRASHES = StoredData(_crash_reports, _clear_crash_reports, _crash_reports_text)
