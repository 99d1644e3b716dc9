"""The workflows only call what this repository has, with no more rights than they need."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tools.workflows import shell_scripts

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
# Targets of which only the workflows know so far.
_PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
# Words that a shell takes for more than the name of a program and its arguments.
_LOGIC = re.compile(r"[|&;<>()`\n]|\$\(|^\w+=")

every_workflow = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def read(file: Path) -> dict[Any, Any]:
    return yaml.safe_load(file.read_text("utf-8"))


def steps(file: Path) -> Iterator[dict[str, Any]]:
    for job in read(file)["jobs"].values():
        yield from job.get("steps", ())


def fault_of(command: str) -> str:
    """Say what of a command is not one of the repository's own; empty where all of it is."""
    if _LOGIC.search(command):
        return "more than one command"
    words = shlex.split(command)
    if words[0] == "make":
        unknown = [word for word in words[1:] if "=" not in word and word not in TARGETS]
        return f"no target {unknown[0]}" if unknown else ""
    if words[0] == ".ci/in-container":
        return fault_of(shlex.join(words[3:]))
    if Path(words[0]).stem in {"python", "python3"}:
        script = (
            Path(*words[2].split(".")).with_suffix(".py") if words[1] == "-m" else Path(words[1])
        )
    else:
        script = Path(words[0])
        if script.as_posix() not in shell_scripts():
            return f"{script} is no script of ours"
    return "" if (ROOT / script).is_file() else f"no {script}"


@every_workflow
def test_a_step_runs_one_script_or_target_of_ours(file: Path) -> None:
    commands = [step["run"] for step in steps(file) if "run" in step]
    assert commands
    assert {command: fault for command in commands if (fault := fault_of(command))} == {}


@pytest.mark.parametrize(
    "command",
    [
        "make check && make test",
        "make no-such-target",
        "pip install askance",
        "echo $(git log)",
        ".ci/no-such-script",
        "python tools/no_such_tool.py",
        "python3 -m tools.no_such_tool",
        '.ci/in-container debian:12 "tests" make no-such-target',
        "X=1 make test",
        "make check\nmake test\n",
    ],
)
def test_logic_in_a_workflow_is_found(command: str) -> None:
    assert fault_of(command)


@every_workflow
def test_an_action_is_one_commit_whose_version_is_told(file: Path) -> None:
    lines = re.findall(r"uses: (\S.*)", file.read_text("utf-8"))
    others = [line for line in lines if not line.startswith("./")]
    assert others
    assert [line for line in others if not _PINNED.fullmatch(line)] == []


def test_all_workflows_mean_the_same_version_of_an_action() -> None:
    used: dict[str, set[str]] = {}
    for file in FILES:
        for name, commit in re.findall(r"uses: (\S+)@(.*)", file.read_text("utf-8")):
            used.setdefault(name, set()).add(commit)
    assert {name: commits for name, commits in used.items() if len(commits) > 1} == {}


@every_workflow
def test_a_workflow_may_read_and_a_job_says_what_more_it_needs(file: Path) -> None:
    workflow = read(file)
    assert workflow["permissions"] == {"contents": "read"}
    assert "concurrency" in workflow
    for name, job in workflow["jobs"].items():
        assert "uses" in job or job["timeout-minutes"] <= 90, name
        wider = [right for right, kind in job.get("permissions", {}).items() if kind != "read"]
        assert not wider or file.stem == "release", name
    for step in steps(file):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@every_workflow
def test_what_a_pull_request_starts_sees_no_secret(file: Path) -> None:
    text = file.read_text("utf-8")
    # YAML 1.1 reads the key `on` as a truth.
    started_by = read(file)[True]
    if "pull_request" in started_by:
        assert "secrets." not in text
        assert "github.token" not in text
    assert "pull_request_target" not in started_by


def test_every_system_and_python_is_tested() -> None:
    tests = read(ROOT / ".github/workflows/ci.yml")["jobs"]
    matrix = tests["tests"]["strategy"]["matrix"]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    oldest = re.search(r'requires-python = ">=3\.(\d+)"', project)
    assert oldest is not None
    minors = [int(version.partition(".")[2]) for version in matrix["python"]]
    assert minors == list(range(int(oldest[1]), 15))
    systems = {*matrix["system"], *(row["system"] for row in matrix["include"])}
    assert {"ubuntu-24.04", "ubuntu-26.04", "macos-15", "macos-15-intel"} <= systems
    images = tests["bare"]["strategy"]["matrix"]["image"]
    assert [image.partition(":")[0] for image in images] == ["debian", "fedora"]
