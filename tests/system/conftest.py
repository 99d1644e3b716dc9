"""What the tests of the session's message bus share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from servers.message_bus import serve_bus


@pytest.fixture(scope="module")
def bus() -> Iterator[str]:
    """The address of a bus of our own."""
    with serve_bus() as server:
        yield server.address
