"""Drafts: one for each conversation, there again after a restart, and forgotten when they should be."""

from __future__ import annotations

from pathlib import Path

import pytest

from askance.domain.conversation import QuoteOrigin
from askance.domain.history import ConversationRecord
from askance.ui.overlay.conversation.exchange import State
from askance.ui.overlay.conversation.field import MOST_DRAFTS, Chip, Draft, Drafts
from askance.ui.overlay.stored import DraftFile, StoredDrafts
from ui.overlay_room import Furnish, Gate, Key, Room, answered


class Desk:
    """A room with its drafts, as one run of the program."""

    def __init__(self, room: Room, file: Path) -> None:
        self.room, self.file = room, file
        self.drafts = StoredDrafts(DraftFile(file), room.session, room.overlay)

    def type_anew(self, text: str) -> None:
        self.room.field.set_text(text)

    def hide(self) -> None:
        self.room.overlay.hide()

    @property
    def kept(self) -> dict[int | None, str]:
        return {number: draft.text for number, draft in DraftFile(self.file).read().items()}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "drafts.json"


@pytest.fixture
def desk(furnish: Furnish, file: Path) -> Desk:
    made = Desk(furnish(), file)
    made.room.summon()
    return made


def test_a_draft_is_there_again_after_a_restart(desk: Desk, furnish: Furnish, file: Path) -> None:
    desk.room.type("half a question")
    desk.room.press(Key.Key_Left, Key.Key_Left)
    desk.room.bar.chips.add(Chip(QuoteOrigin.SELECTED, "quoted\nwords"))
    desk.hide()
    assert file.stat().st_mode & 0o777 == 0o600
    assert [item.name for item in file.parent.glob("*drafts*")] == ["drafts.json"]

    later = Desk(furnish(), file)
    later.drafts.read()
    assert later.room.bar.draft == Draft(
        "half a question", 13, (Chip(QuoteOrigin.SELECTED, "quoted\nwords"),)
    )


def test_what_was_sent_is_no_draft_any_more(desk: Desk, file: Path) -> None:
    desk.type_anew("half")
    desk.hide()
    assert desk.kept == {None: "half"}
    desk.room.overlay.show()
    desk.room.press(Key.Key_Return)
    desk.room.until(State.ANSWERED)
    desk.hide()
    assert not file.exists()


def keep_one(room: Room) -> ConversationRecord:
    """Ask something, and return the conversation once it is kept."""
    room.answer("one", answered("1."))
    history, found = room.history, list[ConversationRecord]()

    def is_stored() -> bool:
        number = room.session.conversation
        record = history.conversation(number) if number is not None else None
        found[:] = [record] if record is not None and record.exchanges[-1].ended else []
        return bool(found)

    room.bot.waitUntil(is_stored)
    return found[0]


def test_a_suggested_question_stays_with_the_conversation_it_goes_on_from(desk: Desk) -> None:
    room = desk.room
    record = keep_one(room)
    bar = room.overlay.ask_bar
    for leave in (room.session.begin_anew, lambda: room.session.resume(record)):
        bar.set_suggestion("Who paid for it?")
        assert bar.field.is_suggesting
        leave()
        assert not bar.field.is_suggesting


def test_each_conversation_has_its_own(desk: Desk) -> None:
    room = desk.room
    record = keep_one(room)
    desk.type_anew("about one")
    room.session.begin_anew()
    assert room.field.text == ""
    desk.type_anew("about nothing yet")
    room.session.resume(record)
    assert room.field.text == "about one"
    desk.hide()
    assert desk.kept == {None: "about nothing yet", record.summary.id: "about one"}
    room.session.begin_anew()
    assert room.field.text == "about nothing yet"


def test_a_draft_that_was_begun_before_its_conversation_had_a_number_goes_along(
    desk: Desk,
) -> None:
    room = desk.room
    gate = Gate()
    room.ask("one", gate, answered("1."))
    desk.type_anew("a follow-up")
    gate.open()
    room.until(State.ANSWERED)
    number = room.session.conversation
    assert number is not None
    desk.hide()
    assert desk.kept == {number: "a follow-up"}
    room.session.begin_anew()
    assert room.field.text == ""


def test_a_draft_without_a_kept_conversation_stays_in_the_field(
    furnish: Furnish, file: Path
) -> None:
    desk = Desk(furnish(), file)
    desk.room.app.history = None
    desk.room.summon()
    desk.room.ask("one", answered("1."))
    desk.room.until(State.ANSWERED)
    desk.type_anew("half")
    desk.room.session.begin_anew()
    assert desk.room.field.text == "half"


def test_nothing_is_written_where_drafts_are_not_kept(desk: Desk, file: Path) -> None:
    desk.type_anew("half")
    desk.hide()
    assert file.exists()
    desk.drafts.set_stored(False)
    assert not file.exists()
    desk.type_anew("more")
    desk.hide()
    desk.drafts.close()
    assert not file.exists()
    desk.drafts.set_stored(True)
    desk.drafts.close()
    assert desk.kept == {None: "more"}


def test_a_conversation_that_is_forgotten_takes_its_draft_along(desk: Desk, file: Path) -> None:
    record = keep_one(desk.room)
    desk.type_anew("about one")
    desk.room.session.begin_anew()
    desk.type_anew("about nothing")
    desk.drafts.forget(record.summary.id)
    assert desk.kept == {None: "about nothing"}
    desk.drafts.forget(0)
    assert not file.exists()


def test_a_file_that_somebody_took_away_takes_all_drafts_along(desk: Desk, file: Path) -> None:
    record = keep_one(desk.room)
    desk.type_anew("about one")
    desk.room.session.begin_anew()
    desk.hide()
    file.unlink()
    desk.type_anew("since then")
    desk.room.overlay.show()
    desk.hide()
    assert not file.exists()
    desk.type_anew("later")
    desk.room.overlay.show()
    desk.hide()
    assert desk.kept == {None: "later"}
    assert desk.drafts._drafts.of(record.summary.id) == Draft()


def test_the_end_of_the_program_writes_what_is_not_written(desk: Desk) -> None:
    desk.type_anew("last words")
    desk.drafts.close()
    assert desk.kept == {None: "last words"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "[]",
        '{"drafts": 3}',
        '{"drafts": [3, {"conversation": "1", "text": "a", "cursor": 0, "quotes": []}]}',
        '{"drafts": [{"conversation": 1, "text": "a", "cursor": 0, "quotes": [1]}]}',
        "[" * 100_000,
    ],
)
def test_a_file_that_cannot_be_read_holds_no_draft(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    stored = DraftFile(file)
    assert stored.read() == {}
    assert stored.write({3: Draft("new", 1)})
    assert stored.read() == {3: Draft("new", 1)}


def test_a_file_that_cannot_be_written_costs_nothing(file: Path) -> None:
    file.parent.write_text("in the way", encoding="utf-8")
    stored = DraftFile(file)
    assert stored.write({None: Draft("new")})
    assert stored.write({None: Draft("new")})
    assert stored.read() == {}


def test_any_character_is_kept_and_very_long_quotes_are_not(file: Path) -> None:
    stored = DraftFile(file)
    drafts = {
        None: Draft("\ud800 👩‍👩‍👧", 2),
        7: Draft("x", 0, (Chip(QuoteOrigin.PASTED, "y" * 300_000),)),
    }
    assert stored.write(drafts)
    assert stored.read() == {None: drafts[None], 7: Draft("x")}


def test_only_the_newest_drafts_are_kept() -> None:
    drafts = Drafts()
    for number in range(MOST_DRAFTS + 1):
        drafts.store(number, Draft(str(number)))
    drafts.store(1, Draft("again"))
    drafts.store(99, Draft("new"))
    assert drafts.of(0) == drafts.of(2) == Draft()
    assert drafts.of(1) == Draft("again")
    assert len(drafts) == MOST_DRAFTS


def test_what_waits_at_the_end_of_the_program_is_a_draft_of_its_conversation(
    desk: Desk,
) -> None:
    room = desk.room
    record = keep_one(room)
    room.session.resume(record)
    for text in ("first", "second", "third"):
        room.session.submit(text)
    # Left while it goes on: it is not in the window any more.
    room.session.begin_anew()
    desk.drafts.close()
    assert desk.kept[record.summary.id] == "second\n\nthird"
