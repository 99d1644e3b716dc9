"""One target, fuzzed in this process for so many seconds: `python -m fuzz.engine TARGET SECONDS`.

Coverage guides the search where Atheris has a build for the interpreter; elsewhere Hypothesis
puts pieces of the seeds together, without guidance. Ends with 0 where nothing was found.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, seed, settings, strategies
from hypothesis.strategies import SearchStrategy

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "fuzz" / "corpus"
FINDINGS = ROOT / "build" / "fuzz"
LONGEST_INPUT = 8_192
LONGEST_RUN_S = 20
MEMORY_MB = 3_000
BATCH = 100
_UNHELPFUL = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)
_GUIDED = ["askance", "fuzz", "h11", "httpcore"]
FOUND = 1


def main(arguments: Sequence[str]) -> int:
    """Fuzz a target, and return 1 where an input was found that breaks it."""
    name, seconds = arguments[0], float(arguments[1])
    return guided(name, seconds) if find_spec("atheris") else unguided(name, seconds)


def guided(name: str, seconds: float) -> int:
    """Search with coverage. libFuzzer ends the process itself: this returns only before it began."""
    atheris: Any = import_module("atheris")  # there is no build for every interpreter

    with atheris.instrument_imports(include=_GUIDED, enable_loader_override=False):
        from fuzz.targets import TARGETS  # noqa: PLC0415 - what is imported here is instrumented

    grown, found = FINDINGS / "grown" / name, FINDINGS / "found"
    grown.mkdir(parents=True, exist_ok=True)
    found.mkdir(parents=True, exist_ok=True)
    atheris.Setup(
        [
            name,
            str(grown),
            str(CORPUS / name),
            f"-max_total_time={max(1, round(seconds))}",
            f"-max_len={LONGEST_INPUT}",
            f"-timeout={LONGEST_RUN_S}",
            f"-rss_limit_mb={MEMORY_MB}",
            f"-artifact_prefix={found}{os.sep}{name}-",
            "-print_final_stats=1",
            "-verbosity=0",
        ],
        TARGETS[name],
    )
    atheris.Fuzz()
    return 0


def unguided(name: str, seconds: float) -> int:
    """Search without coverage: pieces of the seeds joined anew, with noise between them."""
    from fuzz.targets import TARGETS  # noqa: PLC0415 - the guided search imports it differently

    target, inputs = TARGETS[name], joined_anew(seeds_of(name))
    ends, batches = time.monotonic() + seconds, 0
    while time.monotonic() < ends:
        try:
            _batch(target, inputs, batches)
        except Exception as exc:  # noqa: BLE001 - whatever it is, it is what is looked for
            print(f"{type(exc).__name__}: {exc}\n{exc.__notes__}")
            return FOUND
        batches += 1
    print(f"{name}: {batches * BATCH} inputs, without guidance")
    return 0


def _batch(target: Callable[[bytes], None], inputs: SearchStrategy[bytes], number: int) -> None:
    def broken_by(data: bytes) -> None:
        target(data)

    limits = settings(
        max_examples=BATCH, deadline=None, database=None, suppress_health_check=_UNHELPFUL
    )
    given(inputs)(limits(seed(number)(broken_by)))()


def seeds_of(name: str) -> list[bytes]:
    """Return the seeds of a target, in the order of their names."""
    return [file.read_bytes() for file in sorted((CORPUS / name).iterdir())]


def joined_anew(seeds: Sequence[bytes]) -> SearchStrategy[bytes]:
    """Return inputs made of pieces of the seeds, with noise and repetitions between them."""
    pieces = sorted({p for data in seeds for p in re.split(rb"(\W)", data) if p})
    noise = strategies.binary(min_size=1, max_size=4)
    piece = strategies.sampled_from(pieces) | noise
    repeated = strategies.builds(lambda p, n: p * n, piece, strategies.integers(1, 40))
    made = strategies.lists(piece | repeated, max_size=60).map(b"".join)
    return (strategies.sampled_from(seeds) | made).map(lambda data: data[:LONGEST_INPUT])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
