"""With consent one request a week, and without it none: restarts, two processes and a clock that jumps."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from askance.app.checks.installation_check import WEEK_S, UpdateChecker, UpdateFile
from askance.app.container import Container
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings, UpdateSettings
from askance.config.sources import strictest_settings
from askance.domain.errors import ServiceDown, StorageError
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.updates import Release, UpdateState

DAY_S = 24 * 3600.0
NOW = 1_800_000_000.0
ALLOWED = Settings(updates=UpdateSettings(weekly=True))
WHERE = RequestSent(Sending.UPDATE, "releases.example", Message("this program"), "the list")


@dataclass
class World:
    """A clock, and a list of releases that counts who asks."""

    folders: Folders
    settings: Settings = ALLOWED
    now: float = NOW
    asked: list[float] = field(default_factory=list)
    failure: Exception | None = None
    is_online: bool = True

    async def fetch(self, sent: Sent) -> tuple[Release, ...]:
        sent(WHERE)
        self.asked.append(self.now)
        if self.failure is not None:
            raise self.failure
        return (Release("99.0", "All of it"),)

    def checker(self) -> UpdateChecker:
        """Return one as a process that has just started has it."""
        return UpdateChecker(
            self.settings, self.folders, lambda _: self.is_online, self.fetch, lambda: self.now
        )

    async def weekly(self) -> UpdateState:
        return await self.checker().weekly()

    def recorded(self) -> int:
        with Container(self.settings, self.folders) as parts:
            entries = parts.ledger.entries(datetime.now(UTC) - timedelta(days=1))
        return sum(entry.sending == Sending.UPDATE.value for entry in entries)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(find_folders({"ASKANCE_HOME": str(tmp_path)}))


async def test_nobody_is_asked_before_it_is_allowed(world: World) -> None:
    world.settings = Settings()
    for _ in range(5):
        assert (await world.weekly()).releases == ()
        world.now += WEEK_S
    assert world.asked == []
    assert not world.folders.updates.exists()
    assert world.recorded() == 0


async def test_a_settings_file_that_is_not_understood_allows_nothing(world: World) -> None:
    world.folders.config.mkdir(parents=True)
    world.folders.settings_file.write_text("[updates]\nweekly = true\n[search\n")
    world.settings = strictest_settings(world.folders.settings_file, {}, Message("It is broken."))
    assert not world.settings.updates.weekly
    world.settings = world.settings.model_copy(update={"updates": UpdateSettings(weekly=True)})
    await world.weekly()
    assert world.asked == []


async def test_a_year_of_restarts_has_one_request_a_week_and_each_is_in_the_ledger(
    world: World,
) -> None:
    for _ in range(4 * 364):
        await world.weekly()
        world.now += DAY_S / 4
    assert len(world.asked) == 52
    assert {b - a for a, b in zip(world.asked, world.asked[1:], strict=False)} == {WEEK_S}
    assert world.recorded() == 52
    assert len(UpdateFile(world.folders.updates).read().asked_at) <= 8


@pytest.mark.parametrize(
    ("jumps", "asked"),
    [
        # Seconds that the clock is moved by before each look, and how often somebody is asked.
        ([0, 60, DAY_S, 6 * DAY_S - 61, 61], 2),
        ([0, -60, 60, -DAY_S, DAY_S], 1),
        ([0, -3 * DAY_S, 3 * DAY_S, DAY_S], 1),
        ([0, -3 * DAY_S, 10 * DAY_S], 2),
        ([0, -400 * DAY_S, DAY_S, 399 * DAY_S], 1),
        ([0, -400 * DAY_S, 7 * DAY_S, DAY_S], 2),
        ([0, -400 * DAY_S, DAY_S, 399 * DAY_S, 7 * DAY_S], 2),
        ([0, 400 * DAY_S, -400 * DAY_S, DAY_S, 5 * DAY_S], 2),
        ([0, 400 * DAY_S, DAY_S, DAY_S], 2),
        ([0, 400 * DAY_S, -400 * DAY_S, 7 * DAY_S], 3),
    ],
)
async def test_a_clock_that_jumps_gives_no_more_than_one_request_a_week(
    world: World, jumps: list[float], asked: int
) -> None:
    for jump in jumps:
        world.now += jump
        await world.weekly()
    assert len(world.asked) == asked


async def test_a_failure_is_silent_kept_and_counts_as_this_week(world: World) -> None:
    world.failure = ServiceDown("GitHub", "https://x", Message("Nothing answers."))
    for _ in range(3):
        await world.weekly()
        world.now += DAY_S
    assert len(world.asked) == 1
    state = world.checker().state
    assert str(state.problem) == "Nothing answers."
    world.failure, world.now = None, world.now + WEEK_S
    state = await world.weekly()
    assert (str(state.problem), [r.version for r in state.releases]) == ("", ["99.0"])


async def test_without_a_network_the_week_is_not_used_up(world: World) -> None:
    world.is_online = False
    await world.weekly()
    assert not world.folders.updates.exists()
    world.is_online = True
    await world.weekly()
    assert len(world.asked) == 1


async def test_a_process_that_ends_while_it_asks_does_not_ask_again(world: World) -> None:
    class Ended(BaseException):
        pass

    world.failure = Ended()  # type: ignore[assignment]
    with pytest.raises(Ended):
        await world.weekly()
    world.failure = None
    await world.weekly()
    assert len(world.asked) == 1


async def test_nothing_is_asked_where_that_cannot_be_noted(world: World) -> None:
    world.folders.data.parent.mkdir(parents=True, exist_ok=True)
    world.folders.data.write_text("in the way")
    await world.weekly()
    assert world.asked == []
    with pytest.raises(StorageError):
        await world.checker().now()
    assert world.asked == []


async def test_asking_by_hand_needs_no_consent_and_counts(world: World) -> None:
    world.settings = Settings()
    await world.checker().now()
    world.settings = ALLOWED
    await world.weekly()
    world.now += WEEK_S
    await world.weekly()
    assert world.asked == [NOW, NOW + WEEK_S]


async def test_a_new_version_is_told_of_once(world: World) -> None:
    assert world.checker().announce() == ""
    await world.weekly()
    assert world.checker().announce() == "99.0"
    assert world.checker().announce() == ""
    world.now += WEEK_S
    await world.weekly()
    assert world.checker().announce() == ""


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b'{"asked_at": "x"}', b'{"asked_at": [[]]}', b"\xff", b"[" * 99_999]
    + [
        json.dumps(
            {"asked_at": moments, "releases": releases, "problem": problem, "announced": ""}
        ).encode()
        for moments, releases, problem in (
            ([float("nan"), float("inf")], [], {"text": ""}),
            ([], [1, None, {"version": "x", "changes": ""}], {"text": ""}),
            ([], [], "text"),
            ([], 5, {"text": ""}),
        )
    ],
)
async def test_a_damaged_file_is_begun_anew(world: World, content: bytes) -> None:
    world.folders.data.mkdir(parents=True)
    world.folders.updates.write_bytes(content)
    await world.weekly()
    await world.weekly()
    assert len(world.asked) == 1


_CHILD = """
import asyncio, sys
from pathlib import Path
from askance.app.checks.installation_check import UpdateChecker
from askance.config.folders import find_folders
from askance.config.settings import Settings, UpdateSettings

async def fetch(sent):
    print("asked", flush=True)
    return ()

checker = UpdateChecker(
    Settings(updates=UpdateSettings(weekly=True)),
    find_folders({"ASKANCE_HOME": sys.argv[1]}),
    lambda _: True,
    fetch,
)
print("ready", flush=True)
sys.stdin.readline()
asyncio.run(checker.weekly())
"""


def test_processes_that_start_at_once_ask_once(tmp_path: Path) -> None:
    children = [
        subprocess.Popen(  # noqa: S603 - the developer's own Python
            [sys.executable, "-c", _CHILD, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    output = "".join(child.communicate()[0] for child in children)
    assert [child.returncode for child in children] == [0, 0, 0]
    assert output == "asked\n"
