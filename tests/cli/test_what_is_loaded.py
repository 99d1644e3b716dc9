"""What a command loads: a start takes as long as the modules that it imports, and a count does not vary as time does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from servers.faults import address_of_nobody
from waiting import PATIENCE_S

PROGRAM = """
import runpy, sys
try:
    runpy.run_module("askance", run_name="__main__")
finally:
    sys.stderr.write("\\nloaded: " + " ".join(n for n, m in sys.modules.items() if m))
"""
# What no start of the terminal needs: windows, and what is done in other processes.
NEVER = {"PySide6", "trafilatura", "lxml", "pypdfium2", "onnxruntime", "rich", "mcp", "starlette"}
WEB = {"httpx", "httpcore", "h2", "anyio"}
MARKDOWN = {"markdown_it"}
FILES = {"charset_normalizer", "yaml", "docker"}


@pytest.mark.parametrize(
    ("arguments", "most", "without"),
    [
        (("--help",), 12, {"pydantic", "asyncio", *WEB}),
        (("library", "--help"), 12, WEB),
        (("config", "show"), 45, {*WEB, *MARKDOWN, "Stemmer"}),
        (("ledger",), 52, {*WEB, *MARKDOWN, "Stemmer"}),
        (("history", "list"), 68, {*WEB, *MARKDOWN, "numpy", "tomlkit"}),
        (("library", "list"), 78, {*WEB, *MARKDOWN, "numpy", "tomlkit", *FILES}),
        (("library", "search", "lamp"), 86, {*WEB, *MARKDOWN, "numpy", "tomlkit", *FILES}),
        # Nobody answers: what checks an answer is not loaded before there is one.
        (("ask", "When was it built?"), 146, {*MARKDOWN, "tomlkit", *FILES}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_command_loads_what_it_uses(
    arguments: tuple[str, ...], most: int, without: set[str], tmp_path: Path
) -> None:
    nobody = address_of_nobody()
    settings = {"ASKANCE_SEARCH__URL": nobody, "ASKANCE_LLM__URL": nobody}
    child = subprocess.run(  # noqa: S603
        [sys.executable, "-c", PROGRAM, *arguments],
        env={**os.environ, "ASKANCE_HOME": str(tmp_path), **settings},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    loaded = child.stderr.rpartition("\nloaded: ")[2].split()
    ours = [name for name in loaded if name.partition(".")[0] == "askance"]
    assert "askance.cli.command_tree" in ours, child.stderr
    assert len(ours) <= most, sorted(ours)
    unwanted = {name.partition(".")[0] for name in loaded} & (NEVER | without)
    assert not unwanted
