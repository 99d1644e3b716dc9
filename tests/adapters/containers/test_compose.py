"""How compose is called, and that nothing of it outlives the caller."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.containers.scripted_tool import ScriptedTool, docker_with_compose
from askance.adapters.containers import compose as child
from askance.adapters.containers.compose import Compose, Tool, find_tool
from askance.adapters.containers.problems import ToolFailed
from askance.domain.ports.containers import ComposeProgress, ResourceKind
from leftovers import cancelled_over_and_over, is_there, nothing_left_behind

HEALTHY = '{"id":"Container askance-searxng-1","status":"Done","text":"Healthy"}\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "services"
    folder.mkdir()
    (folder / "docker-compose.yml").touch()
    return folder


async def compose_of(docker: ScriptedTool, project: Path, **more: str) -> Compose:
    """Compose as the scripted tool has it, in an environment with more in it."""
    environment = docker.environment | more
    return Compose(await find_tool(docker.environment), project, environment)


async def up(
    compose: Compose, report: Callable[[ComposeProgress], None], *, build: bool = False
) -> None:
    await compose.up(("searxng",), report, build=build, start_limit_s=90.4)


async def test_up_is_one_call_whose_lines_are_reported(tmp_path: Path, project: Path) -> None:
    docker = docker_with_compose(tmp_path)
    docker.plays("up", err=HEALTHY)
    compose = await compose_of(docker, project)
    seen: list[ComposeProgress] = []
    await up(compose, seen.append, build=True)
    assert seen == [ComposeProgress(ResourceKind.CONTAINER, "searxng", "Healthy", done=True)]
    (call,) = docker.calls("up")
    file, env_file = str(project / "docker-compose.yml"), str(project / ".env")
    assert call.arguments == [
        *("compose", "--progress", "json", "--project-name", "askance"),
        *("--file", file, "--env-file", env_file),
        *("up", "--detach", "--build", "--wait", "--wait-timeout", "90", "searxng"),
    ]
    assert call.folder == str(project)


async def test_the_environment_cannot_turn_compose_to_something_else(
    tmp_path: Path, project: Path
) -> None:
    docker = docker_with_compose(tmp_path)
    docker.plays("up")
    stored = {"DOCKER_HOST": "unix:///run/mine.sock", "HTTPS_PROXY": "http://proxy.example:3128"}
    turned = {
        "COMPOSE_FILE": "/srv/other.yml",
        "COMPOSE_PROJECT_NAME": "other",
        "ASKANCE_SEARXNG_PORT": "1",
    }
    await up(await compose_of(docker, project, **stored, **turned), print)
    (call,) = docker.calls("up")
    assert stored.items() <= call.environment.items()
    assert not turned.keys() & call.environment.keys()


async def test_a_tool_that_cannot_wait_is_not_asked_to(tmp_path: Path, project: Path) -> None:
    podman = ScriptedTool(tmp_path, "podman-compose")
    podman.plays("up")
    tool = Tool("podman", (str(tmp_path / "podman-compose"),), "1.6.0")
    await up(Compose(tool, project, podman.environment), print)
    (call,) = podman.calls("up")
    assert call.arguments[-3:] == ["up", "--detach", "searxng"]
    assert "--progress" not in call.arguments


async def test_down_works_without_any_file(tmp_path: Path) -> None:
    docker = docker_with_compose(tmp_path)
    docker.plays("down")
    await (await compose_of(docker, tmp_path / "nowhere")).down(print, volumes=True)
    (call,) = docker.calls("down")
    assert call.arguments == [
        *("compose", "--progress", "json", "--project-name", "askance"),
        *("down", "--remove-orphans", "--volumes"),
    ]
    # Any other folder may hold a project of its own, or lie in one.
    assert call.folder == tmp_path.anchor
    # The server goes, too, which only its profile starts.
    assert call.environment["COMPOSE_PROFILES"] == "server"


async def test_up_starts_nothing_that_a_profile_of_the_user_names(
    tmp_path: Path, project: Path
) -> None:
    docker = docker_with_compose(tmp_path)
    docker.plays("up")
    await up(await compose_of(docker, project, COMPOSE_PROFILES="server"), print)
    (call,) = docker.calls("up")
    assert "COMPOSE_PROFILES" not in call.environment


async def test_a_failure_is_diagnosed(tmp_path: Path, project: Path) -> None:
    docker = docker_with_compose(tmp_path)
    text = '{"error":true,"message":"write /var/lib/x: no space left on device"}\n'
    docker.plays("up", err=text, status=1)
    with pytest.raises(ToolFailed, match="no space left"):
        await up(await compose_of(docker, project), print)


async def test_a_tool_that_is_gone_by_now_is_a_failure_too(tmp_path: Path, project: Path) -> None:
    tool = Tool("docker", (str(tmp_path / "docker"), "compose"), "5.6.1", "json", waits=True)
    with pytest.raises(ToolFailed, match="No such file"):
        await up(Compose(tool, project, {}), print)


async def test_cancelling_ends_the_tool(tmp_path: Path, project: Path) -> None:
    docker = docker_with_compose(tmp_path)
    docker.plays("up", err=" Container askance-PID-1 Starting \n", hangs=True)
    assert not is_there(await pid_of_cancelled(docker, project))


async def test_cancelling_ends_even_a_tool_that_does_not_listen(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "_GRACE_S", 0.05)
    docker = docker_with_compose(tmp_path)
    docker.plays("up", err=" Container askance-PID-1 Starting \n", hangs=True, deaf=True)
    assert not is_there(await pid_of_cancelled(docker, project))


async def test_cancelling_over_and_over_leaves_nothing_of_the_tool_behind(
    tmp_path: Path, project: Path
) -> None:
    docker = docker_with_compose(tmp_path)
    docker.plays("up", err=" Container askance-PID-1 Starting \n", hangs=True, deaf=True)
    with nothing_left_behind():
        assert not is_there(await pid_of_cancelled(docker, project, cancel=cancelled_over_and_over))


async def test_a_report_that_fails_ends_the_tool_too(tmp_path: Path, project: Path) -> None:
    docker = docker_with_compose(tmp_path)
    docker.plays("up", err=" Container askance-PID-1 Starting \n", hangs=True)
    compose = await compose_of(docker, project)
    pids: list[int] = []

    def fail(step: ComposeProgress) -> None:
        pids.append(int(step.name))
        raise RuntimeError("nobody sees it")

    with pytest.raises(BaseExceptionGroup) as caught:
        await up(compose, fail)
    assert caught.group_contains(RuntimeError, match="nobody sees it")
    assert not is_there(pids[0])


async def test_a_short_question_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "_LIMIT_S", 0.3)
    docker = ScriptedTool(tmp_path)
    docker.plays("version", out="half of it", hangs=True)
    assert await child.output_of([str(tmp_path / "docker"), "version"], {}) == ""


async def test_text_that_is_no_utf_8_and_lines_without_end_are_taken(tmp_path: Path) -> None:
    script = "import sys; sys.stdout.buffer.write(b'\\xff\\r\\n' + b'a' * 3_000_000 + b'\\nlast')"
    lines: list[str] = []
    python = [sys.executable, "-ISc", script]
    assert await child.run_lines(python, {}, out=lines.append, err=lines.append) == 0
    assert [lines[0], lines[-1]] == ["\ufffd", "last"]
    assert max(map(len, lines)) < 1_200_000


async def once(task: asyncio.Task[Any]) -> None:
    task.cancel()


async def pid_of_cancelled(
    docker: ScriptedTool,
    project: Path,
    *,
    cancel: Callable[[asyncio.Task[Any]], Awaitable[None]] = once,
) -> int:
    compose = await compose_of(docker, project)
    running: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(up(compose, lambda step: running.set_result(int(step.name))))
        pid = await running
        assert is_there(pid)
        await cancel(task)
    return pid
