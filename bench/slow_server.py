"""llama.cpp's own server as a child process, and a brake that gives it so much of a processor."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CONTEXT_TOKENS = 8192
_TICKS = os.sysconf("SC_CLK_TCK")
# Short enough that a request hardly notices, long enough for the kernel's clock of a process.
_LOOK_S = 0.03
# What a server that was idle may do at once: next to nothing, or short prompts would look fast.
_BURST_S = 0.02


@dataclass(frozen=True, slots=True)
class SlowServer:
    """A running server."""

    url: str
    pid: int
    brake: Brake


class Brake:
    """Lets a process have a share of one processor, by stopping it when it has had that."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._share = 0.0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._hold, daemon=True)
        self._thread.start()

    def set(self, share: float) -> None:
        """Allow so many seconds of processor a second; 0 takes the brake off."""
        self._share = share

    def used_s(self) -> float:
        """Return the processor seconds that the process has had."""
        fields = Path(f"/proc/{self._pid}/stat").read_text("ascii").rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def release(self) -> None:
        """End the braking."""
        self._ends.set()
        self._thread.join()
        os.kill(self._pid, signal.SIGCONT)

    def _hold(self) -> None:
        credit, used, then = _BURST_S, self.used_s(), time.monotonic()
        while not self._ends.wait(_LOOK_S):
            used_now, now = self.used_s(), time.monotonic()
            credit = min(_BURST_S, credit + self._share * (now - then) - (used_now - used))
            used, then = used_now, now
            stop = self._share > 0 and credit < 0
            os.kill(self._pid, signal.SIGSTOP if stop else signal.SIGCONT)


@contextmanager
def serve(gguf: Path, *, threads: int, batch: int = 0) -> Generator[SlowServer]:
    """Serve a model for as long as the context lasts: one slot, with the server's own defaults but for its batch.

    0 leaves that as it is, too.
    """
    with subprocess.Popen(  # noqa: S603 - this program itself
        [sys.executable, "-m", "bench.slow_server", str(gguf), str(threads), str(batch)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        assert child.stdout
        url = json.loads(child.stdout.readline())["url"]
        brake = Brake(child.pid)
        try:
            yield SlowServer(url, child.pid, brake)
        finally:
            brake.release()
            child.kill()


def main() -> int:
    """Serve until stdin ends."""
    to_parent = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    xllamacpp: Any = importlib.import_module("xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = sys.argv[1]
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.cache_ram_mib = 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = int(sys.argv[2])
    if batch := int(sys.argv[3]):
        parameters.n_batch = parameters.n_ubatch = batch
    parameters.port = 0
    server = xllamacpp.Server(parameters)
    with to_parent:
        to_parent.write(json.dumps({"url": server.listening_address}) + "\n")
    while os.read(0, 4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
