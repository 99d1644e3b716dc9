"""Build the container images of the services, and test them on the engine of this machine.

    python -m tools.containers build     `docker compose build`, for all services
    python -m tools.containers test      the tests against a real engine, with the images that the files name
    python -m tools.containers push IMAGE:TAG    the server's image for this processor, as IMAGE:TAG-PROCESSOR
    python -m tools.containers join IMAGE:TAG    those of both processors as IMAGE:TAG, whose digest is printed

Which images those are stands in docker-compose.yml and deploy/reader/Dockerfile alone.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).parents[1]
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
        case ["push", image]:
            return push(image)
        case ["join", image]:
            return join(image)
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


def push(image: str) -> int:
    """Build the server's image for this processor, and push it. Returns the exit status."""
    name = f"{image}-{_PROCESSORS[platform.machine()]}"
    file = "deploy/server/Dockerfile"
    return _status(["docker", "build", "--file", file, "--tag", name, "."]) or _status(
        ["docker", "push", name]
    )


def join(image: str) -> int:
    """Put one name over the images of both processors, and print its digest. Returns the exit status."""
    parts = [f"{image}-{processor}" for processor in ("amd64", "arm64")]
    tool = ["docker", "buildx", "imagetools"]
    # What else is printed must not be taken for the digest.
    if status := _status([*tool, "create", "--tag", image, *parts], output=sys.stderr):
        return status
    return _status([*tool, "inspect", "--format", "digest={{.Manifest.Digest}}", image])


def images(root: Path = ROOT) -> dict[str, str]:
    """Return the images that the files name, with their digests: Python's and SearXNG's."""
    dockerfile = (root / "deploy/reader/Dockerfile").read_text(encoding="utf-8")
    compose = (root / "docker-compose.yml").read_text(encoding="utf-8")
    python = re.search(r"^ARG PYTHON_IMAGE=(\S{1,300})$", dockerfile, re.MULTILINE)
    searxng = re.search(r"ASKANCE_SEARXNG_IMAGE:-(\S{1,300})\}", compose)
    assert python is not None
    assert searxng is not None
    return {"python": python[1], "searxng": searxng[1]}


def _status(
    command: Sequence[str], added: Mapping[str, str] | None = None, output: TextIO | None = None
) -> int:
    environment = {**os.environ, **(added or {})}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=output, check=False)  # noqa: S603 - written above
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
