"""The desktop program in front of the camera: its real windows over the sample web and a script."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from askance.adapters.network.own_services import SearxngHealth
from askance.adapters.storage.history import SqliteHistory
from askance.app import attachments, model_choices, model_offers
from askance.app import conversation as conversing
from askance.app.checks import first_steps, parts
from askance.app.container import App, open_app
from askance.app.conversation import Recorder
from askance.config.folders import Folders, find_folders
from askance.config.settings import SearchSettings, Settings
from askance.domain.conversation import RunRequest
from askance.domain.downloads import ProcessorTrial
from askance.domain.errors import ServiceDown
from askance.domain.events import Answered, Emit, RunEnd, RunEvent, ignore
from askance.domain.messages import Message
from askance.domain.ports.containers import (
    READER,
    SEARXNG,
    ComposeProgress,
    EngineInfo,
    Health,
    RoundTrip,
    ServiceState,
    ServiceStatus,
    StartResult,
    Survey,
)
from askance.engine.run import Engine
from askance.engine.suggestions import AnsweredRun
from askance.presentation.missing_parts import MissingPart
from askance.sample_web.sample_server import serve_sample_web
from askance.ui.design.theme import DARK, LIGHT, Look
from askance.ui.overlay import history_beside, history_popover
from askance.ui.overlay.conversation import exchange_view as run_clock
from askance.ui.settings import download_list, first_run, models
from askance.ui.shell.desktop import Desktop
from shots import past, shelf, story
from shots.actors import (
    MODELS,
    Cue,
    OrderlyReader,
    ScriptedModel,
    StandingDownloads,
    TurnTaker,
    UnseenPace,
)

SEARXNG_URL = SearchSettings().url
_DOCKER = EngineInfo("Docker", "28.5.1", "1.51", "unix:///run/docker.sock")
_WELL = Survey(
    _DOCKER,
    (
        ServiceState(SEARXNG, "running", Health.HEALTHY, addresses=("127.0.0.1:25017",)),
        ServiceState(READER, "running", Health.HEALTHY, addresses=("127.0.0.1:25018",)),
    ),
    (RoundTrip(SEARXNG, f"{SEARXNG_URL}/healthz", 4.0), RoundTrip(READER, "", 3.0)),
)
_NOTHING = Survey(_DOCKER, (ServiceState(SEARXNG), ServiceState(READER)))
_FREE_BYTES = 11_000_000_000
_FREE_DISK_BYTES, _TRIAL = 61_000_000_000, ProcessorTrial(800, 25)
_LOADED = {MODELS[0].name: MODELS[0].context_tokens}
# For how long the run of the pictures seems to go on: a silence is longer.
_UNDER_WAY_S = 9
# Pictures are taken while a run waits: no limit of time may end it.
_PATIENT: Mapping[str, Mapping[str, float]] = {
    "limits": {"run_timeout_s": 3600.0, "plan_timeout_s": 600.0},
}


@dataclass
class World:
    """What is there around the program. `is_up` says whether SearXNG and the reader run, `missing` what the row below the
    bar says."""

    is_up: bool = True
    missing: tuple[MissingPart, ...] = ()

    async def up(self, report: Callable[[ComposeProgress], None]) -> StartResult:  # noqa: ARG002 - a port
        """Start nothing."""
        return StartResult(_WELL, Path(), 1.0)

    async def down(self, report: Callable[[ComposeProgress], None]) -> bool:  # noqa: ARG002 - a port
        """Stop nothing."""
        return False

    async def survey(self) -> Survey:
        """Tell how the containers are."""
        return _WELL if self.is_up else _NOTHING

    async def health(self, url: str) -> SearxngHealth:
        """Answer for SearXNG."""
        if not self.is_up:
            raise ServiceDown("SearXNG", url, f"Nothing answers at {url}.")
        return SearxngHealth(4.0, speaks_json=True)


class Clock:
    """The seconds of the run, by the script."""

    def __init__(self) -> None:
        self.ms = 0

    def __call__(self) -> float:
        """Return the seconds until now."""
        return self.ms / 1000


class RehearsedEngine:
    """An engine whose steps take the time that the script gives them."""

    def __init__(self, engine: Engine, clock: Clock, addresses: Mapping[str, str]) -> None:
        self._engine, self._clock, self._addresses = engine, clock, addresses

    async def run(
        self,
        request: RunRequest,
        *,
        emit: Emit,
        on_answered: Callable[[AnsweredRun], None] = ignore,
    ) -> RunEnd:
        """Search as the other one does."""
        return await self._engine.run(
            request, emit=lambda event: emit(self._timed(event)), on_answered=on_answered
        )

    async def warm_up(self, stays_s: float) -> None:
        """Nothing: the actors are always ready."""

    def forget_conversation(self) -> None:
        """Forget what the earlier turns have shown."""
        self._engine.forget_conversation()

    def _timed(self, event: RunEvent) -> RunEvent:
        took = story.pace_ms(event)
        self._clock.ms += took
        changed: dict[str, Any] = {}
        for field in fields(event):
            value = getattr(event, field.name)
            if field.name == "elapsed_ms":
                is_end = isinstance(event, Answered)
                changed[field.name] = self._clock.ms if is_end else took
            elif type(value) is str:  # and no word of a closed list
                for real, shown in self._addresses.items():
                    value = value.replace(real, shown)
                changed[field.name] = value
            elif isinstance(value, Message):
                named = {real: shown for real, shown in self._addresses.items() if real in value}
                for real, shown in named.items():
                    changed[field.name] = Message(
                        value.template,
                        **{k: str(v).replace(real, shown) for k, v in value.values.items()},
                    )
        return replace(event, **changed)


class Stage(Desktop):
    """A desktop whose parts are the real ones over the sample web, but for the actors."""

    def __init__(
        self, application: QApplication, home: Path, language: str, world: World, clock: Clock
    ) -> None:
        environment = {"ASKANCE_HOME": str(home), "PATH": "", "ASKANCE_WINDOW__LANGUAGE": language}
        folders = find_folders(environment)
        folders.reader_token.parent.mkdir(parents=True)
        folders.reader_token.touch()
        folders.settings_file.parent.mkdir(parents=True)
        folders.settings_file.write_text(f'[llm]\nmodel = "{MODELS[0].name}"\n', "utf-8")
        past.remember(folders)
        self.world, self.clock = world, clock
        self.reading, self.writing = Cue(), Cue()
        super().__init__(application, environment, folders, open_address=lambda _: True)
        self.context = replace(
            self.context, open_services=lambda *_: self.world, has_network=lambda _: True
        )
        self.dress(is_dark=False)
        self.bridge.reopen(self._staged_parts)
        self._light()

    def dress(self, *, is_dark: bool) -> None:
        """Put all windows into the light or the dark look, in which nothing moves."""
        self._set_look(Look(DARK if is_dark else LIGHT, moves=False))

    @property
    def is_lit(self) -> bool:
        """Whether the lights at the foot of the window are looked at."""
        return not self._calls.is_under_way("lights")

    @property
    def papers(self) -> Path:
        """A folder for files that are attached."""
        return self._folders.data.parent / "papers"

    def stock(self) -> None:
        """Fill the library; not before, so that no run finds anything in it."""
        shelf.stock(self._folders)

    def introduce(self) -> None:
        """Let other programs have asked."""
        past.introduce(self._folders)

    def lose_services(self) -> None:
        """Let containers and model be as if they had never been set up."""
        self.world.is_up = False
        self._folders.settings_file.write_text("", "utf-8")
        self._folders.reader_token.unlink()

    def lack(self, *missing: MissingPart) -> None:
        """Let the row below the bar find something missing."""
        self.world.missing = missing
        self.missing_parts.look()

    def give(self, cue: Cue) -> None:
        """Let the run go on."""

        async def give(_parts: object) -> None:
            cue.give()

        self.bridge.call(give, lambda _: None)

    @asynccontextmanager
    async def _staged_parts(self) -> AsyncGenerator[App]:
        settings, folders = _patient(self._settings), self._folders
        history = SqliteHistory(folders.history, self.troubled.emit, lambda: past.NOW)
        with serve_sample_web() as web:
            async with open_app(settings, folders, sample_web=web) as app:
                reader = OrderlyReader(app.reader, self.reading, story.FIRST_PAGES + 2)
                model = ScriptedModel(reader, self.writing)
                engine = replace(
                    app.engine,
                    model=model,
                    reader=reader,
                    search=TurnTaker(app.search),
                    model_speed=UnseenPace(),
                )
                rehearsed = RehearsedEngine(engine, self.clock, {web.search_url: SEARXNG_URL})
                shown = app.settings.model_copy(update={"search": settings.search})
                yield replace(
                    app,
                    model=model,
                    engine=rehearsed,
                    history=history,
                    settings=shown,
                )
        history.close()


def _free() -> int:
    return _FREE_BYTES


def _always(value: object) -> Callable[..., Coroutine[object, object, Any]]:
    """Return a function of the engine's thread that returns one value, whatever it is asked."""

    async def give(*_: object, **__: object) -> Any:
        return value

    return give


async def _offered(folders: Folders, *_: object) -> model_offers.ModelOffers:
    found = await model_offers.offers(folders, (), _TRIAL, free=_free)
    return replace(found, free_disk=_FREE_DISK_BYTES, can_run=True)


@contextmanager
def opened(application: QApplication, home: Path, language: str) -> Generator[Stage]:
    """Open the program in a home of its own, and close it in the end."""
    # Asked by the engine's thread from the first moment on.
    world, clock = World(), Clock()

    async def answer(url: str, _token_file: Path | None) -> ServiceStatus:
        return ServiceStatus("2026.5.2", (await world.health(url)).ms)

    async def health(url: str, _token_file: Path | None) -> SearxngHealth:
        return await world.health(url)

    async def missing(*_: object, **__: object) -> tuple[MissingPart, ...]:
        return world.missing

    stored_rows = history_popover.stored_rows

    async def rows_of_the_day(parts: App, _today: object, *args: Any, **kwargs: Any) -> Any:
        return await stored_rows(parts, past.NOW.date(), *args, **kwargs)

    def recorder(*args: Any, **kwargs: Any) -> Recorder:
        return Recorder(*args, **kwargs, clock=clock)

    seconds = run_clock.RunClock.seconds

    def seconds_of(clock: run_clock.RunClock) -> int | None:
        # Once it has ended, it says itself how long it took.
        return None if seconds.__get__(clock) is None else _UNDER_WAY_S

    # What these modules ask the machine and its clock for, the script answers.
    with ExitStack() as given:
        for module, name, stand_in in (
            (first_steps, "searxng_health", health),
            (parts, "searxng_vitals", answer),
            (conversing, "Recorder", recorder),
            (run_clock, "now", lambda: 0.0),
            (run_clock.RunClock, "seconds", property(seconds_of)),
            (models, "free_memory", _free),
            (first_run, "look_at_model", _always(first_steps.CheckResult(ok=False))),
            (first_run, "running_servers", _always(())),
            (first_run, "offers", _offered),
            (first_steps, "missing_now", missing),
            (attachments, "sight_of", _always(attachments.Sight(MODELS[0].name, sees=True))),
            (model_choices, "loaded_models", _always(frozenset(_LOADED))),
            (model_choices, "free_memory", _free),
            (conversing.ConversationSession, "suggest", _always(story.NEXT)),
            (download_list, "ModelDownloads", StandingDownloads),
            (history_beside, "stored_rows", rows_of_the_day),
            (history_popover, "stored_rows", rows_of_the_day),
        ):
            given.callback(setattr, module, name, getattr(module, name))
            setattr(module, name, stand_in)
        made = Stage(application, home, language, world, clock)
        try:
            yield made
        finally:
            made.quit()
            for window in (made.overlay, *made.windows):
                window.deleteLater()


def _patient(settings: Settings) -> Settings:
    """Return settings under which no run ends while its picture is taken."""
    sections = {
        name: getattr(settings, name).model_copy(update=dict(limits))
        for name, limits in _PATIENT.items()
    }
    return settings.model_copy(update=sections)
