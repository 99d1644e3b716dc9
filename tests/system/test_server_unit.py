"""The unit of the server: taken by systemd's own checker, enabled and removed by its own command."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from askance.domain.errors import InputError, StorageError
from askance.system.integration import UNIT, ServerUnit, unit_text

CHECKER = shutil.which("systemd-analyze")
# Quotes and backslashes systemd refuses in the path of a program.
ODD = "it costs $5 or 100% of it"


def odd_program(tmp_path: Path) -> Path:
    program = tmp_path / ODD / "askance"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def systemctl(tmp_path: Path) -> dict[str, str]:
    """A systemctl that writes down what it is asked, and fails where a file says so."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "systemctl"
    script.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n'
        f"if [ -e {tmp_path}/fails ]; then echo 'No bus.' >&2; exit 1; fi\n"
    )
    script.chmod(0o755)
    return {"PATH": f"{folder}:{os.defpath}"}


@pytest.mark.skipif(
    CHECKER is None, reason="systemd-analyze is not installed: install the package systemd"
)
def test_systemd_takes_the_unit_whatever_is_in_the_path(tmp_path: Path) -> None:
    assert CHECKER is not None
    unit = tmp_path / UNIT
    unit.write_text(unit_text([str(odd_program(tmp_path)), "serve"]))
    done = subprocess.run(  # noqa: S603 - the developer's own systemd
        [CHECKER, "--user", "verify", str(unit)],
        env={"PATH": os.defpath, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_is_enabled_and_removed_through_systemctl(
    tmp_path: Path, systemctl: dict[str, str]
) -> None:
    program = odd_program(tmp_path)
    unit = ServerUnit(systemctl, tmp_path, [str(program)])
    assert unit.program() == ""
    unit.turn_off()
    assert not (tmp_path / "asked").exists()
    unit.turn_on()
    assert Path(unit.place) == tmp_path / ".config" / "systemd" / "user" / UNIT
    assert unit.program() == str(program)
    unit.turn_off()
    assert not Path(unit.place).exists()
    assert (tmp_path / "asked").read_text().splitlines() == [
        "--user daemon-reload",
        f"--user enable --now {UNIT}",
        f"--user disable --now {UNIT}",
        "--user daemon-reload",
    ]


def test_a_unit_that_systemd_does_not_take_is_not_left_behind(
    tmp_path: Path, systemctl: dict[str, str]
) -> None:
    (tmp_path / "fails").touch()
    unit = ServerUnit(systemctl, tmp_path, ["/opt/askance"])
    with pytest.raises(InputError, match="No bus"):
        unit.turn_on()
    assert not Path(unit.place).exists()
    without = ServerUnit({"PATH": str(tmp_path)}, tmp_path, ["/opt/askance"])
    with pytest.raises(InputError, match="no systemd"):
        without.turn_on()
    assert not Path(unit.place).exists()


def test_a_unit_is_removed_where_there_is_no_systemd_any_more(tmp_path: Path) -> None:
    unit = ServerUnit({"PATH": str(tmp_path)}, tmp_path, ["/opt/askance"])
    unit.write()
    wants = Path(unit.place).parent / "default.target.wants"
    wants.mkdir()
    (wants / UNIT).symlink_to(unit.place)
    unit.turn_off()
    assert not Path(unit.place).exists()
    assert list(wants.iterdir()) == []


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / ".config").write_text("in the way")
    with pytest.raises(StorageError):
        ServerUnit({}, tmp_path, ["/opt/askance"]).write()
