"""The real gateway as a child process of the tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waiting import PATIENCE_S

TOKEN = "the-gateway-token-of-the-tests"  # noqa: S105 - of a service of the tests
_LISTENS = re.compile(r"listens on .*port (\d+)")


@contextmanager
def gateway_before(upstream: str, token_file: Path, *options: str) -> Iterator[str]:
    """Start the gateway before a SearXNG, and give its address once it listens."""
    token_file.write_text(TOKEN, "ascii")
    own = {name: value for name, value in os.environ.items() if not name.startswith("ASKANCE_")}
    process = subprocess.Popen(  # noqa: S603 - ours
        [sys.executable, "-m", "askance.services.search_gateway", "--port", "0", "--upstream", upstream,
         "--token-file", str(token_file), *options],
        env=own, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield _address_of(process)
    finally:
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr is not None
        process.stderr.close()


def _address_of(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    text = process.stderr.readline()
    found = _LISTENS.search(text)
    assert found, f"the gateway did not start: {text}{process.stderr.read()}"
    return f"http://127.0.0.1:{found.group(1)}"
