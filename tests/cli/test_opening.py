"""Opening the parts: what is expected to fail comes out as itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from askance.cli.opening import opened
from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.domain.errors import ServiceDown
from cli.desk import Desk, FakeApp


class Grouped(FakeApp):
    """Parts that live in a task group, as child processes do."""

    @asynccontextmanager
    async def open(
        self, settings: Settings, folders: Folders, *, sample_web: Any | None = None
    ) -> AsyncGenerator[FakeApp]:
        async with asyncio.TaskGroup():
            yield self


async def test_an_error_under_a_task_group_is_not_wrapped(desk: Desk) -> None:
    desk.app = Grouped()
    with pytest.raises(ServiceDown):
        async with opened(desk.shell, Settings()):
            raise ServiceDown("Reader", "http://x", "It is gone.")


async def test_a_bug_under_a_task_group_stays_what_it_is(desk: Desk) -> None:
    desk.app = Grouped()
    with pytest.raises(ExceptionGroup) as caught:
        async with opened(desk.shell, Settings()):
            raise ZeroDivisionError
    assert caught.group_contains(ZeroDivisionError)
