"""The speeds of model servers, in a small file of ours. Nothing depends on it: it may be deleted."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, RootModel

from askance.config.private_files import make_folder, replace_file
from askance.domain.ports.model import MOST_RUNS, Speed

# The models that were used last; a file of thousands would be read at every run.
_MOST_MODELS = 50
_LARGEST_BYTES = 100_000
_log = logging.getLogger(__name__)


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    server: str
    model: str
    prompt_tps: float = Field(default=0.0, ge=0)
    reply_tps: float = Field(default=0.0, ge=0)
    load_s: float = Field(default=0.0, ge=0)
    wait_s: float = Field(default=0.0, ge=0)
    runs_s: tuple[float, ...] = ()
    thought_tokens: int = Field(default=0, ge=0)

    def speed(self) -> Speed:
        runs_s = tuple(run_s for run_s in self.runs_s if run_s > 0)
        speeds = self.prompt_tps, self.reply_tps, self.load_s, self.wait_s
        return Speed(*speeds, runs_s[-MOST_RUNS:], self.thought_tokens)


class _Rows(RootModel[list[_Row]]):
    """The model used last stands last."""


class SpeedFile:
    """A `Speeds` in a JSON file. One that is damaged or cannot be written knows nothing."""

    def __init__(self, file: Path) -> None:
        self._file = file

    async def known(self, server: str, model: str) -> Speed:
        """Return what is known of a model. See `Speeds.known`."""
        for row in await asyncio.to_thread(self._read):
            if (row.server, row.model) == (server, model):
                return row.speed()
        return Speed()

    async def store(self, server: str, model: str, speed: Speed) -> None:
        """Keep what is known now. See `Speeds.store`.

        Two programs that write at once lose what one of them has learned: it learns it again.
        """
        row = _Row(
            server=server,
            model=model,
            prompt_tps=round(speed.prompt_tps, 2),
            reply_tps=round(speed.reply_tps, 2),
            load_s=round(speed.load_s, 1),
            wait_s=round(speed.wait_s, 2),
            runs_s=speed.runs_s,
            thought_tokens=speed.thought_tokens,
        )
        await asyncio.to_thread(self._write, row)

    def _read(self) -> list[_Row]:
        try:
            with self._file.open("rb") as file:
                # A longer file is cut off here, is then no JSON, and counts as damaged.
                content = file.read(_LARGEST_BYTES)
            return _Rows.model_validate_json(content).root
        except (OSError, ValueError):
            return []

    def _write(self, row: _Row) -> None:
        # Last in the list: the model that was used longest ago is dropped first.
        others = [r for r in self._read() if (r.server, r.model) != (row.server, row.model)]
        rows = _Rows([*others, row][-_MOST_MODELS:])
        try:
            make_folder(self._file.parent)
            replace_file(self._file, rows.model_dump_json(indent=1).encode())
        except OSError as exc:
            _log.info("The speed of the model is not kept: %s", exc.strerror)
