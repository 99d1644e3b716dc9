"""The services as front ends use them: a scripted tool, an engine's API and real answers together."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from adapters.containers.engine_api import EngineApi, container, search, serve_engine
from adapters.containers.scripted_tool import ScriptedTool, docker_with_compose
from askance.adapters.containers import container_services as services_module
from askance.adapters.containers.compose_project import lay_out
from askance.adapters.containers.container_services import LocalServices
from askance.adapters.containers.problems import (
    DaemonDown,
    NoCli,
    NoComposePlugin,
    PortTaken,
    StillStarting,
    ToolFailed,
    Unhealthy,
)
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.domain.errors import InputError, ServiceError, StorageError
from askance.domain.messages import Message
from askance.domain.ports.containers import ComposeProgress, LogLine
from remedies import remedy_of
from servers.loopback import Request, Wire, serve

HEALTHY = '{"id":"Container askance-searxng-1","status":"Done","text":"Healthy"}\n'
AT = "2026-11-22T03:05:14Z"


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return find_folders({"ASKANCE_HOME": str(tmp_path / "home")})


@pytest.fixture
async def answering() -> AsyncIterator[str]:
    """A service that is well: its address."""

    async def handle(request: Request, wire: Wire) -> None:
        await wire.send("OK" if request.path == "/healthz" else "", 200)

    async with serve(handle) as server:
        yield server.url.removeprefix("http://")


Failed = TypeVar("Failed", bound=ServiceError)


def failing(message: str) -> str:
    return json.dumps({"error": True, "message": message}) + "\n"


def services(
    folders: Folders, tool: ScriptedTool, engine: str, **sections: dict[str, Any]
) -> LocalServices:
    sections = {"reader": {"mode": "inprocess"}} | sections
    environment = tool.environment | {"DOCKER_HOST": engine}
    return LocalServices(Settings.model_validate(sections), folders, environment)


async def failed_up(
    folders: Folders, tool: ScriptedTool, said: str, api: EngineApi, kind: type[Failed]
) -> Failed:
    """How `up` fails where the tool ends with these words, empty for one that does not fail."""
    if said:
        tool.plays("up", err=failing(said), status=1)
    async with serve_engine(api) as engine:
        with pytest.raises(kind) as caught:
            await services(folders, tool, engine).up(print)
    return caught.value


async def test_up_brings_everything_up_and_says_how_it_is(
    tmp_path: Path, folders: Folders, answering: str
) -> None:
    docker = docker_with_compose(tmp_path)
    docker.plays("up", err=HEALTHY)
    api = EngineApi(search(answering))
    seen: list[ComposeProgress] = []
    async with serve_engine(api) as engine:
        started = await services(folders, docker, engine).up(seen.append)
    assert [step.doing for step in seen] == ["Healthy"]
    assert started.survey.ok
    trip = started.survey.round_trip("search-gateway")
    assert trip is not None
    assert (trip.url, trip.problem) == (f"http://{answering}", "")
    assert trip.ms > 0
    assert started.engine_list == folders.searxng_settings
    assert started.took_s > 0


async def test_an_ill_container_comes_with_the_end_of_its_log(
    tmp_path: Path, folders: Folders
) -> None:
    record = container("searxng", status="restarting", ExitCode=3) | {"RestartCount": 7}
    api = EngineApi([record], logs={"searxng": [f"{AT} no settings", f"{AT} ", f"{AT} giving up"]})
    docker, said = docker_with_compose(tmp_path), "container askance-searxng-1 is unhealthy"
    problem = await failed_up(folders, docker, said, api, Unhealthy)
    assert problem.service == "searxng"
    assert Message.verbatim(problem.how).values == {"status": "3"}
    assert problem.lines == ("no settings", "giving up")


async def test_an_ended_container_of_another_day_is_not_blamed(
    tmp_path: Path, folders: Folders
) -> None:
    docker, said = docker_with_compose(tmp_path), "the moon is full"
    api = EngineApi([container("searxng", status="exited", ExitCode=1)])
    assert said in (await failed_up(folders, docker, said, api, ToolFailed)).problem


@pytest.mark.parametrize("method", ["up", "down"])
async def test_an_engine_that_does_not_answer_is_told_whatever_compose_says_of_it(
    tmp_path: Path, folders: Folders, method: str
) -> None:
    docker = docker_with_compose(tmp_path)
    docker.plays(method, err=failing("container askance-searxng-1 exited (1)"), status=1)
    asked = services(folders, docker, "tcp://127.0.0.1:1")
    with pytest.raises(DaemonDown) as caught:
        await getattr(asked, method)(print)
    assert (caught.value.denied, caught.value.address) == (False, "tcp://127.0.0.1:1")
    assert "Docker" in caught.value.fix


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0,
    reason="a user who is not root: run the tests as one",
)
async def test_a_user_outside_the_group_is_told_to_join_it(
    tmp_path: Path, folders: Folders
) -> None:
    docker = docker_with_compose(tmp_path)
    docker.plays("up", err=failing("permission denied, whatever the words"), status=1)
    with socket.socket(socket.AF_UNIX) as closed:
        closed.bind(str(tmp_path / "engine.sock"))
        closed.listen()
        (tmp_path / "engine.sock").chmod(0)
        with pytest.raises(DaemonDown) as caught:
            await services(folders, docker, f"unix://{tmp_path}/engine.sock").up(print)
    assert caught.value.denied
    assert "usermod" in caught.value.fix


async def test_a_taken_port_is_told_with_its_holder_and_its_setting(
    tmp_path: Path, folders: Folders
) -> None:
    docker = docker_with_compose(tmp_path)
    said = "Bind for 127.0.0.1:25017 failed: port is already allocated"
    api = EngineApi(others=[{"Names": ["/theirs"], "Ports": [{"PublicPort": 25017}]}])
    problem = await failed_up(folders, docker, said, api, PortTaken)
    assert problem.port == 25017
    assert Message.verbatim(problem.holder).values == {"name": "theirs"}
    remedy = remedy_of(problem)
    assert (remedy.command, remedy.setting) == ("askance up", "search.url")
    assert remedy.values["address"] == "http://127.0.0.1:25027"


async def test_a_tool_that_cannot_wait_is_waited_for(
    tmp_path: Path, folders: Folders, answering: str
) -> None:
    podman = podman_with_its_compose(tmp_path)
    api = EngineApi(search(answering))
    seen: list[ComposeProgress] = []
    async with serve_engine(api) as engine:
        await services(folders, podman, engine).up(seen.append)
    reported = {(step.name, step.doing) for step in seen}
    assert reported == {("searxng", "Healthy"), ("search-gateway", "Healthy")}


@pytest.mark.parametrize(
    ("state", "how"),
    [
        ({"health": "unhealthy"}, "reports that it is unhealthy"),
        ({"status": "exited", "ExitCode": 2}, "ended with status 2"),
    ],
)
async def test_waiting_ends_at_a_container_that_is_ill(
    tmp_path: Path, folders: Folders, state: dict[str, Any], how: str
) -> None:
    api = EngineApi([container("searxng", **state)])
    problem = await failed_up(folders, podman_with_its_compose(tmp_path), "", api, Unhealthy)
    assert how in problem.problem


async def test_waiting_has_a_limit(
    tmp_path: Path, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services_module, "STARTUP_TIMEOUT_S", 0.5)
    podman, api = podman_with_its_compose(tmp_path), EngineApi(search(health="starting"))
    problem = await failed_up(folders, podman, "", api, StillStarting)
    assert problem.services == ("searxng", "search-gateway")
    assert "0.5 s" in problem.problem


async def test_who_is_late_is_told_where_the_tool_waits(tmp_path: Path, folders: Folders) -> None:
    docker, said = docker_with_compose(tmp_path), "application not healthy after 300s"
    api = EngineApi(search(health="starting"))
    problem = await failed_up(folders, docker, said, api, StillStarting)
    assert problem.services == ("searxng", "search-gateway")
    assert "300 s" in problem.problem


async def test_an_image_is_built_again_only_when_what_is_in_it_changed(
    tmp_path: Path, folders: Folders
) -> None:
    docker = docker_with_compose(tmp_path)
    docker.plays("up")
    async with serve_engine(EngineApi()) as engine:
        both = services(folders, docker, engine, reader={"mode": "auto"})
        await both.up(print)
        await both.up(print)
    assert ["--build" in call.arguments for call in docker.calls("up")] == [True, False]


async def test_a_survey_shows_what_is_missing_and_what_does_not_answer(
    tmp_path: Path, folders: Folders
) -> None:
    async def refuse(_request: Request, wire: Wire) -> None:
        await wire.send("", 503)

    async with serve(refuse) as server:
        keeper = container("reader-net", ports={"1/tcp": f"127.0.0.1:{server.port}"}, identity="k")
        reader = container("reader", network_mode="container:k")
        async with serve_engine(EngineApi([keeper, reader])) as engine:
            tool = ScriptedTool(tmp_path)
            survey = await services(folders, tool, engine, reader={"mode": "auto"}).survey()
    assert [(s.name, s.state) for s in survey.services] == [
        ("searxng", "missing"),
        ("search-gateway", "missing"),
        ("reader-net", "running"),
        ("reader", "running"),
    ]
    (trip,) = survey.round_trips
    assert (trip.service, Message.verbatim(trip.problem).values) == ("reader", {"status": "503"})
    assert survey.begun
    assert not survey.ok


async def test_the_server_is_listed_where_somebody_has_started_it(
    tmp_path: Path, folders: Folders
) -> None:
    async def well(_request: Request, wire: Wire) -> None:
        await wire.send("{}")

    async with serve(well) as server:
        at = f"127.0.0.1:{server.port}"
        own = container("server", ports={"25019/tcp": at}, identity="d")
        ill = container("server", health="unhealthy", identity="d")
        docker = docker_with_compose(tmp_path)
        async with serve_engine(EngineApi([*search(at), own])) as engine:
            survey = await services(folders, docker, engine).survey()
        docker.plays("up", out=HEALTHY)
        async with serve_engine(EngineApi([*search(at), ill])) as engine:
            started = await services(folders, docker, engine).up(print)
    assert [s.name for s in survey.services] == ["searxng", "search-gateway", "server"]
    assert survey.ok
    trip = survey.round_trip("server")
    assert trip is not None
    assert not trip.problem
    assert started.survey.ok  # it is none of what was started


async def test_a_port_behind_which_nobody_is_is_a_problem_of_its_own(
    tmp_path: Path, folders: Folders
) -> None:
    api = EngineApi(search())
    async with serve_engine(api) as engine:
        survey = await services(folders, ScriptedTool(tmp_path), engine).survey()
    assert survey.round_trips[0].problem.startswith("does not answer (")


async def test_without_a_tool_and_without_an_engine_there_is_nothing_installed(
    tmp_path: Path, folders: Folders
) -> None:
    environment = {"PATH": str(tmp_path), "DOCKER_HOST": f"unix://{tmp_path}/no.sock"}
    with pytest.raises(NoCli):
        await LocalServices(Settings(), folders, environment).survey()
    ScriptedTool(tmp_path)
    with pytest.raises(DaemonDown):
        await LocalServices(Settings(), folders, environment).survey()


async def test_where_nothing_is_started_it_is_looked_for_what_could_start_it(
    tmp_path: Path, folders: Folders
) -> None:
    tool = ScriptedTool(tmp_path)
    tool.plays("compose version", err="docker: 'compose' is not a docker command.", status=1)
    async with serve_engine(EngineApi()) as engine:
        without = await services(folders, tool, engine).survey()
        tool.plays("compose version", out="Docker Compose version v5.0.1\n")
        with_it = await services(folders, docker_with_compose(tmp_path), engine).survey()
    assert not without.begun
    assert isinstance(without.lacking, NoComposePlugin)
    assert with_it.lacking is None


async def test_without_compose_and_without_an_engine_all_name_the_same_cause(
    tmp_path: Path, folders: Folders
) -> None:
    tool = ScriptedTool(tmp_path)
    tool.plays("compose version", err="docker: 'compose' is not a docker command.", status=1)
    nobody = services(folders, tool, f"unix://{tmp_path}/no.sock")
    for work in (nobody.survey(), nobody.up(print), nobody.down(print)):
        with pytest.raises(DaemonDown):
            await work
    async with serve_engine(EngineApi()) as engine:
        with pytest.raises(NoComposePlugin):
            await services(folders, tool, engine).up(print)


async def test_logs_are_those_of_one_service_or_of_all(tmp_path: Path, folders: Folders) -> None:
    api = EngineApi(
        [container("searxng"), container("reader")],
        logs={"searxng": [f"{AT} one"], "reader": [f"{AT} two"]},
    )
    async with serve_engine(api) as engine:
        both = services(folders, ScriptedTool(tmp_path), engine)
        assert [line.text for line in await both.log(lines=5)] == ["one", "two"]
        assert [line.text for line in await both.log("reader", lines=5)] == ["two"]
        with pytest.raises(InputError, match="no service 'raeder'"):
            await both.log("raeder", lines=5)
        alone = LocalServices(Settings(), folders, {"PATH": str(tmp_path)})
        with pytest.raises(InputError):  # no engine is asked for that
            await alone.log("raeder", lines=5)
        got: asyncio.Queue[LogLine] = asyncio.Queue()
        async with asyncio.TaskGroup() as group:
            task = group.create_task(both.follow("reader", lines=5, emit=got.put_nowait))
            assert (await got.get()).text == "two"
            task.cancel()


async def test_down_is_composes_work_and_the_engine_knows_whether_there_was_any(
    tmp_path: Path, folders: Folders
) -> None:
    docker = docker_with_compose(tmp_path)
    docker.plays("down", err='{"id":"Container askance-searxng-1","text":"Removed"}\n')
    seen: list[ComposeProgress] = []
    async with serve_engine(EngineApi([container("searxng")])) as engine:
        folders.services.mkdir(parents=True, exist_ok=True)
        tokens = (folders.reader_token, folders.search_token_of(25017))
        for token in tokens:
            token.write_text("secret")
        assert await services(folders, docker, engine).down(seen.append)
        assert not [token for token in tokens if token.exists()]
    assert [(step.name, step.done) for step in seen] == [("searxng", True)]
    async with serve_engine(EngineApi()) as engine:
        assert not await services(folders, docker, engine).down(seen.append)


async def test_down_and_up_undo_what_an_engine_made_of_tokens_that_were_gone(
    tmp_path: Path, folders: Folders
) -> None:
    """It makes a folder of what it is to mount and does not find."""
    docker = docker_with_compose(tmp_path)
    docker.plays("down")
    docker.plays("up", err='{"id":"Container askance-searxng-1","status":"Healthy"}\n')
    tokens = (folders.reader_token, folders.search_token_of(25017))
    for token in tokens:
        token.mkdir(parents=True)
    async with serve_engine(EngineApi()) as engine:
        await services(folders, docker, engine).down(print)
        assert not [token for token in tokens if token.exists()]
        for token in tokens:
            token.mkdir()
        lay_out(Settings(), folders, {})
        assert [token for token in tokens if len(token.read_text()) >= 40] == list(tokens)
        # What somebody has put there is not ours to delete.
        for token in tokens:
            token.unlink()
            (token / "own").mkdir(parents=True)
        with pytest.raises(StorageError, match="cannot be removed"):
            await services(folders, docker, engine).down(print)
        with pytest.raises(StorageError):
            lay_out(Settings(), folders, {})


def podman_with_its_compose(folder: Path) -> ScriptedTool:
    podman = ScriptedTool(folder, "podman")
    podman.plays("compose version", out="podman-compose version 1.6.0\n")
    podman.plays("up")
    return podman
