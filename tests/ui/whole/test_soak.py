"""Many searches in one window: whatever a search takes, it gives back."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from askance.citations.markdown.grammar import outlines
from askance.config.folders import Folders, find_folders
from askance.engine.model_speed import MOST_SAMPLES
from askance.sample_web.sample_server import serve_sample_web
from askance.ui.design.theme import load_fonts
from askance.ui.shell.desktop import Desktop
from servers.model_script import ModelScript, plan, verdict
from ui.whole.conftest import leave
from ui.whole.neighbours import Neighbours, neighbours, settings_of
from ui.whole.person import Person
from ui.whole.remembered import questions_kept
from ui.whole.window_child import children_of

SEARCHES = 25
WARM_AFTER = 10
A_CONVERSATION = 5
"""Searches between two /new."""
LARGEST_POOL = 4 + (os.cpu_count() or 1)
"""As `concurrent.futures` has it."""
MOST_GROWTH = 1.075
BOUNDED = (
    "askance.text.ranking.",
    "askance.text.languages.",
    "askance.citations.check.facts.",
    "askance.citations.check.asked_values.",
    "askance.engine.disguised_words.",
)
"""What these keep of texts and of languages does not grow with the searches, but for a bound."""

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="counts what /proc shows: run it on Linux"),
]


@dataclass(frozen=True)
class Footprint:
    """What this process holds at a moment, counted by name.

    `objects` are those of our own classes, but for `BOUNDED`. `pooled` are the threads of the
    event loops' own pools, which grow up to a bound.
    """

    widgets: Counter[str]
    objects: Counter[str]
    qobjects: int
    threads: Counter[str]
    pooled: int
    unnamed_threads: int
    files: Counter[str]
    children: int


@dataclass
class Soak:
    """A person, what there is to ask, and the services."""

    person: Person
    questions: Iterator[str]
    around: Neighbours

    def search(self) -> None:
        """Search once."""
        self.person.ask(f"/search {next(self.questions)}")
        self.person.until_ended()

    def footprint(self) -> Footprint:
        """Look at this process, once everything that is to go has gone."""
        # It holds the last few texts, which are of another length each time.
        outlines.cache_clear()
        self.person.ask("/new")
        self.person.until(lambda: self.around.are_idle and self.person.desktop.bridge.is_idle)
        for _ in range(3):
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            QCoreApplication.processEvents()
            # What is there in a calm moment is frozen, which may be now: it would not be collected,
            # and not counted.
            gc.unfreeze()
            gc.collect()
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        living = gc.get_objects()
        threads = Counter(t.name.rstrip("-_0123456789") for t in threading.enumerate())
        pooled = threads.pop("asyncio", 0)
        return Footprint(
            widgets=Counter(type(w).__name__ for w in application.allWidgets()),
            objects=Counter(type(thing).__qualname__ for thing in living if _is_counted(thing)),
            qobjects=sum(isinstance(thing, QObject) for thing in living),
            threads=threads,
            pooled=pooled,
            unnamed_threads=len(list(Path("/proc/self/task").iterdir())) - threading.active_count(),
            files=Counter(_target(link) for link in Path("/proc/self/fd").iterdir()),
            children=len(children_of(os.getpid())),
        )


def quoting(prompt: str) -> str:
    """Answer with what a source says, in some Markdown."""
    lines = [line for line in prompt.splitlines() if len(line.split()) > 8 and line[0].isalnum()]
    text = lines[0][:300] if lines else "The sources say nothing of it."
    return f"**In short:** {text} [1]\n\n- one thing [1]\n- another `thing`\n\n```\ncode\n```\n"


@pytest.fixture
def soak(qtbot: QtBot, home: Path) -> Iterator[Soak]:
    """A window on the sample web, with a model that is quick and shallow."""
    load_fonts()
    script = ModelScript([plan()], [verdict("sufficient")], [quoting])
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    with serve_sample_web() as web, neighbours(script) as around:
        environment = settings_of(home, around.model.url, web.search_url, web.search_url)
        desktop = Desktop(application, environment, find_folders(environment))
        person = Person(desktop, qtbot)
        person.summon()
        # Keys are simulated for these alone.
        typable = [q.question for q in web.questions if q.question.isascii()]
        yield Soak(person, cycle(typable), around)
        leave(desktop)


def _is_counted(thing: object) -> bool:
    module = str(type(thing).__module__)
    return module.startswith("askance.") and not f"{module}.".startswith(BOUNDED)


def _target(link: Path) -> str:
    """What an open file is; sockets and pipes without their numbers."""
    try:
        return str(link.readlink()).partition(":[")[0]
    except FileNotFoundError:
        return "the listing of these"


def resident_kb() -> int:
    """The memory of this process that is not swapped out."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmRSS:")[2].split()[0])


def test_many_searches_leave_nothing_behind(soak: Soak, folders: Folders) -> None:
    seen: dict[int, Footprint] = {}
    resident: dict[int, int] = {}
    for number in range(1, SEARCHES + 1):
        soak.search()
        if number in {WARM_AFTER, SEARCHES}:
            seen[number], resident[number] = soak.footprint(), resident_kb()
        elif number % A_CONVERSATION == 0:
            soak.person.ask("/new")
    warm, soaked = seen[WARM_AFTER], seen[SEARCHES]
    assert +(soaked.widgets - warm.widgets) == Counter()
    # So many requests to a server are compared at most.
    assert +(soaked.objects - warm.objects - Counter(Sample=MOST_SAMPLES)) == Counter()
    assert soaked.qobjects <= warm.qobjects
    assert soaked.threads <= warm.threads
    assert soaked.unnamed_threads <= warm.unnamed_threads
    assert soaked.pooled <= LARGEST_POOL
    assert +(soaked.files - warm.files) == Counter()
    assert soaked.children == warm.children
    assert resident[SEARCHES] <= MOST_GROWTH * resident[WARM_AFTER]
    assert len(questions_kept(folders)) == SEARCHES
