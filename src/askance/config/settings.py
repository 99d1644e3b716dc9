"""Every setting, with its name, its bounds, its default and its unit. The docstrings are the help texts."""

from __future__ import annotations

import ast
import difflib
import inspect
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import cache
from itertools import pairwise
from textwrap import dedent
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SecretStr, field_validator

from askance.config.choices import (
    ALL_DAYS,
    DIRECT,
    AnswerLanguage,
    AnswerLength,
    AskMode,
    Completeness,
    Consent,
    EmbeddingsApi,
    LibraryLookup,
    LlmApi,
    Preload,
    ReaderMode,
    Theme,
    Verification,
    as_duration,
    model_address,
    model_key,
    ollama_duration,
    page_proxy,
    proxy_address,
    web_address,
    web_address_or_none,
)
from askance.domain.addresses import bare_address, secrets_in
from askance.domain.errors import SettingsError
from askance.domain.messages import Message, message_of

_HOST = re.compile(r"[a-z0-9.:_-]{1,253}")
# What browsers send in `Origin`: scheme, host and port alone, as in http://127.0.0.1:3000.
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]{0,30}://[a-z0-9.:\[\]_-]{1,260}")


class Section(BaseModel):
    """A section: each field is a setting, its docstring the help text."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Bar(StrEnum):
    """What is barred while the settings file, or a line of it that guards this, is not understood."""

    WEB = "web"
    FILES = "files"
    """Reading folders and files into the library."""
    ALL = "all"
    """Asking, searching and keeping anything at all."""


class GuardedSettings(Section):
    """Settings that know what of the file is not understood. That is no setting: it follows from the file."""

    # Private to pydantic: no file can set them, and no dump of the settings shows them.
    _barred: Mapping[Bar, Message] = PrivateAttr(default_factory=dict[Bar, Message])
    _held: frozenset[str] = PrivateAttr(default=frozenset())

    def guarded(self, barred: Mapping[Bar, Message], held: Iterable[str]) -> Self:
        """Return these settings with what is barred, and why, and which settings have their strictest
        value for a line that is not understood."""
        copied = self.model_copy()
        copied._barred = dict(barred)  # noqa: SLF001 - of the same class
        copied._held = frozenset(held)  # noqa: SLF001
        return copied

    @property
    def bars(self) -> frozenset[Bar]:
        """What is barred."""
        return frozenset(self._barred)

    def is_held(self, name: str) -> bool:
        """Whether a setting has its strictest value for a line that is not understood."""
        return name in self._held

    def why_barred(self, bar: Bar) -> Message | None:
        """Return the lines that bar something, in words; None where it is not barred."""
        return self._barred.get(bar)

    def refuse_if_barred(self, bar: Bar) -> None:
        """Raise the SettingsError that names the lines, where something is barred."""
        if why := self._barred.get(bar):
            raise SettingsError(why)


class ServerSettings(Section):
    """The server for other programs: `askance mcp` and `askance serve`."""

    http: bool = False
    """Let programs ask over HTTP too while `askance mcp` runs in the background; `askance serve` always does."""
    host: str = "127.0.0.1"
    """Address on which HTTP is served. Another one than this machine's own lets other machines ask, those
    that know the token: over plain HTTP only in a network that you trust."""
    port: Annotated[int, Field(ge=1, le=65535)] = 25019
    """Port on which HTTP is served."""
    hosts: tuple[str, ...] = ()
    """Names by which other machines call this one, such as `askance.lan`; under any other name than these
    and those of this machine no request is served."""
    origins: tuple[str, ...] = ()
    """Web pages whose scripts may ask, such as `http://127.0.0.1:3000`; none may where it is empty. They need
    a token as everybody does."""

    @field_validator("hosts")
    @classmethod
    def _names(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        # Host names are case-insensitive (RFC 4343).
        values = tuple(value.lower() for value in values)
        if not all(_HOST.fullmatch(value) for value in values):
            raise ValueError(Message("must be names or addresses, without a port"))
        return values

    @field_validator("origins")
    @classmethod
    def _pages(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        values = tuple(value.lower().rstrip("/") for value in values)
        if not all(_ORIGIN.fullmatch(value) for value in values):
            raise ValueError(
                Message("must be origins such as http://127.0.0.1:3000, without a path")
            )
        return values


class EmbeddingsSettings(Section):
    """Search by meaning in the library; keywords find without it."""

    api: EmbeddingsApi = EmbeddingsApi.NONE
    """`ollama`, `openai` for any OpenAI-compatible server, `embedded` for a GGUF file of yours, `onnx` or `static`
    for a model in a folder of yours; `none` finds by keywords alone."""
    url: str = "http://127.0.0.1:11434"
    """Address of the server, without `/api` or `/v1`."""
    api_key: SecretStr = SecretStr("")
    """Key that the server asks for, if it does; empty takes `llm.api_key` where the address is that of the model
    server. It is never shown."""
    model: str = ""
    """Name of the embedding model on the server; empty takes the first that it has."""
    path: str = ""
    """Path of the model where no server has it: the GGUF file for `embedded`, or the folder with
    `tokenizer.json`, and `model.onnx` for `onnx` or `model.safetensors` for `static`."""
    context_lines: bool = False
    """Let the chat model put each passage into a line before it is embedded: one call for each of them."""

    _address = field_validator("url")(model_address)
    _key = field_validator("api_key")(model_key)


class LlmSettings(Section):
    """The language model."""

    api: LlmApi = LlmApi.OLLAMA
    """`ollama`, `openai` for any OpenAI-compatible server, or `embedded` for a GGUF file of yours."""
    url: str = "http://127.0.0.1:11434"
    """Address of the model server, without `/api` or `/v1`; where it is not set, that of Ollama's
    own variable `OLLAMA_HOST`."""
    api_key: SecretStr = SecretStr("")
    """Key that the model server asks for, if it does. It is never shown; the settings file is then for your eyes
    alone."""
    model: str = ""
    """Name of the model; empty takes the first chat model that the server has."""
    gguf: str = ""
    """Path of the GGUF file that the embedded server loads."""
    hub: str = "https://huggingface.co"
    """Address of the hub from which models are downloaded, or of a mirror of it."""
    context_tokens: Annotated[int, Field(ge=1024, le=1_000_000)] = 8192
    """Context to ask the server for, in tokens; never more than the model has."""
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = 0.2
    """Randomness of the answer. Plans and verdicts always use 0."""
    keep_alive: str = "30m"
    """How long Ollama keeps the model in memory after a call: `30m`, `1h30m`, seconds, 0 to let it
    go at once, -1 to keep it for ever."""
    preload: Preload = Preload.PLUGGED_IN
    """When the window loads the model as it comes up, before you have typed: `plugged_in` (not on
    battery), `always`, or `never`."""
    idle_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    """Seconds of silence after which a reply that has begun is given up."""
    load_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 600.0
    """Seconds to wait for the first token of a reply: the model may have to be loaded, what others
    asked may come first, and the prompt is read."""
    think: bool = False
    """Let a reasoning model reason before it answers."""

    _address = field_validator("url")(model_address)
    _hub_address = field_validator("hub")(web_address)
    _key = field_validator("api_key")(model_key)
    _seconds = field_validator("keep_alive", mode="before")(as_duration)
    _lasting = field_validator("keep_alive")(ollama_duration)

    @property
    def server(self) -> str:
        """What names the server: an embedded one has another port at every start."""
        # Figures of models are stored under this name, which must not hold a password.
        return self.gguf if self.api is LlmApi.EMBEDDED else bare_address(self.url)


class SearchSettings(Section):
    """The web search."""

    enabled: bool = True
    """Search the web. Without it, answers come from the library and the conversation."""
    url: str = "http://127.0.0.1:25017"
    """Address of SearXNG."""
    language: str = "auto"
    """Language of the results, as SearXNG names it; `auto` takes that of the query, where it is recognised."""
    engines: str = ""
    """SearXNG engines, separated by commas; empty means all that are switched on."""
    safesearch: Annotated[int, Field(ge=0, le=2)] = 0
    """0 none, 1 moderate, 2 strict."""
    proxy: str = ""
    """HTTP or SOCKS proxy through which the search engines are asked, such as Tor's
    `socks5h://127.0.0.1:9050`; empty means directly. A running SearXNG takes it over with the next
    `askance up`."""
    in_process: Consent = Consent.UNASKED
    """Whether this program may ask public search engines itself where SearXNG does not answer:
    `given`, `refused`, or `unasked` until you are asked."""

    timeout_s: ClassVar[float] = 20.0
    """Seconds to wait for one query. No setting."""

    _address = field_validator("url")(web_address)
    _proxy = field_validator("proxy")(proxy_address)


class ReaderSettings(Section):
    """The reader of web pages."""

    mode: ReaderMode = ReaderMode.AUTO
    """`container` for the reader service, `inprocess` for child processes of this program, `auto`
    for the service once `askance up` has set it up. Where there is no service, pages are read in
    this program, and you are told; with `container_only` they fail there instead, and answers rest on
    the snippets of the search."""
    url: str = "http://127.0.0.1:25018"
    """Address of the reader service."""
    proxy: str = ""
    """HTTP or SOCKS proxy through which pages are fetched; the proxy then looks up their names.
    Empty means the same way as `search.proxy`, so that nothing goes out beside Tor unseen; `direct`
    means through none. A running reader service takes it over with the next `askance up`."""

    page_timeout_s: ClassVar[float] = 10.0
    """Seconds for fetching one page, all redirects included, and seconds of processor time for
    extracting its text. No setting."""

    _address = field_validator("url")(web_address)
    _proxy = field_validator("proxy")(page_proxy)

    @property
    def page_deadline_s(self) -> float:
        """Seconds of wall clock after which a page is given up, whatever it waits for.

        `page_timeout_s` goes to fetching and as much to computing. The rest is for waiting: on a
        machine whose processors are all busy, starting a process takes ten times as long.
        """
        return 3 * self.page_timeout_s


class EvidenceSettings(Section):
    """What the judge and the writer get to see."""

    first_round_tokens: Annotated[int, Field(ge=0, le=1_000_000)] = 1600
    """Tokens of passages that enter in the first round; each later round takes seven sixteenths of it."""

    @property
    def later_round_tokens(self) -> int:
        """Tokens of passages that enter in each later round."""
        # 700 for the default of 1,600: in a later round the page that a gap names comes first.
        return 7 * self.first_round_tokens // 16


class LimitSettings(Section):
    """Where a run stops looking and answers from what it has."""

    rounds: Annotated[int, Field(ge=1, le=10)] = 4
    """Rounds of search and reading at the most; a run that finds nothing more ends before."""
    run_timeout_s: Annotated[float, Field(ge=0, le=3600)] = 0.0
    """Seconds for the whole run; 0 lets the speed of the model decide: 90, and up to 300 where it
    is slow."""


class AnswerSettings(Section):
    """The answer."""

    length: AnswerLength = AnswerLength.NORMAL
    """`short`, `normal` (two to four paragraphs where the evidence carries them) or `long`."""
    language: AnswerLanguage = "auto"
    """Language of answers, such as `de`; `auto` takes that of the question."""
    max_tokens: Annotated[int, Field(ge=50, le=16_000)] = 900
    """Tokens of an answer at the most."""
    verify: Verification = Verification.AUTO
    """Ask the model, once the answer stands, which sentences that the check could not decide their sources state
    in other words or another language: `auto` where it has passed that part of `askance evaluate` here, `always`,
    or `never`. It never decides about numbers and denials."""
    entailment: str = ""
    """Folder of an entailment model that decides this in place of the language model: `model.onnx`, `tokenizer.json`,
    and `config.json` with its labels. Empty for none. It runs in this program, and nothing leaves it."""
    suggest: bool = True
    """Suggest what may be asked next, once an answer is there: one small call of the model, or none at all."""


class TraceSettings(Section):
    """Traces of past runs, kept on this machine."""

    keep: Annotated[int, Field(ge=0, le=100_000)] = 200
    """Traces kept, one of each run; older ones are deleted. 0 keeps no more of them."""


class CacheSettings(Section):
    """Pages that were read before, kept on this machine."""

    size_mb: Annotated[int, Field(ge=0, le=100_000)] = 200
    """Size of the cache, in MiB; the pages that were not used for longest go first. 0 keeps no pages,
    and takes none of those that are there."""


class LedgerSettings(Section):
    """The record of everything that left this machine."""

    keep_days: Annotated[int, Field(ge=1, le=36_500)] = 90
    """Days for which entries are kept."""
    required: bool = True
    """Whether a request that cannot be recorded is not sent."""


class HistorySettings(Section):
    """Past conversations, kept on this machine."""

    days: Annotated[int, Field(ge=0, le=ALL_DAYS)] = ALL_DAYS
    """Days for which a conversation is kept after its last question. 0 keeps no more of them, and deletes none."""


class LibrarySettings(Section):
    """What you have read, and what is yours, kept on this machine to be searched."""

    exclude: tuple[str, ...] = (".*", "__pycache__", "node_modules", "*.min.*", "[~]$*")
    """Files and folders that are never read, in whatever folder you add: names such as `*.log`, paths below
    the folder such as `/drafts`, or whole paths. Capital letters do not matter."""
    max_file_mb: Annotated[int, Field(ge=1, le=2_000)] = 50
    """Largest file that is read, in MiB; one of documents, a line each, may be larger."""
    recall: LibraryLookup = LibraryLookup.FIRST
    """`first` asks the library before the web, and the web for what it lacks; `never` searches at once, `only`
    answers from the library and searches nothing."""
    completeness_threshold: Annotated[float, Field(ge=0, le=1)] = 0.8
    """How far the library must answer a question, 0 to 1, for nothing to be searched."""
    completeness: Completeness = Completeness.CHECKS
    """Who tells how far it does: `checks` takes the model's verdict and what the program finds in the texts
    itself, `model` the model's own number."""
    watch: bool = False
    """Follow the folders that you added while the window runs: what changes in them is read at once."""
    keep_pages: bool = True
    """Keep the pages that a search has read in the library."""
    pages_days: Annotated[int, Field(ge=0, le=36_500)] = 365
    """Days after which such a page is deleted, counted from when it was last read; 0 keeps all. What you have
    added or tagged stays."""
    share_with_remote_model: bool = False
    """Let a model on another computer read your own files where a question is answered from them, and what was
    asked and answered before where that may hold private text."""
    versions_days: Annotated[int, Field(ge=0, le=36_500)] = 90
    """Days for which an earlier text of a document that has changed can still be cited."""
    qdrant_url: str = ""
    """Address of a Qdrant server that keeps the vectors of the library, such as `http://127.0.0.1:6333`; empty keeps
    them in its file. Texts stay in the file. Vectors tell what a text is about: over plain HTTP only on this
    machine or in a network that you trust."""
    qdrant_key: SecretStr = SecretStr("")
    """Key of that server, if it asks for one. It is never shown."""

    _server = field_validator("qdrant_url")(web_address_or_none)


class ServicesSettings(Section):
    """The containers of `askance up`."""

    runtime: str = ""
    """`docker` or `podman`; empty takes the first that is found."""


class AskSettings(Section):
    """What is typed."""

    mode: AskMode = AskMode.WEB
    """What plain text asks: `web` searches and answers with sources, `chat` asks the model alone. The
    switch beside the question sets it, and `askance chat` begins with it."""


class WindowSettings(Section):
    """The window."""

    theme: Theme = Theme.SYSTEM
    """`system` follows the system; or `light`, or `dark`."""
    text_size: Annotated[float, Field(ge=0.7, le=2.5)] = 1.0
    """Multiplies the size of all text."""
    animations: bool = True
    """Animate changes in the window. Nothing moves where the system turns animations off."""
    hotkey: str = "Ctrl+Space"
    """Keys that show and hide the window from anywhere; empty for none. Where an input method runs,
    which `Ctrl+Space` switches on, the default is `Ctrl+Alt+Space`."""
    offer_quotes: bool = True
    """Offer what is selected elsewhere as a quote when the window comes up; it goes nowhere before
    you take it."""
    notify: bool = True
    """Show a notification when an answer is ready and the window is hidden. It contains the question,
    never the answer."""
    hide_on_blur: bool = True
    """Hide the window once another window is clicked or typed into, while it is narrow and not pinned. It stays while a
    menu, a dialog or a page of its own is open; a running answer goes on."""
    autostart: bool = False
    """Start Askance when you log in, without showing its window."""
    language: str = ""
    """Language of the window, such as `de`; empty takes the system's."""


class UpdateSettings(Section):
    """New versions of this program."""

    weekly: bool = False
    """Ask once a week which versions of Askance there are: one request to the project's page on GitHub, which
    learns your address and nothing else. You are told of a new one; nothing is downloaded or installed."""


class Settings(GuardedSettings):
    """All settings of Askance."""

    ask: AskSettings = AskSettings()
    llm: LlmSettings = LlmSettings()
    search: SearchSettings = SearchSettings()
    reader: ReaderSettings = ReaderSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    limits: LimitSettings = LimitSettings()
    answer: AnswerSettings = AnswerSettings()
    trace: TraceSettings = TraceSettings()
    cache: CacheSettings = CacheSettings()
    ledger: LedgerSettings = LedgerSettings()
    history: HistorySettings = HistorySettings()
    library: LibrarySettings = LibrarySettings()
    embeddings: EmbeddingsSettings = EmbeddingsSettings()
    server: ServerSettings = ServerSettings()
    services: ServicesSettings = ServicesSettings()
    window: WindowSettings = WindowSettings()
    updates: UpdateSettings = UpdateSettings()

    @property
    def page_reader(self) -> ReaderSettings:
        """The reader's settings with `proxy` as the proxy that pages really go through, "" for none.

        Whoever fetches pages, or has them fetched, takes these.
        """
        own = self.reader.proxy
        # Unset means that of the search: pages fetched past it would show who searches.
        proxy = "" if own == DIRECT else own or self.search.proxy
        return self.reader.model_copy(update={"proxy": proxy})


Rows = list[tuple[str, str, Any]]
"""What a source sets: where it stands, the name of the setting, the value."""

Note = Callable[[Message], None]
"""Called with one sentence for each line of the file that is not understood."""


_BOUNDS = {"minimum": "least", "exclusiveMinimum": "least", "maximum": "most"}


@cache
def field_names() -> tuple[str, ...]:
    """Return every setting as `section.field`, in the order of the tree."""
    return tuple(
        f"{section}.{field}"
        for section, info in Settings.model_fields.items()
        for field in cast("type[BaseModel]", info.annotation).model_fields
    )


def parse_name(name: str) -> tuple[str, str]:
    """Split `section.field`.

    Raises:
        SettingsError: there is no such setting; the message offers the nearest name.
    """
    known = field_names()
    if name in known:
        section, _, field = name.partition(".")
        return section, field
    near = difflib.get_close_matches(name, known, 1)
    hint = (
        Message("Did you mean {name}?", name=near[0])
        if near
        else Message("`askance config show` lists all of them.")
    )
    raise SettingsError(Message("There is no setting {name}.", name=repr(name)), fix=hint)


def written_value(name: str, text: str) -> str | list[str]:
    """Return what a setting's value is when a person writes it as text: lists have commas."""
    if name in field_names() and is_list(*parse_name(name)):
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def objection(error: Mapping[str, Any], section: str, field: str) -> Message:
    """Return why a setting is refused: its validator's own words, or what it must be."""
    if error["type"] == "value_error":
        return message_of(error.get("ctx", {}).get("error", ""))
    return requirement(section, field)


def requirement(section: str, field: str) -> Message:
    """Return what a setting must be, such as "must be a whole number from 1 to 50"."""
    schema = _schema(section, field)
    is_several = schema.get("type") == "array"
    schema = schema["items"] if is_several else schema
    bounds = {name: _figure(schema[key]) for key, name in _BOUNDS.items() if key in schema}
    match str(schema.get("type")):
        case _ if choices := schema.get("enum"):
            return Message("must be one of {names}", names=", ".join(choices))
        case "boolean":
            return Message("must be true or false")
        case "integer":
            return Message("must be a whole number from {least} to {most}", **bounds)
        case "number" if "exclusiveMinimum" in schema:
            return Message("must be a number above {least} and at most {most}", **bounds)
        case "number":
            return Message("must be a number from {least} to {most}", **bounds)
        case _ if is_several:
            return Message("must be text, separated by commas")
        case _:
            return Message("must be text")


def allowed(section: str, field: str) -> str:
    """Return what a setting may be, in English: "a whole number from 1 to 50"."""
    return requirement(section, field).removeprefix("must be ")


def help_text(section: str, field: str) -> str:
    """Return the sentence that explains a setting, its unit included."""
    return _docstrings(_section(section)).get(field, "")


@cache
def _docstrings(section: type[BaseModel]) -> dict[str, str]:
    # Not by pydantic's `use_attribute_docstrings`: that parses the source at each start, a third of what the settings take.
    (definition,) = ast.parse(dedent(inspect.getsource(section))).body
    found: dict[str, str] = {}
    for field, text in pairwise(cast("ast.ClassDef", definition).body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                value=ast.Constant(value=str(doc))
            ):
                found[name] = inspect.cleandoc(doc)
            case _:
                pass
    return found


def is_secret(section: str, field: str) -> bool:
    """Say whether a setting's value is never shown."""
    return (
        # A line that is not understood may name an unknown section.
        section in Settings.model_fields
        and _section(section).model_fields[field].annotation is SecretStr
    )


def holds_secrets(text: str) -> bool:
    """Say whether a settings file's text sets what is never shown, or a password in an address."""
    tree = tomllib.loads(text)
    for name in field_names():
        section, _, field = name.partition(".")
        fields = tree.get(section)
        value = cast("dict[str, Any]", fields).get(field) if isinstance(fields, dict) else None
        if value and (is_secret(section, field) or (isinstance(value, str) and secrets_in(value))):
            return True
    return False


def is_list(section: str, field: str) -> bool:
    """Say whether a setting holds several values, written with commas between them."""
    # By its default: schemas of whole sections are made where bounds are to be named.
    return isinstance(_section(section).model_fields[field].default, tuple)


def _figure(bound: float) -> str:
    """Return a bound as it is typed: without separators, in every language."""
    return f"{bound:f}".rstrip("0").rstrip(".") if isinstance(bound, float) else str(bound)


@cache
def _schema(section: str, field: str) -> dict[str, Any]:
    whole = _section(section).model_json_schema()
    schema: dict[str, Any] = whole["properties"][field]
    # pydantic puts an enumeration under `$defs`, and refers to it.
    reference = str(schema.get("$ref", ""))
    return whole["$defs"][reference.rpartition("/")[2]] if reference else schema


def _section(name: str) -> type[BaseModel]:
    return cast("type[BaseModel]", Settings.model_fields[name].annotation)
