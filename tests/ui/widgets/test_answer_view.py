"""The answer as it is read: nothing loads, numbers lead somewhere, doubts are seen and said."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QGuiApplication,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from askance.domain.evidence import Citation, Source, Support
from askance.ui.design.frame import Frame
from askance.ui.design.labels import MarkupLabel
from askance.ui.design.theme import DARK, LIGHT, Look
from askance.ui.overlay.answer.answer_document import plain_text
from askance.ui.overlay.answer.answer_page import CopyButton, LineGeometry
from askance.ui.overlay.answer.answer_view import WIDTH, AnswerView, QuotePopup, SpokenPart
from askance.ui.overlay.answer.citation_links import quote_of
from askance.ui.overlay.answer.markdown_blocks import MarkdownBlockKind
from ui.widgets.lighthouse import (
    CITATIONS,
    SOURCES,
    TEXT,
    citation,
    has_colour,
    picture_of,
    rendered,
)

Key = Qt.Key


def read(view: AnswerView, text: str) -> None:
    view.show_pieces(rendered(text).pieces)
    view.finish()


def test_no_picture_and_nothing_remote_is_ever_loaded(view: AnswerView) -> None:
    document = view.document()
    for name in ("https://tracker.example/p.png", "file:///etc/passwd", "x.png", "data:,x"):
        for kind in QTextDocument.ResourceType:
            for loaded in (
                view.loadResource(kind.value, QUrl(name)),
                document.loadResource(kind.value, QUrl(name)),
                document.resource(kind.value, QUrl(name)),
            ):
                assert isinstance(loaded, QImage)
                assert loaded.isNull()


@pytest.mark.parametrize(
    "text",
    [
        "![a](https://tracker.example/p.png)",
        "[![a](https://tracker.example/p.png)](https://x.example)",
        '<img src="https://tracker.example/p.png">',
        "![a][b]\n\n[b]: https://tracker.example/p.png",
    ],
)
def test_a_picture_in_an_answer_becomes_words(view: AnswerView, text: str) -> None:
    read(view, text)
    assert "\N{OBJECT REPLACEMENT CHARACTER}" not in view.toPlainText()
    block = view.document().begin()
    while block.isValid():
        assert not any(piece.format.isImageFormat() for piece in block.textFormats())
        block = block.next()


def test_numbers_stand_alone_and_close_to_the_word(lighthouse: AnswerView) -> None:
    assert len(lighthouse.answer.markers) == 5
    text = lighthouse.toPlainText()
    assert "[" not in text
    assert "1931.  1   2 " in text  # gaps, and each number between two halves of its ground
    assert has_colour(picture_of(lighthouse), LIGHT.accent_soft)


def test_the_view_is_as_high_as_its_words_and_tells_when_that_changes(view: AnswerView) -> None:
    reported = QSignalSpy(view.height_changed)
    read(view, "One line.")
    one = view.heightForWidth(600)
    read(view, "One line.\n\n" + "Many words that go on. " * 40)
    assert view.heightForWidth(600) > one + 100
    assert view.heightForWidth(300) > view.heightForWidth(600)
    assert reported.count() >= 2


def test_a_click_on_a_number_opens_the_source_at_its_quote(
    lighthouse: AnswerView, qtbot: QtBot
) -> None:
    opened = QSignalSpy(lighthouse.link_activated)
    at = lighthouse.marker_rect(2).center()
    qtbot.mouseClick(lighthouse.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert opened.count() == 1
    assert opened.at(0)[0].startswith("https://harbour-archive.example/b#:~:text=")


def test_a_click_on_a_link_of_the_answer_opens_it(view: AnswerView, qtbot: QtBot) -> None:
    read(view, "[the page of the museum](https://museum.example/x)")
    opened = QSignalSpy(view.link_activated)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(30, 22))
    assert opened.count() == 1
    assert opened.at(0) == ["https://museum.example/x"]


def test_a_click_beside_the_words_opens_nothing(lighthouse: AnswerView, qtbot: QtBot) -> None:
    opened = QSignalSpy(lighthouse.link_activated)
    for at in (QPoint(20, 20), QPoint(595, 20)):
        qtbot.mouseClick(lighthouse.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert opened.count() == 0


def test_the_pointer_over_a_number_shows_its_quote_and_takes_it_away(
    lighthouse: AnswerView, qtbot: QtBot
) -> None:
    at = lighthouse.marker_rect(2).center()
    QTest.mouseMove(lighthouse.viewport(), QPoint(5, 5))
    QTest.mouseMove(lighthouse.viewport(), at)
    qtbot.waitUntil(lambda: lighthouse.popup is not None)
    assert lighthouse.popup is not None
    assert "two thirds" in lighthouse.popup.accessibleName()
    QTest.mouseMove(lighthouse.viewport(), QPoint(5, 5))
    qtbot.waitUntil(lambda: lighthouse.popup is None)


def test_a_click_within_the_delay_of_a_hover_opens_the_source_and_no_quote(
    lighthouse: AnswerView, qtbot: QtBot
) -> None:
    opened = QSignalSpy(lighthouse.link_activated)
    at = lighthouse.marker_rect(2).center()
    point_at(lighthouse, at)
    assert lighthouse._hover.isActive()
    qtbot.mouseClick(lighthouse.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert opened.count() == 1
    qtbot.waitUntil(lambda: not lighthouse._hover.isActive())
    assert lighthouse.popup is None


def test_no_quote_opens_while_the_answer_is_hidden_and_the_next_hover_opens_one(
    lighthouse: AnswerView, qtbot: QtBot
) -> None:
    at = lighthouse.marker_rect(2).center()
    for _ in range(2):
        point_at(lighthouse, at)
        qtbot.waitUntil(lambda: lighthouse.popup is not None)
        lighthouse.hide()
        assert lighthouse.popup is None
        # What was on its way when it was hidden.
        point_at(lighthouse, at)
        qtbot.waitUntil(lambda: not lighthouse._hover.isActive())
        lighthouse.setFocus(Qt.FocusReason.TabFocusReason)
        assert lighthouse.popup is None
        lighthouse.show()


def test_no_tooltip_opens_while_the_answer_is_hidden(view: AnswerView) -> None:
    text = "It may turn [1]."
    view.show_pieces(rendered(text, (citation(text, 1, text, Support.WEAK),)).pieces)
    view.finish()
    cursor = view.textCursor()
    cursor.setPosition(view.answer.doubts[0][0] + 1)
    at = view.cursorRect(cursor).center()
    asked = QHelpEvent(QEvent.Type.ToolTip, at, view.mapToGlobal(at))
    QApplication.sendEvent(view, asked)
    assert QToolTip.isVisible()
    QToolTip.hideText()
    view.hide()
    QApplication.sendEvent(view, asked)
    assert not QToolTip.isVisible() or not QToolTip.text()


def point_at(view: AnswerView, at: QPoint) -> None:
    """Move the pointer there, as far as the view knows, which may be hidden."""
    none = Qt.MouseButton.NoButton
    on_screen = QPointF(view.viewport().mapToGlobal(at))
    moved = QMouseEvent(
        QEvent.Type.MouseMove, at, on_screen, none, none, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(view.viewport(), moved)


def test_doubts_are_underlined_in_their_colours_and_said(view: AnswerView) -> None:
    text = "It may turn [1]. It surely flies [2]."
    citations = (
        citation(text, 1, "It may turn [1].", Support.WEAK),
        citation(text, 2, "It surely flies [2].", Support.UNSUPPORTED),
    )
    read(view, text)
    plain = picture_of(view)
    view.show_pieces(rendered(text, citations).pieces)
    view.finish()
    assert picture_of(view) != plain
    assert view.accessibleDescription().splitlines() == [
        "It may turn: supported by its source only in part",
        "It surely flies: not supported by its source",
    ]
    assert "\u205f" not in view.toPlainText()
    assert "\u2005" not in view.toPlainText()


def test_no_line_is_drawn_under_the_blank_at_which_a_line_breaks(view: AnswerView) -> None:
    text = "It may turn, " * 20 + "so they say [1]."
    read(view, text)
    document = view.document()
    lines = document.begin().layout()
    assert lines.lineCount() > 1
    found = list(LineGeometry(document).stretches(0, document.characterCount() - 1))
    assert len(found) == lines.lineCount()
    for n, stretch in enumerate(found):
        assert stretch.right == pytest.approx(lines.lineAt(n).naturalTextRect().right())
    assert document.begin().text()[lines.lineAt(0).textLength() - 1] == " "


def test_the_quote_stands_on_the_paper_and_not_at_its_edge(qtbot: QtBot) -> None:
    frame = Frame(Look(LIGHT, moves=False))
    frame.contents.addStretch(1)
    qtbot.addWidget(frame)
    frame.setGeometry(40, 20, 800, 400)
    with qtbot.waitExposed(frame):
        frame.show()
    popup = QuotePopup(Look(LIGHT, moves=False), frame)
    paper = frame.paper.translated(frame.pos())
    quote = quote_of("cite:1/0", SOURCES, CITATIONS)
    assert quote is not None
    for x in (paper.left(), paper.center().x(), paper.right()):
        popup.open_at(quote, QRect(x, paper.top() + 40, 12, 16))
        plate = popup.paper.translated(popup.pos())
        assert plate.width() == WIDTH
        assert plate.left() >= paper.left() + 12
        assert plate.right() <= paper.right() - 12
        assert plate.top() > paper.top() + 56
    frame.resize(WIDTH, 400)
    popup.open_at(quote, QRect(0, 60, 12, 16))
    assert frame.screen().availableGeometry().contains(popup.paper)


def test_a_check_that_finds_doubts_moves_no_word(view: AnswerView) -> None:
    read(view, TEXT)
    changes = QSignalSpy(view.document().contentsChange)
    view.show_pieces(rendered(TEXT, CITATIONS).pieces)
    view.finish()
    assert changes.count() == 0
    assert view.accessibleDescription()


def test_text_beyond_the_first_plane_keeps_numbers_in_place(view: AnswerView) -> None:
    read(view, "😀😀 It flew [1].\n\nThen 🎈 it fell [2]. And so on.")
    for index, n in enumerate("12"):
        lit = picture_of(view).copy(view.marker_rect(index))
        assert has_colour(lit, LIGHT.accent_soft), n
    view.selectAll()
    assert view.createMimeDataFromSelection().text() == (
        "😀😀 It flew.[1]\n\nThen 🎈 it fell.[2] And so on."
    )


@pytest.mark.parametrize("words", ["one\n- two", "אחת\n- שתיים"])
def test_a_list_has_its_bullets_before_the_words(view: AnswerView, words: str) -> None:
    read(view, f"- {words}")
    picture = picture_of(view)
    colour, ink = int(LIGHT.ink_2[1:], 16), int(LIGHT.ink[1:], 16)

    def columns(wanted: int) -> list[int]:
        rows = range(picture.height())
        return [
            x
            for x in range(picture.width())
            if any(picture.pixel(x, y) & 0xFFFFFF == wanted for y in rows)
        ]

    bullets, letters = columns(colour), columns(ink)
    assert bullets
    assert (bullets[0] < letters[0]) is (words[0] == "o")
    assert (bullets[-1] > letters[-1]) is (words[0] != "o")


def test_copied_words_are_plain(view: AnswerView, qtbot: QtBot) -> None:
    read(
        view,
        "It **was** `lit` [1][2].\n\n1. One [3]\n2. Two\n   - inner\n\n"
        "| a | b |\n|---|---|\n| 1 [4] | 2 |\n\n```python\nx = 1\ny = 2\n```\n",
    )
    view.setFocus()
    view.selectAll()
    qtbot.keyClick(view, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == (
        "It was lit.[1][2]\n\n1. One[3]\n2. Two\n- inner\n\na\tb\n1 [4]\t2\n\nx = 1\ny = 2"
    )


def test_the_button_on_code_copies_it_and_says_so(view: AnswerView, qtbot: QtBot) -> None:
    read(view, "See:\n\n```python\nprint('<b>')\n```\n")
    button = view.findChild(CopyButton)
    assert isinstance(button, CopyButton)
    assert button.accessibleName() == "Copy the code: print('<b>')"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "print('<b>')"
    assert button.accessibleName() == "Copied"
    assert has_colour(picture_of(view), LIGHT.raised)


def test_another_look_draws_the_same_words_in_other_colours(lighthouse: AnswerView) -> None:
    words = lighthouse.toPlainText()
    lighthouse.set_look(Look(DARK))
    lighthouse.finish()
    assert lighthouse.toPlainText() == words
    picture = picture_of(lighthouse)
    assert has_colour(picture, DARK.accent_soft)
    assert not has_colour(picture, LIGHT.accent_soft)


class Around(QWidget):
    """What is around an answer, and the keys that come through to it."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[object] = []

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's interface
        self.heard.append(event.key())


def test_the_wheel_and_the_keys_for_scrolling_are_left_to_the_conversation(
    lighthouse: AnswerView, qtbot: QtBot
) -> None:
    around = Around()
    lighthouse.setParent(around)
    around.show()
    keys = [Key.Key_PageDown, Key.Key_Up, Key.Key_End]
    for key in keys:
        qtbot.keyClick(lighthouse, key)
    place = QPointF(20, 20)
    none = Qt.KeyboardModifier.NoModifier
    turn = QWheelEvent(
        place,
        lighthouse.viewport().mapToGlobal(place),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        none,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    lighthouse.wheelEvent(turn)
    assert not turn.isAccepted()
    assert around.heard == keys
    lighthouse.setParent(None)
    around.deleteLater()


ARABIC = "بنيت المنارة في عام 1871 على صخرة."


def test_an_answer_from_right_to_left_is_so_throughout_but_for_code(view: AnswerView) -> None:
    read(view, f"{ARABIC}\n\n- Lindmouth\n\n```\nprint(1)\n```")
    document = view.answer.document
    sides = [document.findBlockByNumber(i).textDirection() for i in range(document.blockCount())]
    right, left = Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight
    assert sides == [right, right, left]
    read(view, f"It was built in 1871, on a rock at the mouth of the river.\n\n{ARABIC}")
    first, second = (document.findBlockByNumber(i).textDirection() for i in range(2))
    assert (first, second) == (left, right)


def test_the_point_behind_the_number_of_an_item_stands_on_its_left_from_right_to_left(
    view: AnswerView,
) -> None:
    # As a public report of another program has it: ONLYOFFICE/DesktopEditors#2435.
    read(view, f"{ARABIC}\n\n7. {ARABIC}")
    document = view.answer.document
    row = document.documentLayout().blockBoundingRect(document.lastBlock()).toAlignedRect()
    row.setRight(view.viewport().width() - 1)
    drawn = view.viewport().grab(row).toImage()
    ground = drawn.pixel(0, 0)
    inked = (
        [y for y in range(drawn.height()) if drawn.pixel(x, y) != ground]
        for x in reversed(range(drawn.width()))
    )
    # A point has ink at the foot of the line alone.
    assert min(next(filter(None, inked))) < drawn.height() // 2


def test_a_quote_from_right_to_left_stands_on_the_right_and_what_is_ours_on_the_left(
    view: AnswerView,
) -> None:
    text = "The lighthouse was built in 1871 on a rock [1]."
    citations = [Citation(1, text, 0, len(text), Support.SUPPORTED, ARABIC)]
    source = Source(1, "https://a.example/", "تاريخ المنارة", "a.example", None, False)
    quote = quote_of("cite:1/0", [source], citations)
    assert quote is not None
    popup = QuotePopup(Look(LIGHT, moves=False), view)
    popup.open_at(quote, QRect(40, 40, 12, 16))
    markup = [label.text()[:14] for label in popup.findChildren(MarkupLabel)]
    assert markup == ['<p dir="rtl" s', '<p dir="ltr" s', '<p dir="ltr" s']
    assert "a.example · Arabic" in popup.accessibleName()
    popup.hide()


MIXED = f"""{ARABIC}

English paragraph with שלום עולם inside, and 42 numbers.

> اقتباس قصير من الكتاب

| الاسم | القيمة |
|---|---|
| أ | 12.5 kg |

- Lindmouth
"""


def test_each_block_of_a_mixed_answer_is_read_from_the_side_of_its_own_letters(
    view: AnswerView,
) -> None:
    read(view, MIXED)
    document = view.answer.document
    right, left = Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight
    sides = {
        block.text(): block.textDirection()
        for block in map(document.findBlockByNumber, range(document.blockCount()))
        if block.text()
    }
    assert [side for text, side in sides.items() if text.startswith("English")] == [left]
    assert sides["12.5 kg"] is left
    assert [sides[text] for text in (ARABIC, "القيمة", "Lindmouth")] == [right] * 3
    quote = next(shown for shown in view.answer.shown if shown.set.kind is MarkdownBlockKind.QUOTE)
    margins = quote.set.paragraphs[0].format
    assert (margins.leftMargin(), margins.rightMargin() > 0) == (0, True)


def test_a_table_from_right_to_left_begins_at_the_right_and_is_copied_as_it_is_read(
    view: AnswerView,
) -> None:
    read(view, MIXED)
    document = view.answer.document
    layout = document.documentLayout()
    left_of = {
        block.text(): layout.blockBoundingRect(block).left()
        for block in map(document.findBlockByNumber, range(document.blockCount()))
    }
    assert left_of["الاسم"] > left_of["القيمة"] > document.textWidth() / 2
    cursor = view.textCursor()
    cursor.select(cursor.SelectionType.Document)
    assert "الاسم\tالقيمة\nأ\t12.5 kg" in plain_text(view.answer, cursor)  # noqa: RUF001
    read(view, MIXED.replace("|---|---|", "|:--|--:|"))
    assert view.toPlainText()


def test_an_english_answer_that_begins_a_paragraph_with_a_foreign_word_is_read_from_the_left(
    view: AnswerView,
) -> None:
    read(view, "It is an answer in English.\n\nשלום is a Hebrew word that many people know.")  # noqa: RUF001
    document = view.answer.document
    left = Qt.LayoutDirection.LeftToRight
    sides = [document.findBlockByNumber(i).textDirection() for i in range(document.blockCount())]
    assert sides == [left, left]


def places(view: AnswerView, words: str) -> list[float]:
    """Return how far from the left each of these letters stands, in the paragraph that holds them all."""
    document = view.answer.document
    for block in map(document.findBlockByNumber, range(document.blockCount())):
        if all(word in block.text() for word in words):
            layout = block.layout()
            return [
                layout.glyphRuns(at, 1)[0].positions()[0].x()
                for at in map(block.text().index, words)
            ]
    raise AssertionError(words)


@pytest.mark.parametrize(
    ("code", "in_order"),
    [
        ('```python\nnames = ["أب", "جد", "سو"]\n```', "nأجس"),
        ('```python\nname = "أب"  # جد\n```', "nأ#ج"),
        ("```\nأب = جد + 1\n```", "أ=ج+1"),
        ("```js\nأب -> جد(سن, صض)\n```", "أ>جسص"),
        ("```js\nf(أب, جد)\n```", "fأج"),
        ("```text\nأب = جد\n```", "أ=ج"),
        (f"{ARABIC} `--help` {ARABIC}", "-h"),
        (f"{ARABIC} https://e.example/q/ {ARABIC}", "hq"),
        (f'{ARABIC} `z = "ظ", "ذ"` {ARABIC}', "z=ظ,ذ"),
        ('It is `z = "ظ", "ذ"` there.', "z=ظ,ذ"),
    ],
)
def test_code_and_addresses_are_read_from_the_left_whatever_letters_are_in_them(
    view: AnswerView, code: str, in_order: str
) -> None:
    read(view, code)
    found = places(view, in_order)
    assert found == sorted(found)
    cursor = view.textCursor()
    cursor.select(cursor.SelectionType.Document)
    lines = code.replace("`", "").strip().splitlines()
    assert plain_text(view.answer, cursor) in {code.replace("`", ""), lines[-1]}


def test_words_that_stand_together_in_a_string_or_in_plain_text_stay_in_their_order(
    view: AnswerView,
) -> None:
    for code in ('```python\nx = "أب، جد"\n```', "```text\nأب, جد.\n```"):
        read(view, code)
        first, second = places(view, "أج")
        assert first > second


def test_a_screen_reader_is_given_a_link_for_each_number(
    view: AnswerView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    view.show_pieces(rendered(TEXT, CITATIONS).pieces)
    view.finish()
    links = view.findChildren(SpokenPart)
    assert [link.accessibleName().partition(":")[0] for link in links] == [
        f"Source {n}" for n in (1, 2, 2, 3, 4)
    ]
    assert [link.geometry() for link in links] == [view.marker_rect(i) for i in range(5)]
    opened = QSignalSpy(view.link_activated)
    links[0].click()
    assert opened.count() == 1


def test_a_table_is_copied_with_tabs_and_as_html(view: AnswerView) -> None:
    view.show_pieces(rendered("| Lamp | Year |\n|---|---|\n| Oil | 1863 [1] |\n").pieces)
    view.finish()
    (button,) = view.findChildren(CopyButton)
    assert button.accessibleName() == "Copy the table: Lamp, Year"
    # Beside the cells, so that none is covered.
    assert button.geometry().left() > view.marker_rect(0).right()
    button.click()
    copied = QGuiApplication.clipboard().mimeData()
    assert copied.text() == "Lamp\tYear\nOil\t1863\n"
    assert "<td>1863</td>" in copied.html()
    wide = "a wide cell " * 30
    view.show_pieces(rendered(f"| {wide} | {wide} |\n|---|---|\n| b | c |\n").pieces)
    view.finish()
    assert button.geometry().right() <= view.width()


def test_a_card_that_is_pinned_stays_until_it_is_closed(view: AnswerView, qtbot: QtBot) -> None:
    view.show_pieces(rendered(TEXT, CITATIONS).pieces)
    view.finish()
    view.clearFocus()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert view.popup is not None
    qtbot.keyClick(view, Qt.Key.Key_Space)
    view.clearFocus()
    assert view.popup is not None
    view.setFocus(Qt.FocusReason.OtherFocusReason)
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert view.popup is None


def test_selected_words_are_searched_without_the_numbers_between_them(
    lighthouse: AnswerView, qtbot: QtBot
) -> None:
    lighthouse.selectAll()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(5, 5), QPoint(5, 5))
    QApplication.sendEvent(lighthouse.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    (search,) = (action for action in menu.actions() if action.text() == "Search for it")
    with qtbot.waitSignal(lighthouse.search_wanted) as wanted:
        search.trigger()
    menu.close()
    assert wanted.args is not None
    words = wanted.args[0]
    assert words.split()[:2] == lighthouse.toPlainText().split()[:2]
    assert "\u00a0" not in words
