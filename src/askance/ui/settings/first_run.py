"""The first page: what is there, what a click fixes, and a way to try it without any of that."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QPushButton, QWidget

from askance.app.checks.first_steps import (
    CheckResult,
    Trials,
    look_at_model,
    look_at_reader,
    look_at_search,
    main_step,
)
from askance.domain.errors import AskanceError, SettingsError
from askance.domain.messages import FixAction, FixKind
from askance.domain.ports.containers import ComposeProgress
from askance.domain.ports.model import PullStep
from askance.presentation.i18n import tr, translated
from askance.ui.bridge import OnProgress, PendingCalls
from askance.ui.design import theme
from askance.ui.design.composing import Button, Composite, column_of, row_of, style
from askance.ui.design.controls import HotkeyField, ProgressLine
from askance.ui.design.drawing import IconLabel
from askance.ui.design.focus import announce, closes, press_with_enter
from askance.ui.design.frame import Frame
from askance.ui.design.labels import Hairline, StyledLabel, TextStyle
from askance.ui.design.theme import Look
from askance.ui.settings.row_controls import SwitchControl
from askance.ui.settings.settings_jobs import SettingsContext, progress_of
from askance.ui.settings.source import written

_NAME_WIDTH = 120
_SIGN = 16
_HEIGHT = 46


def make_primary(button: QPushButton, *, is_primary: bool) -> None:
    """Let a button be the one that stands out, or one of the others."""
    if bool(button.property("primary")) is not is_primary:
        button.setProperty("primary", is_primary)
        # A style sheet looks at a property only when a widget is polished.
        button.style().polish(button)


class PartRow(Composite):
    """One part: whether it is well, how it is, and buttons that fix it, which it reports when they are pressed."""

    pressed = Signal(object)
    """The `FixAction` that is wanted."""
    stopped = Signal()

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.finding: CheckResult | None = None
        self._is_busy = False
        self.sign = IconLabel(look, _SIGN, parent=self)
        self.name = StyledLabel(look, TextStyle.LABEL, name, self)
        style(self.name, look, width=_NAME_WIDTH)
        style(self, look, min_height=_HEIGHT)
        self.status_label = StyledLabel(look, TextStyle.LEAD, tr("Checking"), self)
        self.more = StyledLabel(look, TextStyle.HELP, parent=self)
        self.line = ProgressLine(look, self)
        self.button, self.other = Button(look, parent=self), Button(look, parent=self)
        """The first way, or what stops it; and the second."""
        self.button.clicked.connect(partial(self._press, 0))
        self.other.clicked.connect(partial(self._press, 1))
        # In the middle by what is around them: with an alignment Qt gives texts that wrap too little.
        texts = column_of(look, None, self.status_label, self.more, self.line, None, gap=2)
        buttons = column_of(look, self.button, self.other)
        for button in (self.button, self.other):
            button.hide()
        parts, margins = (self.sign, self.name, texts, buttons), (0, 8, 0, 8)
        self.row = row_of(look, *parts, gap=theme.SPACE_M, margins=margins)
        self.row.setStretch(2, 1)
        for part in (self.sign, self.name):
            self.row.setAlignment(part, Qt.AlignmentFlag.AlignVCenter)
        self.row.setAlignment(buttons, Qt.AlignmentFlag.AlignVCenter)
        self.setLayout(self.row)
        self.more.hide()
        self.line.hide()

    def show_finding(self, found: CheckResult) -> None:
        """Show how the part is, and a button for each way to fix it: two at most."""
        self.finding, self._is_busy = found, False
        self.status_label.show_text(translated(found.message))
        self.more.show_text(translated(found.more))
        self.line.hide()
        for at, button in enumerate((self.button, self.other)):
            label = translated(found.actions[at].label) if at < len(found.actions) else ""
            button.setVisible(bool(label))
            button.setEnabled(True)
            self._name_button(button, label)
            # `point_out` chooses among all rows once each of them is known.
            make_primary(button, is_primary=False)
        self.sign.set_icon(*(("check", "accent") if found.is_well else ("attention", "amber")))
        text = self.status_label.text()
        self.status_label.setAccessibleName(
            text if found.is_well else tr("Attention: {says}", says=text)
        )

    def point_out(self, step: FixKind | None) -> QPushButton | None:
        """Let the button of this step stand out, where there is one. Return it."""
        steps = self.finding.steps if self.finding is not None and not self._is_busy else []
        found = None
        for at, button in enumerate((self.button, self.other)):
            is_primary = steps[at : at + 1] == [step]
            make_primary(button, is_primary=is_primary)
            found = button if is_primary else found
        return found

    def show_work(self, message: str, fraction: float | None = None) -> None:
        """Show what is being done about it; the button gives it up."""
        self.status_label.show_text(message)
        if not self._is_busy:
            self._is_busy = True
            self.more.show_text("")
            make_primary(self.button, is_primary=False)
            self._name_button(self.button, tr("Stop"))
            self.button.show()
            if self.other.hasFocus():
                self.button.setFocus()
            # Not hidden: the button that stops would move to where it was pressed.
            self.other.setEnabled(False)
            announce(self, message)
        self.line.setVisible(fraction is not None)
        self.line.set_fraction(fraction)

    def show_problem(self, problem: str) -> None:
        """Show why what was tried did not work; it can be tried again."""
        if self.finding is not None:
            self.show_finding(self.finding)
        self.status_label.show_text(problem)
        announce(self, problem)

    def _press(self, at: int) -> None:
        if self._is_busy:
            self.stopped.emit()
        elif self.finding is not None and at < len(self.finding.actions):
            self.pressed.emit(self.finding.actions[at])

    def _name_button(self, button: QPushButton, label: str) -> None:
        button.setText(label)
        button.setAccessibleName(f"{self.name.text()}: {label}")


_MODEL, _SEARCH, _READER, _HOTKEY = "model", "search", "reader", "hotkey"
_WIDTH = 720
_KEYS_WIDTH = 130
_ASKING = (0, 10, 0, 0)


def _failed(problem: AskanceError) -> CheckResult:
    return CheckResult("", ok=False, message=problem.message)


class FirstRun(Frame):
    """The card of the first page. It looks at each part beside the window, and does nothing without a click.

    `open_page` opens a web page in the browser, and returns why it could not, empty if it could.
    """

    sample_requested = Signal()
    """It is to be tried on the sample web."""
    dismissed = Signal()
    """Later."""
    changed = Signal(object)
    """The `Settings` in force after something was fixed: the parts are to be opened anew."""
    hotkey_recording = Signal(bool)
    """Whether a combination is being pressed here."""

    def __init__(
        self, look: Look, context: SettingsContext, open_page: Callable[[str], str]
    ) -> None:
        super().__init__(look)
        self._context, self._open_page = context, open_page
        self._calls = PendingCalls(context.bridge, self)
        self._chores = PendingCalls(context.chores, self)
        self._trials = Trials()
        # What has the focus unless the user moves it: the main button. Before that is known, Enter does nothing.
        self._main: QWidget = self
        self.setWindowTitle(tr("Welcome"))
        self._mark = IconLabel(look, 24, "mark", "accent", self)
        introduction = tr(
            "Searches the web, checks twice, and answers with sources. The model runs on "
            "this computer; only search queries and visits to pages leave it."
        )
        around = (0, 6, 0, 14)
        self._about = StyledLabel(look, TextStyle.LEAD, introduction, self, margins=around)
        names = {
            _MODEL: tr("Model"),
            _SEARCH: tr("Search"),
            _READER: tr("Page reader"),
            _HOTKEY: tr("Hotkey"),
        }
        self.rows = {part: PartRow(look, name, self) for part, name in names.items()}
        self.keys = HotkeyField(look, self, size=theme.SMALL_TEXT, width=_KEYS_WIDTH)
        self.updates = SwitchControl(look)
        self._asks_updates = StyledLabel(
            look,
            TextStyle.HELP,
            tr("Ask GitHub once a week whether there is a new version; nothing is installed."),
            self,
        )
        self.sample = Button(look, tr("Try it on the sample web"), self, self.sample_requested)
        self.again = Button(look, tr("Check again"), self, self.refresh)
        self.later = Button(look, tr("Later"), self, self.dismissed)
        self._lay_out()
        self._connect()
        self._restyle()

    def _restyle(self) -> None:
        margins = self.shadow_margins
        self.setFixedWidth(self.look.px(_WIDTH) + margins.left() + margins.right())

    def showEvent(self, event: Any) -> None:
        """Look at everything when the page comes up."""
        super().showEvent(event)
        self._main = self
        self.setFocus()
        self.refresh()

    def event(self, event: QEvent) -> bool:
        """Grow and shrink with what the rows say, and look again when somebody comes back."""
        done = super().event(event)
        if event.type() is QEvent.Type.WindowActivate and self.rows[_MODEL].finding:
            self._look()  # what was missing may have been installed meanwhile
        if event.type() is QEvent.Type.LayoutRequest:
            height = self.contents.totalHeightForWidth(self.width())
            # -1: nothing in it has a height that depends on the width.
            if height not in {-1, self.height()}:
                self.resize(self.width(), height)
                area = self.screen().availableGeometry()
                # A card that grows with what its rows say is pushed up, and not out of the screen.
                lowest = area.top() + area.height() - height
                self.move(self.x(), max(area.top(), min(self.y(), lowest)))
        return done

    def closeEvent(self, event: QCloseEvent) -> None:
        """Take a close by the desktop for later."""
        # `dismissed` shows the overlay, which hides this window: closed at once, it would leave none.
        event.ignore()
        self.dismissed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Escape for later, and press buttons with Enter."""
        if event.key() == Qt.Key.Key_Escape or closes(event):
            self.dismissed.emit()
        elif not press_with_enter(self, event):
            super().keyPressEvent(event)

    def refresh(self) -> None:
        """Look at every part that nothing is being done about, and have the model say a word."""
        # Somebody asks: what the model did a moment ago counts no more.
        self._trials.forget()
        self._look()

    def _look(self) -> None:
        context = self._context
        try:
            settings = context.source.load()
        except SettingsError as exc:
            for row in self.rows.values():
                row.show_finding(_failed(exc))
            return
        services, online = context.services(), context.has_network(settings.search)

        async def model(parts: Any) -> CheckResult:
            return await look_at_model(
                parts, context.source.environment, online=online, trials=self._trials
            )

        async def search(_parts: object) -> CheckResult:
            return await look_at_search(settings, context.folders, services.survey, online=online)

        async def reader(_parts: object) -> CheckResult:
            return await look_at_reader(settings, context.folders, services.survey)

        # The model is asked over the open parts. The others need none, and may take long: they are
        # chores.
        self._look_at(_MODEL, self._calls, model)
        self._look_at(_SEARCH, self._chores, search)
        self._look_at(_READER, self._chores, reader)
        self.keys.set_combination(settings.window.hotkey)
        self.updates.show_value(written(settings.updates.weekly))
        self.show_hotkey()

    def show_hotkey(self, problem: str = "", note: str = "") -> None:
        """Say why the hotkey does not work, with its remedy, or what the desktop says of it."""
        message = problem or note or tr("Press it anywhere to show or hide the window.")
        self.rows[_HOTKEY].show_finding(CheckResult(_HOTKEY, ok=not problem, message=message))

    def _look_at(self, part: str, calls: PendingCalls, work: Any) -> None:
        # What it finds now would be shown over the progress of the fix.
        if self._chores.is_under_way(f"fix {part}"):
            return

        def then(found: CheckResult | AskanceError) -> None:
            if isinstance(found, AskanceError):
                found = _failed(found)
            focused, main = self.focusWidget(), self._main
            self.rows[part].show_finding(found)
            self._point_out()
            # A button that is hidden hands the focus on to what comes next, such as the field that records keys.
            if focused in {None, main} or not focused.isVisibleTo(self):
                self._main.setFocus()

        calls.ask(part, work, then)

    def _point_out(self) -> None:
        """Let one button of the page stand out: what is best done next."""
        model, search = self.rows[_MODEL].finding, self.rows[_SEARCH].finding
        if model is None or search is None:
            return  # not everything was looked at yet
        step = main_step(model, search)
        if step is FixKind.DOWNLOAD_OLLAMA and search.is_well:
            step = (
                FixKind.ASK
            )  # passages can be found already, and the download leads out of the program
        # All of them, not the first that has it: only one button of the page may stand out.
        found = [self.rows[part].point_out(step) for part in (_MODEL, _SEARCH)]
        self.later.setText(tr("Ask a question") if search.is_well else tr("Later"))
        for button, its in ((self.later, FixKind.ASK), (self.sample, FixKind.TRY_SAMPLE)):
            make_primary(button, is_primary=step is its)
            found.append(button if step is its else None)
        self._main = next(filter(None, found), self._main)

    def _apply_fix(self, part: str, way: FixAction) -> None:
        """Do what a row offers."""
        if way.step is FixKind.DOWNLOAD_OLLAMA:
            if problem := self._open_page(way.step.value):
                self.rows[part].show_problem(problem)
            else:
                # It lies above all others, and the page is to be seen. Not minimised: it would
                # lose its place above the overlay.
                self.hide()
            return
        messages = {
            FixKind.START_OLLAMA: tr("Starting Ollama"),
            FixKind.DOWNLOAD_MODEL: tr("Downloading {model}", model=way.model),
            FixKind.START_SERVICES: tr("Checking for Docker or Podman"),
            FixKind.ALLOW_SEARCH: tr("Saving"),
        }
        self._work(
            part,
            lambda _parts, on_progress: self._context.apply_fix(way, on_progress),
            messages[way.step],
        )

    def _work(self, part: str, work: Callable[[Any, OnProgress], Any], message: str) -> None:
        row = self.rows[part]

        def on_progress(step: PullStep | ComposeProgress) -> None:
            how, fraction = progress_of(step)
            # A download says only how far it is; the steps of services name what they do.
            row.show_work(f"{message}: {how}" if isinstance(step, PullStep) else how, fraction)

        def ended(result: object) -> None:
            if isinstance(result, AskanceError):
                row.show_problem(translated(result))
                self._point_out()
            else:
                self._reload()

        row.show_work(message)
        self._chores.follow(f"fix {part}", work, on_progress, ended)

    def _stop(self, part: str) -> None:
        self._chores.give_up(f"fix {part}")
        self.refresh()

    def _choose_hotkey(self, written: str) -> None:
        try:
            self._context.source.write("window.hotkey", written)
        except SettingsError as exc:
            self.rows[_HOTKEY].show_problem(translated(exc))
        else:
            self._reload()

    def _allow_updates(self, text: str) -> None:
        try:
            self.changed.emit(self._context.source.write("updates.weekly", text))
        except SettingsError as exc:
            self.rows[_HOTKEY].show_problem(translated(exc))

    def _reload(self) -> None:
        """Let the parts be opened anew, and look again."""
        try:
            self.changed.emit(self._context.source.load())
        except SettingsError as exc:
            self.rows[_MODEL].show_problem(translated(exc))
            return
        self.refresh()

    def _lay_out(self) -> None:
        look, title = self.look, StyledLabel(self.look, TextStyle.TITLE, "Askance", self)
        inside = column_of(look, gap=0, margins=(30, theme.SPACE_XL, 30, 20))
        head = row_of(look, self._mark, title, gap=theme.SPACE_M, wide=title)
        inside.put(head, self._about)
        for number, part in enumerate(self.rows.values()):
            if number:
                inside.put(Hairline(look, self))
            inside.put(part)
        self.rows[_HOTKEY].row.put(self.keys)
        self.updates.setParent(self)
        self.updates.call(self._asks_updates.text(), "")
        asking = row_of(look, self.updates, self._asks_updates, gap=theme.SPACE_M, margins=_ASKING)
        asking.setStretch(1, 1)
        inside.put(Hairline(look, self), asking)
        above = (0, theme.SPACE_L, 0, 0)
        inside.put(row_of(look, self.sample, None, self.again, self.later, margins=above))
        holder = QWidget(self)
        holder.setLayout(inside)
        self.contents.addWidget(holder)

    def _connect(self) -> None:
        for part, row in self.rows.items():
            row.pressed.connect(partial(self._apply_fix, part))
            row.stopped.connect(partial(self._stop, part))
        self.keys.chosen.connect(self._choose_hotkey)
        self.keys.refused.connect(self.show_hotkey)
        self.keys.listening.connect(self.hotkey_recording)
        self.updates.edited.connect(self._allow_updates)
