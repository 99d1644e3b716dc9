"""The child process of `EmbeddedModel`: llama.cpp's server on a free loopback port.

It takes one line from stdin, the key that requests must carry; says `{"url": …}` in one line on
stdout once the model is loaded; and ends when its stdin does, so that it never outlives its parent.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import select
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# A model that was hung up on stays busy to the end of a batch: at 25 tokens a second this one takes 2.6 s,
# llama.cpp's own of 2,048 more than a minute. Larger ones are hardly faster on a processor.
_BATCH_TOKENS = 64
# Sliding-window, hybrid and recurrent models can only go back to a checkpoint (see `OpenAIModel`). So many go
# back as far as the calls of a run do; llama.cpp's 32 take up to some hundred MB of a large model.
_CHECKPOINTS = 8
# What is embedded must fit one batch.
_EMBEDDED_TOKENS = 2048
# Errors only: the log is stored for the reason of a crash.
_LOG_LEVEL = 1


def main(arguments: Sequence[str]) -> int:
    """Serve until the parent is gone. Return the exit status if the model cannot be loaded."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--gguf", required=True)
    parser.add_argument("--num-ctx", type=int, required=True)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--embeddings", action="store_true")
    options = parser.parse_args(arguments)
    # By stdin, since arguments can be read by every user of the machine.
    key = _read_line()
    # Whatever a library prints is log; only the address goes to the parent.
    to_parent = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # which has no buffer: lines of the log stay in their order
    _die_with_parent()
    xllamacpp: Any = importlib.import_module("xllamacpp")
    try:
        server = xllamacpp.Server(_parameters(xllamacpp, options, key))
    except RuntimeError as exc:
        sys.stderr.write(f"{exc}\n")
        return 1
    with to_parent:
        to_parent.write(json.dumps({"url": server.listening_address}) + "\n")
    while os.read(0, 4096):
        pass
    # The destructor of the server would wait for the replies under way.
    os._exit(0)


def _parameters(xllamacpp: Any, options: argparse.Namespace, key: str) -> Any:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = options.gguf
    parameters.model_alias = {Path(options.gguf).stem}
    parameters.n_ctx = options.num_ctx
    # One slot: a second one would halve the context, and miss the prefix that the first one holds.
    parameters.n_parallel = 1
    parameters.cache_prompt = True
    # Prompts of earlier runs, kept in memory, would take up to 8 GiB of it.
    parameters.cache_ram_mib = 0
    parameters.n_batch = parameters.n_ubatch = (
        _EMBEDDED_TOKENS if options.embeddings else _BATCH_TOKENS
    )
    parameters.n_ctx_checkpoints = _CHECKPOINTS
    # However near to another: where there is room for no more, the oldest one goes.
    parameters.checkpoint_min_step = 0
    parameters.embedding = options.embeddings
    if options.threads:
        parameters.cpuparams.n_threads = options.threads
        parameters.cpuparams_batch.n_threads = options.threads
    # llama.cpp lets every web page in the user's browser in, unless there is a key.
    parameters.api_keys = [key]
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.verbosity = _LOG_LEVEL
    parameters.port = 0
    return parameters


def _read_line() -> str:
    """Read stdin byte by byte, so that nothing behind the line is waiting in a buffer."""
    line = bytearray()
    while (byte := os.read(0, 1)) not in {b"", b"\n"}:
        line += byte
    return line.decode()


def _die_with_parent() -> None:
    """Have the kernel end this process when stdin ends.

    A thread could not: loading holds the interpreter's lock from its beginning to its end. Where
    there is no such signal (Windows), the process ends when it has loaded.
    """
    if sys.platform == "win32":
        return
    import fcntl  # noqa: PLC0415

    # Its default action on Linux ends the process, without a line of Python being run.
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    # The parent may have gone before the signal was asked for, and no other comes.
    if select.select([0], [], [], 0)[0]:
        os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
