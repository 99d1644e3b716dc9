"""What tools really say when they fail, and the one problem that it means.

The words are those of Docker 20.10, 28 and Desktop, compose 2 and 5, BuildKit, Podman 4.3 and
podman-compose 1.6; names of hosts are made up.
"""

from __future__ import annotations

import json

import pytest

from askance.adapters.containers import problems
from askance.adapters.containers.compose import ProgressReader, diagnose
from askance.domain.errors import ServiceError
from remedies import remedy_of

PULL = "Image example/searxng:1"


def failure(*lines: str, name: str = "Docker") -> ServiceError:
    reader = ProgressReader()
    for line in lines:
        reader.read(line)
    return diagnose(name, reader)


def failed(message: str) -> str:
    return json.dumps({"error": True, "message": message})


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
    problem = failure(failed(message))
    assert isinstance(problem, problems.PortTaken)
    assert (problem.port, problem.holder) == (25017, "")
    assert problem.problem.values == {"port": "25017"}


def test_a_port_that_windows_keeps_for_itself_is_not_looked_for_among_programs() -> None:
    problem = failure(
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
    problem = failure(
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
    assert isinstance(failure(*lines), problems.ImageMissingOffline)


def test_a_base_that_cannot_be_downloaded_comes_with_what_was_said_of_it() -> None:
    problem = failure(
        failed(
            "failed to solve: DeadlineExceeded: DeadlineExceeded: python:3.13: failed to resolve "
            "source metadata for registry.example/python:3.13: failed to do request: Head "
            '"https://registry.example/v2/": proxyconnect tcp: dial tcp 192.0.2.23:7897: i/o timeout'
        )
    )
    assert isinstance(problem, problems.ImageMissingOffline)
    assert "registry.example/python:3.13" in problem.problem


@pytest.mark.parametrize(
    "message",
    [
        "manifest for example/searxng:1 not found: manifest unknown",
        "toomanyrequests: You have reached your unauthenticated pull rate limit.",
        "write /var/lib/docker/tmp/GetImageBlob1: no space left on device",
    ],
)
def test_what_a_tool_says_itself_is_passed_on_in_its_words(message: str) -> None:
    problem = failure(failed(f"Error response from daemon: {message}"))
    assert isinstance(problem, problems.ToolFailed)
    assert message.rstrip(".") in problem.problem


def test_a_build_that_fails_shows_its_last_lines() -> None:
    problem = failure(
        "Step 3/4 : RUN make",
        "make: *** No rule to make target",
        failed("The command '/bin/sh -c make' returned a non-zero code: 2"),
    )
    assert isinstance(problem, problems.BuildFailed)
    assert problem.lines == ("Step 3/4 : RUN make", "make: *** No rule to make target")
    assert "No rule to make target" in problem.problem


def test_a_failure_after_the_build_is_none_of_the_build() -> None:
    problem = failure(
        "Step 3/4 : RUN make",
        " Network askance_search  Creating",
        failed("Error response from daemon: the moon is full"),
    )
    assert isinstance(problem, problems.ToolFailed)


def test_anything_else_comes_with_the_tools_own_last_words() -> None:
    problem = failure(failed("Error response from daemon: the moon is full"))
    assert isinstance(problem, problems.ToolFailed)
    assert problem.problem.values == {"name": "Docker", "problem": "the moon is full."}
    assert "reason" in str(failure().problem.values["problem"])
    text = failure("all is well", "an error came", "bye").problem
    assert text.values["problem"] == "an error came."


def test_a_deadline_of_the_engine_itself_is_not_taken_for_a_missing_network() -> None:
    problem = failure(failed("Error response from daemon: stopping: context deadline exceeded"))
    assert isinstance(problem, problems.ToolFailed)
    assert problem.problem.values["problem"] == "stopping: context deadline exceeded."
