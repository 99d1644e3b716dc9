"""The first page: what runs here is found, a click fixes what is missing, and a way to try it without any of that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QPushButton, QWidget

from askance.app.checks.first_steps import CheckResult, Trials, look_at_model, look_at_search
from askance.app.model_offers import OfferedTier, offers, running_servers
from askance.config.choices import Consent
from askance.domain.downloads import FoundServer, ProcessorTrial
from askance.domain.errors import AskanceError, SettingsError
from askance.domain.messages import FixAction, FixKind
from askance.presentation.i18n import tr, translated
from askance.ui.bridge import PendingCalls
from askance.ui.design import theme
from askance.ui.design.composing import (
    Button,
    Composite,
    column_of,
    repeating_timer,
    row_of,
    set_state,
    single_shot_timer,
    style,
)
from askance.ui.design.controls import HotkeyField
from askance.ui.design.drawing import IconLabel
from askance.ui.design.focus import LinkButton, announce, closes, press_with_enter, show_all_of
from askance.ui.design.frame import Frame
from askance.ui.design.labels import Hairline, StyledLabel, TextStyle
from askance.ui.design.lists import scrolling
from askance.ui.design.theme import Look
from askance.ui.settings.download_list import SIGN, DownloadRow, show_rows, sign_row
from askance.ui.settings.model_cards import ChoiceCard, ModelCards
from askance.ui.settings.settings_jobs import SettingsContext
from askance.ui.settings.waiting_questions import WaitingChip, WaitingQuestions

_HEIGHT = 48
# What is left of the page beside sign, name and gaps.
_WORDS_AND_BUTTONS = 510
_USUAL_ENGINES = 5


class PartRow(Composite):
    """One part: whether it is well, how it is, and a button that fixes it, which it reports when it is pressed.

    Where public engines are asked, the other ways to search unfold below.
    """

    pressed = Signal(object)
    """The `FixAction` that is wanted."""

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.finding: CheckResult | None = None
        self.is_busy = False
        self._actions: list[FixAction] = []
        self.sign = IconLabel(look, SIGN, parent=self)
        self.name = StyledLabel(look, TextStyle.LABEL, name, self)
        style(self, look, min_height=_HEIGHT)
        self.status_label = StyledLabel(look, TextStyle.LEAD, tr("Checking"), self)
        self.ways = LinkButton(self, tr("Other ways"), self._unfold)
        self.ways.setProperty("link", True)
        style(self.ways, look, font=theme.SMALL_TEXT)
        self.more = StyledLabel(look, TextStyle.HELP, parent=self)
        self.button, self.other = self._buttons = tuple(
            Button(look, parent=self, then=partial(self._press, at)) for at in range(2)
        )
        """The best way, and the second."""
        self._state_row = row_of(look, self.status_label, self.ways, None, gap=theme.SPACE_XS)
        # In the middle by what is around them: with an alignment Qt gives texts that wrap too little.
        texts = column_of(look, None, self._state_row, self.more, None, gap=2)
        buttons = column_of(look, *self._buttons)
        # What parts it from what stands above.
        self.rule = Hairline(look, self)
        self.row = sign_row(look, self.sign, self.name, texts, buttons)
        self.setLayout(column_of(look, self.rule, self.row, gap=0))
        for hidden in (*self._buttons, self.ways, self.more):
            hidden.hide()

    def show_finding(self, found: CheckResult) -> None:
        """Show how the part is, and a button for each way to fix it: two at most."""
        self.finding, self.is_busy = found, False
        self._actions = list(found.actions)
        text, more = translated(found.message), translated(found.more)
        if found.engines:
            # What needs nothing else stands in front; the program of one's own is another way.
            self._actions.sort(key=lambda action: action.step is not FixKind.ALLOW_SEARCH)
            if found.ok:
                more = "\n".join(filter(None, (text, more)))
            text = tr("Asks public engines from this computer.")
            if found.engines == _USUAL_ENGINES:
                text = tr("Asks five public engines from this computer.")
        self.more.show_text(more)
        self.more.setHidden(bool(found.engines) or not more)
        is_in_front = any(action.step is FixKind.ALLOW_SEARCH for action in self._actions)
        for at, button in enumerate(self._buttons):
            label = translated(self._actions[at].label) if at < len(self._actions) else ""
            is_folded = bool(found.engines) and (at == 1 or not is_in_front)
            if label and not is_folded:
                button.show()
            else:
                _put_away(button)
            button.setText(label)
            button.setAccessibleName(f"{self.name.text()}: {label}")
        # Once the width of the button is known.
        self._show_text(text, has_ways=bool(found.engines and (more or self._actions)))
        self.sign.set_icon(*(("check", "accent") if found.is_well else ("attention", "amber")))
        spoken = text if found.is_well else tr("Attention: {says}", says=text)
        self.status_label.setAccessibleName(spoken)

    def show_checking(self) -> None:
        """Show that nothing is known of it now."""
        self.finding, self.is_busy, self._actions = None, False, []
        _put_away(self.more, *self._buttons)
        self.sign.set_icon("", "ink_3")
        self._show_text(tr("Checking"))

    def show_work(self, message: str) -> None:
        """Show what is being done about it; until that has ended its buttons do nothing."""
        self.is_busy = True
        self._show_text(message)
        announce(self, message)

    def show_problem(self, problem: str) -> None:
        """Show why what was tried did not work; it can be tried again."""
        self.is_busy = False
        if self.finding is not None:
            self.show_finding(self.finding)
        self._show_text(problem)
        announce(self, problem)

    def _show_text(self, text: str, *, has_ways: bool = False) -> None:
        self.status_label.show_text(text)
        self.ways.setVisible(has_ways)
        needed = self.status_label.fontMetrics().horizontalAdvance(text)
        taken = self.ways.sizeHint().width() + self.button.sizeHint().width()
        wraps = not has_ways or needed + taken > self.look.px(_WORDS_AND_BUTTONS)
        # The link stands behind the last word, unless the words need all of the line.
        self.status_label.setWordWrap(wraps)
        self._state_row.setStretch(0, int(wraps))
        self._state_row.setStretch(2, int(not wraps))

    def _unfold(self) -> None:
        self.more.setVisible(self.more.isHidden() and bool(self.more.text()))
        for button, _action in zip(self._buttons, self._actions, strict=False):
            button.show()

    def _press(self, at: int) -> None:
        # Not grey meanwhile: a button that is would hand the focus on.
        if not self.is_busy and at < len(self._actions):
            self.pressed.emit(self._actions[at])


def _put_away(*parts: QWidget) -> None:
    for part in parts:
        # With the focus it would hand that on to what comes next, such as the field that records keys.
        part.clearFocus()
        part.hide()


_MODEL, _SEARCH, _HOTKEY = "model", "search", "hotkey"
_WIDTH = 720
_KEYS_WIDTH = 110
_LOOK_AGAIN_MS = 3000
"""Ports of this machine are asked anew so often while the page is open and no model is there."""


def _failed(problem: AskanceError) -> CheckResult:
    return CheckResult("", ok=False, message=problem.message)


class FirstRun(Frame):
    """The card of the first page. It looks at each part beside the window, and does nothing without a click.

    One button is the main one: it has the focus, Enter presses it, and behind each step the next one takes
    its place. `open_page` opens a web page in the browser, and returns why it could not, empty if it could.
    """

    sample_requested = Signal()
    """It is to be tried on the sample web."""
    dismissed = Signal()
    """A question is to be asked, with a model or without."""
    changed = Signal(object)
    """The `Settings` in force after something was fixed: the parts are to be opened anew."""
    hotkey_recording = Signal(bool)
    """Whether a combination is being pressed here."""
    services_wanted = Signal()
    """The containers are to be started, where that can be watched."""

    def __init__(
        self, look: Look, context: SettingsContext, open_page: Callable[[str], str]
    ) -> None:
        super().__init__(look)
        self._context, self._open_page = context, open_page
        self._calls = PendingCalls(context.bridge, self)
        self._chores = PendingCalls(context.chores, self)
        self._trials = Trials()
        self._servers: tuple[FoundServer, ...] = ()
        self._trial: ProcessorTrial | None = None
        self._has_looked = self._wants_choice = False
        # What has the focus unless the user moves it: the main button. Before that is known, Enter does nothing.
        self._main: QWidget = self
        self.setWindowTitle(tr("Welcome"))
        names = {_MODEL: tr("Model"), _SEARCH: tr("Search"), _HOTKEY: tr("Hotkey")}
        self.rows = {part: PartRow(look, name, self) for part, name in names.items()}
        self.choice = ModelCards(look, self)
        self.downloads: dict[str, DownloadRow] = {}
        self._download_rows = column_of(look, gap=0)
        self.chips: list[WaitingChip] = []
        self._waiting = column_of(look, gap=theme.SPACE_XS)
        self.keys = HotkeyField(look, self, size=theme.SMALL_TEXT, width=_KEYS_WIDTH)
        self.sample = Button(look, tr("Try a demo"), self, self.sample_requested)
        self.later = Button(look, tr("Ask without a model"), self, self.dismissed)
        # Cards that wrap know their height only once they have their width.
        self._refit = single_shot_timer(self, self._fit)
        self._again = repeating_timer(self, _LOOK_AGAIN_MS, self._look_for_servers)
        self._inside = QWidget()
        self.area = scrolling(look, self._inside, self)
        self.contents.addWidget(self.area)
        self._lay_out()
        self._connect()
        self._restyle()

    def _restyle(self) -> None:
        margins = self.shadow_margins
        self.setFixedWidth(self.look.px(_WIDTH) + margins.left() + margins.right())

    def sizeHint(self) -> QSize:
        """Return the size at which nothing scrolls, or the height of the screen where that is less."""
        paper, margins = self.look.px(_WIDTH), self.shadow_margins
        layout = self._inside.layout()
        assert layout is not None
        height = layout.totalHeightForWidth(paper) + margins.top() + margins.bottom()
        return QSize(self.width(), min(height, self.screen().availableGeometry().height()))

    def showEvent(self, event: Any) -> None:
        """Look at everything when the page comes up."""
        self._fit()
        super().showEvent(event)
        self._main = self
        self.setFocus()
        self._again.start()
        self.refresh()

    def hideEvent(self, event: Any) -> None:
        """Ask no port any more."""
        super().hideEvent(event)
        self._again.stop()
        self._wants_choice = False

    def choose_model(self) -> None:
        """Show what there is to use or to download, although a model is there."""
        self._wants_choice = True
        self._look_for_servers()
        self._point_out()

    def show_waiting(self, questions: WaitingQuestions) -> None:
        """Show the questions that wait for a model, for as long as they do."""

        def show() -> None:
            for chip in self.chips:
                self._waiting.drop(chip)
            self.chips = [
                WaitingChip(self.look, asked, partial(questions.drop, asked), self)
                for asked in questions.held
            ]
            self._waiting.put(*self.chips)
            # What waits stands in its place.
            self.sample.setHidden(bool(self.chips))

        questions.changed.connect(show)
        show()

    def event(self, event: QEvent) -> bool:
        """Look again when somebody comes back: what was missing may have been installed meanwhile."""
        if event.type() is QEvent.Type.WindowActivate and self.rows[_MODEL].finding:
            self._look()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - Qt's interface
        """Grow and shrink with what the rows say."""
        if event.type() is QEvent.Type.LayoutRequest:
            self._refit.start()
        return False

    def _fit(self) -> None:
        """Be as high as what the rows say, if the screen is."""
        size = self.sizeHint()
        if size != self.size():
            # A fixed one: desktops that tile windows leave it at that.
            self.setFixedHeight(size.height())
            area = self.screen().availableGeometry()
            # A card that grows with what its rows say is pushed up, and not out of the screen.
            lowest = area.top() + area.height() - size.height()
            self.move(self.x(), max(area.top(), min(self.y(), lowest)))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Take a close by the desktop for later."""
        # `dismissed` shows the overlay, which hides this window: closed at once, it would leave none.
        event.ignore()
        self.dismissed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Escape for later, press buttons with Enter, and on a card what the card is for."""
        main = self.choice.main
        is_card = isinstance(self.focusWidget(), ChoiceCard)
        if is_card and main is not None and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            main.click()
        elif event.key() == Qt.Key.Key_Escape or closes(event):
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
        environment = context.source.environment

        async def model(parts: Any) -> CheckResult:
            return await look_at_model(parts, environment, online=online, trials=self._trials)

        async def search(_parts: object) -> CheckResult:
            return await look_at_search(settings, context.folders, services.survey, online=online)

        # The model is asked over the open parts. The search needs none, and may take long: a chore.
        self._look_at(_MODEL, self._calls, model)
        self._look_at(_SEARCH, self._chores, search)
        self.keys.set_combination(settings.window.hotkey)
        self.show_hotkey()

    def _look_for_servers(self) -> None:
        """Ask the ports of this machine, and once how fast its processor is, where no model is there."""
        context, environment = self._context, self._context.source.environment
        model = self.rows[_MODEL].finding
        # Who has a model needs no other, unless one is to be chosen.
        needs = model is not None and (self._wants_choice or not model.is_well)
        if not needs or self._chores.is_under_way("servers"):
            return

        async def work(_parts: object) -> Any:
            servers = await running_servers(context.folders, environment, context.find_servers)
            trial = self._trial if self._has_looked else await context.try_processor()
            return servers, trial, await offers(context.folders, servers, trial)

        def then(found: Any) -> None:
            if isinstance(found, AskanceError):
                return
            self._servers, self._trial, offered = found
            self._has_looked = True
            self.choice.show_choices(self._servers, offered)
            self._point_out()

        self._chores.ask("servers", work, then)

    def show_hotkey(self, problem: str = "", note: str = "") -> None:
        """Say why the hotkey does not work, with its remedy, or what the desktop says of it."""
        message = problem or note or tr("Shows or hides Askance from anywhere.")
        self.rows[_HOTKEY].show_finding(CheckResult(_HOTKEY, ok=not problem, message=message))

    def _look_at(self, part: str, calls: PendingCalls, work: Any) -> None:
        # What it finds now would be shown over what is being done about it.
        if self.rows[part].is_busy:
            return

        def then(found: CheckResult | AskanceError) -> None:
            if isinstance(found, AskanceError):
                found = _failed(found)
            self.rows[part].show_finding(found)
            self._point_out()
            if part == _MODEL:
                self._look_for_servers()

        calls.ask(part, work, then)

    def _show_model(self) -> bool:
        """Show the model's row, its downloads, or what there is to choose; return whether that is a choice."""
        finding, entries = self.rows[_MODEL].finding, self._context.downloads.entries
        show_rows(self.look, self._context.downloads, self.downloads, self._download_rows)
        is_well = finding is not None and finding.is_well
        lacks = finding is not None and (self._wants_choice or not is_well)
        chooses = lacks and not entries and self._has_looked
        # Where nothing was chosen yet, the cards say all that is to be said of the model.
        is_default = not self._context.source.names_model()
        is_busy = self.rows[_MODEL].is_busy
        self.rows[_MODEL].setVisible(not entries and (not chooses or not is_default or is_busy))
        self.choice.setVisible(chooses and not is_busy)
        self.rows[_MODEL].rule.setVisible(chooses and not is_busy)
        return chooses

    def _point_out(self) -> None:
        """Let one button of the page stand out: what is best done next. It gets the focus."""
        focused, before = self.focusWidget(), self._main
        chooses = self._show_model()
        model, search = self.rows[_MODEL].finding, self.rows[_SEARCH].finding
        if model is None or search is None:
            # Not everything was looked at yet: until then Enter does nothing.
            if focused and not focused.isVisibleTo(self):
                self.setFocus()
            return
        is_active = any(entry.is_active for entry in self._context.downloads.entries)
        with_model = tr("Ask a question") if model.is_well else tr("Ask without a model")
        self.later.setText(tr("Hide") if is_active else with_model)
        main = self._next_main(chooses, search)
        for button in self.findChildren(Button):
            set_state(button, "primary", is_on=button is main)
        self._main = main
        if focused in {None, self, before} or not focused.isVisibleTo(self):
            self._focus_main()

    def _focus_main(self) -> None:
        self._main.setFocus()
        show_all_of(self._main)

    def _next_main(self, chooses: bool, search: CheckResult) -> QPushButton:
        """Return the button of what is best done next."""
        if chooses and not self.choice.isHidden() and self.choice.main is not None:
            return self.choice.main
        for entry in self._context.downloads.entries:
            if not entry.is_active:
                return self.downloads[entry.key].button
        row = self.rows[_SEARCH]
        if not search.is_well and search.actions and not row.is_busy:
            return row.button
        return self.later

    def _help(self, part: str, way: FixAction) -> None:
        """Do what a row offers."""
        match way.step:
            case FixKind.DOWNLOAD_OLLAMA:
                if problem := self._open_page(way.step.value):
                    self.rows[part].show_problem(problem)
                else:
                    # It lies above all others, and the page is to be seen. Not minimised: it would
                    # lose its place above the overlay.
                    self.hide()
            case FixKind.DOWNLOAD_MODEL:
                self._context.downloads.pull(way.model)
            case FixKind.START_SERVICES:
                self.services_wanted.emit()
            case FixKind.ALLOW_SEARCH:
                self._write(part, {"search.in_process": Consent.GIVEN})
            case _:
                self._start_ollama()

    def _start_ollama(self) -> None:
        row = self.rows[_MODEL]

        def then(result: object) -> None:
            if isinstance(result, AskanceError):
                row.show_problem(translated(result))
                self._point_out()
            else:
                # The parts are opened anew, with the settings as they are.
                self._write(_MODEL, {})

        row.show()
        row.show_work(tr("Starting Ollama"))
        self._chores.ask("start", lambda _parts: self._context.start_ollama(), then)

    def _download(self, offered: OfferedTier) -> None:
        by_ollama = any(s.program == "Ollama" and s.is_running for s in self._servers)
        self._context.downloads.download(offered.tier, by_ollama=by_ollama)

    def _write(self, part: str, values: Mapping[str, str]) -> None:
        row = self.rows[part]
        try:
            settings = self._context.source.write_all(values)
        except SettingsError as exc:
            row.show()
            row.show_problem(translated(exc))
        else:
            self.changed.emit(settings)
            self._look_anew()

    def _choose_hotkey(self, written: str) -> None:
        self._write(_HOTKEY, {"window.hotkey": written})

    def _look_anew(self) -> None:
        """Look again after something has changed; loading another model takes a while, in which the old one counts no more."""
        self._wants_choice = False
        self.rows[_MODEL].show_checking()
        self._point_out()
        if self.isVisible():
            self.refresh()

    def _lay_out(self) -> None:
        look, inside = self.look, column_of(self.look, gap=0, margins=(24, 22, 24, 20))
        mark = IconLabel(look, 24, "mark", "accent")
        title = StyledLabel(look, TextStyle.TITLE, "Askance")
        introduction = tr(
            "Answers from the web, with sources. Only searches and page requests leave this "
            "computer."
        )
        about = StyledLabel(look, TextStyle.LEAD, introduction, margins=(0, 6, 0, 10))
        head = row_of(look, mark, title, gap=10, wide=title)
        inside.put(head, about, self.choice, self._download_rows)
        for part, row in self.rows.items():
            # The first row of all has no line above it.
            inside.put(row)
            row.rule.setVisible(part is not _MODEL)
        self.rows[_HOTKEY].row.put(self.keys)
        above = (0, theme.SPACE_L, 0, 0)
        # A question that waits stands where the demo was offered, and gives way before the button.
        waiting = row_of(look, self.sample, self._waiting, None)
        inside.put(Hairline(look), row_of(look, waiting, self.later, margins=above))
        self.choice.hide()
        self._inside.setLayout(inside)
        self._inside.installEventFilter(self)

    def _connect(self) -> None:
        for part, row in self.rows.items():
            row.pressed.connect(partial(self._help, part))
        self.keys.chosen.connect(self._choose_hotkey)
        self.keys.refused.connect(self.show_hotkey)
        self.keys.listening.connect(self.hotkey_recording)
        choice, downloads = self.choice, self._context.downloads
        choice.use_wanted.connect(partial(self._write, _MODEL))
        choice.start_wanted.connect(self._start_ollama)
        choice.tier_wanted.connect(self._download)
        choice.main_changed.connect(self._point_out)
        choice.main_changed.connect(self._focus_main)
        downloads.changed.connect(self._point_out)
        downloads.arrived.connect(self._look_anew)
