"""`python -m bench.ui_program OUT WORLD SCENARIO`: the real program with probes in it.

WORLD is `{"port": …, "hosts": [...], "readers_idle_s": …, "calm_s": …, "report": …, "pdf_pages": …}`:
the loopback port that answers for these hosts, after how long the processes that take pages apart are
let go, how long a scenario waits before it begins, and the name and the pages of the PDF that is
attached. The scenario is done in the program's own event loop; what it measured is written to OUT as
JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from PySide6.QtCore import QMimeData, QRect, Qt, QTimer, QUrl
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QPdfWriter

import askance.ui.shell.desktop_app
from askance.__main__ import main as run_askance
from askance.ui.overlay.conversation.exchange import State
from askance.ui.overlay.conversation.sources_strip import SourceTile
from askance.ui.shell.desktop import Desktop
from bench.ui_probe import FirstPaint, Heartbeat, rest, until

LIMIT_S = 240.0
_AFTERWARDS_S = 0.5
_TURNS = 6
_PAGE_CHARACTERS = 3_000
Outcome = dict[str, Any]
Scenario = Callable[["MeasuredDesktop"], Outcome]


class MeasuredDesktop(Desktop):
    """The windows of the program. It tells on stdout what it heard, and what was painted."""

    def __init__(
        self, out: Path, world: Outcome, scenario: Scenario | None, *things: Any, **named: Any
    ) -> None:
        super().__init__(*things, **named)
        self.paint = FirstPaint(self.overlay, _tell)
        self.world = world
        self._out, self._scenario = out, scenario
        if scenario is not None:  # without one it is summoned from outside
            QTimer.singleShot(0, self, self._measure)

    def obey(self, asked: str, token: str = "") -> None:
        """Obey, and tell when it was heard."""
        _tell("heard", monotonic())
        super().obey(asked, token)

    def _measure(self) -> None:
        assert self._scenario is not None
        try:
            self.bridge.reopen(_opener(self))
            self._out.write_text(json.dumps(self._scenario(self)), encoding="utf-8")
        finally:
            self.quit()


def stream(desktop: MeasuredDesktop) -> Outcome:
    """Chat, and read three pages at any time until the answer is there."""
    desktop.bridge.call(lambda app: _read_on(app, desktop), lambda _: None)
    return _asked(
        desktop, partial(desktop.session.submit, "/chat Tell me all that they say of it.")
    )


def search(desktop: MeasuredDesktop) -> Outcome:
    """Search, read and rank pages in two rounds, and write an answer that is then checked."""
    return _asked(desktop, partial(desktop.session.submit, "/search What do they say of it?"))


def resume(desktop: MeasuredDesktop) -> Outcome:
    """Show a kept conversation again, from the window in which its history is opened."""
    desktop.overlay.summon()
    rest(desktop.world["calm_s"])
    heart = Heartbeat()
    return {**_opened(desktop), "beats": _beats(heart)}


def widen(desktop: MeasuredDesktop) -> Outcome:
    """Make the window wide, with the sources beside the text, and narrow again over a kept conversation."""
    _opened(desktop)
    rest(desktop.world["calm_s"])
    heart = Heartbeat()
    for _ in range(_TURNS):
        before = desktop.overlay.columns.is_wide
        desktop.overlay.toggle_wide()
        until(lambda: desktop.overlay.columns.is_wide is not before, LIMIT_S)  # noqa: B023 - now
        rest(_AFTERWARDS_S)
    return {"beats": _beats(heart)}


def _opened(desktop: MeasuredDesktop) -> Outcome:
    began = monotonic()
    desktop.conversations.open(1)
    conversation = desktop.overlay.conversation
    until(lambda: len(desktop.session.views) > 1, LIMIT_S)
    first_s = monotonic() - began
    until(
        lambda: (
            conversation.is_complete and len(conversation.exchanges) == len(desktop.session.views)
        ),
        LIMIT_S,
    )
    until(lambda: all(e.answer.is_settled for e in conversation.exchanges), LIMIT_S)
    return {"first_s": first_s, "took_s": monotonic() - began}


def _beats(heart: Heartbeat) -> list[tuple[float, float, float]]:
    """Return the beats until the window has come to rest."""
    rest(_AFTERWARDS_S)
    heart.stop()
    return heart.beats


def paste(desktop: MeasuredDesktop) -> Outcome:
    """Paste a text of 1 MB into the field."""
    desktop.overlay.summon()
    pasted = ("The quick brown fox jumps over the lazy dog. " * 20 + "\n\n") * 1150
    QGuiApplication.clipboard().setText(pasted)
    rest(desktop.world["calm_s"])
    heart = Heartbeat()
    rest(_AFTERWARDS_S)
    desktop.overlay.ask_bar.field.paste()
    return {"beats": _beats(heart), "characters": len(pasted)}


def download(desktop: MeasuredDesktop) -> Outcome:
    """Download a model with its page open, until it is used."""
    from askance.app.model_tiers import model_tiers  # noqa: PLC0415 - it would count as memory

    downloads = desktop.context.downloads
    desktop.windows.welcome(choose=True)
    rest(desktop.world["calm_s"])
    heart = Heartbeat()
    downloads.download(model_tiers()[0], by_ollama=False)
    until(lambda: not downloads.entries, LIMIT_S)
    return {"beats": _beats(heart)}


def attach(desktop: MeasuredDesktop) -> Outcome:
    """Attach a PDF to the ask bar, and ask about it once it is read."""
    from PySide6.QtTest import QTest  # noqa: PLC0415 - it would count as memory

    path = desktop._out.with_name(desktop.world["report"])  # noqa: SLF001
    write_pdf(path, desktop.world["pdf_pages"])
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(path))])
    desktop.overlay.summon()
    rest(desktop.world["calm_s"])
    heart = Heartbeat()
    desktop.overlay.ask_bar.field.files_pasted.emit(dropped)
    files = desktop.session.files
    until(lambda: bool(files.attachments) and files.is_settled, LIMIT_S)
    (attached,) = files.attachments
    desktop.overlay.ask_bar.field.set_text("What do they say of the storm loaf?")
    press = partial(QTest.keyClick, desktop.overlay.ask_bar.field, Qt.Key.Key_Return)
    return _asked(desktop, press, heart) | {"pdf_pages": attached.pages}


def write_pdf(path: Path, pages: int) -> None:
    """Write a PDF of so many pages of text: those of the sample web over and over, no two pages the same."""
    from askance.sample_web.sample_pages import load_library  # noqa: PLC0415 - only here

    texts = (document.text for document in load_library().documents.values())
    text = "\n".join(texts).replace("\n", "\n\n")
    writer = QPdfWriter(str(path))
    writer.setResolution(96)
    painter = QPainter(writer)
    for n in range(pages):
        if n:
            writer.newPage()
        at = n * _PAGE_CHARACTERS % len(text)
        words = f"Page {n + 1} of {pages}. {(text + text)[at : at + _PAGE_CHARACTERS]}"
        room = QRect(0, 0, writer.width(), writer.height())
        painter.drawText(room, Qt.TextFlag.TextWordWrap, words)
    painter.end()


def leave_alone(desktop: MeasuredDesktop) -> Outcome:
    """Ask a question that is searched, hide the window, tell, and go on until the program is ended."""
    desktop.overlay.summon()
    rest(desktop.world["calm_s"])
    # Without beats: what the probe holds would be measured as the program's.
    _answered(desktop, lambda: desktop.session.submit("/search What do they say of it?"))
    rest(_AFTERWARDS_S)
    desktop.overlay.hide()
    _tell("left", monotonic())
    rest(LIMIT_S)
    return {}


SCENARIOS: dict[str, Scenario] = {
    "stream": stream,
    "search": search,
    "resume": resume,
    "paste": paste,
    "widen": widen,
    "download": download,
    "attach": attach,
    "leave_alone": leave_alone,
}


def _asked(
    desktop: MeasuredDesktop, ask: Callable[[], object], heart: Heartbeat | None = None
) -> Outcome:
    """Ask, and return the beats with the seconds at which the answer began and was there."""
    desktop.overlay.summon()
    rest(desktop.world["calm_s"])
    marks: dict[str, float] = {}

    def mark(_: int, view: Any) -> None:
        if view.draft is not None:
            marks.setdefault("writing", monotonic())
        if view.answer is not None:
            marks.setdefault("written", monotonic())

    desktop.session.changed.connect(mark)
    _mark_sources(marks)
    heart = heart or Heartbeat()
    marks["asked"] = monotonic()
    view = _answered(desktop, ask)
    return {
        "beats": _beats(heart),
        **marks,
        "characters": len(view.text),
        "citations": len(view.citations),
    }


def _answered(desktop: MeasuredDesktop, ask: Callable[[], object]) -> Any:
    """Ask, and return the exchange once its answer is drawn.

    Raises:
        RuntimeError: there is none.
    """
    ask()
    until(lambda: any(view.ended for view in desktop.session.views), LIMIT_S)
    answer = desktop.overlay.conversation.exchanges[-1].answer
    until(lambda: answer.is_settled, LIMIT_S)
    view = desktop.session.views[-1]
    if view.state is not State.ANSWERED:
        raise RuntimeError(f"There is no answer: {view.failure or view.state}.")
    return view


def _mark_sources(marks: dict[str, float]) -> None:
    """Note when the first source is painted."""
    paint = SourceTile.paintEvent

    def painted(self: SourceTile, event: QPaintEvent) -> None:
        paint(self, event)
        marks.setdefault("sources", monotonic())

    SourceTile.paintEvent = painted


async def _read_on(app: Any, desktop: MeasuredDesktop) -> None:
    """Have three pages read at any time. It ends with the parts."""
    hosts = iter(desktop.world["hosts"] * 100)

    async def reader() -> None:
        for host in hosts:
            await app.reader.read(f"http://{host}/", sent=lambda _: None)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(3):
            tasks.create_task(reader())


def _opener(desktop: MeasuredDesktop) -> Callable[[], Any]:
    """Return what opens the real parts, with a reader that finds the hosts of the world."""
    # Here and not above: the program imports these in the engine's thread.
    settings, folders = desktop._settings, desktop._folders  # noqa: SLF001

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Any]:
        from datetime import UTC, datetime  # noqa: PLC0415

        from askance.adapters.reader.inprocess import InProcessReader  # noqa: PLC0415
        from askance.adapters.reader.network import MappedResolver  # noqa: PLC0415
        from askance.app.container import open_app  # noqa: PLC0415
        from askance.engine.prompts import load_prompts  # noqa: PLC0415
        from askance.engine.run import Engine  # noqa: PLC0415
        from bench.mapped_reader import NoResolver  # noqa: PLC0415

        there = ("127.0.0.1", desktop.world["port"])
        names = dict.fromkeys(desktop.world["hosts"], there)
        resolver = MappedResolver(names, NoResolver())
        async with (
            open_app(settings, folders) as app,
            InProcessReader(
                settings.page_reader,
                resolver=resolver,
                eager=False,
                idle_s=desktop.world["readers_idle_s"],
            ) as reader,
        ):
            engine = Engine(app.model, app.search, reader, load_prompts(), settings,
                            lambda: datetime.now(UTC).date(), app.ledger)  # fmt: skip
            yield replace(app, engine=engine, reader=reader, prepare=reader.prepare)

    return opened


def _tell(what: str, at_s: float) -> None:
    sys.stdout.write(json.dumps([what, at_s]) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Run the program."""
    out, world, scenario = sys.argv[1:4]
    sys.argv[1:4] = []
    # The development environment has HTTP/2, since the client of Qdrant brings it; the packages have not, and it takes
    # three megabytes where it is found.
    sys.modules["h2"] = None  # type: ignore[assignment]
    askance.ui.shell.desktop_app.Desktop = partial(
        MeasuredDesktop, Path(out), json.loads(world), SCENARIOS.get(scenario)
    )
    run_askance()


if __name__ == "__main__":
    main()
