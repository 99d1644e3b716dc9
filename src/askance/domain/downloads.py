"""Downloads of models: what is offered, what is under way, how far it is, and why it stopped."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from askance.domain.errors import AskanceError
from askance.domain.messages import NOTHING, Message


@dataclass(frozen=True, slots=True)
class ModelTier:
    """A model that is offered for download. Figures are for display: the hub's own decide.

    `needs_bytes` of memory are for the model and its context, `parameters` are in billions. `ollama` is the name
    under which Ollama has it.
    """

    key: str
    name: str
    repository: str
    file: str
    ollama: str
    bytes: int
    needs_bytes: int
    parameters: float
    licence: str


@dataclass(frozen=True, slots=True)
class ProcessorTrial:
    """What a short trial of this machine's processor gave: billions of operations, and of bytes read, a second.

    `runs_engine` says that it has the instructions that the builds of llama.cpp use.
    """

    gigaflops: float
    gigabytes_per_s: float
    runs_engine: bool = True


class DownloadPhase(StrEnum):
    """Where a download is."""

    QUEUED = "queued"
    """Another one is under way."""
    CONNECTING = "connecting"
    RUNNING = "running"
    CHECKING = "checking"
    PAUSED = "paused"
    OFFLINE = "offline"
    """Nothing can be reached. It goes on by itself."""
    BUSY = "busy"
    """The hub wants to be asked later. It goes on by itself."""
    DISK_FULL = "disk_full"
    DAMAGED = "damaged"
    """What came was another file, and was deleted."""
    FAILED = "failed"
    DONE = "done"


_ENDED = frozenset(
    {
        DownloadPhase.PAUSED,
        DownloadPhase.DISK_FULL,
        DownloadPhase.DAMAGED,
        DownloadPhase.FAILED,
        DownloadPhase.DONE,
    }
)


@dataclass(frozen=True, slots=True)
class ModelDownload:
    """A download as it stands. `path` is the file once it is there; empty where Ollama has the model.

    `bytes_per_s` is 0 where it is not known. `free_bytes` is what the disk has where it has too little.
    """

    key: str
    name: str
    phase: DownloadPhase
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_s: float = 0.0
    free_bytes: int = 0
    problem: Message = NOTHING
    path: str = ""

    @property
    def is_active(self) -> bool:
        """Whether it ends, or goes on, by itself."""
        return self.phase not in _ENDED

    @property
    def fraction(self) -> float:
        """The share of it that is here."""
        return min(1.0, self.done_bytes / self.total_bytes) if self.total_bytes else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes at this pace; None where that is not known."""
        if self.phase is not DownloadPhase.RUNNING or not self.bytes_per_s or not self.total_bytes:
            return None
        return (self.total_bytes - self.done_bytes) / self.bytes_per_s


class NoRoomLeft(AskanceError):
    """The disk has too little room for a download: `needed` bytes of it, of which `free` are there."""

    def __init__(self, needed: int, free: int) -> None:
        super().__init__(Message("The disk has too little room."))
        self.needed, self.free = needed, free


class WrongFile(AskanceError):
    """What came is not the file that the hub described. It is deleted."""

    def __init__(self) -> None:
        super().__init__(Message("What came is not this model. It was deleted."))


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A model server that runs on this machine. `program` is its name to people, `api` the value of `llm.api`.

    `is_running` is False for an Ollama that is installed and was not started; `model` is empty where it has none.
    `answered_ms` is how long it took to answer, `words_per_s` how fast it has answered here before; 0 if never.
    """

    program: str
    api: str
    url: str
    model: str = ""
    answered_ms: float = 0.0
    is_running: bool = True
    words_per_s: float = 0.0
