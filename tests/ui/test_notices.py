"""What a desktop cannot do is said once: one thing at a summons, and never again at a later start."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QAbstractButton

from askance.domain.messages import Message, Remedy
from askance.ui.shell.upkeep import Notices
from ui.overlay_room import Room

HOTKEY = Remedy("No hotkey here. Bind {line}.", line="F9", command="bindsym F9 exec askance toggle")
RULE = Message("The desktop decides\nwhere this lies.")


def said(room: Room) -> str:
    return room.overlay.ask_bar.inline_message.sentence


def notices(room: Room, tmp_path: Path, copied: list[str] | None = None) -> Notices:
    copy = (copied if copied is not None else []).append
    return Notices(tmp_path / "data" / "notices", room.overlay, copy)


def test_one_is_said_at_each_summons_and_none_at_a_later_start(room: Room, tmp_path: Path) -> None:
    first = notices(room, tmp_path)
    first.add(HOTKEY)
    first.add(RULE)
    first.add(HOTKEY)
    assert not said(room)
    room.summon()
    assert said(room) == HOTKEY
    room.leave()
    room.overlay.take_back(HOTKEY)
    room.summon()
    assert said(room) == RULE
    room.leave()
    room.overlay.take_back(RULE)

    later = notices(room, tmp_path)
    later.add(RULE)
    later.add(HOTKEY)
    room.summon()
    assert not said(room)


def test_it_is_said_at_once_to_who_has_the_window_before_him(room: Room, tmp_path: Path) -> None:
    room.summon()
    notices(room, tmp_path).add(RULE)
    assert said(room) == RULE


def test_a_button_copies_what_helps(room: Room, tmp_path: Path) -> None:
    copied: list[str] = []
    room.summon()
    notices(room, tmp_path, copied).add(HOTKEY)
    buttons = room.overlay.ask_bar.inline_message.findChildren(QAbstractButton)
    (button,) = [button for button in buttons if button.isVisible()]
    button.click()
    assert copied == ["bindsym F9 exec askance toggle"]


def test_where_it_cannot_be_kept_it_is_said_once_more(room: Room, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder", "utf-8")
    room.summon()
    notices(room, tmp_path).add(RULE)
    assert said(room) == RULE
