"""What was measured of the models of this machine: a file for each server and model, for its owner alone."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from askance.app.evaluation.figures import EvaluationFigures, Measured, Verified, sum_up
from askance.app.evaluation.grading import Grade, defaults_of, grade, label_of, verification_of
from askance.config.private_files import make_folder, replace_file
from askance.domain.errors import StorageError
from askance.domain.messages import Message
from askance.domain.ports.model import Defaults

_LARGEST_BYTES = 1_000_000
_log = logging.getLogger(__name__)


class Evaluation(BaseModel):
    """What was measured of one model on one server, complete or not. `begun` is when, in UTC.

    `of` is how many questions there are, `of_batches` how many batches of sentences; the speeds are tokens a second. What is 0 is not known.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    server: str
    model: str
    begun: datetime
    of: int = Field(ge=0)
    of_batches: int = Field(default=0, ge=0)
    measured: tuple[Measured, ...] = ()
    verified: tuple[Verified, ...] = ()
    prompt_tps: float = Field(default=0.0, ge=0)
    reply_tps: float = Field(default=0.0, ge=0)
    memory_bytes: int = Field(default=0, ge=0)

    @classmethod
    def begin(cls, server: str, model: str, of: int) -> Evaluation:
        """Return one in which nothing was asked yet."""
        return cls(server=server, model=model, begun=datetime.now(UTC), of=of)

    def resumed(self, questions: Collection[str], batches: Collection[str]) -> Evaluation:
        """Return it for the questions and batches of sentences that there are now, by their ids: what was
        asked of others goes."""
        return self.model_copy(
            update={
                "measured": tuple(m for m in self.measured if m.id in questions),
                "of": len(questions),
                "verified": tuple(v for v in self.verified if v.id in batches),
                "of_batches": len(batches),
            }
        )

    @property
    def done(self) -> frozenset[str]:
        """The ids of the questions and batches that were asked."""
        return frozenset(found.id for found in (*self.measured, *self.verified))

    @property
    def is_complete(self) -> bool:
        """Whether all questions were asked, and all sentences."""
        return len(self.measured) >= self.of and len(self.verified) >= self.of_batches

    @property
    def figures(self) -> EvaluationFigures:
        """What the questions come to."""
        return sum_up(
            self.measured,
            self.verified,
            prompt_tps=self.prompt_tps,
            reply_tps=self.reply_tps,
            memory_bytes=self.memory_bytes,
        )

    @property
    def grade(self) -> Grade:
        """What the model is good for here."""
        return grade(self.figures)

    @property
    def defaults(self) -> Defaults:
        """What fits the model here."""
        return defaults_of(self.measured, self.figures)

    def with_measured(self, measured: Measured | Verified) -> Evaluation:
        """Return it with one question, or one batch of sentences, more."""
        if isinstance(measured, Verified):
            return self.model_copy(update={"verified": (*self.verified, measured)})
        return self.model_copy(update={"measured": (*self.measured, measured)})

    def with_machine(self, *, prompt_tps: float, reply_tps: float, memory_bytes: int) -> Evaluation:
        """Return it with what is known of the machine now; what is not known any more stays."""
        return self.model_copy(
            update={
                "prompt_tps": round(prompt_tps, 1) or self.prompt_tps,
                "reply_tps": round(reply_tps, 1) or self.reply_tps,
                "memory_bytes": memory_bytes or self.memory_bytes,
            }
        )

    def to_file(self) -> bytes:
        """Return it as it is stored: what was measured, and for other readers what follows from it."""
        record = self.model_dump(mode="json") | as_record(self)
        return json.dumps(record, ensure_ascii=False, indent=1).encode()


def as_record(evaluation: Evaluation) -> dict[str, Any]:
    """Return what an evaluation came to, ready for JSON."""
    return {
        "grade": evaluation.grade.value,
        "figures": {
            **asdict(evaluation.figures),
            "verdicts": evaluation.figures.verdicts,
            "verification": evaluation.figures.verification,
        },
        "defaults": asdict(evaluation.defaults),
        "verification": str(verification_of(evaluation.figures)),
    }


class EvaluationFolder:
    """Evaluations in a folder, one file each. `on_error` is called with a sentence for a file that is damaged."""

    def __init__(self, folder: Path, on_error: Callable[[str], None]) -> None:
        self._folder = folder
        self._on_error = on_error

    def of(self, server: str, model: str) -> Evaluation | None:
        """Return what was measured of a model on a server, None if nothing was."""
        found = self._read(self._file(server, model))
        is_it = found is not None and (found.server, found.model) == (server, model)
        return found if is_it else None

    async def defaults(self, server: str, model: str) -> Defaults:
        """Return what fits a model on a server; read anew each time, as an evaluation may have gone on."""
        found = await asyncio.to_thread(self.of, server, model)
        return Defaults() if found is None else found.defaults

    def all(self) -> Sequence[Evaluation]:
        """Return all evaluations, the last one first."""
        found = [self._read(file) for file in sorted(self._folder.glob("*.json"))]
        known = [evaluation for evaluation in found if evaluation is not None]
        return sorted(known, key=lambda evaluation: evaluation.begun, reverse=True)

    def labels(self, server: str) -> dict[str, Message]:
        """Return in two or three words what the models of a server are good for, by their names."""
        known = [found for found in self.all() if found.server == server]
        return {found.model: label_of(found.grade) for found in known}

    def store(self, evaluation: Evaluation) -> None:
        """Keep an evaluation in place of an earlier one of its model.

        Raises:
            StorageError: it cannot be written.
        """
        file = self._file(evaluation.server, evaluation.model)
        try:
            make_folder(self._folder)
            replace_file(file, evaluation.to_file())
        except OSError as exc:
            raise StorageError(
                Message(
                    "The evaluation cannot be kept in {file}: {problem}.", file=file, problem=exc
                )
            ) from exc

    def _file(self, server: str, model: str) -> Path:
        digest = blake2b(f"{server}\0{model}".encode(), digest_size=12).hexdigest()
        return self._folder / f"{digest}.json"

    def _read(self, file: Path) -> Evaluation | None:
        try:
            with file.open("rb") as stream:
                content = stream.read(_LARGEST_BYTES)
        except OSError:
            return None
        try:
            return Evaluation.model_validate_json(content)
        except ValueError:
            _log.info("The file of an evaluation is damaged.")
            self._on_error(
                Message("The evaluation in {file} is damaged and does not count.", file=file)
            )
            return None
