"""Row 2 of the ask bar: its buttons stand still, and what has no room is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible, QColor
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from askance.config.choices import AskMode
from askance.presentation.steps import Tone
from askance.ui.design.focus import reading_order
from askance.ui.design.theme import DARK, LIGHT, Look, load_fonts
from askance.ui.overlay.bar.ask_bar import AskBar
from askance.ui.overlay.bar.status import StatusIndicator
from askance.ui.overlay.bar.tool_row import Hint, TextSizeRow
from askance.ui.shell.catalogues import use_language

MODEL = StatusIndicator("wren:8b", Tone.GOOD, "Ollama")
Make = Callable[..., AskBar]


@pytest.fixture
def make(qtbot: QtBot, qapp: QApplication) -> Iterator[Make]:
    load_fonts()

    def made(width: int = 720, scale: float = 1.0, language: str = "en") -> AskBar:
        use_language(qapp, language)
        bar = AskBar(Look(LIGHT, scale, moves=False))
        qtbot.addWidget(bar)
        bar.tools.model_button.show_light(MODEL)
        bar.resize(width, 200)
        with qtbot.waitExposed(bar):
            bar.show()
        return bar

    yield made
    use_language(qapp, "en")


def places(bar: AskBar) -> list[QRect]:
    """Where everything is that can be pressed, the title aside."""
    QApplication.processEvents()
    tools = bar.tools
    left = (tools.menu_button, tools.attach_button, *tools.switch.segments.values())
    buttons = (bar.send_button, *left, tools.model_button, *tools._right)
    return [QRect(b.mapTo(bar, b.rect().topLeft()), b.size()) for b in buttons if b.isVisible()]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(("width", "scale"), [(720, 1.0), (720, 1.5), (480, 1.0)])
def test_nothing_that_can_be_pressed_moves_or_changes_its_width(
    make: Make, language: str, width: int, scale: float
) -> None:
    bar = make(width, scale, language)
    before = places(bar)

    def changes() -> Iterator[object]:
        yield bar.tools.set_title(
            "Skarne Light: who built it, and when it was first lit, and by whom"
        )
        yield bar.field.set_text("Why?")
        yield bar.set_running(True)
        yield bar.finish_run()
        yield bar.set_follow_up(True)
        yield bar.switch.set_mode(AskMode.CHAT)
        yield bar.set_attached(True, is_settled=True)
        yield bar.switch.set_search_missing("Nothing answers.")
        yield bar.set_summons("Ctrl+Space")
        yield bar.set_active(False)
        yield bar.tools.set_pinned(True)
        yield bar.tools.set_has_news(True)
        yield bar.show_message("Something is wrong.")

    for _ in changes():
        assert places(bar) == before
    assert bar.width() == width


def test_all_begins_and_ends_at_24_pixels(make: Make) -> None:
    bar = make()
    ink = QColor(LIGHT.accent).rgb()
    paper = bar.grab().toImage()
    glyph = [x for x in range(60) for y in range(54, 92) if paper.pixel(x, y) == ink]
    assert 22 <= min(glyph) <= 26
    assert bar.send_button.geometry().right() == 720 - 24 - 1
    assert (bar.sizeHint().height(), bar.send_button.height(), bar.tools.height()) == (94, 34, 38)
    bar.field.set_text("one\ntwo")
    assert bar.sizeHint().height() == 94 + 24


def test_both_halves_of_the_switch_have_the_width_of_the_widest_word(make: Make) -> None:
    bar = make(language="de")
    web, chat = bar.switch.segments.values()
    assert web.width() == chat.width()
    bar.switch.set_has_files(True)
    assert chat.text() == "Dateien"
    assert chat.fontMetrics().horizontalAdvance(chat.text()) < chat.width()


def test_the_middle_says_what_enter_does_or_the_title(make: Make) -> None:
    bar = make()
    tools = bar.tools
    bar.tools.set_title("Ferries")
    assert tools.title_button.isVisible()
    bar.field.set_text("Why?")
    shown = [(hint.key, hint.words) for hint in tools.hint_line.shown]
    assert shown == [("Enter", "searches"), ("Shift+Enter", "new line")]
    assert not tools.title_button.isVisible()
    bar.switch.set_mode(AskMode.CHAT)
    bar.field.set_text("Why not?")
    assert tools.hint_line.shown[0].words == "asks the model alone"
    bar.set_attached(True, is_settled=True)
    assert tools.hint_line.shown[0].words == "asks these files"
    bar.set_attached(False, is_settled=True)
    bar.switch.segments[AskMode.WEB].click()
    tools.model_button.show_light(StatusIndicator("No model", Tone.AMBER))
    bar.field.set_text("Why now?")
    assert tools.hint_line.shown[0].words == "shows passages"
    bar.set_summons("Ctrl+Space")
    bar.set_active(False)
    assert [hint.key for hint in tools.hint_line.shown] == ["Ctrl+Space"]
    bar.set_active(True)
    bar.field.set_text("")
    assert tools.title_button.isVisible()


def test_hints_that_have_no_room_go_the_last_first(make: Make) -> None:
    bar = make(600)
    bar.field.set_text("Why?")
    QApplication.processEvents()
    assert [hint.key for hint in bar.tools.hint_line.shown] == ["Enter"]
    bar.resize(500, bar.height())
    QApplication.processEvents()
    assert not bar.tools.hint_line.isVisible()


def test_a_screen_reader_gets_keys_as_words(make: Make) -> None:
    line = make(720).tools.hint_line
    line.show_hints([Hint.of("↑↓ choose"), Hint.of("Enter opens")])
    assert line.accessibleName() == "Arrows choose, Enter opens"


def test_where_it_is_narrow_pin_and_settings_are_in_a_menu(make: Make, qtbot: QtBot) -> None:
    tools = make(480).tools
    assert not tools.pin_button.isVisible()
    pinned, wanted = QSignalSpy(tools.pin_toggled), QSignalSpy(tools.settings_requested)
    qtbot.mouseClick(tools.settings_button, Qt.MouseButton.LeftButton)
    (menu,) = [m for m in tools.findChildren(QMenu) if m.isVisible()]
    pin, settings = menu.actions()
    assert [pin.text(), settings.text()] == ["Pin", "Settings"]
    pin.trigger()
    settings.trigger()
    menu.close()
    assert (pinned.count(), wanted.count()) == (1, 1)


def test_the_menu_of_the_mark_has_all_that_needed_a_tray(make: Make, qtbot: QtBot) -> None:
    tools = make().tools
    steps, quits = QSignalSpy(tools.text_size_requested), QSignalSpy(tools.quit_requested)
    qtbot.mouseClick(tools.menu_button, Qt.MouseButton.LeftButton)
    (menu,) = [m for m in tools.findChildren(QMenu) if m.isVisible()]
    texts = [action.text() for action in menu.actions() if action.text()]
    assert texts == [
        "Library",
        "Keys and commands",
        "Text size",
        "Network activity",
        "Quit Askance",
    ]
    (row,) = menu.findChildren(TextSizeRow)
    for button in row.buttons:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    menu.actions()[-1].trigger()
    menu.close()
    assert [steps.at(n)[0] for n in range(steps.count())] == [-1, 0, 1]
    assert quits.count() == 1


def test_the_model_is_a_disc_a_ring_or_a_part_of_a_disc(make: Make) -> None:
    bar = make()
    button = bar.tools.model_button

    def dot() -> tuple[str, str]:
        image = button.grab().toImage()
        return image.pixelColor(10, 14).name().upper(), image.pixelColor(8, 14).name().upper()

    assert dot() == (LIGHT.accent, LIGHT.accent)
    button.show_light(StatusIndicator("No model", Tone.AMBER, "None is set up."))
    middle, edge = dot()
    assert middle != edge
    assert abs(QColor(edge).hue() - QColor(LIGHT.amber).hue()) < 15
    button.set_download("Qwen3 4B", 0.44)
    assert button.accessibleName() == "Model: Qwen3 4B · 44 %"
    button.show_light(MODEL)
    assert button.accessibleName() == "Model: wren:8b"


def test_a_screen_reader_reads_it_from_the_field_to_the_settings(make: Make) -> None:
    bar = make()
    bar.tools.set_title("Ferries")
    bar.field.set_text("")
    QApplication.processEvents()
    assert [w.accessibleName() for w in reading_order(bar)] == [
        *("Question", "Ask", "Menu", "Attach", "Web", "Model: wren:8b", "Title: Ferries"),
        *("New conversation", "History", "Pin", "Settings"),
    ]
    assert bar.tools.new_button.accessibleDescription() == "Ctrl+N"
    bar.set_look(Look(DARK))
    group = QAccessible.queryAccessibleInterface(bar.switch)
    assert group.text(QAccessible.Text.Name) == "Mode"
