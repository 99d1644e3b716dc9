"""The small model of the demo, evaluated for a quarter of a minute: a real server, and the limit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from integration.test_command_line_runs import Machine
from servers.real_models import small_model

pytestmark = [pytest.mark.real, pytest.mark.exhaustive]


async def test_the_small_model_is_measured_within_its_time(tmp_path: Path) -> None:
    small_model()
    environment = {"PATH": os.environ["PATH"], "ASKANCE_HOME": str(tmp_path)}
    end = await Machine({}, environment, tmp_path).call(
        "evaluate", "--small", "--json", "--minutes", "0.25"
    )
    *lines, last = end.lines
    questions = [line for line in lines if line["type"] == "question"]
    assert (end.code, last["type"], last["complete"]) == (0, "evaluation", False)
    assert last["figures"]["asked"] == len(questions)
    # The file has 93 MB, and its context comes on top.
