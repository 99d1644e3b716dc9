"""The windows look as they did when somebody last looked at them, in the light and in the dark.

`ASKANCE_RENEW_PICTURES=1` takes what is drawn now as what is known; look at it before it is kept.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from shots.palette import reduced
from shots.scenes import NAMES, take_all

from askance.ui.design.theme import load_fonts
from ui.pictures.likeness import compare, marked

REFERENCE = Path(__file__).with_name("reference")
# Read before the tests take all such variables away.
RENEWS = os.environ.get("ASKANCE_RENEW_PICTURES") == "1"
MOST_BYTES = 600_000
pytestmark = [
    # One play of the story serves all tests.
    pytest.mark.timeout(300),
    pytest.mark.skipif(
        sys.platform != "linux", reason="other systems draw letters in another way: run it on Linux"
    ),
]


@pytest.fixture(scope="module")
def taken(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> dict[str, QImage]:
    """Every picture by its name, as the program draws it now."""
    load_fonts()
    return dict(take_all(qapp, tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="module", autouse=True)
def renewed(request: pytest.FixtureRequest) -> None:
    """Where it is wished, what is drawn now becomes what is known."""
    if RENEWS:
        REFERENCE.mkdir(exist_ok=True)
        for name, picture in request.getfixturevalue("taken").items():
            reduced(picture, colours=64).save(str(REFERENCE / f"{name}.png"), quality=0)


def test_every_scene_is_taken_once_and_nothing_else_is_known(taken: dict[str, QImage]) -> None:
    assert tuple(taken) == NAMES
    assert {file.stem for file in REFERENCE.glob("*.png")} == set(NAMES)


def test_what_is_known_is_small() -> None:
    assert sum(file.stat().st_size for file in REFERENCE.glob("*.png")) < MOST_BYTES


@pytest.mark.parametrize("name", NAMES)
def test_a_window_looks_as_it_did(name: str, taken: dict[str, QImage], tmp_path: Path) -> None:
    known = QImage(str(REFERENCE / f"{name}.png"))
    unlike = compare(taken[name], known)
    if unlike is not None:
        taken[name].save(str(tmp_path / f"{name}.png"))
        marked(taken[name], unlike).save(str(tmp_path / f"{name}-marked.png"))
        pytest.fail(
            f"{name} does not look as it did. {unlike.what} It lies at {tmp_path}, beside one with"
            " the places marked. If it is meant to be so: ASKANCE_RENEW_PICTURES=1",
            pytrace=False,
        )
