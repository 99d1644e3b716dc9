"""What opens over the window, or comes and goes in it, as a screen reader meets it: each control named, with its role."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from askance.app.model_choices import ModelChoice
from askance.domain.attached_files import Attachment
from askance.domain.attached_files import AttachmentState as State
from askance.domain.conversation import ParsedCommand, Picture, QuoteOrigin
from askance.presentation import missing_parts
from askance.ui.design.focus import install_roles, reading_order
from askance.ui.overlay.bar.ask_bar import AskBar
from askance.ui.overlay.bar.chips import ChipButton
from askance.ui.overlay.bar.tool_row import NARROW
from askance.ui.overlay.conversation.exchange import ExchangeModel
from askance.ui.overlay.conversation.exchange_actions import NextLine
from askance.ui.overlay.conversation.field import Chip
from askance.ui.overlay.find_bar import FindBar
from askance.ui.overlay.header import ConversationHeader
from askance.ui.overlay.stored import DraftFile, StoredConversations, StoredDrafts
from ui.accessible import Role, about, complaints, interface, name
from ui.overlay_room import STILL, Room, answered
from ui.shelves import dragged, drop

pytestmark = pytest.mark.usefixtures("summoned")
MODELS = (
    ModelChoice("wren:4b", 3_300_000_000, True, 21),
    ModelChoice("owl:24b", 15_000_000_000, free_bytes=11_000_000_000),
)


@dataclass
class Open:
    """The window with a conversation in it, and what its header opens."""

    room: Room
    header: ConversationHeader
    files: Path


@pytest.fixture
def window(room: Room, tmp_path: Path) -> Iterator[Open]:
    install_roles()
    drafts = StoredDrafts(DraftFile(tmp_path / "drafts.json"), room.session, room.overlay)
    stored = StoredConversations(room.bridge, room.session, room.overlay)
    header = ConversationHeader(room.bridge, room.session, room.overlay, stored, drafts)
    room.answer("Why is it so?", answered("Because."))
    room.bot.waitUntil(lambda: room.session.conversation is not None)
    room.settle()
    yield Open(room, header, tmp_path)
    for other in QApplication.topLevelWidgets():
        if isinstance(other, QMenu):
            other.close()
    room.session.begin_anew()


def plain(w: Open) -> QWidget:
    return w.room.overlay


def narrow(w: Open) -> QWidget:
    bar = AskBar(STILL)
    w.room.bot.addWidget(bar)
    bar.resize(STILL.px(NARROW) - 1, 120)
    bar.show()
    assert name(bar.tools.settings_button) == "More"
    assert not bar.tools.pin_button.isVisible()
    return bar


def suggested(w: Open) -> QWidget:
    w.room.bar.set_suggestion("Who paid for it?")
    w.room.conversation.set_suggestions(("Who built it?", "Which lamp?"))
    w.room.settle()
    assert about(w.room.field) == "Suggested: Who paid for it?, Tab takes it"
    lines = [n for n in w.room.overlay.findChildren(NextLine) if n.isVisible()]
    assert [(name(n), about(n), interface(n).role()) for n in lines] == [
        ("Who built it?", "Alt+2", Role.Button), ("Which lamp?", "Alt+3", Role.Button),
    ]  # fmt: skip
    return w.room.overlay


def missing(w: Open) -> QWidget:
    w.room.overlay.missing.show_part(missing_parts.OLLAMA_OFF)
    w.room.settle()
    assert "Ollama is not running" in about(w.room.overlay.missing.button)
    return w.room.overlay


def with_chips(w: Open) -> QWidget:
    (path := w.files / "dues.md").write_text("A berth costs 412 crowns.")
    assert drop(w.room.overlay, dragged(path, w.files / "gone.pdf"))
    w.room.bot.waitUntil(lambda: len(w.room.session.files.attachments) == 2)
    w.room.bot.waitUntil(lambda: w.room.session.files.is_settled)
    w.room.bot.waitUntil(lambda: not w.room.session.files._soon.isActive())
    w.room.bar.chips.add(Chip(QuoteOrigin.PASTED, "some words"))
    w.room.settle()
    chips = [c for c in w.room.overlay.findChildren(ChipButton) if c.isVisible()]
    said = [f"{name(chip)} {about(chip)}" for chip in chips]
    assert any("dues.md" in words and "1 page" in words for words in said)
    assert any("gone.pdf" in words and "The file is gone." in words for words in said)
    # Before the field, as they stand above it.
    order = reading_order(w.room.overlay)
    assert max(order.index(c) for c in chips if c in order) < order.index(w.room.field)
    return w.room.overlay


def asking_chips(w: Open) -> QWidget:
    """Chips that ask or complain, with the ways behind them."""
    states = (State.QUESTION, State.TOO_MANY, State.PASSAGES, State.READING)
    asked = [Attachment(n, f"{n}.pdf", w.files, state) for n, state in enumerate(states)]
    picture = Attachment(9, "shot.png", state=State.READY, picture=Picture(b"", "image/png"))
    chips = w.room.bar.chips
    chips.show_attachments((*asked, picture), {}, "wren:4b cannot see pictures.")
    chips.show_ways(("Use wren:8b", list), ("Read only its text", list))
    w.room.settle()
    assert all(name(chip) and about(chip) for chip in chips.buttons)
    assert "wren:4b cannot see pictures." in name(chips.buttons[-1])
    return w.room.overlay


def completing(w: Open) -> QWidget:
    w.room.type("/t")
    shown = w.room.bar.completion
    assert shown.is_open
    assert (name(shown), interface(shown).role()) == ("Commands", Role.List)
    rows = [interface(shown).child(row).text(QAccessible.Text.Name) for row in range(2)]
    assert all(row.startswith("/t") and ": " in row for row in rows)
    return w.room.overlay


def rewritten(w: Open) -> QWidget:
    w.room.conversation.services.put_in_place = lambda *_: None
    model = ExchangeModel(ParsedCommand("refine", "", "It were lit.", QuoteOrigin.SELECTED))
    w.room.conversation.add(model.take([(1.0, answered("It was **lit**."))]))
    w.room.settle()
    return w.room.overlay


def finding(w: Open) -> QWidget:
    w.header.find()
    bar = w.header.find_bar
    assert isinstance(bar, FindBar)
    bar.field.setText("because")
    assert bar.count.text() == "1 of 1"
    return w.room.overlay


def toast(w: Open) -> QWidget:
    w.header.toast.show_text("“A” deleted", undo="Undo", keys="Ctrl+Z", then=list)
    return w.room.overlay


def history(w: Open) -> QWidget:
    shown = w.header.show_history()
    w.room.bot.waitUntil(lambda: shown.rows.rowCount() > 0)
    return shown


def keys(w: Open) -> QWidget:
    w.header.show_keys()
    assert w.header.keys is not None
    w.header.keys.search.setText("new")
    return w.header.keys


def models(w: Open) -> QWidget:
    switch = w.room.overlay.models
    switch.set_choices(MODELS, "wren:4b")
    switch.open_below(w.room.bar.tools.model_button)
    return switch


PARTS = (
    plain, narrow, suggested, missing, with_chips, asking_chips, completing, rewritten, finding, toast, history, keys, models,
)  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
def test_each_part_has_a_name_a_role_and_room_to_be_hit(
    window: Open, part: Callable[[Open], QWidget]
) -> None:
    shown = part(window)
    assert complaints(shown) == []
    if shown.isWindow() and shown is not window.room.overlay and not isinstance(shown, AskBar):
        assert interface(shown).role() == Role.Dialog
        assert name(shown)
        shown.close()


MENUS: dict[str, tuple[str, ...]] = {
    "title": ("Rename", "Copy the conversation", "Export…", "Print…", "Sources beside the text", "Find", "Delete"),
    "attach": ("Files…", "Folder…", "From the clipboard", "From the library…"),
    "menu": (),
}  # fmt: skip


@pytest.mark.parametrize("menu", MENUS)
def test_the_rows_of_menus_are_items_with_their_keys(window: Open, menu: str) -> None:
    tools = window.room.bar.tools
    openers: dict[str, Callable[[], object]] = {
        "title": window.header.show_menu,
        "attach": tools.attach_button.click,
        "menu": tools.menu_button.click,
    }
    openers[menu]()
    shown = QApplication.activePopupWidget()
    assert isinstance(shown, QMenu)
    tree = interface(shown)
    assert tree.role() == Role.PopupMenu
    rows = [tree.child(n) for n in range(tree.childCount())]
    named = [row for row in rows if row is not None and not row.state().invisible]
    named = [row for row in named if row.role() != Role.Separator]
    assert {row.role() for row in named} == {Role.MenuItem}
    texts = [row.text(QAccessible.Text.Name) for row in named]
    assert all(texts)
    assert not MENUS[menu] or texts == list(MENUS[menu])
    shown.close()


def test_news_behind_the_history_button_are_said(window: Open) -> None:
    tools = window.room.bar.tools
    tools.set_has_news(True)
    assert about(tools.history_button) == "ready, not seen, Ctrl+H"
    tools.set_has_news(False)
    assert about(tools.history_button) == "Ctrl+H"
