"""What the README's commands say where no environment can be made: one sentence, and no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sampled import sampled
from servers.faults import address_of_nobody

TOOL = Path(__file__).parents[2] / "tools/environment.py"
LOCK = f"nothing-of-this-name==1.0 --hash=sha256:{'0' * 64}\n"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    # One retry: pip names what broke the connection when it tries again.
    around = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    return subprocess.run(  # noqa: S603
        [sys.executable, str(TOOL), *arguments],
        env={**around, "PIP_RETRIES": "1", "PIP_FIND_LINKS": "", "PIP_NO_CACHE_DIR": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip


@pytest.fixture
def lock(tmp_path: Path) -> str:
    file = tmp_path / "some.lock"
    file.write_text(LOCK, "utf-8")
    return str(file)


@pytest.fixture
def closed() -> str:
    """An address of this machine at which nobody listens."""
    return address_of_nobody().removeprefix("http://")


@pytest.mark.parametrize(
    ("environment", "said"),
    sampled(
        [
            (
                {"HTTPS_PROXY": "http://someone:secret@{closed}"},
                "the proxy {closed} does not answer",
            ),
            ({"PIP_PROXY": "http://{closed}"}, "the proxy {closed} does not answer"),
            ({"PIP_INDEX_URL": "http://{closed}/simple"}, "the package index cannot be reached"),
        ],
        every=3,
        are_tuples=True,
    ),
)
def test_packages_that_cannot_be_downloaded_are_one_sentence(
    lock: str, closed: str, environment: dict[str, str], said: str
) -> None:
    # The index of a machine may be one that is reached without the proxy.
    around = {"PIP_INDEX_URL": "https://index.invalid/simple"}
    around |= {name: value.format(closed=closed) for name, value in environment.items()}
    done = run("install", lock, lock, **around)
    assert done.returncode == 1
    assert said.format(closed=closed) in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "secret" not in done.stderr + done.stdout


def test_what_pip_says_is_shown_where_the_fault_is_not_known(tmp_path: Path) -> None:
    broken = tmp_path / "broken.lock"
    broken.write_text("no such == thing ==\n", "utf-8")
    done = run("install", str(broken))
    assert done.returncode == 1
    assert "Invalid requirement" in done.stderr
    assert done.stderr.endswith(f"The packages of {broken} could not be installed.\n")


def test_an_environment_that_could_not_be_made_leaves_nothing(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("", "utf-8")
    done = run("create", str(in_the_way / "environment"))
    assert done.returncode == 1
    assert "The virtual environment could not be made." in done.stderr
    assert in_the_way.read_text("utf-8") == ""


def test_a_python_that_is_too_old_is_named_with_the_way_to_another(tmp_path: Path) -> None:
    script = (
        f"import runpy, sys; sys.version_info = (3, 9, 2); sys.argv = ['environment.py', 'create', {str(tmp_path / 'x')!r}]; "
        f"runpy.run_path({str(TOOL)!r}, run_name='__main__')"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Askance needs Python 3.11 or newer, and this is 3.9:")
    assert not (tmp_path / "x").exists()
