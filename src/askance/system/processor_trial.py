"""A trial of the processor, in a process of its own: how fast it multiplies, and how fast it reads its memory.

A model reads a prompt as fast as the processor multiplies, and writes as fast as its weights are read. What was
measured goes to stdout as JSON.
"""

from __future__ import annotations

import json
import platform
import sys
import time

# A multiplication of this size takes some milliseconds; larger than any cache is what is read.
_SIDE = 768
_READ_BYTES = 64_000_000
_EACH_S = 0.1


def main() -> int:
    """Multiply and read for a tenth of a second each, and write what the best of each came to."""
    import numpy as np  # noqa: PLC0415 - whoever imports this module only wants its name

    square = np.ones((_SIDE, _SIDE), np.float32)
    weights = np.ones(_READ_BYTES // 4, np.float32)

    def best(work: object, amount: float) -> float:
        assert callable(work)
        ends, shortest = time.perf_counter() + _EACH_S, float("inf")
        while time.perf_counter() < ends or shortest == float("inf"):
            began = time.perf_counter()
            work()
            shortest = min(shortest, time.perf_counter() - began)
        return amount / shortest / 1e9

    # xllamacpp is built for processors with AVX2; on others its process would end at once.
    known = getattr(
        getattr(getattr(np, "_core", None), "_multiarray_umath", None), "__cpu_features__", {}
    )
    found = {
        "runs_engine": bool(
            known.get("AVX2", platform.machine().lower() not in {"x86_64", "amd64"})
        ),
        "gigaflops": best(lambda: square @ square, 2 * _SIDE**3),
        "gigabytes_per_s": best(weights.max, _READ_BYTES),
    }
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
