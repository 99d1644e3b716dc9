"""`python -m fuzz`: every target for its share of the time; what breaks one is kept and named."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from fuzz.engine import FINDINGS, ROOT
from fuzz.targets import TARGETS

SECONDS = 600
# Above what a start and an input may take, on a busy machine too: an engine that hangs by itself is ended.
GRACE_S = 240


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz, and return 1 where an input was found that breaks a target."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(TARGETS)}; all by default")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for all of them together")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at a time")
    options = parser.parse_args(arguments)
    if unknown := set(options.targets) - TARGETS.keys():
        parser.error(f"there is no target {', '.join(sorted(unknown))}")
    names = options.targets or list(TARGETS)
    jobs = min(options.jobs, len(names))
    share = options.seconds * jobs / len(names)
    with ThreadPoolExecutor(jobs) as pool:
        held = dict(zip(names, pool.map(lambda name: _run(name, share), names), strict=True))
    broken = [name for name in names if not held[name]]
    for name in broken:
        print(f"Broken: {name}. `python -m fuzz.engine {name} 1` repeats what build/fuzz holds.")
    return 1 if broken else 0


def _run(name: str, seconds: float) -> bool:
    """Fuzz one target in a process of its own: a crash is a finding, not the end."""
    log = FINDINGS / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "fuzz.engine", name, f"{seconds:g}"]
    try:
        with log.open("wb") as out:
            done = subprocess.run(  # noqa: S603 - our own command
                command, cwd=ROOT, stdout=out, stderr=out, timeout=seconds + GRACE_S, check=False
            )
    except subprocess.TimeoutExpired:
        print(f"{name}: does not end")
        return False
    reports = log.read_text("utf-8", "replace").splitlines()
    runs = [line for line in reports if "number_of_executed_units" in line or "inputs" in line]
    print(f"{name}: {' '.join(runs[-1:]) or 'broken'}, exit {done.returncode}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
