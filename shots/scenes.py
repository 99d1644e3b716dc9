"""The scenes: what is done to the program for each picture, in the light and in the dark look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from askance.ui.overlay.answer.answer_view import AnswerView
from askance.ui.overlay.conversation.exchange import State
from askance.ui.settings.installation_page import ServicesControl
from askance.ui.settings.library_page import LibraryControl
from askance.ui.settings.models import ModelControl
from askance.ui.settings.page_tables import ControlKind
from askance.ui.settings.programs import ProgramsControl
from shots import past, story
from shots.actors import MODELS
from shots.capture import carded, picture_of, still, wait
from shots.shelf import WORDS
from shots.stage import Stage, opened

SCHEMES = ("light", "dark")
SCENES = (
    *("idle", "running", "streaming", "answer", "trace", "library", "history"),
    *("settings-model", "settings-search", "settings-library", "settings-programs"),
    *("settings-services", "first-run"),
)
NAMES = tuple(f"{scene}-{scheme}" for scene in SCENES for scheme in SCHEMES)
# The number in the answer that the pointer rests on.
_QUOTED = 3

Taken = Iterator[tuple[str, QImage]]


def take_all(application: QApplication, home: Path) -> Taken:
    """Play all scenes in a home of their own; yield each picture with its name, one of `NAMES`.

    Raises:
        TimeoutError: a scene did not come about.
    """
    flashing = application.cursorFlashTime()
    application.setCursorFlashTime(0)
    try:
        with opened(application, home) as stage:
            stage.obey("show")
            wait(lambda: stage.is_lit)
            for scene in (_idle, _conversation, _library, _history, _settings, _first_run):
                yield from scene(stage)
    finally:
        application.setCursorFlashTime(flashing)


def _both(stage: Stage, scene: str, take: Callable[[], QImage]) -> Taken:
    for scheme in SCHEMES:
        stage.dress(is_dark=scheme == "dark")
        yield f"{scene}-{scheme}", take()
    stage.dress(is_dark=False)


def _idle(stage: Stage) -> Taken:
    field = stage.overlay.ask_bar.field
    stage.overlay.ask_bar.inline_message.hide()  # what there is to say of this machine
    field.set_text("/se", 3)
    yield from _both(stage, "idle", lambda: still(lambda: picture_of(stage.overlay)))
    field.set_text("", 0)


def _conversation(stage: Stage) -> Taken:
    overlay, session = stage.overlay, stage.session

    def taken() -> QImage:
        return still(lambda: picture_of(overlay))

    session.submit(f"/search {story.QUESTION}")
    wait(stage.reading.reached.is_set)
    wait(lambda: session.views[0].status.text.startswith("Reading 2 "))
    yield from _both(stage, "running", taken)
    stage.give(stage.reading)
    wait(stage.writing.reached.is_set)
    widget = overlay.conversation.exchanges[0]
    wait(lambda: widget.answer.toPlainText().endswith(story.HELD_AT))
    yield from _both(stage, "streaming", taken)
    stage.give(stage.writing)
    wait(lambda: session.views[0].state is State.ANSWERED)
    wait(lambda: not session.is_running)
    yield from _both(stage, "answer", lambda: _with_quote(stage, widget.answer))
    widget.trace.disclosure.click()
    yield from _both(stage, "trace", lambda: _from_above(stage))
    overlay.hide()


def _from_above(stage: Stage) -> QImage:
    """Return the conversation from its beginning, where it is longer than the window is high."""
    overlay = stage.overlay
    still(lambda: picture_of(overlay))
    overlay.conversation.verticalScrollBar().setValue(0)
    return still(lambda: picture_of(overlay))


def _with_quote(stage: Stage, answer: AnswerView) -> QImage:
    _from_above(stage)
    at = QPointF(answer.marker_rect(_QUOTED).center())
    where = answer.viewport().mapToGlobal(at)
    none = Qt.MouseButton.NoButton
    plain = Qt.KeyboardModifier.NoModifier
    moved = QMouseEvent(QEvent.Type.MouseMove, at, where, none, none, plain)
    QApplication.sendEvent(answer.viewport(), moved)
    wait(lambda: answer.popup is not None)
    taken = still(lambda: picture_of(stage.overlay, answer.popup))
    QApplication.sendEvent(answer, QEvent(QEvent.Type.Leave))
    wait(lambda: answer.popup is None)
    return taken


def _library(stage: Stage) -> Taken:
    stage.stock()
    overlay = stage.overlay
    stage.obey("show")
    stage.session.submit(f"/library {WORDS}")
    wait(lambda: overlay.library.is_open)
    overlay.library.list.rows.pick(1)
    overlay.library.list.picked.emit()
    yield from _both(stage, "library", lambda: still(lambda: picture_of(overlay)))
    overlay.library.close_view()
    overlay.hide()


def _history(stage: Stage) -> Taken:
    stage.show_history()
    window = stage.windows.history
    assert window is not None
    panel = window.panel
    wait(lambda: panel.rows.rowCount() > 0)
    panel.list.setCurrentIndex(panel.rows.index(0))
    yield from _both(stage, "history", lambda: still(lambda: picture_of(window)))
    window.hide()


def _settings(stage: Stage) -> Taken:
    stage.windows.show_settings()
    window = stage.windows.settings
    assert window is not None

    def taken() -> QImage:
        return still(lambda: carded(window, stage.look))

    model = window.control(ControlKind.MODEL, ModelControl)
    services = window.control(ControlKind.SERVICES, ServicesControl)
    library = window.control(ControlKind.LIBRARY, LibraryControl)
    programs = window.control(ControlKind.PROGRAMS, ProgramsControl)
    stage.introduce()
    programs.clock = lambda: past.NOW
    report: dict[str, Callable[[], object]] = {
        "Model": lambda: model.list.count() > len(MODELS),
        "Search": lambda: True,
        "Library": library.folders.count,
        "Programs": programs.list.count,
        "Services": lambda: services.status_lines,
    }
    for page, is_there in report.items():
        window.show_page(page)
        wait(is_there)
        _rest(window)
        yield from _both(stage, f"settings-{page.lower()}", taken)
    window.hide()


def _first_run(stage: Stage) -> Taken:
    stage.lose_services()
    stage.windows.welcome()
    stage.windows.show_hotkey()  # a screen that nobody sees hears no keys
    window = stage.windows.first_run
    assert window is not None
    wait(lambda: all(row.finding is not None for row in window.rows.values()))

    def taken() -> QImage:
        _rest(window)  # each look of the page gives its main button the focus
        return picture_of(window)

    yield from _both(stage, "first-run", lambda: still(taken))
    window.hide()


def _rest(window: QWidget) -> None:
    """Take the focus from the control that a window begins with: its ring says nothing of the page."""
    if holder := window.focusWidget():
        holder.clearFocus()
