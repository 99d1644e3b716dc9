"""What tools really say when they fail, and the one problem that it means.

The words are those of Docker 20.10, 28 and Desktop, compose 2 and 5, BuildKit, Podman 4.3 and
podman-compose 1.6; names of hosts are made up.
"""

from __future__ import annotations

import json

import pytest

from askance.adapters.containers import problems
from askance.adapters.containers.compose_output import ProgressReader, diagnose
from askance.domain.errors import ServiceError
from remedies import remedy_of

PULL = "Image example/searxng:1"


def told(*lines: str, name: str = "Docker") -> ServiceError:
    reader = ProgressReader()
    for line in lines:
        reader.read(line)
    return diagnose(name, reader)


def failed(message: str) -> str:
    return json.dumps({"error": True, "message": message})


@pytest.mark.parametrize(
    ("message", "address"),
    [
        (
            "failed to connect to the docker API at unix:///run/nope.sock; check if the path is "
            "correct and if the daemon is running: dial unix /run/nope.sock: connect: no such file "
            "or directory",
            "unix:///run/nope.sock",
        ),
        (
            "Cannot connect to the Docker daemon at tcp://127.0.0.1:1. Is the docker daemon running?",
            "tcp://127.0.0.1:1",
        ),
        (
            "error during connect: this error may indicate that the docker daemon is not running: "
            'Get "http://%2F%2F.%2Fpipe%2Fdocker_engine/v1.24/info": open //./pipe/docker_engine: '
            "The system cannot find the file specified.",
            "//./pipe/docker_engine",
        ),
    ],
)
def test_an_engine_that_does_not_answer(message: str, address: str) -> None:
    for line in (failed(message), message):
        problem = told(line)
        assert isinstance(problem, problems.DaemonDown)
        assert (problem.denied, problem.address) == (False, address)
        assert "Docker" in problem.fix


def test_podmans_own_words_for_it() -> None:
    problem = told(
        "Cannot connect to Podman. Please verify your connection to the Linux system using "
        "`podman system connection list`, or try `podman machine init` and `podman machine start` "
        "to manage a new Linux VM",
        'Error: unable to connect to Podman socket: Get "http://d/v4.3.1/libpod/_ping": dial unix '
        "/run/nope.sock: connect: no such file or directory",
        name="Podman",
    )
    assert isinstance(problem, problems.DaemonDown)
    assert problem.problem.values == {"name": "Podman"}


@pytest.mark.parametrize(
    "message",
    [
        "permission denied while trying to connect to the docker API at unix:///run/docker.sock",
        "permission denied while trying to connect to the Docker daemon socket at "
        'unix:///run/docker.sock: Get "http://%2Frun%2Fdocker.sock/v1.50/containers/json": dial '
        "unix /run/docker.sock: connect: permission denied",
    ],
)
def test_a_user_outside_the_group_is_told_to_join_it(message: str) -> None:
    problem = told(failed(message))
    assert isinstance(problem, problems.DaemonDown)
    assert (problem.denied, problem.address) == (True, "unix:///run/docker.sock")
    assert "usermod" in problem.fix


@pytest.mark.parametrize(
    "message",
    [
        "Error response from daemon: driver failed programming external connectivity on endpoint "
        "askance-searxng-1 (d7bf): Error starting userland proxy: listen tcp4 127.0.0.1:25017: "
        "bind: address already in use",
        "Error response from daemon: driver failed programming external connectivity on endpoint "
        "askance-searxng-1 (f5dd): Bind for 127.0.0.1:25017 failed: port is already allocated",
        "Error response from daemon: failed to set up container networking: driver failed "
        "programming external connectivity on endpoint askance-searxng-1 (03ac): failed to bind "
        "host port for 127.0.0.1:25017:172.18.0.2:8080/tcp: address already in use",
        "Error response from daemon: failed to bind host port 127.0.0.1:25017/tcp: address already "
        "in use",
        "Error response from daemon: Ports are not available: exposing port TCP 127.0.0.1:25017 -> "
        "0.0.0.0:0: listen tcp 127.0.0.1:25017: bind: Only one usage of each socket address is "
        "normally permitted.",
        "Error response from daemon: cannot listen on the TCP port: listen tcp4 127.0.0.1:25017: "
        "bind: address already in use",
        "Error: rootlessport listen tcp 127.0.0.1:25017: bind: address already in use",
    ],
)
def test_a_port_that_is_taken(message: str) -> None:
    problem = told(failed(message))
    assert isinstance(problem, problems.PortTaken)
    assert (problem.port, problem.holder) == (25017, "")
    assert problem.problem.values == {"port": "25017"}


def test_a_port_that_windows_keeps_for_itself_is_not_looked_for_among_programs() -> None:
    problem = told(
        failed(
            "Error response from daemon: Ports are not available: exposing port TCP "
            "127.0.0.1:25017 -> 0.0.0.0:0: listen tcp 127.0.0.1:25017: bind: An attempt was made "
            "to access a socket in a way forbidden by its access permissions."
        )
    )
    assert isinstance(problem, problems.PortTaken)
    assert problem.holder.startswith("Windows")


OFFLINE = (
    'Error response from daemon: Get "https://registry.example/v2/": dial tcp: lookup '
    "registry.example on 192.0.2.53:53: no such host"
)


def test_an_image_that_is_missing_offline_is_named() -> None:
    problem = told(
        json.dumps({"id": PULL, "status": "Error", "text": "Error", "details": "no such host"}),
        failed(OFFLINE),
    )
    assert isinstance(problem, problems.ImageMissingOffline)
    assert problem.problem.values["image"] == "example/searxng:1"
    assert remedy_of(problem).command == "askance up"


@pytest.mark.parametrize(
    "lines",
    [
        (
            "failed to solve: example/python:3.13: failed to resolve source metadata for "
            "example/python:3.13: failed to do request: Head "
            '"https://registry.example/v2/python/manifests/3.13": dial tcp: lookup '
            "registry.example: no such host",
        ),
        (
            "WARNING: Retrying after connection broken by 'NewConnectionError: Failed to establish "
            "a new connection: [Errno -3] Temporary failure in name resolution'",
            "ERROR: No matching distribution found for lxml",
            failed("The command '/bin/sh -c pip install' returned a non-zero code: 1"),
        ),
        (
            "Trying to pull registry.example/searxng:1...",
            "Error: initializing source docker://searxng:1: pinging container registry "
            'registry.example: Get "https://registry.example/v2/": dial tcp: i/o timeout',
            'Error: no container with name or ID "askance_searxng_1" found: no such container',
        ),
    ],
)
def test_a_build_and_podman_offline_come_out_the_same(lines: tuple[str, ...]) -> None:
    assert isinstance(told(*lines), problems.ImageMissingOffline)


def test_the_base_of_a_build_is_named_whatever_stands_before_it() -> None:
    problem = told(
        failed(
            "failed to solve: DeadlineExceeded: DeadlineExceeded: python:3.13: failed to resolve "
            "source metadata for registry.example/python:3.13: failed to do request: Head "
            '"https://registry.example/v2/": proxyconnect tcp: dial tcp 192.0.2.23:7897: i/o timeout'
        )
    )
    assert isinstance(problem, problems.ImageMissingOffline)
    assert problem.address == "registry.example/python:3.13"


@pytest.mark.parametrize(
    "message",
    [
        "Error response from daemon: manifest unknown",
        "Error response from daemon: manifest for example/searxng:1 not found: manifest unknown",
        "Error response from daemon: pull access denied for example/searxng, repository does not "
        "exist or may require 'docker login'",
        "failed to solve: example/python:9: failed to resolve source metadata for "
        "example/python:9: example/python:9: not found",
    ],
)
def test_an_image_that_does_not_exist(message: str) -> None:
    problem = told(failed(message))
    assert isinstance(problem, problems.ImageUnknown)
    assert "ASKANCE_SEARXNG_IMAGE" in problem.fix


def test_a_registry_that_has_given_enough() -> None:
    problem = told(
        failed(
            "Error response from daemon: toomanyrequests: You have reached your unauthenticated "
            "pull rate limit."
        )
    )
    assert isinstance(problem, problems.PullsLimited)
    assert problem.problem.endswith("You have reached your unauthenticated pull rate limit.")


def test_a_build_that_fails_shows_its_last_lines() -> None:
    problem = told(
        "Step 3/4 : RUN make",
        "make: *** No rule to make target",
        failed("The command '/bin/sh -c make' returned a non-zero code: 2"),
    )
    assert isinstance(problem, problems.BuildFailed)
    assert problem.lines == ("Step 3/4 : RUN make", "make: *** No rule to make target")
    assert "No rule to make target" in problem.problem


@pytest.mark.parametrize(
    ("message", "service", "how"),
    [
        ("container askance-searxng-1 is unhealthy", "searxng", "reports that it is unhealthy"),
        ("container askance-reader-1 exited (3)", "reader", "ended with status 3"),
        (
            "dependency failed to start: container askance-reader-net-1 is unhealthy",
            "reader-net",
            "reports that it is unhealthy",
        ),
    ],
)
def test_a_container_that_is_not_well(message: str, service: str, how: str) -> None:
    problem = told(failed(message))
    assert isinstance(problem, problems.Unhealthy)
    assert (problem.service, problem.how) == (service, how)
    assert problem.fix == f"`askance logs {service}` shows more."


def test_services_that_take_too_long() -> None:
    problem = told(failed("application not healthy after 300s"))
    assert isinstance(problem, problems.StillStarting)
    assert "300 s" in problem.problem


@pytest.mark.parametrize(
    "message",
    [
        "write /var/lib/docker/tmp/GetImageBlob1: no space left on device",
        "failed to solve: failed to copy files: copy file range failed: no space left on device",
        "Error: writing blob: storing blob to file: write /var/tmp/x: disk quota exceeded",
    ],
)
def test_a_full_disk(message: str) -> None:
    problem = told(message, name="Podman")
    assert isinstance(problem, problems.NoSpace)
    assert "podman image prune" in problem.fix


def test_a_command_and_an_engine_that_are_too_far_apart() -> None:
    problem = told(
        failed(
            "Error response from daemon: client version 1.40 is too old. Minimum supported API "
            "version is 1.44, please upgrade your client to a newer version"
        )
    )
    assert isinstance(problem, problems.ToolFailed)
    assert problem.fix.startswith("Update Docker")


def test_anything_else_comes_with_the_tools_own_last_words() -> None:
    problem = told(failed("Error response from daemon: the moon is full"))
    assert isinstance(problem, problems.ToolFailed)
    assert problem.problem.values == {"name": "Docker", "problem": "the moon is full."}
    assert "reason" in str(told().problem.values["problem"])
    text = told("all is well", "an error came", "bye").problem
    assert text.values["problem"] == "an error came."


def test_a_deadline_of_the_engine_itself_is_not_taken_for_a_missing_network() -> None:
    problem = told(failed("Error response from daemon: stopping: context deadline exceeded"))
    assert isinstance(problem, problems.ToolFailed)
    assert problem.problem.values["problem"] == "stopping: context deadline exceeded."
