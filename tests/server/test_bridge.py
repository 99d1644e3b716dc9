"""The bridge by itself, between two pipes and a socket of the test's own."""

from __future__ import annotations

import io
import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from askance.server import daemon_connection as ipc
from waiting import PATIENCE_S

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="sockets in the file system: run it on Linux or macOS"
)


@dataclass
class Between:
    """The client's two pipes and the daemon's end. `again` are the daemons that come after the first."""

    stdin: int
    stdout: io.FileIO
    daemon: socket.socket
    again: list[socket.socket | OSError]
    thread: threading.Thread

    def say(self, *messages: object) -> None:
        for message in messages:
            os.write(self.stdin, json.dumps(message).encode() + b"\n")

    def told(self) -> dict[str, Any]:
        return json.loads(self.stdout.readline())

    def end(self) -> None:
        os.close(self.stdin)
        self.daemon.close()
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive()


@pytest.fixture
def between() -> Iterator[Between]:
    (read_in, write_in), (read_out, write_out) = os.pipe(), os.pipe()
    ours, theirs = socket.socketpair()
    theirs.settimeout(PATIENCE_S)
    again: list[socket.socket | OSError] = []

    def connect_again() -> socket.socket:
        found = again.pop(0)
        if isinstance(found, OSError):
            raise found
        return found

    copying = ipc._LineRelay(ours, connect_again, read_in, write_out, io.StringIO())
    thread = threading.Thread(target=copying.run, daemon=True)
    thread.start()
    stdout = os.fdopen(read_out, "rb", buffering=0)
    yield Between(write_in, stdout, theirs, again, thread)
    theirs.close()
    stdout.close()
    for descriptor in (read_in, write_out):
        os.close(descriptor)


def line_at(daemon: socket.socket) -> dict[str, Any]:
    """Return the next line that a daemon gets."""
    line = b""
    while not line.endswith(b"\n"):
        byte = daemon.recv(1)
        assert byte, "it ended"
        line += byte
    return json.loads(line)


def request(number: object, method: str = "tools/call") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method}


def answer(number: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": {}}).encode() + b"\n"


def test_only_what_is_still_open_is_answered_with_an_error(between: Between) -> None:
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": "c"}}
    between.say(request(1), request("b"), request("c"), cancelled, {"method": "x", "params": []})
    for _ in range(5):
        line_at(between.daemon)
    between.daemon.sendall(answer(1))
    assert between.told()["id"] == 1
    between.daemon.close()
    reported = between.told()
    assert (reported["id"], reported["error"]["code"]) == ("b", -32000)
    between.end()


def test_a_conversation_is_begun_again_with_what_it_was_begun_with(between: Between) -> None:
    hello = {**request(1, "initialize"), "params": {"protocolVersion": "2025-06-18"}}
    between.say(hello)
    assert line_at(between.daemon) == hello
    between.daemon.sendall(answer(1))
    assert between.told()["result"] == {}
    ours, second = socket.socketpair()
    second.settimeout(PATIENCE_S)
    between.again.append(ours)
    between.daemon.close()
    between.say({"method": "notifications/initialized"}, request(2))
    begun = line_at(second)
    assert begun["params"] == hello["params"]
    second.sendall(answer(begun["id"]))
    assert line_at(second)["method"] == "notifications/initialized"
    assert line_at(second) == request(2)
    second.sendall(answer(2))
    # The answer to what the client has not asked is not passed on.
    assert between.told()["id"] == 2
    second.close()
    between.end()


def test_a_beginning_that_failed_is_not_repeated(between: Between) -> None:
    between.say(request(1, "initialize"))
    line_at(between.daemon)
    between.daemon.sendall(b'{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no"}}\n')
    assert "error" in between.told()
    ours, second = socket.socketpair()
    second.settimeout(PATIENCE_S)
    between.again.append(ours)
    between.daemon.close()
    between.say(request(2, "initialize"))
    assert line_at(second) == request(2, "initialize")
    second.close()
    between.end()


def test_a_notification_starts_no_daemon_and_a_call_that_starts_none_is_an_error(
    between: Between,
) -> None:
    between.again.append(OSError("no room"))
    between.daemon.close()
    between.say({"jsonrpc": "2.0", "method": "notifications/progress"}, request(5))
    reported = between.told()
    assert reported["id"] == 5
    assert "no room" in reported["error"]["message"]
    assert between.again == []
    between.end()


def test_a_line_without_an_end_takes_no_more_than_its_bound(
    between: Between, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ipc, "_LONGEST_MESSAGE", 1000)
    for _ in range(50):
        os.write(between.stdin, b"x" * 1000)
    reported = between.told()
    assert (reported["id"], reported["error"]["code"]) == (None, -32600)
    os.write(between.stdin, b"\n")
    between.say(request(3))
    assert line_at(between.daemon) == request(3)
    between.end()


def test_the_last_line_counts_without_its_end(between: Between) -> None:
    os.write(between.stdin, b'{"id": 1}')
    os.close(between.stdin)
    assert between.daemon.recv(100) == b'{"id": 1}'
    assert between.daemon.recv(100) == b""
    between.daemon.sendall(answer(1))
    between.daemon.close()
    assert between.told()["id"] == 1
    between.thread.join(PATIENCE_S)
