"""The health check of the gateway's container: `python -m askance.services.gateway_health PORT UPSTREAM_PORT`.

The gateway lives in the network of SearXNG's container. That network ends with the container, and
comes back as a new one: only a new start of the gateway leads there, and the restart policy sees to
that. So where nobody listens on SearXNG's port any more, the check ends the gateway.
"""

from __future__ import annotations

import os
import signal
import socket
import sys

_ANSWER_S = 4.0


def main(port: int, upstream_port: int) -> None:
    """Exit with a sentence where the gateway, or SearXNG behind it, is not well."""
    try:
        socket.create_connection(("127.0.0.1", upstream_port), _ANSWER_S).close()
    except ConnectionRefusedError:
        # Process 1 of the container is the gateway itself.
        os.kill(1, signal.SIGTERM)
        sys.exit("SearXNG is not in this network: the gateway starts anew.")
    except OSError as exc:
        sys.exit(f"SearXNG does not answer: {exc}.")
    try:
        # Bare, since an HTTP library takes longer to load than all the rest, every few seconds.
        with socket.create_connection(("127.0.0.1", port), _ANSWER_S) as service:
            service.sendall(b"GET /healthz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
            status = service.recv(64).split(b"\r\n")[0]
    except OSError as exc:
        sys.exit(f"The gateway does not answer: {exc}.")
    if b" 200 " not in status:
        sys.exit(f"SearXNG is not well: {status!r}.")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
