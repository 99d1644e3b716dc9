"""What every test of the command line starts from."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A shell in an empty home."""
    return Desk(tmp_path)
