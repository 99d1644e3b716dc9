"""Docker's library against an engine that the test plays."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.containers.engine_api import EngineApi, container, serve_engine, serve_engine_at
from adapters.containers.scripted_tool import ScriptedTool
from askance.adapters.containers import engine
from askance.adapters.containers.engine import open_engine
from askance.adapters.containers.problems import DaemonDown, RemoteEngine, ToolFailed
from askance.domain.errors import InputError
from askance.domain.ports.containers import EngineInfo, Health, LogLine, ServiceState

AT = "2026-11-22T03:05:14Z"


async def states(api: EngineApi) -> dict[str, ServiceState]:
    async with serve_engine(api) as address, open_engine(address) as opened:
        return {state.name: state for state in await opened.states()}


async def test_a_state_is_all_that_the_engine_knows() -> None:
    found = await states(EngineApi([container("searxng", ports={"8080/tcp": "127.0.0.1:25017"})]))
    assert found["searxng"] == ServiceState(
        name="searxng",
        state="running",
        health=Health.HEALTHY,
        image="example/searxng:1",
        since=datetime(2026, 11, 22, 3, 5, 14, 123456, tzinfo=UTC),
        addresses=("127.0.0.1:25017",),
    )
    assert found["searxng"].ok


async def test_ports_are_those_of_the_container_that_lives_behind_them() -> None:
    keeper = container("reader-net", ports={"25018/tcp": "127.0.0.1:25018"}, identity="abc")
    found = await states(EngineApi([keeper, container("reader", network_mode="container:abc")]))
    assert found["reader"].addresses == ("127.0.0.1:25018",)
    assert found["reader-net"].addresses == ()


@pytest.mark.parametrize(
    ("known", "health", "ok"),
    [
        ({"health": "unhealthy"}, Health.UNHEALTHY, False),
        ({"health": "starting"}, Health.STARTING, False),
        ({"health": ""}, Health.NONE, True),
        ({"health": "a word of tomorrow"}, Health.NONE, True),
        ({"status": "exited", "health": ""}, Health.NONE, False),
    ],
)
async def test_health_is_the_containers_own_word(
    known: dict[str, str], health: Health, ok: bool
) -> None:
    found = await states(EngineApi([container("searxng", **known)]))  # type: ignore[arg-type]
    assert (found["searxng"].health, found["searxng"].ok) == (health, ok)


async def test_why_a_container_ended_is_told() -> None:
    late = "2026-11-22T04:00:00Z"
    record = container("reader", status="exited", ExitCode=137, OOMKilled=True, FinishedAt=late)
    found = (await states(EngineApi([record | {"RestartCount": 4}])))["reader"]
    assert (found.exit_code, found.restarts, "memory" in found.reason) == (137, 4, True)
    assert found.since == datetime(2026, 11, 22, 4, tzinfo=UTC)


async def test_of_two_containers_the_newer_counts_and_one_that_goes_is_left_out() -> None:
    old, new = container("searxng", identity="old", status="dead"), container("searxng")
    found = await states(EngineApi([old, new], vanishing=[container("reader", identity="gone")]))
    assert {name: state.state for name, state in found.items()} == {"searxng": "running"}


async def test_docker_and_podman_are_told_apart(tmp_path: Path) -> None:
    api = EngineApi(name="Podman Engine")
    async with (
        serve_engine_at(api, tmp_path / "podman.sock") as address,
        open_engine(address) as opened,
    ):
        assert await opened.info() == EngineInfo("Podman", "28.2.2", "1.41", address)
    async with serve_engine(EngineApi()) as address, open_engine(address) as opened:
        assert (await opened.info()).name == "Docker"


async def test_an_engine_that_is_not_there_is_down(tmp_path: Path) -> None:
    for address in (f"unix://{tmp_path}/no.sock", "tcp://127.0.0.1:1"):
        with pytest.raises(DaemonDown, match=r"^Docker ") as caught:
            async with open_engine(address):
                pass
        assert caught.value.address == address.replace("me@", ""), "no user stands in it"


async def test_a_socket_of_podman_has_podmans_remedy(tmp_path: Path) -> None:
    with pytest.raises(DaemonDown, match=r"^Podman ") as caught:
        async with open_engine(f"unix://{tmp_path}/podman/podman.sock"):
            pass
    assert "podman" in caught.value.fix


def test_a_refused_socket_is_told_from_a_missing_one() -> None:
    with pytest.raises(DaemonDown) as caught, engine._translated("unix:///run/docker.sock"):
        raise PermissionError(13, "Permission denied")
    assert caught.value.denied


async def test_a_refusal_of_the_engine_is_passed_on() -> None:
    api = EngineApi(refusal="the database is locked")
    async with serve_engine(api) as address, open_engine(address) as opened:
        with pytest.raises(ToolFailed, match="the database is locked"):
            await opened.states()


async def test_logs_of_several_services_stand_in_the_order_of_their_times() -> None:
    api = EngineApi(
        [container("searxng"), container("reader")],
        logs={
            "searxng": ["2026-11-22T03:05:14.1Z first", "2026-11-22T03:05:16.1Z third"],
            "reader": ["2026-11-22T03:05:15.1Z second", "no time at all"],
        },
    )
    async with serve_engine(api) as address, open_engine(address) as opened:
        lines = await opened.log(("searxng", "reader", "reader-net"), 10)
        assert [line.text for line in lines] == ["no time at all", "first", "second", "third"]
        with pytest.raises(InputError, match="reader-net"):
            await opened.log(("reader-net",), 10)


async def test_following_hands_over_each_line_once_as_it_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "POLL_S", 0.0)
    api = EngineApi(
        [container("searxng"), container("reader")], logs={"searxng": [f"{AT} a", f"{AT} b"]}
    )
    got: asyncio.Queue[LogLine] = asyncio.Queue()
    async with serve_engine(api) as address, open_engine(address) as opened:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(opened.follow(("searxng", "reader"), 5, got.put_nowait))
            assert await got.get() == LogLine("searxng", AT, "a")
            assert await got.get() == LogLine("searxng", AT, "b")
            api.logs["reader"] = [f"{AT} c"]
            assert await got.get() == LogLine("reader", AT, "c")
            api.logs["searxng"].append(f"{AT} d")
            assert await got.get() == LogLine("searxng", AT, "d")
            task.cancel()
        assert got.empty()
        # From the second on in which the last known line was written, and not all of it.
        assert {"tail": "5"}.items() <= api.asked_logs[0].items()
        assert api.asked_logs[-1]["since"] == str(int(datetime.fromisoformat(AT).timestamp()))


async def test_a_listener_that_fails_ends_the_following() -> None:
    api = EngineApi([container("searxng")], logs={"searxng": [f"{AT} a"]})

    def fail(_line: LogLine) -> None:
        raise BrokenPipeError

    async with serve_engine(api) as address, open_engine(address) as opened:
        with pytest.raises(BrokenPipeError):
            await opened.follow(("searxng",), 5, fail)


async def test_who_publishes_a_port_is_found() -> None:
    other = {"Names": ["/theirs"], "Ports": [{"PublicPort": 25017, "PrivatePort": 80}]}
    api = EngineApi(others=[{"Names": ["/x"], "Ports": None}, other])
    async with serve_engine(api) as address, open_engine(address) as opened:
        assert await opened.holder_of(25017) == "theirs"
        assert await opened.holder_of(25018) == ""


async def test_the_environment_names_the_engine_first(tmp_path: Path) -> None:
    docker = ScriptedTool(tmp_path)
    docker.plays("context inspect", out="unix:///run/user/1/docker.sock\n")
    named = {"DOCKER_HOST": "tcp://127.0.0.1:2375"}
    assert await engine.find_engine(docker.environment | named) == named["DOCKER_HOST"]
    assert await engine.find_engine(docker.environment) == "unix:///run/user/1/docker.sock"


async def test_podmans_socket_is_found_in_the_users_folder(tmp_path: Path) -> None:
    ScriptedTool(tmp_path, "podman")
    (tmp_path / "podman-run" / "podman").mkdir(parents=True)
    (tmp_path / "podman-run" / "podman" / "podman.sock").touch()
    environment = {"PATH": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path / "podman-run")}
    found = await engine.find_engine(environment)
    assert found == f"unix://{tmp_path}/podman-run/podman/podman.sock"
    named = {"CONTAINER_HOST": "unix:///run/other.sock"}
    assert await engine.find_engine(environment | named) == "unix:///run/other.sock"


@pytest.mark.parametrize(
    "address", ["ssh://me@attic.example", "tcp://attic.example:2375", "tcp://192.168.1.5:2375"]
)
async def test_an_engine_on_another_machine_is_refused(address: str) -> None:
    with pytest.raises(RemoteEngine) as caught:
        await engine.find_engine({"DOCKER_HOST": address})
    assert caught.value.address == address.replace("me@", ""), "no user stands in it"
