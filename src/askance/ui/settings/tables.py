"""What stands on each page of the settings: literal tables over the tree of settings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from askance.presentation.answers import LANGUAGES
from askance.presentation.i18n import term


class Kind(Enum):
    """With what a row is changed."""

    NUMBER = auto()
    TEXT = auto()
    SECRET = auto()
    SWITCH = auto()
    CHOICE = auto()
    CONSENT = auto()
    HOTKEY = auto()
    KEYS = auto()
    SEARXNG = auto()
    MODEL = auto()
    SERVICES = auto()
    LIBRARY = auto()
    PATTERNS = auto()
    PROGRAMS = auto()
    CONNECTING = auto()
    LEDGER = auto()
    HISTORY = auto()
    CACHE = auto()
    CRASHES = auto()
    ABOUT = auto()


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `name` is that of the setting; a row without one does something in its place.

    `about` takes the place of the setting's own help. `options` are those of a choice: value and
    label. `later` says that a change counts from the next start on.
    """

    name: str
    label: str
    kind: Kind
    about: str = ""
    options: tuple[tuple[str, str], ...] = ()
    later: bool = False


@dataclass(frozen=True, slots=True)
class PageTable:
    """One page: its name in the list at the side, a sentence about it, its rows."""

    title: str
    about: str
    rows: tuple[Row, ...]


_CONSENT = Row(
    "search.in_process",
    term("Search without SearXNG"),
    Kind.CONSENT,
    term("Queries go from this computer straight to public engines."),
)

PAGES = (
    PageTable(
        term("Model"),
        term("The language model that plans, judges and writes."),
        (
            Row(
                "llm.api",
                term("Server"),
                Kind.CHOICE,
                term("The server that runs the model."),
                (
                    ("ollama", "Ollama"),
                    ("openai", term("OpenAI-compatible")),
                    ("embedded", term("Built in (GGUF file)")),
                ),
            ),
            Row("llm.url", term("Address"), Kind.TEXT),
            Row("llm.api_key", term("Key"), Kind.SECRET),
            Row("llm.model", term("Model"), Kind.MODEL),
            Row("llm.context_tokens", term("Context"), Kind.NUMBER),
            Row("llm.temperature", term("Temperature"), Kind.NUMBER),
            Row("llm.think", term("Reasoning"), Kind.SWITCH),
            Row("llm.keep_alive", term("Keep in memory"), Kind.TEXT),
            Row(
                "llm.preload",
                term("Load ahead"),
                Kind.CHOICE,
                term("Load the model as the window comes up, before you have typed."),
                (
                    ("plugged_in", term("Not on battery")),
                    ("always", term("Always")),
                    ("never", term("Never")),
                ),
            ),
            Row("llm.gguf", term("GGUF file"), Kind.TEXT),
        ),
    ),
    PageTable(
        term("Search"),
        term("How long a search may take, and how much it reads."),
        (
            Row("limits.rounds", term("Rounds"), Kind.NUMBER),
            Row("limits.run_timeout_s", term("Time limit"), Kind.NUMBER),
            Row("search.url", term("SearXNG"), Kind.SEARXNG),
            _CONSENT,
            Row("reader.concurrency", term("Pages read at once"), Kind.NUMBER),
            Row("limits.first_round_pages", term("Pages in the first round"), Kind.NUMBER),
            Row("limits.later_round_pages", term("Pages in later rounds"), Kind.NUMBER),
            Row("reader.selective", term("Let the model choose pages"), Kind.SWITCH),
            Row("search.language", term("Language"), Kind.TEXT),
            Row(
                "search.safesearch",
                term("Safe search"),
                Kind.CHOICE,
                term("Leaves out adult content."),
                (("0", term("None")), ("1", term("Moderate")), ("2", term("Strict"))),
            ),
            Row("search.engines", term("Engines"), Kind.TEXT),
            Row(
                "answer.length",
                term("Length of answers"),
                Kind.CHOICE,
                options=(
                    ("short", term("Short")),
                    ("normal", term("Normal")),
                    ("long", term("Long")),
                ),
            ),
            Row(
                "answer.verify",
                term("Verify answers"),
                Kind.CHOICE,
                term(
                    "The model checks what is said in other words than its source."
                    " Automatic: if its evaluation says that it can."
                ),
                (
                    ("auto", term("Automatic")),
                    ("always", term("Always")),
                    ("never", term("Never")),
                ),
            ),
            Row(
                "answer.language",
                term("Language of answers"),
                Kind.CHOICE,
                options=(("auto", term("That of the question")), *LANGUAGES.items()),
            ),
            Row(
                "ask.mode",
                term("Enter key sends to"),
                Kind.CHOICE,
                term("Ctrl+Enter uses the other one."),
                (("web", term("The web")), ("chat", term("The model alone"))),
            ),
        ),
    ),
    PageTable(
        term("Library"),
        term("Files and pages of yours, kept on this computer: /library searches them."),
        (
            Row(
                "",
                term("Folders, files and pages"),
                Kind.LIBRARY,
                term("Drop them here, or choose them. Nothing in them is changed."),
            ),
            Row(
                "library.exclude",
                term("Excluded everywhere"),
                Kind.PATTERNS,
                term(
                    "Names such as *.log, paths below a folder such as /drafts, or whole paths, separated"
                    " by commas. What they exclude leaves the library when its folder is read again."
                ),
            ),
            Row("library.watch", term("Follow folders while open"), Kind.SWITCH),
            Row(
                "library.recall",
                term("Ask the library"),
                Kind.CHOICE,
                term("Before the web: what it does not answer is searched."),
                (
                    ("first", term("Before the web")),
                    ("only", term("Instead of the web")),
                    ("never", term("Never")),
                ),
            ),
            Row("library.keep_pages", term("Keep pages of searches"), Kind.SWITCH),
            Row("library.recall_days", term("Search again after"), Kind.NUMBER),
            Row(
                "embeddings.api",
                term("Search by meaning"),
                Kind.CHOICE,
                term(
                    "An embedding model finds what is said in other words. New texts are embedded as they"
                    " come in, those that are there by `askance library embed`."
                ),
                (
                    ("none", term("Off")),
                    ("ollama", "Ollama"),
                    ("openai", term("OpenAI-compatible")),
                    ("embedded", term("Built in (GGUF file)")),
                    ("onnx", term("Folder (ONNX)")),
                    ("static", term("Folder (static)")),
                ),
            ),
            Row("embeddings.url", term("Embedding server"), Kind.TEXT),
            Row("embeddings.model", term("Embedding model"), Kind.TEXT),
            Row("embeddings.gguf", term("GGUF file"), Kind.TEXT),
            Row("embeddings.folder", term("Folder of the model"), Kind.TEXT),
            Row("library.max_file_mb", term("Largest file"), Kind.NUMBER),
            Row("library.file_timeout_s", term("Time limit for a file"), Kind.NUMBER),
            Row("library.versions_days", term("Keep earlier texts for"), Kind.NUMBER),
        ),
    ),
    PageTable(
        term("Programs"),
        term("Other programs that ask Askance, over MCP or OpenAI's API."),
        (
            Row(
                "",
                term("Known programs"),
                Kind.PROGRAMS,
                term("A new one may search the web, and nothing else."),
            ),
            Row(
                "",
                term("Connect a program"),
                Kind.CONNECTING,
                term(
                    "Programs that start their tools, such as Claude Desktop, take the configuration;"
                    " those that ask over HTTP, the address and a token."
                ),
            ),
            Row("server.http", term("Answer over HTTP in the background too"), Kind.SWITCH),
            Row("server.port", term("Port"), Kind.NUMBER),
            Row("server.max_waiting", term("Questions of a program at once"), Kind.NUMBER),
            Row("server.idle_minutes", term("Stop in the background after"), Kind.NUMBER),
        ),
    ),
    PageTable(
        term("Hotkey"),
        term("How to open the window from anywhere."),
        (
            Row("window.hotkey", term("Hotkey"), Kind.HOTKEY),
            Row("window.autostart", term("Start at login"), Kind.SWITCH),
            Row("window.notify", term("Notify when answered"), Kind.SWITCH),
            Row("", term("Keys in the window"), Kind.KEYS),
        ),
    ),
    PageTable(
        term("Appearance"),
        term("How Askance looks."),
        (
            Row(
                "window.theme",
                term("Colour scheme"),
                Kind.CHOICE,
                term("Light, dark, or as the system."),
                (
                    ("system", term("Same as system")),
                    ("light", term("Light")),
                    ("dark", term("Dark")),
                ),
            ),
            Row(
                "window.text_size",
                term("Text size"),
                Kind.CHOICE,
                term("The size of all text."),
                options=tuple(
                    (f"{percent / 100:g}", f"{percent} %")
                    for percent in (80, 90, 100, 110, 125, 150, 175, 200, 250)
                ),
            ),
            Row("window.system_font", term("System typeface"), Kind.SWITCH),
            Row(
                "window.language",
                term("Language"),
                Kind.CHOICE,
                term("Language of this program."),
                (("", term("Same as system")), ("en", "English"), ("de", "Deutsch")),
                later=True,
            ),
            Row("window.animations", term("Animations"), Kind.SWITCH),
        ),
    ),
    PageTable(
        term("Privacy"),
        term("What is kept on this computer, and what leaves it."),
        (
            Row(
                "",
                term("What left this computer"),
                Kind.LEDGER,
                term("Every query and every page that was asked for."),
            ),
            Row("ledger.keep_days", term("Keep requests for"), Kind.NUMBER),
            Row(
                "search.enabled",
                term("Search the web"),
                Kind.SWITCH,
                term("Without it, answers come from the library and the conversation."),
            ),
            _CONSENT,
            Row(
                "library.share_with_remote_model",
                term("Files of yours for a model elsewhere"),
                Kind.SWITCH,
            ),
            Row("search.proxy", term("Proxy for queries"), Kind.TEXT),
            Row("reader.proxy", term("Proxy for pages"), Kind.TEXT),
            Row("history.enabled", term("Keep conversations"), Kind.SWITCH),
            Row("history.keep_days", term("Keep conversations for"), Kind.NUMBER),
            Row(
                "", term("Past conversations"), Kind.HISTORY, term("All of them, and their words.")
            ),
            Row("cache.enabled", term("Keep pages"), Kind.SWITCH),
            Row("cache.fresh_minutes", term("Reuse a page for"), Kind.NUMBER),
            Row("cache.size_mb", term("Size of the page cache"), Kind.NUMBER),
            Row("", term("Kept pages"), Kind.CACHE, term("They are downloaded again when needed.")),
            Row(
                "window.offer_quotes",
                term("Offer the selection as a quote"),
                Kind.SWITCH,
                term("When the window opens. It is sent nowhere unless you add it."),
            ),
            Row("trace.enabled", term("Keep traces"), Kind.SWITCH),
            Row("trace.keep", term("Traces kept"), Kind.NUMBER),
            Row(
                "",
                term("Crash reports"),
                Kind.CRASHES,
                term("They hold where it happened, and no values."),
            ),
        ),
    ),
    PageTable(
        term("Services"),
        term("SearXNG and the page reader, each in a container of its own."),
        (
            Row("", term("State"), Kind.SERVICES),
            Row(
                "services.runtime",
                term("Container runtime"),
                Kind.CHOICE,
                term("The program that runs the containers."),
                (("", term("Automatic")), ("docker", "Docker"), ("podman", "Podman")),
            ),
            Row(
                "reader.mode",
                term("Page reader"),
                Kind.CHOICE,
                term("Without the service, Askance reads pages itself and tells you."),
                (
                    ("auto", term("Service, if set up")),
                    ("container", term("Service")),
                    ("inprocess", term("Built in")),
                ),
            ),
            Row(
                "reader.container_only",
                term("Never outside the container"),
                Kind.SWITCH,
                term("Without it pages fail, and answers rest on the snippets of the search."),
            ),
            Row("services.startup_timeout_s", term("Startup timeout"), Kind.NUMBER),
        ),
    ),
    PageTable(
        term("About"),
        term("Searches the web, checks twice, and answers with sources."),
        (Row("", term("This installation"), Kind.ABOUT),),
    ),
)
