"""`python -m bench.ui`: how quick the window is, written to `window.md`. Linux only.

The real program runs in a process of its own, on a screen of its own (Xvfb), with a panel that takes
its icon; `askance toggle` calls it. The model, the search engine and the pages answer from this
process.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

from askance.adapters.storage.history import SqliteHistory
from askance.adapters.web_choice import READERS_IDLE_S
from askance.config.folders import find_folders
from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered
from askance.domain.history import TimedEvent
from bench.ui_figures import Gaps, Measured, gaps_of
from bench.ui_page import render_page
from bench.ui_panel import panel
from bench.ui_processes import ASKANCE, NoScreen, Program, running, screen
from bench.ui_world import REPORT, World, answer_text, serve_world

PAGE = Path(__file__).parents[1] / "docs" / "bench" / "window.md"
REPORTS = "## Reports about other programs\n"
_BETWEEN_S = 0.25
_LIMIT_S = 3.0
# Every second toggle hides the window, and one that comes before it is active does nothing.
_TOGGLES = 20
_ASKING_S = 240.0
_LIMITS = {
    "LIMITS__ROUNDS": "2",
    "LIMITS__RUN_TIMEOUT_S": "600",
    "EVIDENCE__FIRST_ROUND_TOKENS": "16000",
    "ANSWER__MAX_TOKENS": "16000",
}


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    starts: int = 12
    toggles: int = 40
    answers: int = 2
    answer_characters: int = 32_768
    exchanges: int = 200
    model_mb: int = 400
    pdf_pages: int = 300
    idle_s: float = 30.0
    settling_s: float = 5.0
    calm_s: float = 1.5
    """How long a scenario waits before it begins, so that the start is over."""
    hurry: float = 1.0
    readers_idle_s: float = READERS_IDLE_S


WHOLE = Size()
QUICK = Size(2, 3, 1, 1_500, 6, 20, 10, 1.0, 1.0, 1.5, 4.0, 1.0)


class Bench:
    """Measures one thing after the other. `icon` waits for the icon of a program that was started."""

    def __init__(self, size: Size, environment: Mapping[str, str], world: World) -> None:
        self._size = size
        self._environment = dict(environment)
        self._world = world
        self._home = Path(environment["ASKANCE_HOME"])

    def starts(self, measured: Measured, docked: Callable[[], float]) -> None:
        """Start the program and end it again. `docked` waits for its icon."""
        for n in range(self._size.starts + 1):
            with running([*ASKANCE, "--hidden"], self._environment) as program:
                icon_s = docked() - program.began_s
                cpu_ms = program.cpu_ms()
                turn_s = program.answered_s()
                if n == 0:
                    continue  # it finds the files cold
                measured.turns.append(turn_s)
                measured.icons.append(icon_s)
                measured.icon_cpu_s.append(cpu_ms / 1000)

    def idle(self, measured: Measured) -> None:
        """Leave the program alone after it was shown and hidden once."""
        with running([*ASKANCE, "--hidden"], self._environment) as program:
            program.answered_s()
            program.usage(self._size.settling_s)
            measured.fresh = program.memory()
            program.toggle()
            program.usage(self._size.settling_s)
            measured.shown = program.memory()
            program.toggle()
            program.usage(self._size.settling_s)
            measured.idle = program.usage(self._size.idle_s)
            measured.warm = program.memory()

    def left_alone(self, measured: Measured) -> None:
        """Ask a question that is searched, and leave the program alone until it has let go."""
        with self._program("leave_alone", Path(os.devnull)) as program:
            program.next("left", limit_s=_ASKING_S)
            measured.asked = program.memory()
            program.usage(2 * self._size.readers_idle_s + self._size.settling_s)
            measured.rested = program.memory()

    def toggles(self, measured: Measured) -> None:
        """Show and hide the window by the command that a key is bound to."""
        with self._program("none", Path(os.devnull)) as program:
            program.answered_s()
            program.usage(self._size.settling_s)
            for n in range(self._size.toggles + 1):
                began_s, (_, received_s), painted_s = self._shown(program)
                if n == 0:
                    measured.first_paint = 1000 * (painted_s - received_s)
                    continue
                measured.paints.append(1000 * (painted_s - received_s))
                measured.commands.append(1000 * (painted_s - began_s))

    def _shown(self, program: Program) -> tuple[float, tuple[str, float], float]:
        """Toggle until the window is painted; a toggle in between hides it.

        One that comes before the window is the active one does neither.

        Raises:
            TimeoutError: it was not painted after `_TOGGLES` of them.
        """
        for _ in range(_TOGGLES):
            sleep(_BETWEEN_S)
            began_s = program.toggle()
            received = program.next("heard")
            with suppress(TimeoutError):
                what, at_s = program.next("painted", "hidden", limit_s=_LIMIT_S)
                if what == "painted":
                    return began_s, received, at_s
        raise TimeoutError(f"The window was not painted after {_TOGGLES} toggles.")

    def scenario(self, name: str) -> dict[str, Any]:
        """Do a scenario in the program, and return what it measured."""
        out = self._home / f"{name}.json"
        out.unlink(missing_ok=True)
        self._world.served.clear()
        self._world.found.clear()
        with self._program(name, out) as program:
            program.process.wait(_ASKING_S)
        asked = {"pages": len(self._world.served), "found": [*self._world.found]}
        return json.loads(out.read_text(encoding="utf-8")) | asked

    @contextmanager
    def _program(self, name: str, out: Path) -> Generator[Program]:
        known = {
            "port": self._world.port,
            "hosts": [site.host for site in self._world.sites],
            "readers_idle_s": self._size.readers_idle_s,
            "calm_s": self._size.calm_s,
            "report": REPORT,
            "pdf_pages": self._size.pdf_pages,
        }
        command = (sys.executable, "-m", "bench.ui_program", str(out), json.dumps(known), name)
        with running([*command, "--hidden"], self._environment) as program:
            yield program


def keep_conversation(home: Path, exchanges: int, world: World) -> None:
    """Fill the history with one conversation."""
    text = answer_text(1_500, world.sites, sources=3)
    end = Answered(text, (), (), Outcome.WEB, 1, Usage(), (), 3_000)
    folders = find_folders({"ASKANCE_HOME": str(home)})
    history = SqliteHistory(folders.history, print)
    number = None
    for n in range(exchanges):
        key = history.begin_exchange(number, "chat", f"What do they say of part {n}?")
        number = key.conversation
        history.finish_exchange(key, [TimedEvent(3.0, end)])
    history.close()


def measure(size: Size) -> Measured:
    """Measure everything, and return the figures.

    Raises:
        NoScreen: there is no Xvfb.
    """
    with (
        tempfile.TemporaryDirectory() as home,
        screen() as display,
        serve_world(size.answer_characters, hurry=size.hurry, model_mb=size.model_mb) as world,
        panel(display) as icons,
    ):
        (Path(home) / "data").mkdir()
        (Path(home) / "data" / "welcomed").touch()
        environment = _environment(home, world, display)
        bench = Bench(size, environment, world)
        measured = Measured(world.are_articles)
        bench.starts(measured, lambda: icons.docked.get(timeout=_ASKING_S))
        bench.idle(measured)
        bench.left_alone(measured)
        bench.toggles(measured)
        for _ in range(size.answers):
            _add_stream(measured, bench.scenario("stream"))
        for _ in range(size.answers):
            _add_search(measured, bench.scenario("search"))
        keep_conversation(Path(home) / "kept", size.exchanges, world)
        stored = Bench(size, _at(environment, "kept"), world)
        for n in range(size.answers):
            _add_rest(measured, bench, stored, Bench(size, _at(environment, f"new{n}"), world))
        return measured


def _at(environment: Mapping[str, str], name: str) -> dict[str, str]:
    """Give the program a home of its own in that of the others."""
    return {**environment, "ASKANCE_HOME": f"{environment['ASKANCE_HOME']}/{name}"}


def _add_rest(measured: Measured, bench: Bench, stored: Bench, new: Bench) -> None:
    """Add what ends within seconds. `stored` has a conversation to resume, `new` no model of its own."""
    found = stored.scenario("resume")
    measured.resumed_s.append((found["first_s"], found["took_s"]))
    measured.resuming = Gaps.joined(measured.resuming, gaps_of(found["beats"]))
    for one, name, gaps in (
        (bench, "paste", "pasting"), (stored, "widen", "widening"), (new, "download", "downloading"),
    ):  # fmt: skip
        beats = one.scenario(name)["beats"]
        setattr(measured, gaps, Gaps.joined(getattr(measured, gaps), gaps_of(beats)))
    read = bench.scenario("attach")
    measured.pdf_pages = read["pdf_pages"]
    measured.reading = Gaps.joined(measured.reading, gaps_of(read["beats"], 0, read["writing"]))


def _add_stream(measured: Measured, found: dict[str, Any]) -> None:
    writing, written = found["writing"], found["written"]
    measured.characters = found["characters"]
    measured.pages_extracted += found["pages"]
    measured.streaming = Gaps.joined(measured.streaming, gaps_of(found["beats"], writing, written))
    measured.rendering = Gaps.joined(measured.rendering, gaps_of(found["beats"], written))


def _add_search(measured: Measured, found: dict[str, Any]) -> None:
    writing, written = found["writing"], found["written"]
    measured.pages_ranked = found["pages"]
    measured.citations = found["citations"]
    # Before it the program looked whether the search answers at all.
    first_s = next(at_s for at_s in found["found"] if at_s > found["asked"])
    measured.sources.append(1000 * (found["sources"] - first_s))
    measured.searching = Gaps.joined(measured.searching, gaps_of(found["beats"], 0, writing))
    measured.citing = Gaps.joined(measured.citing, gaps_of(found["beats"], writing, written))
    measured.checking = Gaps.joined(measured.checking, gaps_of(found["beats"], written))


def _environment(home: str, world: World, display: str) -> dict[str, str]:
    inherited = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {
        **inherited,
        "DISPLAY": display,
        "HOME": home,
        "ASKANCE_HOME": home,
        "ASKANCE_WINDOW__HOTKEY": "",
        "ASKANCE_LLM__URL": world.url,
        "ASKANCE_LLM__HUB": world.url,
        "ASKANCE_LLM__CONTEXT_TOKENS": "131072",
        "ASKANCE_SEARCH__URL": world.url,
        "ASKANCE_READER__MODE": "inprocess",
        **{f"ASKANCE_{name}": value for name, value in _LIMITS.items()},
    }


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.ui", description=__doc__)
    parser.add_argument("--out", type=Path, default=PAGE, help="file to write")
    parser.add_argument("--quick", action="store_true", help="little of everything, as a trial")
    options = parser.parse_args()
    try:
        measured = measure(QUICK if options.quick else WHOLE)
    except NoScreen as exc:
        sys.exit(str(exc))
    # What stands below the figures was not measured, and stays.
    _, heading, reports = PAGE.read_text("utf-8").partition(REPORTS)
    options.out.write_text(f"{render_page(measured).rstrip()}\n\n{heading}{reports}", "utf-8")


if __name__ == "__main__":
    main()
