"""The real reader service as a child process of the tests."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from waiting import PATIENCE_S

CHILD = Path(__file__).with_name("reader_child.py")
TOKEN = "the-token-of-the-tests"  # noqa: S105 - of a service of the tests
_LISTENS = re.compile(r"listens on .*port (\d+)")


@dataclass
class ReaderProcess:
    """A running service. `names` are what its resolver knows; see `reader_child`."""

    process: subprocess.Popen[str]
    url: str
    token_file: Path
    _names_file: Path

    def know(self, names: Mapping[str, tuple[str, int | None]]) -> None:
        """Give the service's resolver other names."""
        fresh = self._names_file.with_suffix(".new")
        fresh.write_text(json.dumps(names), "ascii")
        fresh.replace(self._names_file)

    def kill(self) -> None:
        """End it as `kill -9` does, and wait until it is gone."""
        self.process.kill()
        self.process.wait(PATIENCE_S)


@contextmanager
def reader_process(
    folder: Path,
    names: Mapping[str, tuple[str, int | None]] | None = None,
    environment: Mapping[str, str] | None = None,
    *,
    port: int = 0,
    at_once: int = 20,
    options: Sequence[str] = (),
) -> Iterator[ReaderProcess]:
    """Start the service, and wait until it listens."""
    token_file, names_file = folder / "reader.token", folder / "names.json"
    token_file.write_text(TOKEN, "ascii")
    names_file.write_text(json.dumps(names or {}), "ascii")
    own = {name: value for name, value in os.environ.items() if not name.startswith("ASKANCE_")}
    settings = {
        "ASKANCE_HOME": str(folder),
        "ASKANCE_READER_TOKEN_FILE": str(token_file),
        **(environment or {}),
    }
    process = subprocess.Popen(  # noqa: S603 - ours
        [
            sys.executable,
            str(CHILD),
            str(names_file),
            f"--port={port}",
            f"--at-once={at_once}",
            *options,
        ],
        env={**own, **settings},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield ReaderProcess(process, _address_of(process), token_file, names_file)
    finally:
        process.kill()
        process.wait(PATIENCE_S)
        assert process.stderr is not None
        process.stderr.close()


def _address_of(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    texts: list[str] = []
    for line in process.stderr:
        texts.append(line)
        if listens := _LISTENS.search(line):
            return f"http://127.0.0.1:{listens.group(1)}"
    raise AssertionError(f"the service did not start: {''.join(texts)}")
