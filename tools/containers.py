"""Build the container images of the services, and test them on the engine of this machine.

    python -m tools.containers build     `docker compose build`, for all services
    python -m tools.containers test      the tests against a real engine, with the images that the files name
    python -m tools.containers push      the server's image for this processor, into the registry of a release
    python -m tools.containers join      one name over those of both processors; prints it with its digest

Which images those are stands in docker-compose.yml and deploy/reader/Dockerfile alone. `push` and `join` are
for .github/workflows/release.yml: GITHUB_REPOSITORY, GITHUB_ACTOR and GH_TOKEN say where to, and who.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.release import read_release

ROOT = Path(__file__).parents[1]
_REGISTRY = "ghcr.io"
# As Docker calls them.
_PROCESSORS = {"x86_64": "amd64", "aarch64": "arm64"}
# What the compose file asks for, and building does not use.
_UNUSED = {
    "ASKANCE_SEARXNG_SECRET": "unused",
    "ASKANCE_SEARCH_TOKEN_FILE": os.devnull,
    "ASKANCE_READER_TOKEN_FILE": os.devnull,
}


def main(arguments: Sequence[str]) -> int:
    """Do what the command line asks for. Returns the exit status."""
    match list(arguments):
        case ["build"]:
            return build()
        case ["test"]:
            return test()
        case ["push"]:
            return push(os.environ)
        case ["join"]:
            return join(os.environ)
        case _:
            sys.stderr.write(__doc__ or "")
            return 2


def build() -> int:
    """Build the images of all services. Returns the exit status."""
    return _status(["docker", "compose", "--profile", "server", "build"], _UNUSED)


def test() -> int:
    """Test them on a real engine. Returns the exit status."""
    named = images()
    found = {
        "ASKANCE_TEST_DOCKER": "1",
        "ASKANCE_TEST_PYTHON_IMAGE": named["python"],
        "ASKANCE_TEST_SEARXNG_IMAGE": named["searxng"],
    }
    for image in named.values():
        if status := _status(["docker", "pull", "--quiet", image]):
            return status
    return _status([sys.executable, "-m", "pytest", "tests/deploy"], found)


def push(environment: Mapping[str, str]) -> int:
    """Build the server's image for this processor, and push it. Returns the exit status."""
    name = f"{server_image(environment)}-{_PROCESSORS[platform.machine()]}"
    file = "deploy/server/Dockerfile"
    return (
        _log_in(environment)
        or _status(["docker", "build", "--file", file, "--tag", name, "."])
        or _status(["docker", "push", name])
    )


def join(environment: Mapping[str, str]) -> int:
    """Put one name over the images of both processors. Returns the exit status.

    Name and digest become outputs of the workflow's step.
    """
    image = server_image(environment)
    parts = [f"{image}-{processor}" for processor in ("amd64", "arm64")]
    tool = ["docker", "buildx", "imagetools"]
    if status := _log_in(environment) or _status([*tool, "create", "--tag", image, *parts]):
        return status
    asked = [*tool, "inspect", "--format", "{{.Manifest.Digest}}", image]
    done = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603 - written above
    lines = f"image={image.rpartition(':')[0]}\ndigest={done.stdout.strip()}\n"
    sys.stdout.write(lines)
    if output := environment.get("GITHUB_OUTPUT"):
        with Path(output).open("a", encoding="utf-8") as stream:
            stream.write(lines)
    return done.returncode


def server_image(environment: Mapping[str, str]) -> str:
    """Return the name of the server's image in the registry: beside the repository, by the version."""
    return f"{_REGISTRY}/{environment['GITHUB_REPOSITORY'].lower()}-server:{read_release().version}"


def _log_in(environment: Mapping[str, str]) -> int:
    command = [
        "docker",
        "login",
        _REGISTRY,
        "--username",
        environment["GITHUB_ACTOR"],
        "--password-stdin",
    ]
    # Not as an argument, which every process of the machine could read.
    done = subprocess.run(command, input=environment["GH_TOKEN"], text=True, check=False)  # noqa: S603 - written above
    return done.returncode


def images(root: Path = ROOT) -> dict[str, str]:
    """Return the images that the files name, with their digests: Python's and SearXNG's."""
    dockerfile = (root / "deploy/reader/Dockerfile").read_text(encoding="utf-8")
    compose = (root / "docker-compose.yml").read_text(encoding="utf-8")
    python = re.search(r"^ARG PYTHON_IMAGE=(\S{1,300})$", dockerfile, re.MULTILINE)
    searxng = re.search(r"ASKANCE_SEARXNG_IMAGE:-(\S{1,300})\}", compose)
    assert python is not None
    assert searxng is not None
    return {"python": python[1], "searxng": searxng[1]}


def _status(command: Sequence[str], added: Mapping[str, str] | None = None) -> int:
    environment = {**os.environ, **(added or {})}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode  # noqa: S603 - written above


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
