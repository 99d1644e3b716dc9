"""Which tool is taken to start containers, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.containers.scripted_tool import ScriptedTool, docker_with_compose
from askance.adapters.containers.compose import find_tool
from askance.adapters.containers.problems import NoCli, NoComposePlugin
from askance.domain.errors import SettingsError


async def test_docker_with_a_new_compose_reports_in_json(tmp_path: Path) -> None:
    docker = docker_with_compose(tmp_path)
    tool = await find_tool(docker.environment)
    assert (tool.name, tool.version) == ("Docker", "5.6.1")
    assert tool.compose == (str(tmp_path / "docker"), "compose")
    assert (tool.progress, tool.waits) == ("json", True)


@pytest.mark.parametrize("version", ["v2.20.3", "2.24.7-desktop.1"])
async def test_an_older_compose_reports_in_plain_lines(tmp_path: Path, version: str) -> None:
    docker = docker_with_compose(tmp_path, version)
    assert (await find_tool(docker.environment)).progress == "plain"


async def test_a_compose_without_waiting_is_too_old(tmp_path: Path) -> None:
    docker = docker_with_compose(tmp_path, "v2.17.2")
    with pytest.raises(NoComposePlugin, match=r"2\.17\.2") as caught:
        await find_tool(docker.environment)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("system", "said"),
    [("Linux", "https://docs.docker.com/compose/install/linux/"), ("Darwin", "Docker Desktop")],
)
@pytest.mark.parametrize(
    "err",
    [
        "docker: unknown command: docker compose\n\nRun 'docker --help' for more information",
        "docker: 'compose' is not a docker command.\nSee 'docker --help'",
    ],
)
async def test_without_a_compose_it_is_said_where_there_is_one(
    tmp_path: Path, system: str, said: str, err: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.system", lambda: system)
    docker = ScriptedTool(tmp_path)
    docker.plays("compose version", err=err, status=1)
    with pytest.raises(NoComposePlugin) as caught:
        await find_tool(docker.environment)
    assert caught.value.problem.values == {"name": "Docker"}
    assert said in caught.value.fix
    assert "podman" not in caught.value.fix
    ScriptedTool(tmp_path, "podman")
    with pytest.raises(NoComposePlugin) as caught:
        await find_tool(docker.environment, "docker")
    assert "Podman" in caught.value.fix


async def test_the_compose_that_stands_alone_will_do(tmp_path: Path) -> None:
    docker = ScriptedTool(tmp_path)
    docker.plays("compose version", err="docker: 'compose' is not a docker command.", status=1)
    alone = ScriptedTool(tmp_path, "docker-compose")
    alone.plays("version", out="Docker Compose version v2.29.0\n")
    tool = await find_tool(docker.environment)
    assert tool.compose == (str(tmp_path / "docker-compose"),)


async def test_the_first_compose_of_all_is_too_old(tmp_path: Path) -> None:
    alone = ScriptedTool(tmp_path, "docker-compose")
    alone.plays("version", out="docker-compose version 1.29.2, build 5becea4c\n")
    with pytest.raises(NoComposePlugin, match=r"1\.29\.2"):
        await find_tool(alone.environment)


async def test_podman_with_its_own_compose_neither_waits_nor_reports(tmp_path: Path) -> None:
    podman = ScriptedTool(tmp_path, "podman")
    podman.plays("compose version", err="Error: unrecognized command `podman compose`", status=125)
    alone = ScriptedTool(tmp_path, "podman-compose")
    alone.plays("version", out="podman-compose version 1.6.0\npodman version 4.3.1\n")
    tool = await find_tool(podman.environment)
    assert (tool.name, tool.version, tool.progress, tool.waits) == ("Podman", "1.6.0", "", False)


async def test_podman_that_runs_dockers_compose_can_do_all_of_it(tmp_path: Path) -> None:
    podman = ScriptedTool(tmp_path, "podman")
    podman.plays(
        "compose version",
        out="Docker Compose version v2.36.0\n",
        err='>>>> Executing external compose provider "docker-compose". <<<<\n',
    )
    tool = await find_tool(podman.environment)
    assert (tool.name, tool.progress, tool.waits) == ("Podman", "json", True)


async def test_the_settings_choose_between_two(tmp_path: Path) -> None:
    docker = docker_with_compose(tmp_path)
    podman = ScriptedTool(tmp_path, "podman")
    podman.plays("compose version", out="podman-compose version 1.6.0\n")
    assert (await find_tool(docker.environment)).cli == "docker"
    assert (await find_tool(docker.environment, "podman")).cli == "podman"


async def test_without_any_tool_both_are_named(tmp_path: Path) -> None:
    with pytest.raises(NoCli, match=r"Docker .*Podman") as caught:
        await find_tool({"PATH": str(tmp_path)})
    assert "https://docs.docker.com/get-docker/" in caught.value.fix


async def test_a_chosen_tool_that_is_missing_is_named_alone(tmp_path: Path) -> None:
    docker = docker_with_compose(tmp_path)
    with pytest.raises(NoCli) as caught:
        await find_tool(docker.environment, "podman")
    assert caught.value.problem.values == {"name": "Podman"}


async def test_any_other_name_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"services\.runtime = 'lxc'"):
        await find_tool({"PATH": str(tmp_path)}, "lxc")


async def test_a_program_that_cannot_be_started_counts_as_none(tmp_path: Path) -> None:
    broken = tmp_path / "docker"
    broken.write_bytes(b"\x7fELF, but not really")
    broken.chmod(0o755)
    with pytest.raises(NoComposePlugin):
        await find_tool({"PATH": str(tmp_path)})
