"""The overlay as a window: summoned, moved, grown, and never out of its screen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QCursor, QGuiApplication, QMouseEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QWidget

from askance.presentation.steps import Tone
from askance.ui.design.labels import show_tip
from askance.ui.design.theme import DARK, LIGHT, Look
from askance.ui.overlay.bar.status import StatusIndicator
from askance.ui.overlay.conversation.exchange import State
from askance.ui.overlay.conversation.sources_strip import SourceStrip
from ui.overlay_room import Furnish, Modifier, Room, Step, answered, is_growing
from ui.widgets.lighthouse import WHOLE, view_of

LONG = "A sentence that takes up some room in the window. " * 12
SEARCHED: tuple[Step, ...] = tuple(event for _, event in WHOLE)


pytestmark = pytest.mark.usefixtures("summoned")


def test_a_toggle_hides_the_window_that_has_the_focus_and_summons_any_other(room: Room) -> None:
    room.overlay.toggle()
    assert not room.overlay.isVisible()
    room.go_elsewhere()
    room.overlay.toggle()
    room.bot.waitUntil(room.field.hasFocus)
    room.go_elsewhere()
    room.overlay.toggle()
    room.bot.waitUntil(room.field.hasFocus)
    assert room.overlay.isVisible()


def test_a_toggle_hides_the_window_that_came_back_before_the_desktop_took_its_keyboard(
    room: Room,
) -> None:
    room.overlay.toggle()
    room.overlay.toggle()
    assert room.overlay.isActiveWindow()
    assert room.field.hasFocus()
    room.overlay.toggle()
    assert not room.overlay.isVisible()


def test_what_was_typed_is_there_when_the_window_comes_up_again(room: Room) -> None:
    room.type("half a question")
    room.leave()
    room.summon()
    assert room.field.text == "half a question"


def test_it_comes_up_in_the_upper_third_of_the_screen_and_stays_where_it_is_moved(
    room: Room,
) -> None:
    screen = room.overlay.screen().availableGeometry()
    paper = room.overlay.paper.translated(room.overlay.pos())
    assert paper.top() == screen.top() + int(screen.height() * 0.22)
    assert abs(paper.center().x() - screen.center().x()) <= 1
    # What a desktop does with a window that comes up is taken back once; then it is the user's.
    room.bot.waitUntil(lambda: not room.overlay._placing._arriving.isActive())
    room.overlay.move(11, 22)
    room.overlay.summon()
    room.answer("Why?", answered("Because."))
    room.settle()
    assert room.overlay.pos() == QPoint(11, 22)
    room.leave()
    room.summon()
    assert room.overlay.paper.translated(room.overlay.pos()).topLeft() == paper.topLeft()


def test_it_is_moved_by_the_empty_parts_of_its_paper(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = Handle()
    monkeypatch.setattr(room.overlay, "windowHandle", lambda: handle)
    tools = room.bar.tools
    room.overlay.set_title("Ferries")
    clicks = QSignalSpy(tools.title_requested)
    for empty in (room.bar, tools.middle, tools.title_button):
        drag(empty, QPoint(empty.width() // 2, 3))
    assert handle.moves == 3
    assert clicks.count() == 0
    QTest.mouseClick(tools.title_button, Qt.MouseButton.LeftButton)
    assert clicks.count() == 1
    drag(room.field.viewport(), QPoint(9, 9))
    drag(room.overlay, QPoint(2, 2))
    drag(room.bar, QPoint(9, 3), Qt.MouseButton.RightButton)
    assert handle.moves == 3


def test_a_click_moves_nothing(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    handle = Handle()
    monkeypatch.setattr(room.overlay, "windowHandle", lambda: handle)
    QTest.mouseClick(room.bar, Qt.MouseButton.LeftButton, pos=QPoint(9, 3))
    drag(room.bar, QPoint(9, 3), way=QApplication.startDragDistance() - 1)
    drag(room.bar, QPoint(9, 3), Qt.MouseButton.NoButton)
    assert handle.moves == 0


def drag(
    over: QWidget,
    start: QPoint,
    button: Qt.MouseButton = Qt.MouseButton.LeftButton,
    way: int = 30,
) -> None:
    """Press a button, none if there is none, and move the pointer down while it is held."""
    if button is not Qt.MouseButton.NoButton:
        QTest.mousePress(over, button, pos=start)
    at = QPointF(start + QPoint(0, way))
    none = Qt.MouseButton.NoButton
    moved = QMouseEvent(
        QEvent.Type.MouseMove, at, QPointF(over.mapToGlobal(at)), none, button, Modifier.NoModifier
    )
    QApplication.sendEvent(over, moved)
    if button is not Qt.MouseButton.NoButton:
        QTest.mouseRelease(over, button, pos=at.toPoint())


def test_a_window_that_was_moved_down_moves_up_before_it_grows_out_of_the_screen(
    room: Room,
) -> None:
    screen = room.overlay.screen().availableGeometry()
    room.overlay.move(0, screen.bottom() - 120)
    low = room.overlay.paper.translated(room.overlay.pos())
    room.answer("Why?", answered("\n\n".join([LONG] * 12)))
    room.settle()
    paper = room.overlay.paper.translated(room.overlay.pos())
    # Its lower edge stays where it was, if that was stored as its place before the answer was there.
    assert paper.bottom() in {screen.bottom(), low.bottom()}
    assert paper.height() > low.height()
    assert paper.top() >= screen.top()


@pytest.mark.parametrize("scale", [0.7, 1.0, 2.5])
def test_it_is_never_larger_than_its_screen(furnish: Furnish, scale: float) -> None:
    room = furnish(Look(LIGHT, scale, moves=False))
    room.summon()
    room.type("/")
    room.settle()
    screen = room.overlay.screen().availableGeometry()
    assert screen.contains(room.overlay.paper.translated(room.overlay.pos()))
    assert room.bar.completion.visualRect(room.bar.completion.currentIndex()).height() > 0


def test_it_grows_in_a_movement_where_things_may_move(furnish: Furnish) -> None:
    room = furnish(Look(LIGHT))
    room.summon()
    room.settle()
    room.type("/")
    room.bot.waitUntil(lambda: is_growing(room.overlay))
    room.settle()
    assert room.overlay.paper.height() > room.bar.completion.height()


@pytest.mark.parametrize("what", ["menu", "tooltip"])
def test_what_is_open_above_it_goes_with_it(room: Room, what: str) -> None:
    answer = room.ask("Why?", answered("Because.")).answer
    room.until(State.ANSWERED)
    room.settle()
    at = answer.rect().center()
    on_screen = answer.mapToGlobal(at)
    if what == "menu":
        asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, on_screen)
        QApplication.sendEvent(answer.viewport(), asked)
    else:
        show_tip(on_screen, "words", answer)
    assert len(shown_above(room.overlay)) == 1
    room.overlay.hide()
    assert shown_above(room.overlay) == []


def shown_above(window: QWidget) -> list[QWidget]:
    """The other windows on the screen that belong to parts of this one."""
    parents = {other: other.parentWidget() for other in QApplication.topLevelWidgets()}
    return [o for o, p in parents.items() if p and p.window() is window and o.isVisible()]


def test_the_bar_shows_the_model_and_that_the_web_is_invented(room: Room) -> None:
    button, tools = room.bar.tools.model_button, room.bar.tools
    room.overlay.set_lights((StatusIndicator("wren:8b", Tone.GOOD),))
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert (button.words, room.lights.count()) == ("wren:8b", 1)
    room.overlay.set_lights(
        (
            StatusIndicator("wren:8b", Tone.GOOD),
            StatusIndicator("sample web", Tone.AMBER, "An invented web."),
        )
    )
    assert tools.title_button.title == "sample web"
    assert tools.title_button.accessibleDescription() == "An invented web."
    room.overlay.set_lights((StatusIndicator("wren:8b", Tone.GOOD),))
    assert tools.title_button.title == ""


def test_the_bar_shows_whether_the_window_has_the_keyboard(room: Room) -> None:
    room.bar.set_summons("Ctrl+Space")
    room.go_elsewhere()
    room.bot.waitUntil(lambda: [h.key for h in room.bar.tools.hint_line.shown] == ["Ctrl+Space"])
    assert not room.bar.switch.is_active
    room.overlay.summon()
    room.bot.waitUntil(lambda: room.bar.switch.is_active)
    assert room.bar.tools.hint_line.shown == ()


def test_another_look_reaches_all_of_it(room: Room) -> None:
    room.answer("Why?", answered("Because."))
    room.overlay.set_look(Look(DARK, 1.2, moves=False))
    room.settle()
    picture = room.overlay.grab().toImage()
    inside = room.overlay.paper.topLeft() + QPoint(30, 3)
    assert picture.pixelColor(inside).name().upper() == DARK.paper


def test_the_pointer_decides_on_which_screen_it_comes_up(room: Room) -> None:
    room.leave()
    QCursor.setPos(QApplication.primaryScreen().geometry().center())
    room.summon()
    assert room.overlay.screen() is QGuiApplication.screenAt(QCursor.pos())


class Handle:
    """The window as its system sees it."""

    moves = 0

    def startSystemMove(self) -> None:  # noqa: N802 - Qt's name
        self.moves += 1


def test_an_answer_that_is_there_before_the_window_has_a_size_leaves_no_gap(
    furnish: Furnish,
) -> None:
    room = furnish()
    room.overlay.summon()
    room.answer("Why?", answered("So."))
    room.bot.waitUntil(lambda: bool(room.history.conversations(limit=1)[0].exchanges))
    record = room.history.conversation(room.session.conversation or 0)
    assert record is not None
    room.session.begin_anew()
    room.leave()
    room.session.resume(record, [view_of(WHOLE)])
    room.overlay.summon()
    (exchange,) = room.overlay.conversation.exchanges
    room.bot.waitUntil(lambda: exchange.answer.is_settled and exchange.isVisible())
    # Its row takes the height of the settled answer with the layout's next turn.
    room.bot.waitUntil(lambda: exchange.height() == exchange.heightForWidth(exchange.width()))
    strip = exchange.part(SourceStrip)
    assert strip is not None
    for above, part in ((exchange.trace, strip), (strip, exchange.answer)):
        assert part.geometry().top() - above.geometry().bottom() < exchange.trace.height()
    assert exchange.height() < 4 * exchange.answer.height()
