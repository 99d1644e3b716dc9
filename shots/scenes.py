"""The scenes: what is done to the program for each picture, in the light and in the dark look."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from askance.presentation.missing_parts import NO_SEARCH
from askance.ui.overlay.answer.answer_view import AnswerView
from askance.ui.overlay.bar.tool_row import SendState
from askance.ui.overlay.columns import WITH_QUESTIONS
from askance.ui.overlay.conversation.exchange import State
from askance.ui.settings.models import ModelControl
from askance.ui.settings.programs import ProgramsControl
from shots import past, story
from shots.actors import MODELS
from shots.capture import carded, picture_of, still, wait
from shots.shelf import WORDS, write_files
from shots.stage import Stage, opened

SCHEMES = ("light", "dark")
# What is seen in the light alone or in the dark alone has parts that another one shows in both.
_LIGHT, _DARK = SCHEMES[:1], SCHEMES[1:]
SCENES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("idle", SCHEMES),
    ("missing", _LIGHT),
    ("models", SCHEMES),
    ("running", SCHEMES),
    ("streaming", SCHEMES),
    ("answer", SCHEMES),
    ("trace", SCHEMES),
    ("find", _LIGHT),
    ("history", SCHEMES),
    ("keys", _LIGHT),
    ("files", SCHEMES),
    ("library", SCHEMES),
    ("settings-model", _LIGHT),
    ("settings-search", _LIGHT),
    ("settings-apps", SCHEMES),
    ("settings-found", _DARK),
    ("first-run", SCHEMES),
    ("download", SCHEMES),
)
# Taken only where the screen has room for it.
LARGE = (("wide", SCHEMES),)
NAMES = tuple(f"{scene}-{scheme}" for scene, schemes in SCENES for scheme in schemes)
# The number in the answer that the pointer rests on, what is looked for in it, and in the settings.
_QUOTED, _FOUND, _SETTING = 2, "Moss", "hide"
_FILES_QUESTION = "What does a berth of 9 m cost in July?"

Taken = Iterator[tuple[str, QImage]]


def take_all(application: QApplication, home: Path, language: str = "en") -> Taken:
    """Play all scenes in a home of their own, in a language; yield each picture with its name, one of `NAMES`,
    on a large screen also of `LARGE`.

    Raises:
        TimeoutError: a scene did not come about.
    """
    flashing = application.cursorFlashTime()
    application.setCursorFlashTime(0)
    try:
        with opened(application, home, language) as stage:
            stage.obey("show")
            wait(lambda: stage.is_lit)
            scenes = (_idle, _missing, _models, _conversation, _history, _keys, _files, _library)
            for scene in (*scenes, _settings, _first_run):
                yield from scene(stage)
    finally:
        application.setCursorFlashTime(flashing)


def _each(stage: Stage, scene: str, take: Callable[[], QImage]) -> Taken:
    """Take a scene in its schemes."""
    for scheme in dict((*SCENES, *LARGE))[scene]:
        stage.dress(is_dark=scheme == "dark")
        yield f"{scene}-{scheme}", take()
    stage.dress(is_dark=False)


def _seen(stage: Stage, scene: str, above: QWidget | None = None) -> Taken:
    """Take the overlay as it stands, with what has opened above it."""
    yield from _each(stage, scene, lambda: still(lambda: picture_of(stage.overlay, above)))


def _idle(stage: Stage) -> Taken:
    field = stage.overlay.ask_bar.field
    stage.overlay.ask_bar.inline_message.hide()  # what there is to say of this machine
    field.set_text("/se", 3)
    yield from _seen(stage, "idle")
    field.set_text("", 0)


def _missing(stage: Stage) -> Taken:
    row = stage.overlay.missing
    stage.lack(NO_SEARCH)
    wait(row.isVisible)
    yield from _seen(stage, "missing")
    stage.lack()
    wait(row.isHidden)


def _models(stage: Stage) -> Taken:
    models, tools = stage.overlay.models, stage.overlay.ask_bar.tools
    tools.model_requested.emit()
    wait(lambda: models.list.model().rowCount() > len(MODELS))
    yield from _seen(stage, "models", models)
    models.close()


def _conversation(stage: Stage) -> Taken:
    overlay, session = stage.overlay, stage.session
    session.submit(f"/search {story.QUESTION}")
    wait(stage.reading.reached.is_set)
    # In any language: two of four pages are read.
    wait(lambda: re.search(r"\b2 \w+ 4 ", session.views[0].status.text))
    yield from _seen(stage, "running")
    stage.give(stage.reading)
    wait(stage.writing.reached.is_set)
    widget = overlay.conversation.exchanges[0]
    wait(lambda: widget.answer.toPlainText().endswith(story.HELD_AT))
    yield from _seen(stage, "streaming")
    stage.give(stage.writing)
    wait(lambda: session.views[0].state is State.ANSWERED)
    wait(lambda: not session.is_running)
    wait(lambda: overlay.ask_bar.field.is_suggesting)
    # The tick goes by itself: pictures are of what stays.
    wait(lambda: stage.overlay.ask_bar.send_button.state is not SendState.DONE)
    yield from _each(stage, "answer", lambda: _with_quote(stage, widget.answer))
    widget.trace.disclosure.click()
    yield from _each(stage, "trace", lambda: _from_above(stage))
    widget.trace.disclosure.click()
    yield from _found(stage)
    if stage.overlay.screen().availableGeometry().width() > WITH_QUESTIONS:
        yield from _wide(stage)


def _wide(stage: Stage) -> Taken:
    overlay = stage.overlay
    overlay.toggle_wide()
    wait(lambda: overlay.paper.width() >= WITH_QUESTIONS)
    yield from _each(stage, "wide", lambda: _from_above(stage))
    overlay.toggle_wide()
    wait(lambda: overlay.paper.width() < WITH_QUESTIONS)


def _found(stage: Stage) -> Taken:
    _from_above(stage)
    stage.header.find()
    bar = stage.header.find_bar
    assert bar is not None
    bar.field.setText(_FOUND)
    bar.list_button.click()
    yield from _seen(stage, "find")
    bar.close_bar()


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


def _history(stage: Stage) -> Taken:
    stage.session.begin_anew()
    history = stage.header.show_history()
    wait(lambda: history.rows.rowCount() > 0)
    yield from _seen(stage, "history", history)
    history.close()


def _keys(stage: Stage) -> Taken:
    stage.header.show_keys()
    keys = stage.header.keys
    assert keys is not None
    yield from _seen(stage, "keys", keys)
    keys.close()


def _files(stage: Stage) -> Taken:
    places = write_files(stage.papers)
    files, field = stage.session.files, stage.overlay.ask_bar.field
    files.add_paths(places)
    wait(lambda: len(files.attachments) == len(places) and files.is_settled)
    field.set_text(_FILES_QUESTION, len(_FILES_QUESTION))
    yield from _seen(stage, "files")
    field.set_text("", 0)
    stage.session.begin_anew()


def _library(stage: Stage) -> Taken:
    stage.stock()
    overlay = stage.overlay
    stage.session.submit(f"/library {WORDS}")
    wait(lambda: overlay.library.is_open)
    overlay.library.list.rows.pick(1)
    overlay.library.list.picked.emit()
    yield from _seen(stage, "library")
    overlay.library.close_view()
    overlay.hide()


def _settings(stage: Stage) -> Taken:
    stage.windows.show_settings()
    window = stage.windows.settings
    assert window is not None

    def taken() -> QImage:
        return still(lambda: carded(window, stage.look))

    model = window.control("model", ModelControl)
    programs = window.control("programs", ProgramsControl)
    stage.introduce()
    stage.windows.show_hotkey()  # a screen that nobody sees hears no keys
    programs.clock = lambda: past.NOW
    pages: dict[str, Callable[[], object]] = {
        "Model": lambda: model.list.count() > len(MODELS),
        "Search": lambda: True,
        "Connected apps": programs.list.count,
    }
    for page, is_there in pages.items():
        window.show_page(page)
        wait(is_there)
        _rest(window)
        yield from _each(stage, f"settings-{page.split()[-1].lower()}", taken)
    window.side.search.setText(_SETTING)
    yield from _each(stage, "settings-found", taken)
    window.side.search.clear()
    window.hide()


def _first_run(stage: Stage) -> Taken:
    stage.lose_services()
    stage.windows.welcome(choose=True)
    stage.windows.show_hotkey()
    window = stage.windows.first_run
    assert window is not None
    wait(lambda: all(row.finding is not None for row in window.rows.values()))
    wait(lambda: bool(window.choice.cards))

    def taken() -> QImage:
        _rest(window)  # each look of the page gives its main button the focus
        return picture_of(window)

    yield from _each(stage, "first-run", lambda: still(taken))
    window.choice.download.click()
    wait(lambda: window.downloads)
    yield from _each(stage, "download", lambda: still(taken))
    window.hide()


def _rest(window: QWidget) -> None:
    """Take the focus from the control that a window begins with: its ring says nothing of the page."""
    if holder := window.focusWidget():
        holder.clearFocus()
