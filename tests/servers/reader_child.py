"""The real reader service, whose names come from a file: `python reader_child.py NAMES ARGUMENT...`.

The file is JSON: each name has its address and its port, or null for a port that is not mapped: the
address is then judged as one that the system's resolver gave.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path

from askance.adapters.reader.resolver import Endpoint
from askance.reader_service.command import main


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[2:], resolver=NamesInAFile(Path(sys.argv[1]))))
