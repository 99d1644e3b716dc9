"""What is installed and stored on this computer: the containers, started and stopped; what is
stored, looked at and forgotten; new versions, which this page asks for only when its button is pressed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout

from askance import __version__
from askance.app.container import Container
from askance.config.diagnostics import delete_reports, reports
from askance.config.folders import out_of_reach
from askance.domain.characters import one_line
from askance.domain.errors import AskanceError
from askance.domain.events import LedgerEntry, Sending
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.containers import (
    MISSING,
    READER,
    READER_NET,
    RUNNING,
    SEARCH_GATEWAY,
    SEARXNG,
    SERVER,
    Health,
    ServiceState,
    Survey,
)
from askance.domain.updates import UpdateState
from askance.presentation.i18n import (
    duration,
    plural,
    size_text,
    term,
    tr,
    translated,
    without_backticks,
)
from askance.system.installation import find_installation
from askance.ui.bridge import LongJob, OnProgress
from askance.ui.design import theme
from askance.ui.design.composing import Button, FlowLayout, row_of, style
from askance.ui.design.controls import ConfirmButton
from askance.ui.design.drawing import IconLabel
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look
from askance.ui.settings.settings_jobs import CHANGE, LIST, ListPage, ReadOnlyText, SettingsContext

_NAMES = {
    SEARXNG: "SearXNG",
    SEARCH_GATEWAY: term("SearXNG's gateway"),
    READER: term("Page reader"),
    READER_NET: term("Page reader's network"),
    SERVER: term("Server for other programs"),
}
_HEALTH = {
    Health.HEALTHY: term("running"),
    Health.NONE: term("running"),
    Health.STARTING: term("starting"),
    Health.UNHEALTHY: term("running, but unhealthy"),
}

_SIGN = 16


class ServicesControl(ListPage):
    """A line a service. The steps of starting are shown while it goes on."""

    has_job = True
    moved = Signal()
    """The services were started or stopped: the parts that use them must be opened anew."""

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look, context)
        self.lines: list[tuple[IconLabel, StyledLabel, StyledLabel]] = []
        """Of each service its sign, its name and how it is."""
        self.up = Button(look, tr("Start"), self, self.begin)
        self.down = Button(look, tr("Stop"), self, self._end)
        self.again = Button(look, tr("Check again"), self, self.refresh)
        self._grid = style(QGridLayout(), look, gap=theme.SPACE_M, gap_down=theme.SPACE_S)
        self._grid.setColumnStretch(2, 1)
        buttons = FlowLayout(look, self.up, self.down, self.stop, self.again)
        self.stack(self._grid, self.state, self.line, buttons)
        self.stop.clicked.connect(self.cancel_job)
        self.main = self.up
        # Until it is known what runs, neither could do anything.
        self.up.hide()
        self.down.hide()
        self.show_working()

    def refresh(self) -> None:
        """Ask the engine how the services are."""
        if not self.is_working:
            self.show_state(tr("Checking"))
            self._calls.ask(LIST, self._survey, self._show)

    def begin(self) -> None:
        """Start what is missing, unless something is under way."""
        if self.is_working:
            return

        async def work(_parts: object, on_progress: OnProgress) -> Survey:
            return (await self._context.services().up(on_progress)).survey

        self._run(work, tr("Checking for Docker or Podman"))

    async def _survey(self, _parts: object) -> Survey:
        return await self._context.services().survey()

    def _show(self, survey: Survey | AskanceError) -> None:
        if isinstance(survey, AskanceError):
            self._write(None)
            # Where Docker does not answer nothing can be started or stopped.
            self.up.hide()
            self.down.hide()
            self.state.show_text(translated(survey), TextStyle.NOTE)
            return
        self._write(survey)
        engine = survey.engine
        self.show_state(tr("{name} {version}", name=engine.name, version=engine.version))
        self.up.setText(tr("Start the others") if survey.begun else tr("Start"))
        self.up.setVisible(survey.startable)
        self.down.setVisible(survey.begun)

    def _write(self, survey: Survey | None) -> None:
        for parts in self.lines:
            for part in parts:
                part.setParent(None)  # out of the grid now, and not only once it is deleted
                part.deleteLater()
        self.lines = []
        if survey is None:
            return
        for number, state in enumerate(survey.services):
            is_well, message = _how(survey, state)
            shown = ("check", "accent") if is_well else ("attention", "amber")
            sign = IconLabel(self.look, _SIGN, *shown, self)
            called, tone = tr(_NAMES.get(state.name, state.name)), TextStyle.BODY
            name = StyledLabel(self.look, tone, called, self, wraps=False)
            how = StyledLabel(self.look, tone if is_well else TextStyle.NOTE, message, self)
            for column, part in enumerate((sign, name, how)):
                self._grid.addWidget(part, number, column)
            self.lines.append((sign, name, how))

    def _end(self) -> None:
        async def work(_parts: object, on_progress: OnProgress) -> Survey:
            await self._context.services().down(on_progress)
            return await self._context.services().survey()

        self._run(work, tr("Stopping"))

    def _run(self, work: LongJob, message: str) -> None:
        # The button is disabled meanwhile, which sends the focus anywhere.
        had_focus = self.up.hasFocus() or self.down.hasFocus()
        self.run_job(work, message, self._ended)
        if had_focus:
            self.stop.setFocus(Qt.FocusReason.OtherFocusReason)

    def _ended(self, result: Survey | AskanceError) -> None:
        if isinstance(result, AskanceError):
            self.up.show()
            self.report(result)
        else:
            self._show(result)
            self.report(self.state.text())
        # Also after an error: some of the services may have been started before it.
        self.moved.emit()

    def cancel_job(self) -> None:
        """Give up starting or stopping, and ask how the services are."""
        super().cancel_job()
        self.refresh()

    def set_working(self, is_working: bool) -> None:
        """Begin nothing else meanwhile."""
        for button in (self.up, self.down, self.again):
            button.setEnabled(not is_working)


def _how(survey: Survey, state: ServiceState) -> tuple[bool, str]:
    """Return whether a service is well, and how it is in words."""
    trip = survey.round_trip(state.name)
    if state.state == MISSING:
        return False, tr("not started")
    if state.state != RUNNING:
        reason = f": {translated(Message.term(state.reason))}" if state.reason else ""
        return False, translated(Message.term(state.state)) + reason
    # A container that runs may still not answer: what was asked of it counts more.
    if trip is not None and trip.problem:
        return False, translated(trip.problem)
    health = tr(_HEALTH[state.health])
    where = ", ".join(state.addresses)
    span = duration(trip.ms) if trip is not None else ""
    return state.ok, " · ".join(filter(None, (health, where, span)))


# As many as a person looks through; the command line shows all.
MOST_SHOWN = 2000
_LINES = 10
_WHAT = {
    Sending.QUERY.value: term("query"),
    Sending.PAGE.value: term("page"),
    Sending.MODEL.value: term("model"),
    Sending.LIBRARY.value: term("library"),
    Sending.UPDATE.value: term("update"),
    Sending.MODEL_FILE.value: term("model download"),
}


def text_of(entries: Sequence[LedgerEntry]) -> str:
    """Return the newest entries as lines, with a heading where the day or the occasion is another."""
    lines: list[str] = []
    heading = ""
    for entry in entries[:MOST_SHOWN]:
        at = entry.at.astimezone()
        group = f"{at:%Y-%m-%d}  {one_line(entry.occasion)}"
        # The newest are first, so that entries of one run follow each other.
        if group != heading:
            lines += ["", group] if lines else [group]
            heading = group
        what = tr(_WHAT.get(entry.sending, entry.sending))
        carrier = translated(Message.term(entry.through))
        to = tr("to {host} through {carrier}", host=entry.to, carrier=carrier)
        lines.append(f"    {at:%H:%M:%S}  {what} {one_line(f'{to}: {entry.content}')}")
    if len(entries) > MOST_SHOWN:
        lines += ["", tr("Older ones are not shown.")]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class StoredData:
    """Something that is stored. `read` says how much that is, and what can be looked at of it; both block."""

    read: Callable[[Container], tuple[str, str]]
    clear: Callable[[Container], object]


class StoredDataControl(ListPage):
    """Says how much is stored, and forgets it once that was asked twice."""

    is_wide = False
    is_group = False
    tones = (TextStyle.BODY, TextStyle.NOTE)

    def __init__(self, look: Look, context: SettingsContext, data: StoredData) -> None:
        super().__init__(look, context)
        self._data = data
        offer, question = tr("Delete all…"), tr("Delete permanently?")
        self.forget = ConfirmButton(look, offer, question, tr("Delete"), self)
        self.forget.confirmed.connect(self._forget)
        self.buttons = row_of(look, self.forget)
        self.stacked = self.stack(self.state, self.buttons)
        self.main = self.forget.offer

    def call(self, label: str, about: str) -> None:
        """Say what would be forgotten before each button."""
        self.forget.call(label, about)

    def refresh(self) -> None:
        """Look how much is stored now."""
        self.look_up(self._data.read, self.show_stored)

    def show_stored(self, stored: tuple[str, str]) -> None:
        """Show how much is stored."""
        self.show_state(stored[0])

    def _forget(self) -> None:
        def work(parts: Container) -> tuple[str, str]:
            self._data.clear(parts)
            return self._data.read(parts)

        def then(stored: tuple[str, str] | AskanceError) -> None:
            if isinstance(stored, AskanceError):
                self.show_state(stored)  # it stays: looking anew would take its place
            else:
                self.show_stored(stored)
            announce(self, self.state.text())

        # What was read before it would come in after it, and show what is gone.
        self._calls.give_up(LIST)
        # Not `change`, which would look the amount up a second time.
        self._calls.in_thread(CHANGE, lambda: self.with_container(work), then)


class LedgerControl(StoredDataControl):
    """The record of what left this computer, which can be looked at."""

    is_wide = True

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look, context, _LEDGER)
        self.show_it = Button(look, tr("View"), self, self._toggle)
        self.buttons.insertWidget(0, self.show_it)
        self.view = ReadOnlyText(look, tr("Network activity"), _LINES, self)
        # An entry is a line: wrapped, long addresses would hide where the next begins.
        self.view.setLineWrapMode(ReadOnlyText.LineWrapMode.NoWrap)
        self.view.hide()
        self.stacked.addWidget(self.view)

    def show_stored(self, stored: tuple[str, str]) -> None:
        """Show how many entries there are, and the entries themselves."""
        super().show_stored(stored)
        self.view.show_text(stored[1])

    def show_state(self, result: str | AskanceError) -> None:
        """Show no entries beside an error."""
        super().show_state(result)
        if isinstance(result, AskanceError):
            self.view.show_text("")

    def _toggle(self) -> None:
        self.view.setVisible(self.view.isHidden())
        self.show_it.setText(tr("View") if self.view.isHidden() else tr("Close"))
        self.refresh()


# What is stored, by its kind. What blocks raises an AskanceError where a file cannot be used.


def _read_ledger(parts: Container) -> tuple[str, str]:
    since = datetime.now(UTC) - timedelta(days=parts.settings.ledger.keep_days)
    entries = parts.ledger.entries(since)
    n = len(entries)
    count = plural("{n} request is on record.", "{n} requests are on record.", n)
    return count, text_of(entries)


def _read_history(parts: Container) -> tuple[str, str]:
    if not parts.history.conversations(1):
        return tr("No conversations are kept."), ""
    size = parts.folders.history.stat().st_size
    return tr("Conversations take {size}.", size=size_text(size)), ""


def _clear_history(parts: Container) -> None:
    """Forget all conversations, and what was typed and not sent."""
    parts.history.delete_all()
    # Drafts that cannot be deleted are no failure: the conversations are gone.
    with suppress(OSError):
        parts.folders.drafts.unlink(missing_ok=True)


def _read_cache(parts: Container) -> tuple[str, str]:
    contents = parts.page_cache.contents()
    if not contents.pages:
        return tr("No pages are kept."), ""
    counted = plural("{n} page", "{n} pages", contents.pages)
    return tr("{counted}, {size}.", counted=counted, size=size_text(contents.bytes)), ""


def _read_crash_reports(parts: Container) -> tuple[str, str]:
    n = len(reports(parts.folders))
    some = plural(
        "{n} crash report. None is ever sent.", "{n} crash reports. None is ever sent.", n
    )
    return some if n else tr("No crash reports."), ""


def _clear_crash_reports(parts: Container) -> None:
    try:
        delete_reports(parts.folders)
    except OSError as exc:
        raise out_of_reach(exc, Message("The crash reports"), parts.folders.crashes) from exc


_LEDGER = StoredData(_read_ledger, lambda parts: parts.ledger.clear())
HISTORY = StoredData(_read_history, _clear_history)
CACHE = StoredData(_read_cache, lambda parts: parts.page_cache.clear())
CRASHES = StoredData(_read_crash_reports, _clear_crash_reports)


class UpdatesControl(ListPage):
    """Says whether there is a new version. Only its button asks anybody."""

    is_group = False
    tones = (TextStyle.BODY, TextStyle.NOTE)

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look, context)
        self.how = StyledLabel(look, TextStyle.HELP, parent=self)
        self.how.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.ask = Button(look, tr("Check now"), self, self._ask)
        self.how.hide()
        self.stack(self.state, self.how, row_of(look, self.ask, None))
        self.main = self.ask

    def call(self, label: str, about: str) -> None:
        """Say what the button is about."""
        self.ask.setAccessibleName(f"{label}: {self.ask.text()}")
        self.ask.setAccessibleDescription(about)

    def refresh(self) -> None:
        """Show what is known; nobody is asked."""
        self._look(asks=False)

    def _ask(self) -> None:
        # One press is one request: no second one while the first is under way.
        self.ask.setEnabled(False)
        self.show_state(tr("Checking"))
        self._look(asks=True)

    def _look(self, *, asks: bool) -> None:
        context = self._context

        def update(state: UpdateState) -> Message:
            newer = state.newer(__version__)
            if not newer:
                return NOTHING
            return find_installation(context.source.environment).update_to(newer[0].version)

        async def work(_parts: object) -> tuple[UpdateState, Message]:
            checker = context.updates()
            # Nobody is asked by looking at the page (decision 58).
            state = await checker.now() if asks else checker.state
            return state, await asyncio.to_thread(update, state)

        def then(found: tuple[UpdateState, Message] | AskanceError) -> None:
            self.ask.setEnabled(True)
            how = ""
            if isinstance(found, AskanceError):
                self.show_state(found)
            elif newer := found[0].newer(__version__):
                own, version = __version__, newer[0].version
                text = tr("{version} is available; this is {own}.", version=version, own=own)
                self.show_state(text)
                how = without_backticks(translated(found[1]))
            else:
                text, how = _nothing_new(found[0])
                self.show_state(text)
            self.how.show_text(how)
            if asks:
                announce(self, self.state.text())

        self._calls.ask(LIST, work, then)


def _nothing_new(state: UpdateState) -> tuple[str, str]:
    """Return that there is no newer version, and why that is not known."""
    if not state.asked_at:
        return tr("Nobody was asked for newer versions yet."), ""
    day = f"{datetime.fromtimestamp(state.asked_at[-1]).astimezone():%Y-%m-%d}"
    if state.problem:
        return tr("No answer on {day}.", day=day), translated(state.problem)
    return tr("{own} was the newest version on {day}.", own=__version__, day=day), ""
