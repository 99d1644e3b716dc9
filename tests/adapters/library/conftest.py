"""What every test of files on their way into the library starts from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.library.room import Room, opened


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with opened(tmp_path) as room:
        yield room
