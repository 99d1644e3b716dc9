"""`askance evaluate` as a program of its own: a model server over HTTP, real pages, Ctrl-C, and going on."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from fakes.judged_models import credulous
from integration.test_command_line_runs import Machine, ended
from servers.judged_ollama import judged_ollama
from servers.loopback import serve
from waiting import patience

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="signals of POSIX: run it on Linux or macOS"
)


@pytest.mark.exhaustive
async def test_ctrl_c_stops_it_and_the_next_call_goes_on_within_its_time(tmp_path: Path) -> None:
    async with serve(judged_ollama(credulous, questions=5)) as server:
        environment = {
            "PATH": os.environ["PATH"],
            "ASKANCE_HOME": str(tmp_path),
            "ASKANCE_LLM__URL": server.url,
        }
        m = Machine({"model": server}, environment, tmp_path)
        process = await m.start("evaluate", "--json")
        assert process.stdout is not None
        async with patience():
            first = json.loads(await process.stdout.readline())
        process.send_signal(signal.SIGINT)
        stopped = await ended(process)
        went_on = await m.call("evaluate", "--json", "--minutes", "0.15")
    assert stopped.code == 130
    asked = [first, *(line for line in stopped.lines if line["type"] == "question")]
    assert went_on.code == 0
    asked += [line for line in went_on.lines if line["type"] == "question"]
    assert len({line["id"] for line in asked}) == len(asked)
    last = went_on.lines[-1]
    assert (last["type"], last["complete"]) == ("evaluation", False)
    assert last["figures"]["asked"] == len(asked) < last["of"]
    assert not any("Traceback" in end.err for end in (stopped, went_on))
