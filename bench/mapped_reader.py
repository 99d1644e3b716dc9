"""The reader service as it is, but with names that lead to places of this machine.

`python -m bench.mapped_reader NAMES ARGUMENT...`: NAMES is a JSON object of `"name": [address, port]`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence

from askance.adapters.reader.network import Endpoint, MappedResolver


class NoResolver:
    """Knows no name."""

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:  # noqa: ARG002
        """Raise OSError: the name is not known."""
        raise OSError(host)


def main() -> int:
    """Serve until a signal."""
    # Here and not above: the measured window takes only the resolver from this module.
    from askance.services.reader import main as serve  # noqa: PLC0415

    names = {name: (address, port) for name, (address, port) in json.loads(sys.argv[1]).items()}
    return serve(sys.argv[2:], os.environ, resolver=MappedResolver(names, NoResolver()))


if __name__ == "__main__":
    sys.exit(main())
