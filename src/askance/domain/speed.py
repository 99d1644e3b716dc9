"""How fast a model answers on the machine that is there."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

# So many past runs tell what to expect of the next one; fewer tell nothing.
LEAST_RUNS = 2
MOST_RUNS = 7
# Nobody knows it to the second.
ROUNDED_FROM_S = 20


@dataclass(frozen=True, slots=True)
class Speed:
    """What is known of one model on one server; 0 where nothing is.

    `prompt_tps` and `reply_tps` are tokens a second, of a prompt taken in and of a reply written.
    `load_s` is what loading the model took, `wait_s` what a call waits before the server begins.
    `runs_s` are the seconds of the last runs that ended with an answer, the newest last.
    """

    prompt_tps: float = 0.0
    reply_tps: float = 0.0
    load_s: float = 0.0
    wait_s: float = 0.0
    runs_s: tuple[float, ...] = ()

    @property
    def typical_run_s(self) -> int:
        """The seconds that a run takes here, as one would say it; 0 where too few were seen."""
        if len(self.runs_s) < LEAST_RUNS:
            return 0
        seconds = median(self.runs_s)
        return max(1, round(seconds)) if seconds < ROUNDED_FROM_S else 5 * round(seconds / 5)
