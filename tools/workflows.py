"""Check the workflows of .github and the shell scripts: actionlint, zizmor and shellcheck.

    python -m tools.workflows

actionlint is compiled from tools/actionlint once: by the Go that is installed, or by one of the package index
(requirements/go.lock).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
_MODULE = ROOT / "tools" / "actionlint"
_LOCK = ROOT / "requirements" / "go.lock"
_ENVIRONMENT = ROOT / "tools" / "environment.py"
_BIN = Path(sys.executable).parent
# From this one on Go brings the release that a module asks for by itself, checked as modules are.
_OLDEST_GO = (1, 21)
_SHEBANG = re.compile(rb"#! ?/\S{1,40}[/ ](?:ba|da)?sh\b")


def main() -> int:
    """Run all checks. Returns the exit status."""
    # Linux on Arm has no wheel of it.
    shellcheck = shutil.which("shellcheck", path=f"{_BIN}{os.pathsep}{os.environ.get('PATH', '')}")
    try:
        # Without these names it looks for a repository of Git, which an archive of the sources is not.
        options = ("-no-color", "-pyflakes=", "-config-file=.github/actionlint.yaml")
        checks = [[str(_actionlint()), *options, f"-shellcheck={shellcheck or ''}", *workflows()]]
    except subprocess.CalledProcessError as exc:
        # Its sources may be out of reach: who works without a network is not kept from all other checks.
        sys.stderr.write(f"actionlint was not run: compiling it ended with {exc.returncode}.\n")
        if "GITHUB_ACTIONS" in os.environ:
            return 1
        checks = []
    checks.append(
        [str(_BIN / "zizmor"), "--offline", "--quiet", "--no-progress", "--color=never", ".github"]
    )
    if shellcheck:
        checks.append([shellcheck, "--severity=warning", *shell_scripts()])
    return max(map(_status, checks))


def workflows(root: Path = ROOT) -> list[str]:
    """Return the workflows of the repository."""
    files = sorted((root / ".github" / "workflows").glob("*.yml"))
    return [str(file.relative_to(root)) for file in files]


def shell_scripts(root: Path = ROOT) -> list[str]:
    """Return the shell scripts of the repository, by their first lines."""
    files = (
        file
        for folder in (".ci", ".github", "deploy", "packaging", "tools")
        for file in sorted((root / folder).rglob("*"))
        if file.is_file()
    )
    return [str(file.relative_to(root)) for file in files if _SHEBANG.match(_head(file))]


def _head(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(64)


def _actionlint() -> Path:
    program = _BIN / "actionlint"
    sums = _MODULE / "go.sum"
    if program.exists() and program.stat().st_mtime >= sums.stat().st_mtime:
        return program
    go = _installed_go() or _locked_go()
    # What is compiled is what go.sum says, and the module is not changed.
    quiet = {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly", "GOTOOLCHAIN": "auto"}
    package = "github.com/rhysd/actionlint/cmd/actionlint"
    _run([go, "build", "-o", str(program), package], _MODULE, quiet)
    os.utime(program)
    return program


def _installed_go() -> str:
    """Return the path of the Go that is installed; empty where there is none, or an old one."""
    if (go := shutil.which("go")) is None:
        return ""
    asked = subprocess.run([go, "version"], capture_output=True, text=True, check=False)  # noqa: S603 - found above
    found = re.search(r"go(\d{1,3})\.(\d{1,3})", asked.stdout)
    return go if found and (int(found[1]), int(found[2])) >= _OLDEST_GO else ""


def _locked_go() -> str:
    folder = _BIN.parent / "go"
    inside = folder / _BIN.name
    if not (inside / "go").exists():
        _run([sys.executable, str(_ENVIRONMENT), "create", str(folder)])
        _run([str(inside / "python"), str(_ENVIRONMENT), "install", str(_LOCK)])
    return str(inside / "go")


def _run(
    command: Sequence[str], folder: Path = ROOT, added: Mapping[str, str] | None = None
) -> None:
    environment = {**os.environ, **(added or {})}
    subprocess.run(command, cwd=folder, env=environment, check=True)  # noqa: S603 - written above


def _status(command: Sequence[str]) -> int:
    return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603 - written above


if __name__ == "__main__":
    sys.exit(main())
