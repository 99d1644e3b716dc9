"""What is said about updates is done: each installer of Python packages installs the program, the command that the
program names is run, and the newer version is there. All of it from a folder of wheels, without an index."""

from __future__ import annotations

import base64
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import askance
from askance.system.installation import EXTRAS, InstallKind

OLD, NEW = "9.1.0", "9.2.0"
LIMIT_S = 120
PACKAGE = Path(askance.__file__).parent
UV = Path(sys.executable).parent / ("uv.exe" if sys.platform == "win32" else "uv")
PROBE = """\
import os
import askance
from askance import __version__
from askance.system.installation import find_installation
found = find_installation(os.environ)
update = found.update_to("9.2.0").values["command"]
print(__version__, found.kind, update, sep="\\n")
"""

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="there is no POSIX shell: run it on Linux"),
    pytest.mark.skipif(
        not UV.is_file(),
        reason="uv is missing: pip install uv",
    ),
]


def pack(folder: Path, version: str) -> Path:
    """Make a wheel of the program that requires nothing, with the extras that the real one has."""
    folder.mkdir(exist_ok=True)
    info = f"askance-{version}.dist-info"
    extras = "".join(f"Provides-Extra: {extra}\n" for extra in EXTRAS)
    contents = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: askance\nVersion: {version}\n{extras}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\naskance = askance.version:main\n",
        "askance/version.py": "from askance import __version__\ndef main():\n    print(__version__)\n",
        "askance/__init__.py": f'__version__ = "{version}"\n',
    }
    for part in ("config", "domain", "system"):
        for file in (PACKAGE / part).rglob("*.py"):
            name = f"askance/{file.relative_to(PACKAGE).as_posix()}"
            contents[name] = file.read_text("utf-8")
    record = f"{info}/RECORD,,\n"
    wheel = folder / f"askance-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in contents.items():
            data = text.encode()
            archive.writestr(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(data)}\n"
        archive.writestr(f"{info}/RECORD", record)
    return wheel


@dataclass
class Machine:
    """A home with nothing in it, and two folders of wheels: the old version, and both."""

    folder: Path
    both_are_there: bool = False

    @property
    def environment(self) -> Mapping[str, str]:
        wheels = str(self.folder / ("both" if self.both_are_there else "old"))
        home = self.folder / "home"
        return {
            "PATH": f"{UV.parent}{os.pathsep}{home}/.local/bin{os.pathsep}{os.environ['PATH']}",
            "HOME": str(home),
            "UV_FIND_LINKS": wheels, "UV_PYTHON": sys.executable, "UV_PYTHON_DOWNLOADS": "never",
            "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": wheels, "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }  # fmt: skip

    def run(self, command: str) -> str:
        done = subprocess.run(  # noqa: S603
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            env=dict(self.environment),
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        if "--force-reinstall -q pip" in done.stderr:
            pytest.skip("this pipx fetches a pip of its own: take pipx 1.1")
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    settings = tmp_path / "home" / ".config" / "uv"
    settings.mkdir(parents=True)
    (settings / "uv.toml").write_text("no-index = true\n", "utf-8")
    (tmp_path / "probe.py").write_text(PROBE, "utf-8")
    shutil.copy(pack(tmp_path / "old", OLD), pack(tmp_path / "both", NEW).parent)
    return Machine(tmp_path)


needs_pipx = pytest.mark.skipif(
    not shutil.which("pipx"), reason="pipx is missing: apt install pipx"
)
UV_TOOL = "home/.local/share/uv/tools/askance/bin/python"
PIPX = "$(pipx environment --value PIPX_LOCAL_VENVS)"
VENV = f"{shlex.quote(sys.executable)} -m venv --without-pip 'an environment'"


@pytest.mark.parametrize(
    ("install", "python", "kind"),
    [
        ("uv tool install 'askance[mcp]'", UV_TOOL, InstallKind.UV_TOOL),
        pytest.param("uvx --from askance askance", "uvx --from askance python", InstallKind.UVX, marks=pytest.mark.exhaustive),
        (f"{VENV} && uv pip install -p 'an environment' askance", "'an environment/bin/python'", InstallKind.UV_PIP),
        (f"{shlex.quote(sys.executable)} -m venv v && v/bin/python -m pip install askance", "v/bin/python", InstallKind.PIP),
        pytest.param("pipx install --suffix=-next askance", f"{PIPX}/askance-next/bin/python", InstallKind.PIPX, marks=needs_pipx),
        pytest.param("pipx run askance", "pipx run --spec askance python", InstallKind.PIPX_RUN, marks=needs_pipx),
    ],
)  # fmt: skip
def test_the_command_that_is_named_updates_this_installation(
    machine: Machine, install: str, python: str, kind: InstallKind
) -> None:
    machine.run(install)
    probe = f"{python} probe.py"
    version, found, update = machine.run(probe).split("\n")[:3]
    assert (version, found) == (OLD, kind)
    machine.both_are_there = True
    machine.run(update)
    assert machine.run(probe).split("\n")[0] == NEW
