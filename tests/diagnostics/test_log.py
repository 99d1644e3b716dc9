"""The program's own log: lines of JSON, rotated, private, whole with several writers, never a trouble."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from askance.config.diagnostics import LogFile, last_entries, parts
from waiting import PATIENCE_S

WRITERS, LINES = 4, 300
WRITER = """
import logging, sys
from pathlib import Path
from askance.config.diagnostics import LogFile
logger = logging.getLogger(sys.argv[2])
logger.setLevel("INFO")
logger.addHandler(LogFile(Path(sys.argv[1]), largest_bytes=int(sys.argv[4])))
for number in range(int(sys.argv[3])):
    logger.info("Line.", extra={"number": number})
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "askance.log"


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    made = logging.getLogger("test.log_file")
    made.setLevel(logging.INFO)
    yield made
    for handler in list(made.handlers):
        made.removeHandler(handler)


def test_a_record_is_one_line_of_json_with_what_was_given_besides(
    file: Path, logger: logging.Logger
) -> None:
    logger.addHandler(LogFile(file))
    logger.info("It took %s\n\x1b[31m.", 3, extra={"outcome": "web", "what": object()})
    (line,) = file.read_text("ascii").splitlines()
    data = json.loads(line)
    assert data["time"].endswith("+00:00")
    assert (data["level"], data["logger"]) == ("INFO", "test.log_file")
    assert data["message"] == "It took 3\n\x1b[31m."
    assert (data["outcome"], data["what"]) == ("web", "object")


def test_it_is_rotated_and_every_part_is_for_its_owner_alone(
    file: Path, logger: logging.Logger
) -> None:
    logger.addHandler(LogFile(file, largest_bytes=2_000))
    for number in range(200):
        logger.info("Line.", extra={"number": number})
    retained = [part for part in parts(file) if part.exists()]
    assert len(retained) >= 3
    assert all(part.stat().st_size < 2_500 for part in retained)
    assert [e.details["number"] for e in last_entries(file, 12)] == list(range(188, 200))
    if sys.platform != "win32":
        assert file.parent.stat().st_mode & 0o777 == 0o700
        assert {part.stat().st_mode & 0o777 for part in file.parent.iterdir()} == {0o600}


@pytest.mark.parametrize("largest_bytes", [10_000_000, 60_000])
def test_processes_that_write_at_once_lose_and_tear_no_line(file: Path, largest_bytes: int) -> None:
    """The smaller files are rotated twice or three times, so that all parts are still there."""
    children = [
        subprocess.Popen(  # noqa: S603 - this Python
            [sys.executable, "-c", WRITER, str(file), f"w{n}", str(LINES), str(largest_bytes)]
        )
        for n in range(WRITERS)
    ]
    assert [child.wait(PATIENCE_S) for child in children] == [0] * WRITERS
    lines = [
        line for part in parts(file) if part.exists() for line in part.read_bytes().splitlines()
    ]
    texts = [json.loads(line) for line in lines]
    for writer in range(WRITERS):
        written = [row["number"] for row in texts if row["logger"] == f"w{writer}"]
        assert sorted(written) == list(range(LINES))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full: run it on Linux")
def test_a_full_disk_costs_the_record_alone(tmp_path: Path, logger: logging.Logger) -> None:
    # Not through a link, which is never followed: the device under a name of its own is as full.
    full = LogFile(Path("/dev/full"))
    full._has_folder = True
    logger.addHandler(full)
    logger.info("Nobody hears this.")
    assert full._is_torn


def test_a_folder_that_cannot_be_made_costs_the_record_alone(
    tmp_path: Path, logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "logs").write_text("a file in the place of the folder")
    logger.addHandler(LogFile(tmp_path / "logs" / "askance.log"))
    logger.info("Nobody hears this.")
    assert capsys.readouterr() == ("", "")


def test_a_link_in_the_place_of_the_log_is_not_followed(
    file: Path, tmp_path: Path, logger: logging.Logger
) -> None:
    victim = tmp_path / "victim"
    victim.touch()
    file.parent.mkdir()
    file.symlink_to(victim)
    logger.addHandler(LogFile(file))
    logger.info("Not there.")
    assert not victim.read_bytes()


def test_lines_that_are_none_are_left_out(file: Path) -> None:
    file.parent.mkdir()
    whole = '{"time": "t", "level": "INFO", "logger": "l", "message": "m"}'
    file.write_bytes(f'{{"time": "t\n[1]\n{whole}\n\xff\n{"[" * 100_000}\n'.encode("latin-1"))
    assert [entry.message for entry in last_entries(file, 9)] == ["m"]
