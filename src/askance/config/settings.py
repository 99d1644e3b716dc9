"""Every setting, with its bounds, its default and its unit. The docstrings are the help texts."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Tokens = Annotated[int, Field(ge=0, le=1_000_000)]


class LlmApi(StrEnum):
    """Which protocol the model server speaks."""

    OLLAMA = "ollama"
    OPENAI = "openai"
    EMBEDDED = "embedded"


class ReaderMode(StrEnum):
    """Where pages are read."""

    CONTAINER = "container"
    INPROCESS = "inprocess"


class AnswerLength(StrEnum):
    """How much the writer is asked to write."""

    SHORT = "short"
    NORMAL = "normal"
    LONG = "long"


def _web_address(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://")
    try:
        parts = urlsplit(value)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:  # a bracket left open, a port that is no number or above 65535
        usable = False
    if not usable:
        raise ValueError("must name a host, and a port between 1 and 65535 if any")
    return value.rstrip("/")


class LlmSettings(_Section):
    """The language model."""

    api: LlmApi = LlmApi.OLLAMA
    """`ollama`, `openai` for any OpenAI-compatible server, or `embedded` for a GGUF file of yours."""
    url: str = "http://127.0.0.1:11434"
    """Address of the model server, without `/api` or `/v1`."""
    model: str = ""
    """Name of the model; empty takes the first chat model that the server has."""
    gguf: str = ""
    """Path of the GGUF file that the embedded server loads."""
    num_ctx: Annotated[int, Field(ge=1024, le=1_000_000)] = 8192
    """Largest context to ask the server for, in tokens; never more than the model has."""
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = 0.2
    """Randomness of the answer. Plans and verdicts always use 0."""
    keep_alive: str = "30m"
    """How long Ollama keeps the model in memory after a call."""
    connect_timeout_s: Annotated[float, Field(gt=0, le=60)] = 5.0
    """Seconds to wait for a connection to the model server."""
    idle_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    """Seconds of silence after which a reply is given up."""
    load_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 300.0
    """Seconds to wait for the first token of all, while the model is being loaded."""
    think: bool = False
    """Let a reasoning model reason before it answers."""

    _address = field_validator("url")(_web_address)


class SearchSettings(_Section):
    """The web search."""

    url: str = "http://127.0.0.1:25017"
    """Address of SearXNG."""
    timeout_s: Annotated[float, Field(gt=0, le=120)] = 20.0
    """Seconds to wait for one query."""
    at_once: Annotated[int, Field(ge=1, le=8)] = 2
    """Queries under way at the same time."""
    asked: Annotated[int, Field(ge=1, le=100)] = 20
    """Results asked of the engine for one query."""
    kept: Annotated[int, Field(ge=1, le=50)] = 10
    """Results kept after ranking."""
    queries: Annotated[int, Field(ge=1, le=6)] = 3
    """Queries sent in one round at the most."""
    language: str = "auto"
    """Language of the results, as SearXNG names it; `auto` lets it decide."""
    categories: str = "general"
    """SearXNG categories, separated by commas."""
    engines: str = ""
    """SearXNG engines, separated by commas; empty means all that are switched on."""
    safesearch: Annotated[int, Field(ge=0, le=2)] = 0
    """0 none, 1 moderate, 2 strict."""

    _address = field_validator("url")(_web_address)


class ReaderSettings(_Section):
    """The reader of web pages."""

    mode: ReaderMode = ReaderMode.INPROCESS
    """`container` for the reader service, `inprocess` for child processes of this program."""
    url: str = "http://127.0.0.1:25018"
    """Address of the reader service."""
    proxy: str = ""
    """HTTP proxy through which pages are fetched; empty means directly."""
    at_once: Annotated[int, Field(ge=1, le=20)] = 5
    """Pages read at the same time."""
    page_timeout_s: Annotated[float, Field(gt=0, le=120)] = 10.0
    """Seconds of wall clock for one page, all redirects and its extraction included."""
    batch_timeout_s: Annotated[float, Field(gt=0, le=300)] = 30.0
    """Seconds of wall clock for all pages of a round; what has come by then is kept."""
    retry_after_s: Annotated[float, Field(ge=0, le=30)] = 0.5
    """Seconds before the one retry after a network error."""
    max_bytes: Annotated[int, Field(ge=10_000, le=50_000_000)] = 2_000_000
    """Largest page, in bytes after decompression."""
    max_redirects: Annotated[int, Field(ge=0, le=10)] = 5
    """Redirects followed for one page, each judged like a new address."""
    extra_ports: tuple[Annotated[int, Field(ge=1, le=65535)], ...] = ()
    """Ports allowed in page addresses beside 80 and 443."""
    workers: Annotated[int, Field(ge=1, le=16)] = 2
    """Child processes that take the text out of pages."""
    worker_memory_mb: Annotated[int, Field(ge=128, le=8192)] = 768
    """Memory of one such process, in MiB; one that needs more is ended."""

    _address = field_validator("url")(_web_address)

    @field_validator("proxy")
    @classmethod
    def _proxy_address(cls, value: str) -> str:
        return _web_address(value) if value else value


class RankingSettings(_Section):
    """How results are ranked."""

    title_weight: Annotated[float, Field(ge=0, le=20)] = 2.0
    """Weight of the title in BM25F; the snippet has 1."""
    k1: Annotated[float, Field(ge=0, le=5)] = 1.2
    """Saturation of term frequency in BM25."""
    b: Fraction = 0.75
    """Length normalisation in BM25."""
    rrf_k: Annotated[int, Field(ge=1, le=1000)] = 60
    """Constant of reciprocal rank fusion."""


class EvidenceSettings(_Section):
    """What the judge and the writer get to see."""

    passage_words: Annotated[int, Field(ge=40, le=1000)] = 200
    """Length up to which neighbouring short paragraphs are joined around a hit, in words."""
    passages: Annotated[int, Field(ge=0, le=50)] = 0
    """Passages in one round at the most; 0 means as many as the tokens allow."""
    first_tokens: Tokens = 1600
    """Tokens of passages that enter in the first round."""
    later_tokens: Tokens = 1100
    """Tokens of passages that enter in each later round."""
    per_page: Annotated[int, Field(ge=0, le=50)] = 0
    """Passages of one page at the most; 0 means no limit."""
    per_host: Annotated[int, Field(ge=0, le=50)] = 0
    """Passages of one host at the most; 0 means no limit."""
    near_copy: Fraction = 0.8
    """Share of a text's five-word runs that must stand in another one to make it a near-copy."""


class LimitSettings(_Section):
    """Where a run stops looking and answers from what it has."""

    rounds: Annotated[int, Field(ge=1, le=10)] = 3
    """Rounds of search and reading."""
    wall_clock_s: Annotated[float, Field(gt=0, le=3600)] = 90.0
    """Seconds for the whole run."""
    answer_reserve_s: Annotated[float, Field(ge=0, le=600)] = 30.0
    """Seconds of these that are kept for writing the answer."""
    plan_s: Annotated[float, Field(gt=0, le=600)] = 25.0
    """Seconds the plan may take; after that the question is searched as it stands."""
    model_tokens: Tokens = 30_000
    """Prompt and reply tokens of all model calls of a run together."""
    pages_per_round: Annotated[int, Field(ge=0, le=20)] = 4
    """Pages read in the first round."""
    later_pages_per_round: Annotated[int, Field(ge=0, le=20)] = 4
    """Pages read in each later round."""
    enough_pages: Annotated[int, Field(ge=1, le=20)] = 3
    """Pages after which a round goes on; later ones join the next round."""
    read_ahead: bool = True
    """Search and read while the plan is made and the snippets are judged. Without it fewer pages
    are asked for, and the answer comes later."""


class AnswerSettings(_Section):
    """The answer."""

    length: AnswerLength = AnswerLength.NORMAL
    """`short`, `normal` (two to four paragraphs where the evidence carries them) or `long`."""
    max_tokens: Annotated[int, Field(ge=50, le=16_000)] = 900
    """Tokens of an answer at the most."""


class TraceSettings(_Section):
    """Traces of past runs, kept on this machine."""

    enabled: bool = True
    """Keep a trace of every run."""
    keep: Annotated[int, Field(ge=1, le=100_000)] = 200
    """Traces kept; older ones are deleted."""


class Settings(_Section):
    """All settings of Askance."""

    llm: LlmSettings = LlmSettings()
    search: SearchSettings = SearchSettings()
    reader: ReaderSettings = ReaderSettings()
    ranking: RankingSettings = RankingSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    limits: LimitSettings = LimitSettings()
    answer: AnswerSettings = AnswerSettings()
    trace: TraceSettings = TraceSettings()
