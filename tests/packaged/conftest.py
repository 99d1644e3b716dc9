"""The package that `make dist` built, in a home of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from packaged.program import Package, executable


@pytest.fixture
def package(tmp_path: Path) -> Package:
    environment = {
        "HOME": str(tmp_path),
        "ASKANCE_HOME": str(tmp_path / "askance"),
        "LC_ALL": "C.UTF-8",
        "ASKANCE_WINDOW__HOTKEY": "",
        # No Python, and nothing of the developer's, is found there.
        "PATH": str(tmp_path / "bin"),
    }
    return Package(executable(), environment)
