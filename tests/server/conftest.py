"""A home for tests of the daemon as a process."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from server.around import Around, daemons_of, has_ended
from servers.faults import free_port
from servers.world import knowing_model, serving, some_answer
from waiting import until_stored


@pytest.fixture
async def around(tmp_path: Path) -> AsyncIterator[Around]:
    script = knowing_model(answer=[some_answer])
    async with serving(script) as (servers, _, _):
        environment = {
            **os.environ,
            "ASKANCE_HOME": str(tmp_path),
            "ASKANCE_LLM__URL": servers["model"].url,
            "ASKANCE_SEARCH__URL": servers["search"].url,
            "ASKANCE_READER__MODE": "inprocess",
            "ASKANCE_READER__PROXY": servers["web"].url,
            "ASKANCE_SERVER__PORT": str(free_port()),
        }
        yield Around(tmp_path, environment, servers, script)
        for process in daemons_of(tmp_path):
            process.terminate()
            await until_stored(partial(has_ended, process))
