"""The real reader service, whose names come from a file: `python reader_child.py NAMES ARGUMENT...`.

The file is JSON: each name has its address and its port, or null for a port that is not mapped: the
address is then judged as one that the system's resolver gave. With `RAISES_FOR` in the environment
the reader breaks over every page whose address holds that text.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path

from askance.adapters.reader import inprocess
from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import Endpoint
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    SearchScope,
)
from askance.services import reader as app


class NamesInAFile:
    """Reads the file for each name, so that one service can serve several tests."""

    def __init__(self, file: Path) -> None:
        self._file = file

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        names = json.loads(self._file.read_text("ascii"))
        if host not in names:
            raise OSError(f"unknown {host}")
        address, mapped = names[host]
        return [Endpoint(ip_address(address), mapped or port, trusted=mapped is not None)]


class BrokenReader(InProcessReader):
    """Breaks over some pages as no reader should, after it has asked for them."""

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        page = await super().read(url, sent=sent, known=known, scope=scope)
        if os.environ["RAISES_FOR"] in url:
            raise RuntimeError(f"cannot go on after {url}")
        return page


if __name__ == "__main__":
    inprocess.RETRY_AFTER_S = 0.0  # nobody sleeps
    if "RAISES_FOR" in os.environ:
        app.InProcessReader = BrokenReader
    sys.exit(app.main(sys.argv[2:], resolver=NamesInAFile(Path(sys.argv[1]))))
