"""What the pages for models, the library, programs, services and stored data are made of: rows that are looked up beside
the window, changes to them, one job at a time, and a line that says what came of all that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from askance.app.container import Container
from askance.domain.errors import AskanceError
from askance.presentation.i18n import tr, translated
from askance.ui.design import tokens
from askance.ui.design.composing import Button, style
from askance.ui.design.controls import ProgressLine
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look
from askance.ui.engine.bridge import OnProgress, PendingCalls
from askance.ui.settings.context import SettingsContext, progress_of
from askance.ui.settings.controls import Control

LIST, CHANGE, JOB = "list", "change", "job"
"""The names of the calls: what looks the rows up, a change to them, the job."""
_Rows = TypeVar("_Rows")
Work = Callable[[Any, OnProgress], Coroutine[Any, Any, Any]]


class ListPage(Control):
    """Looks up, changes and runs a job beside the window; `state` says how that went.

    Changes are made one after the other, and the rows are looked up after the last of them. A page with a
    job (`has_job`) has `line`, its progress, and `stop`, which cancels it.
    """

    is_wide = True
    is_group = True
    has_job = False
    tones = (TextStyle.HELP, TextStyle.PROBLEM)
    """How what is reported looks, and an error."""

    def __init__(self, look: Look, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._context = context
        self._calls = self._job_calls = PendingCalls(context.chores, self)
        self._changes: deque[Callable[[Container], str]] = deque()
        self.state = StyledLabel(look, self.tones[0], parent=self)
        self.state.hide()
        if self.has_job:
            self.line = ProgressLine(look, self)
            self.stop = Button(look, tr("Cancel"), self)

    @property
    def is_working(self) -> bool:
        """Whether the job is under way."""
        return self._job_calls.is_under_way(JOB)

    @property
    def is_busy(self) -> bool:
        """Whether anything is under way."""
        return any(map(self._calls.is_under_way, (LIST, CHANGE, JOB)))

    def show_state(self, result: str | AskanceError) -> None:
        """Say how it stands, or what is wrong."""
        self.state.show_text(translated(result), self.tones[isinstance(result, AskanceError)])

    def report(self, result: str | AskanceError, tone: TextStyle | None = None) -> None:
        """Say what came of something in this tone or the page's, and announce it."""
        self.show_state(result)
        if tone is not None:
            self.state.show_text(translated(result), tone)
        announce(self, self.state.text())

    # Rows

    def look_up(self, work: Callable[[Container], _Rows], show: Callable[[_Rows], None]) -> None:
        """Read rows in a thread, and show them. Where they are being changed, that looks them up later."""

        def then(found: _Rows | AskanceError) -> None:
            if isinstance(found, AskanceError):
                self.show_state(found)
            else:
                show(found)

        if not self._calls.is_under_way(CHANGE):
            self._calls.in_thread(LIST, lambda: self.with_container(work), then)

    def change(self, work: Callable[[Container], str]) -> None:
        """Change rows in a thread; `work` returns what is reported then."""
        self._changes.append(work)
        if not self._calls.is_under_way(CHANGE):
            self._change_next()

    def _change_next(self) -> None:
        work = self._changes.popleft()
        # What was read before it would show what is no longer so.
        self._calls.give_up(LIST)

        def then(result: str | AskanceError) -> None:
            self.report(result)
            if self._changes:
                self._change_next()
            else:
                self.refresh()

        self._calls.in_thread(CHANGE, lambda: self.with_container(work), then)

    def with_container(self, work: Callable[[Container], _Rows]) -> _Rows:
        """Do something in a container of its own. It blocks."""
        with self._context.container() as parts:
            return work(parts)

    # The job

    def run_job(
        self,
        work: Work,
        message: str,
        then: Callable[[Any], None],
        calls: PendingCalls | None = None,
    ) -> None:
        """Run a job, in chores unless `calls` lead elsewhere; `then` gets its result or its `AskanceError`."""

        def ended(result: Any) -> None:
            self.line.set_fraction(None)
            # Before `then`, which may begin the next job, or hide what gets the focus here.
            self.show_working()
            then(result)

        # The rows as they were before the job would be shown over what it says.
        self._calls.give_up(LIST)
        self._job_calls = calls or self._calls
        self._job_calls.follow(JOB, work, self._show_progress, ended)
        self.show_state(message)
        self.show_working()

    def cancel_job(self) -> None:
        """Give the job up."""
        self._job_calls.give_up(JOB)
        self.line.set_fraction(None)
        self.show_working()

    def show_working(self) -> None:
        """Offer to cancel the job while it is under way, and then nothing that would begin another one."""
        is_working, had_focus = self.is_working, self.stop.hasFocus()
        self.set_working(is_working)
        if had_focus and not is_working:
            # Before what has the focus is hidden, which would send it elsewhere.
            self.main.setFocus(Qt.FocusReason.OtherFocusReason)
        self.stop.setVisible(is_working)

    def set_working(self, is_working: bool) -> None:
        """Enable what can be done while the job is under way or not."""

    def progress_text(self, text: str) -> str:
        """Return what is shown of the job's progress, of which `text` says how far it is."""
        return text

    def _show_progress(self, step: Any) -> None:
        text, fraction = progress_of(step)
        self.show_state(self.progress_text(text))
        self.line.set_fraction(fraction)


class ReadOnlyText(QPlainTextEdit):
    """Text of several lines that can be read and copied, `lines` of them at once."""

    def __init__(self, look: Look, name: str, lines: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setProperty("field", True)
        self.setTabChangesFocus(True)
        self.setAccessibleName(name)
        style(self, look, font=tokens.LABEL_TEXT, height=tokens.SMALL_LINE * lines)

    def show_text(self, text: str) -> None:
        """Show a text; the same one again leaves the cursor and the scroll bar where they are."""
        if text != self.toPlainText():
            self.setPlainText(text)
