"""A child that a page has taken over tries to get out; real children, on this machine's kernel."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
import pytest_asyncio

from askance.adapters.reader.workers import WorkerPool
from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.extracted import Extracted
from askance.extract.sandbox import Protection, Protections
from sampled import sampled
from servers.closing import listening
from waiting import until

URL = "http://a.example/"
WORKER = Path(__file__).parents[2] / "servers" / "probing_worker.py"
COMMAND = (sys.executable, "-P", str(WORKER))
ENDED = "The process that parsed the page tried what it may not do, and was ended."
DONE = "done"
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has these: run it on Linux"),
    pytest.mark.asyncio(loop_scope="module"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[WorkerPool]:
    async with WorkerPool(1, 768, command=COMMAND) as pool:
        yield pool


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def liars() -> AsyncIterator[WorkerPool]:
    """Of these only replies matter: each that is ended is soon started anew."""
    async with WorkerPool(1, 768, command=(*COMMAND, "without-parsers")) as pool:
        yield pool


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A file of the user."""
    file = tmp_path / "diary.txt"
    file.write_text("private", encoding="utf-8")
    return file


@pytest.fixture
def signals() -> Iterator[list[int]]:
    """The signals that reach this process."""
    received: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: received.append(number))
    yield received
    signal.signal(signal.SIGUSR1, before)


class Listener:
    """A server on loopback that counts who comes."""

    def __init__(self) -> None:
        self.visitors = 0

    async def __call__(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.visitors += 1
        writer.close()


async def tried(pool: WorkerPool, what: str) -> Extracted:
    return await pool.extract(what.encode(), URL, "text/plain")


async def needed(pool: WorkerPool, *protections: Protection) -> Protections:
    """Skip where this kernel lacks one of them."""
    found = await pool.protections()
    for protection in protections:
        if protection in found.missing:
            pytest.skip("this system lacks the protection: `askance doctor` says which, and why")
    return found


async def reads_on(pool: WorkerPool) -> bool:
    page = await pool.extract(b"the next page", URL, "text/plain")
    return page.markdown == "the next page"


def written(file: Path) -> str:
    return file.read_text(encoding="utf-8")


async def test_this_kernel_holds_a_child_in_every_way_that_it_has(pool: WorkerPool) -> None:
    found = await needed(pool, Protection.SECCOMP, Protection.LANDLOCK)
    assert found.landlock > 0
    assert {Protection.MEMORY, Protection.LIMITS} <= set(found.held)


@pytest.mark.parametrize("what", sampled(["socket", "connect PORT"], every=2))
async def test_a_child_that_turns_to_the_network_is_ended_and_nobody_hears_of_it(
    pool: WorkerPool, what: str
) -> None:
    await needed(pool, Protection.SECCOMP)
    listener = Listener()
    async with listening(listener) as port:
        (pid,) = pool.pids
        page = await tried(pool, what.replace("PORT", str(port)))
        assert (page.reason, page.detail) == (PageReason.EXTRACTION, ENDED)
        assert await reads_on(pool)
        assert pool.pids != [pid]
    assert listener.visitors == 0


@pytest.mark.parametrize("what", sampled(["execute /bin/true", "fork"], every=2))
async def test_a_child_that_starts_a_process_is_ended(pool: WorkerPool, what: str) -> None:
    await needed(pool, Protection.SECCOMP)
    assert (await tried(pool, what)).detail == ENDED
    assert await reads_on(pool)


@pytest.mark.parametrize("what", sampled(["signal PID", "trace PID"], every=2))
async def test_a_child_that_turns_on_its_parent_is_ended(
    pool: WorkerPool, what: str, signals: list[int]
) -> None:
    await needed(pool, Protection.SECCOMP)
    assert (await tried(pool, what.replace("PID", str(os.getpid())))).detail == ENDED
    assert await reads_on(pool)
    assert signals == []


async def test_a_child_reads_no_file_and_writes_none(pool: WorkerPool, private: Path) -> None:
    await needed(pool, Protection.LIMITS)
    new = private.with_name("new.txt")
    own = private.parents[1]
    for what in (
        f"read {private}",
        f"read /proc/{os.getpid()}/mem",
        f"read /proc/{os.getpid()}/environ",
        "read /proc/self/environ",
        "read /dev/null",
        f"write {private}",
        f"write {new}",
        f"write {own / 'new.txt'}",
    ):
        page = await tried(pool, what)
        assert page.markdown in {"EACCES", "EMFILE"}, (what, page)
    assert written(private) == "private"
    assert not new.exists()
    assert await reads_on(pool)


async def test_a_child_does_not_even_learn_whether_a_file_is_there(
    pool: WorkerPool, private: Path
) -> None:
    await needed(pool, Protection.SECCOMP)
    assert (await tried(pool, f"look {private}")).markdown == "EACCES"


async def test_a_child_cannot_lift_its_limits(pool: WorkerPool) -> None:
    await needed(pool, Protection.SECCOMP)
    assert (await tried(pool, "lift")).markdown == "ENOSYS"


async def test_a_child_that_takes_memory_without_end_is_refused_it(pool: WorkerPool) -> None:
    await needed(pool, Protection.MEMORY)
    assert (await tried(pool, "allocate")).markdown == "ENOMEM"
    assert await reads_on(pool)


async def test_a_child_that_writes_without_end_is_ended(pool: WorkerPool) -> None:
    assert (await tried(pool, "flood")).detail == "The process that parsed the page ended."
    assert await reads_on(pool)


SOUND = asdict(Extracted(PageStatus.OK, markdown="A wren.", words=2))
LIES = (
    {"markdown": "A wren. " * 100_000},
    {"markdown": "A wren.\n\n" * 6_000},
    {"title": "A wren. " * 100},
    {"published": "2" * 1_000},
    {"language": "e" * 1_000},
    {"words": -2},
    {"words": True},
    {"markdown": ""},
    {"status": "failed"},
)


@pytest.mark.parametrize("lie", sampled(LIES, every=3), ids=lambda lie: next(iter(lie)))
async def test_a_child_that_sends_what_no_page_has_costs_its_page_alone(
    liars: WorkerPool, lie: dict[str, object]
) -> None:
    page = await tried(liars, f"lie {json.dumps({**SOUND, **lie})}")
    assert page.reason is PageReason.EXTRACTION
    assert await reads_on(liars)


@pytest.mark.parametrize("reply", ["", "[" * 200_000, '{"status": "ok", "reason": ""}'])
async def test_a_child_that_answers_nonsense_costs_its_page_alone(
    liars: WorkerPool, reply: str
) -> None:
    assert (await tried(liars, f"lie {reply}")).reason is PageReason.EXTRACTION
    assert await reads_on(liars)


async def test_a_child_that_computes_without_end_is_ended_by_the_kernel() -> None:
    async with WorkerPool(1, 768, command=COMMAND, page_cpu_s=0.2) as pool:
        page = await tried(pool, "compute")
        assert page.reason is PageReason.TIMED_OUT
        assert page.detail == "The page took longer than 0.2 seconds."
        assert await reads_on(pool)


def processor_s(pid: int) -> float:
    """The seconds of processor time that a process has taken so far."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def test_time_that_earlier_pages_took_does_not_count() -> None:
    async with WorkerPool(1, 768, command=COMMAND, page_cpu_s=1) as pool:
        await reads_on(pool)
        pids = pool.pids
        (pid,) = pids
        while processor_s(pid) < 1.5:
            assert (await pool.extract(b"words " * 100_000, URL, "text/plain")).words
        assert pool.pids == pids


async def test_a_child_is_given_no_secret_and_no_folder_of_the_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = ("ASKANCE_READER__TOKEN", "https_proxy", "SOME_API_KEY", "HOME", "DISPLAY")
    for name in (*secret, "PYTHONDONTWRITEBYTECODE"):
        monkeypatch.setenv(name, "/told")
    async with WorkerPool(1, 768, command=COMMAND) as pool:
        for name in secret:
            assert (await tried(pool, f"know {name}")).markdown == "ENOENT"
        assert (await tried(pool, "know PYTHONDONTWRITEBYTECODE")).markdown == DONE


async def test_a_child_has_its_pipes_open_and_nothing_else(private: Path) -> None:
    handed_down = os.open(private, os.O_RDONLY)
    os.set_inheritable(handed_down, True)
    try:
        async with WorkerPool(1, 768, command=COMMAND) as pool:
            assert (await tried(pool, "hold 0")).markdown == "ESPIPE"
            tries = range(3, max(64, handed_down + 1))
            held = {n: (await tried(pool, f"hold {n}")).markdown for n in tries}
        there = {n: what for n, what in held.items() if what != "EBADF"}
        # The pipe that replies go out by comes last: before it, libffi may have opened itself.
        assert there.pop(max(there)) == "ESPIPE"
        assert list(there.values()) in ([], [DONE])
        assert handed_down not in there
    finally:
        os.close(handed_down)


async def test_children_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    owner = (
        "import asyncio, sys\n"
        "from askance.adapters.reader.workers import WorkerPool\n"
        "async def main():\n"
        "    async with WorkerPool(1, 768, command=sys.argv[1:]) as pool:\n"
        "        await pool.extract(b'words', '', 'text/plain')\n"
        "        print(pool.pids[0], flush=True)\n"
        "        await pool.extract(b'compute', '', 'text/plain')\n"
        "asyncio.run(main())\n"
    )
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", owner, *COMMAND, stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    child = Path(f"/proc/{int(await parent.stdout.readline())}")
    parent.kill()
    await parent.communicate()
    await until(lambda: not child.exists() or ") Z " in (child / "stat").read_text("ascii"))


async def test_where_the_system_offers_nothing_pages_are_read_and_it_is_told() -> None:
    async with WorkerPool(1, 768, command=(*COMMAND, "bare")) as pool:
        found = await pool.protections()
        assert found.held == ()
        assert found.missing == dict.fromkeys(Protection, "Permission denied")
        assert (await tried(pool, "socket")).markdown == DONE
        assert await reads_on(pool)


def alone(protection: str, *attempts: str) -> list[tuple[str, int]]:
    """Try things, each where one protection alone holds: what was said, and how it ended."""
    ended = subprocess.run(  # noqa: S603
        [*COMMAND, "with", protection, *attempts], capture_output=True, check=True
    )
    outcomes = [(text, status) for text, status in json.loads(ended.stdout)]
    if any(status == 1 for _, status in outcomes):
        pytest.skip("this system lacks the protection: `askance doctor` says which, and why")
    return outcomes


ATTEMPTS = ("socket", "connect PORT", "read FILE", "write FILE", "run /bin/true", "fork",
            "signal PID")  # fmt: skip


# How Python starts a program: by a pipe and a fork, from 3.13 on by `posix_spawn`, which needs neither.
SPAWNS = sys.version_info >= (3, 13)
RUN_FILTERED, RUN_LIMITED = (None, "EBADF") if SPAWNS else ("ENOSYS", "EMFILE")


@pytest.mark.parametrize(
    ("protection", "outcomes"),
    sampled(
        [
            # What the attempts come to where nothing holds: they are real ones.
            ("nothing", (DONE, DONE, DONE, DONE, DONE, DONE, DONE)),
            ("landlock", (DONE, "EACCES", "EACCES", "EACCES", "EACCES", DONE, "EPERM")),
            ("namespace", (DONE, "ENETUNREACH", DONE, DONE, DONE, DONE, DONE)),
            ("seccomp", (None, None, "EACCES", "EACCES", RUN_FILTERED, None, None)),
            ("limits", ("EMFILE", "EMFILE", "EMFILE", "EMFILE", RUN_LIMITED, "", DONE)),
            ("conversation", (DONE, DONE, DONE, "EACCES", None, DONE, "EPERM")),
        ],
        every=2,
        are_tuples=True,
    ),
)
async def test_each_protection_does_its_part_alone(
    protection: str,
    outcomes: tuple[str | None, ...],
    private: Path,
    signals: list[int],
) -> None:
    async with listening(Listener()) as port:
        names = {"PORT": str(port), "FILE": str(private), "PID": str(os.getpid())}
        attempts = [" ".join(names.get(w, w) for w in what.split(" ")) for what in ATTEMPTS]
        found = await asyncio.to_thread(alone, protection, *attempts)
    # Root may have as many processes as it likes.
    forked = DONE if os.geteuid() == 0 else "EAGAIN"
    expected = [
        ("", -signal.SIGSYS) if outcome is None else (outcome or forked, 0) for outcome in outcomes
    ]
    assert dict(zip(ATTEMPTS, found, strict=True)) == dict(zip(ATTEMPTS, expected, strict=True))
    assert (written(private) == "taken") == (outcomes[ATTEMPTS.index("write FILE")] == DONE)
    assert bool(signals) == (outcomes[ATTEMPTS.index("signal PID")] == DONE)
