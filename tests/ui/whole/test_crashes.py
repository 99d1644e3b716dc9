"""The window is killed in the middle of an answer: what was finished is there again."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from askance.adapters.storage.history import SqliteHistory
from askance.config.folders import Folders
from servers.loopback import Request, Wire
from ui.whole.conftest import Arrive
from ui.whole.neighbours import Neighbours
from ui.whole.remembered import questions_kept
from ui.whole.window_child import WindowChild, window
from waiting import PATIENCE_S

SEEDS = 10
PIECES = 12
SOON_S = 0.03
# Plainly English, as the answer is: else each program would load the model that recognises languages.
FINISHED, KILLED = "What was it that {} of {} finished?", "What was it that {} was killed in?"

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="kills as POSIX does: run it on Linux or macOS"
)


class Writer:
    """A model that greets, piece by piece; `before` is called with the number of each."""

    def __init__(self, around: Neighbours) -> None:
        self._ollama = around.script.ollama
        self.before: Callable[[int], object] = lambda _piece: None

    async def __call__(self, _request: Request, wire: Wire) -> None:
        await wire.start()
        for piece in range(PIECES):
            self.before(piece)
            await wire.chunk(self._ollama.text(f"This is what it says in {piece}. "))
        self.before(PIECES)
        await wire.chunk(self._ollama.end())


@pytest.fixture
def writer(around: Neighbours) -> Writer:
    made = Writer(around)
    around.script.answer = [made.__call__]
    return made


@pytest.fixture
def environment(around: Neighbours, home: Path) -> dict[str, str]:
    """Only talks: no process that takes pages apart need start."""
    return around.environment(home, ASKANCE_READER__MODE="container")


def killed(child: WindowChild, chance: random.Random) -> Callable[[int], None]:
    """Return what kills a window soon after one of the pieces, or after the last."""
    chosen, after_s = chance.randrange(PIECES + 1), chance.random() * SOON_S

    def before(piece: int) -> None:
        if piece == chosen:
            asyncio.get_running_loop().call_later(after_s, child.process.kill)

    return before


@pytest.mark.exhaustive
def test_a_window_that_is_killed_in_mid_answer_loses_that_answer_at_most(
    writer: Writer, environment: dict[str, str], folders: Folders
) -> None:
    finished: set[str] = set()
    for seed in range(SEEDS):
        chance = random.Random(seed)  # noqa: S311 - the same moments in every run
        with window(environment) as child:
            before = chance.randrange(3)
            for number in range(before):
                question = FINISHED.format(seed, number)
                child.type(f"/chat {question}")
                child.until(f"{number} answered")
                finished.add(question)
            writer.before = killed(child, chance)
            child.type(f"/chat {KILLED.format(seed)}")
            child.until("")
            writer.before = lambda _piece: None
            assert child.process.wait(PATIENCE_S) == -signal.SIGKILL
        if f"{before} answered" in child.said:
            finished.add(KILLED.format(seed))
        there = dict(questions_kept(folders))
        assert finished <= {question for question, has_end in there.items() if has_end}
        assert set(there) <= finished | set(map(KILLED.format, range(seed + 1)))
    assert not all(dict(questions_kept(folders)).values()), "none was killed in mid answer"
    assert not list(folders.data.glob("history.damaged-*"))


def test_what_was_seen_to_be_answered_is_kept_however_soon_the_window_is_killed(
    writer: Writer, environment: dict[str, str], folders: Folders
) -> None:
    with window(environment) as child:
        child.type("/chat What have you seen of it?")
        child.until("0 answered")
        child.kill()
    assert questions_kept(folders) == [("What have you seen of it?", True)]


@pytest.mark.usefixtures("pages_here")
def test_a_question_that_was_never_answered_is_shown_as_that_and_can_be_asked_again(
    around: Neighbours, arrive: Arrive, folders: Folders
) -> None:
    history = SqliteHistory(folders.history, pytest.fail)
    key = history.begin_exchange(None, "chat", "Who built the lighthouse?")
    history.close()
    around.script.answer = ["Clara Whitlow built it."]
    person = arrive()
    person.desktop.conversations.open(key.conversation)
    assert person.sees("Who built the lighthouse?", "This run was not finished.")
    assert person.newest.ended
    assert person.offers("Ask again")
    person.click("Ask again")
    person.until_ended()
    assert person.sees("Clara Whitlow built it.")
