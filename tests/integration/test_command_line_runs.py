"""`askance ask` and `askance evaluate` as programs of their own, on a world of loopback, and several of them at one server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.storage.traces import TraceStore
from askance.app.container import open_app
from askance.config.folders import find_folders
from askance.domain.conversation import RunRequest
from askance.domain.events import Answered, Queued, RunEvent
from fakes.judged_models import credulous
from sampled import sampled
from servers.faults import address_of_nobody, fails, stalls
from servers.judged_ollama import judged_ollama
from servers.loopback import Loopback, Request, Wire, serve
from servers.model_script import ModelScript, plan, verdict
from servers.searxng import reply
from servers.site import forward_proxy
from servers.world import (
    LIGHTHOUSE,
    ONE_ROUND,
    PAGES,
    QUESTION,
    TITLES,
    always,
    as_sample_web,
    knowing_model,
    names_of,
    serving,
    settings_for,
    some_answer,
)
from waiting import patience

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="signals and limits of POSIX: run it on Linux or macOS"
)

# Limits the size of every file that the program may write, as a full disk would.
SMALL_DISK = (
    "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600));"
    " os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)

# Where a run ends before any page is read: the processes that would take them apart are not started.
NO_PAGES = {"ASKANCE_READER__MODE": "container_only"}


@dataclass
class Ended:
    """A program that has ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass
class Machine:
    """A world, and the environment in which the program finds it."""

    servers: dict[str, Loopback]
    environment: dict[str, str]
    home: Path

    async def start(self, *arguments: str, disk: str = "") -> asyncio.subprocess.Process:
        prefix = ["-c", disk] if disk else []
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *prefix,
            "-m",
            "askance",
            *arguments,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )

    async def call(self, *arguments: str, disk: str = "") -> Ended:
        process = await self.start(*arguments, disk=disk)
        return await ended(process)

    def traces(self) -> list[Path]:
        return [file for file in self.home.rglob("*") if "traces" in file.parts and file.is_file()]

    async def until_idle(self) -> None:
        async with patience():
            for server in self.servers.values():
                await server.until_idle()


async def ended(process: asyncio.subprocess.Process) -> Ended:
    """Wait for the end, and see that no child has outlived it."""
    async with patience():
        out, err = await process.communicate()
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())


@asynccontextmanager
async def machine(
    home: Path,
    script: ModelScript | None = None,
    *,
    settings: Mapping[str, str] | None = None,
    broken: tuple[str, ...] = (),
) -> AsyncIterator[Machine]:
    """Serve a world, its web behind a proxy: the program knows no names of loopback."""
    async with serving(script or knowing_model()) as (servers, breakable, _):
        for name in broken:
            breakable[name].fault_of = always(fails)
        names = names_of(*PAGES, port=servers["web"].port)
        ports = {name: port for name, (_, port) in names.items()}
        async with serve(forward_proxy(ports)) as proxy:
            environment = {
                "PATH": os.environ.get("PATH", ""),
                "PYTHONDONTWRITEBYTECODE": "1",
                "ASKANCE_HOME": str(home),
                "ASKANCE_LLM__URL": servers["model"].url,
                "ASKANCE_SEARCH__URL": servers["search"].url,
                "ASKANCE_READER__PROXY": proxy.url,
                **(settings or {}),
            }
            yield Machine({**servers, "proxy": proxy}, environment, home)


async def test_every_line_is_json_and_the_last_is_the_answer(tmp_path: Path):
    async with machine(tmp_path) as m:
        end = await m.call("ask", "--json", QUESTION)
        await m.until_idle()
    assert (end.code, end.err) == (0, "")
    lines = end.lines
    assert all(isinstance(line["type"], str) for line in lines)
    moments = [line["at_s"] for line in lines]
    assert moments == sorted(moments)
    kinds = [line["type"] for line in lines]
    assert {"search_started", "results_found", "page_read", "gap_found"} <= set(kinds)
    assert kinds.index("sources_ready") < kinds.index("token_arrived")
    assert kinds.count("answered") == 1
    last = lines[-1]
    assert last["type"] == "answered"
    assert "village of Orr in 1839 [4]" in last["answer"]
    assert [source["n"] for source in last["sources"]] == [1, 2, 3, 4]
    assert {"url", "title"} <= last["sources"][0].keys()
    assert [c["support"] for c in last["citations"]] == ["supported", "supported"]
    assert (last["outcome"], last["rounds"], last["warnings"]) == ("web", 2, [])
    assert last["usage"]["model_calls"] == 3
    stored = TraceStore(tmp_path / "data" / "traces", 10, pytest.fail).summaries()
    assert [(trace.question, trace.outcome, trace.damage) for trace in stored] == [
        (QUESTION, "web", "")
    ]


async def test_files_are_asked_without_the_web_and_what_cannot_be_read_is_named(
    tmp_path: Path,
) -> None:
    note = tmp_path / "files" / "dues.md"
    note.parent.mkdir()
    note.write_text("# Dues\n\nA berth of nine metres costs 412 crowns in July.\n", "utf-8")
    said = "A berth of nine metres costs 412 crowns in July [1]."
    script = knowing_model(answer=(said,), judge=ONE_ROUND)
    home = tmp_path / "home"
    async with machine(home, script) as m:
        named = ("--file", str(note), "--file", str(tmp_path / "gone.pdf"))
        end = await m.call("ask", "--json", *named, "What does a berth of nine metres cost?")
        assert not m.servers["search"].requests
        assert not m.servers["web"].requests
    assert (end.code, end.err) == (0, "askance: gone.pdf: The file is gone.\n")
    last = end.lines[-1]
    assert (last["answer"], last["outcome"]) == (said, "library")
    assert [source["url"] for source in last["sources"]] == [note.as_uri()]
    assert not list((home / "run" / "attached").iterdir())


async def test_where_no_file_can_be_read_nothing_is_asked_and_each_is_named(tmp_path: Path) -> None:
    (archive := tmp_path / "all.zip").write_bytes(b"PK\x03\x04 and no more")
    script = knowing_model()
    async with machine(tmp_path / "home", script) as m:
        named = ("--file", str(archive), "--file", str(tmp_path / "gone.pdf"))
        end = await m.call("ask", *named, "What does it say?")
        assert not script.calls
        assert not m.servers["search"].requests
    assert end.code == 2
    assert "all.zip: Archives cannot be read. gone.pdf: The file is gone." in end.err
    assert "without --file" in end.err
    assert end.err.count("askance: ") == 1


async def test_a_search_engine_that_fails_is_named_on_stderr_and_the_code_is_1(tmp_path: Path):
    async with machine(tmp_path, settings=NO_PAGES, broken=("search",)) as m:
        end = await m.call("ask", "--json", QUESTION)
    assert end.code == 1
    assert end.lines[-1]["type"] == "failed"
    assert end.lines[-1]["service"] == "SearXNG"
    assert end.err.startswith("askance: SearXNG at ")
    assert end.err.count("\n") == 1
    assert "Traceback" not in end.err


# What else may be the matter with a model: test_model_faults_in_runs.py.
NO_MODEL = {
    "down": ({"ASKANCE_LLM__URL": address_of_nobody()}, "`ollama serve`"),
    "no file": ({"ASKANCE_LLM__API": "embedded", "ASKANCE_LLM__GGUF": "/no.gguf"}, "llm.gguf"),
}


@pytest.mark.parametrize(
    ("settings", "fix"), sampled(NO_MODEL.values(), every=2, are_tuples=True), ids=NO_MODEL.keys()
)
async def test_without_a_model_passages_are_the_answer_whatever_is_the_matter_with_it(
    tmp_path: Path, settings: dict[str, str], fix: str
):
    async with machine(tmp_path, settings=settings) as m:
        end = await m.call("ask", "--json", QUESTION)
    last = end.lines[-1]
    assert (end.code, end.err) == (0, "")
    assert (last["type"], last["outcome"]) == ("answered", "passages_only")
    assert last["sources"]
    assert fix in last["warnings"][0]
    assert {"code": "model_unavailable"}.items() <= next(
        line for line in end.lines if line["type"] == "warned"
    ).items()


@pytest.mark.parametrize(
    ("silent", "code", "said"),
    sampled(
        [
            (
                [["owl", "HTTP connection error"]],
                1,
                "could not be reached: owl (HTTP connection error)",
            ),
            ([["owl", "CAPTCHA"]], 1, "did not answer: owl (CAPTCHA)"),
            ([], 0, "I could not find anything about this on the web."),
        ],
        every=3,
        are_tuples=True,
    ),
)
async def test_offline_blocked_and_an_empty_web_are_three_endings(
    tmp_path: Path, silent: list[list[str]], code: int, said: str
):
    async def nothing(request: Request, wire: Wire) -> None:
        await wire.send_json(reply("q", [], silent))

    async with serve(nothing) as search:
        settings = {**NO_PAGES, "ASKANCE_SEARCH__URL": search.url}
        async with machine(tmp_path, settings=settings) as m:
            end = await m.call("ask", QUESTION)
    assert end.code == code
    assert said in (end.err if code else end.out)


async def test_a_wrong_setting_is_told_before_anything_leaves_the_machine(tmp_path: Path):
    async with machine(tmp_path, settings={"ASKANCE_LIMITS__ROUNDS": "many"}) as m:
        end = await m.call("ask", "--json", QUESTION)
        assert not any(server.requests for server in m.servers.values())
    assert end.code == 2
    assert end.out == ""
    assert "ASKANCE_LIMITS__ROUNDS" in end.err


async def test_ctrl_c_in_mid_answer_ends_with_130_and_keeps_nothing(tmp_path: Path):
    script = knowing_model()
    script.answer = [script.after("She was born in the village of", stalls)]
    async with machine(tmp_path, script) as m:
        process = await m.start("ask", "--json", QUESTION)
        assert process.stdout is not None
        seen: list[bytes] = []
        async with patience():
            while not seen or b"token_arrived" not in seen[-1]:
                seen.append(await process.stdout.readline())
        process.send_signal(signal.SIGINT)
        end = await ended(process)
        await m.until_idle()
        assert m.traces() == []
    assert end.code == 130
    assert [line["type"] for line in end.lines] == ["cancelled"]
    assert "Traceback" not in end.err


async def test_a_full_disk_costs_what_would_be_kept_and_one_sentence_each(tmp_path: Path):
    async with machine(tmp_path) as m:
        recorded = await m.call("ask", "--json", QUESTION, disk=SMALL_DISK)
        assert not m.servers["search"].requests
        unrecorded = ("--set", "ledger.required=false")
        end = await m.call("ask", "--json", *unrecorded, QUESTION, disk=SMALL_DISK)
        assert m.traces() == []
    assert recorded.code == 1
    assert "Nothing was sent" in recorded.err
    assert end.code == 0
    assert end.lines[-1]["outcome"] == "web"
    reports = end.err.splitlines()
    assert any(line.startswith("askance: The trace of this run is not kept: ") for line in reports)
    assert all(line.startswith("askance: ") and line.endswith(".") for line in reports)
    assert len({line.split("/")[-1] for line in reports}) == len(reports) <= 3


@pytest.mark.exhaustive
async def test_a_trace_folder_that_cannot_be_made_costs_the_trace_and_one_sentence(tmp_path: Path):
    (tmp_path / "data").write_text("a file where a folder should be", encoding="utf-8")
    async with machine(tmp_path) as m:
        end = await m.call("ask", "--set", "ledger.required=false", QUESTION)
    assert end.code == 0
    assert "village of Orr in 1839 [4]" in end.out
    assert "museum.example" in end.out
    assert end.err.startswith("askance: The trace of this run is not kept: ")
    assert end.err.count("\n") == 1


@pytest.mark.exhaustive
async def test_doctor_and_demo_send_no_sample_page_through_the_users_proxy(tmp_path: Path):
    script = knowing_model(judge=[verdict("sufficient")], answer=["It blew hard [1]."])
    async with machine(tmp_path, script) as m:
        looked = await m.call("doctor", "--json")
        shown = await m.call("demo", "--json")
        await m.until_idle()
    findings = {line["part"]: line for line in looked.lines}
    assert findings["reader"]["ok"], findings["reader"]
    assert shown.lines[-1]["type"] == "answered"
    assert shown.lines[-1]["usage"]["pages_read"] > 0
    assert not m.servers["proxy"].requests


@pytest.mark.exhaustive
async def test_ctrl_c_stops_it_and_the_next_call_goes_on_within_its_time(tmp_path: Path) -> None:
    async with serve(judged_ollama(credulous, questions=5)) as server:
        environment = {
            "PATH": os.environ["PATH"],
            "ASKANCE_HOME": str(tmp_path),
            "ASKANCE_LLM__URL": server.url,
        }
        m = Machine({"model": server}, environment, tmp_path)
        process = await m.start("evaluate", "--json")
        assert process.stdout is not None
        async with patience():
            first = json.loads(await process.stdout.readline())
        process.send_signal(signal.SIGINT)
        stopped = await ended(process)
        went_on = await m.call("evaluate", "--json", "--minutes", "0.15")
    assert stopped.code == 130
    asked = [first, *(line for line in stopped.lines if line["type"] == "question")]
    assert went_on.code == 0
    asked += [line for line in went_on.lines if line["type"] == "question"]
    assert len({line["id"] for line in asked}) == len(asked)
    last = went_on.lines[-1]
    assert (last["type"], last["complete"]) == ("evaluation", False)
    assert last["figures"]["asked"] == len(asked) < last["of"]
    assert not any("Traceback" in end.err for end in (stopped, went_on))


OTHER_QUESTION = "Who built the Lindmouth lighthouse?"
# The second finds what the first has left behind.
ROUNDS = 2


def judged(task: str) -> str:
    """Snippets are not enough, the page about the lighthouse is."""
    is_there = "two grain ships" in " ".join(task.split())
    return json.dumps(verdict("sufficient" if is_there else "insufficient"))


@dataclass
class OneSlot(ModelScript):
    """A model that does one thing at a time. it replies once `holds` is set."""

    asked: list[str] = field(default_factory=list[str])
    """Whose call each was, by its question."""
    holds: asyncio.Event = field(default_factory=asyncio.Event)
    at_once: int = 0
    most_at_once: int = 0

    async def __call__(self, request: Request, wire: Wire) -> None:
        if request.path != "/api/chat":
            await super().__call__(request, wire)
            return
        text = request.json()["messages"][-1]["content"]
        self.asked.append(OTHER_QUESTION if OTHER_QUESTION in text else QUESTION)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await self.holds.wait()
            await super().__call__(request, wire)
        finally:
            self.at_once -= 1


def answered(prompt: str) -> str:
    """With its source in a search, and without one in a conversation."""
    return some_answer(prompt) if TITLES[LIGHTHOUSE] in prompt else "The engineer Clara Whitlow."


def one_slot() -> OneSlot:
    return OneSlot(plan=(plan("Lindmouth lighthouse"),), judge=(judged,), answer=(answered,))


def owners(asked: list[str]) -> list[str]:
    """Whose calls the server had, one after the other: each change costs the cached prompt."""
    return [who for i, who in enumerate(asked) if i == 0 or asked[i - 1] != who]


@pytest.mark.exhaustive
async def test_two_processes_at_once_get_an_answer_each_in_every_round(tmp_path: Path) -> None:
    script = one_slot()
    async with machine(tmp_path, script) as m:
        for _ in range(ROUNDS):
            script.asked.clear()
            script.holds.clear()
            async with patience(), asyncio.TaskGroup() as group:
                runs = [
                    group.create_task(asked(m, question, script.holds.set))
                    for question in (QUESTION, OTHER_QUESTION)
                ]
            ends = [run.result() for run in runs]

            kinds = [[line["type"] for line in lines] for lines in ends]
            assert [k[-1] for k in kinds] == ["answered", "answered"]
            assert [lines[-1]["warnings"] for lines in ends] == [[], []]
            assert all("Clara Whitlow [" in lines[-1]["answer"] for lines in ends)
            # The later one was told, before anything else.
            (later,) = (k for k in kinds if "queued" in k)
            assert later[:2] == ["queued", "dequeued"]
            assert script.most_at_once == 1
            assert len(owners(script.asked)) == 2


async def asked(m: Machine, question: str, on_queued: Callable[[], None]) -> list[dict[str, Any]]:
    """Ask in a process of its own, and return its lines."""
    process = await m.start("ask", "--json", question)
    assert process.stdout is not None
    lines: list[dict[str, Any]] = []
    while line := await process.stdout.readline():
        lines.append(json.loads(line))
        if lines[-1]["type"] == "queued":
            on_queued()
    assert await process.wait() == 0
    return lines


async def test_two_runs_of_one_process_go_one_after_the_other(tmp_path: Path) -> None:
    """As those of the window do, and as a conversation beside a search does."""
    script = one_slot()
    record: dict[str, list[RunEvent]] = {QUESTION: [], OTHER_QUESTION: []}
    async with serving(script) as (servers, _, _):
        chosen = settings_for(servers, {})
        folders = find_folders({"ASKANCE_HOME": str(tmp_path)})

        def emit_of(question: str) -> Callable[[RunEvent], None]:
            def emit(event: RunEvent) -> None:
                record[question].append(event)
                if isinstance(event, Queued):
                    script.holds.set()

            return emit

        async with open_app(chosen, folders, sample_web=as_sample_web(servers)) as app:
            engine = app.engine
            async with patience(), asyncio.TaskGroup() as group:
                group.create_task(engine.run(RunRequest(QUESTION), emit=emit_of(QUESTION)))
                group.create_task(
                    engine.chat(RunRequest(OTHER_QUESTION), emit=emit_of(OTHER_QUESTION))
                )

    assert all(isinstance(events[-1], Answered) for events in record.values())
    assert sorted(sum(isinstance(e, Queued) for e in events) for events in record.values()) == [
        0,
        1,
    ]
    assert script.most_at_once == 1
    assert len(owners(script.asked)) == 2
    assert list((tmp_path / "run" / "queue").rglob("0*")) == []
