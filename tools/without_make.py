"""`make test` and the environment that it needs, where there is no make: under Windows.

python tools/without_make.py environment     make .venv, and install all that is locked
python tools/without_make.py test [...]      the same, and run the tests; what follows is pytest's
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENVIRONMENT = ROOT / ".venv"


def main(arguments: Sequence[str]) -> int:
    """Do what the command line asks for. Returns the exit status."""
    if not arguments or arguments[0] not in {"environment", "test"}:
        sys.stderr.write(__doc__ or "")
        return 2
    steps = [create(), install(), itself()]
    if arguments[0] == "test":
        steps.append([*pytest(), *arguments[1:]])
    for step in steps:
        # What is started is written in this file and in the Makefile.
        done = subprocess.run(step, cwd=ROOT, check=False)  # noqa: S603
        if done.returncode:
            return done.returncode
    return 0


def create() -> list[str]:
    """Return the command that makes the environment."""
    return [sys.executable, "tools/environment.py", "create", str(ENVIRONMENT)]


def install() -> list[str]:
    """Return the command that installs what is locked."""
    locks = (variable("LOCK"), variable("MODEL"))
    return [str(python()), *variable("INSTALL").split(), *locks]


def itself() -> list[str]:
    """Return the command that installs the project itself."""
    pip = variable("PIP")
    return [str(python()), *variable("ITSELF").replace("$(PIP)", pip).split()]


def pytest() -> list[str]:
    """Return the command that runs the tests as `make test` does."""
    return [str(python()), "-m", "pytest", *variable("EACH_CORE").split()]


def python() -> Path:
    """Return the environment's Python."""
    inside = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
    return ENVIRONMENT / inside


def variable(name: str) -> str:
    """Return the value that the Makefile gives to a variable."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(rf"^{name} := (.*)$", makefile, re.MULTILINE)
    assert found is not None, f"the Makefile has no {name}"
    return found[1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
