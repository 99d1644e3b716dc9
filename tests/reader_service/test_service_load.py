"""The service under load: no page is lost, and nothing is kept of those that went."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from bench.reads import put_under_load, read_here
from bench.service_process import running_service

from askance.sample_web.sample_pages import load_library
from askance.sample_web.sample_server import serve_sample_web

PAGES, GROWTH = 24, 1.2


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc: run it on Linux")
@pytest.mark.exhaustive
async def test_two_hundred_pages_twenty_at_once_all_come_right_and_leave_nothing(tmp_path: Path):
    urls = sorted(load_library().documents)[:PAGES]
    with serve_sample_web() as web:
        names = dict(web.names)
        shelf = await read_here(names, urls)
        async with running_service(names, tmp_path) as service:
            # Until both children have come up; memory that grows then is memory that is lost.
            await put_under_load(service, shelf, reads=40)
            load = await put_under_load(service, shelf)
    assert load.reads == 200
    assert load.strays == ()
    assert load.last_mb < GROWTH * load.first_mb
