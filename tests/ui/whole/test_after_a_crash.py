"""What a person finds of a question that was under way when the program was killed."""

from __future__ import annotations

import pytest

from askance.adapters.storage.history import SqliteHistory
from askance.config.folders import Folders
from ui.whole.conftest import Arrive
from ui.whole.neighbours import Neighbours

pytestmark = pytest.mark.usefixtures("pages_here")


def test_a_question_that_was_never_answered_is_shown_as_that_and_can_be_asked_again(
    around: Neighbours, arrive: Arrive, folders: Folders
) -> None:
    history = SqliteHistory(folders.history, pytest.fail)
    key = history.begin_exchange(None, "chat", "Who built the lighthouse?")
    history.close()
    around.script.answer = ["Clara Whitlow built it."]
    person = arrive()
    person.ask("/history")
    assert person.desktop.windows.history is not None
    person.desktop.windows.history.panel.opened.emit(key.conversation)
    assert person.sees("Who built the lighthouse?", "This run was not finished.")
    assert person.newest.ended
    assert person.offers("Retry")
    person.click("Retry")
    person.until_ended()
    assert person.sees("Clara Whitlow built it.")
