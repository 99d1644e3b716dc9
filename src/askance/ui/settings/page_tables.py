"""What stands on each page of the settings: literal tables over the tree of settings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from askance.presentation.answers import LANGUAGES
from askance.presentation.i18n import term


class ControlKind(Enum):
    """With what a row is changed."""

    NUMBER = auto()
    TEXT = auto()
    SECRET = auto()
    SWITCH = auto()
    CHOICE = auto()
    CONSENT = auto()
    HOTKEY = auto()
    KEYS = auto()
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
    UPDATES = auto()
    ABOUT = auto()


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One row. `name` is that of the setting; a row without one does something in its place.

    `about` takes the place of the setting's own help. `options` are those of a choice: value and
    label. `later` says that a change counts from the next start on.
    """

    name: str
    label: str
    kind: ControlKind
    about: str = ""
    options: tuple[tuple[str, str], ...] = ()
    later: bool = False


@dataclass(frozen=True, slots=True)
class PageTable:
    """One page: its name in the list at the side, a sentence about it, its rows."""

    title: str
    about: str
    rows: tuple[SettingRow, ...]


# Values are texts, as the file and the command line have them.
def _choice(
    name: str, label: str, about: str, *options: tuple[str, str], later: bool = False
) -> SettingRow:
    return SettingRow(name, label, ControlKind.CHOICE, about, options, later)


def _page(title: str, about: str, *rows: SettingRow) -> PageTable:
    return PageTable(title, about, rows)


# On two pages: it is looked for by who wants to search, and by who wants to know what leaves.
_CONSENT = SettingRow(
    "search.in_process",
    term("Search without SearXNG"),
    ControlKind.CONSENT,
    term("Queries go from this computer straight to public engines."),
)
_SERVERS = (
    ("ollama", "Ollama"),
    ("openai", term("OpenAI-compatible")),
    ("embedded", term("Built in (GGUF file)")),
)
_ALWAYS_OR_NEVER = (("always", term("Always")), ("never", term("Never")))

PAGES = (
    _page(
        term("Model"),
        term("The language model that plans, judges and writes."),
        _choice(
            "llm.api",
            term("Server"),
            term("The server that runs the model."),
            *_SERVERS,
        ),
        SettingRow("llm.url", term("Address"), ControlKind.TEXT),
        SettingRow("llm.api_key", term("Key"), ControlKind.SECRET),
        SettingRow("llm.model", term("Model"), ControlKind.MODEL),
        SettingRow("llm.context_tokens", term("Context"), ControlKind.NUMBER),
        SettingRow("llm.think", term("Reasoning"), ControlKind.SWITCH),
        _choice(
            "llm.preload",
            term("Load ahead"),
            term("Load the model as the window comes up, before you have typed."),
            ("plugged_in", term("Not on battery")),
            *_ALWAYS_OR_NEVER,
        ),
        SettingRow("llm.gguf", term("GGUF file"), ControlKind.TEXT),
    ),
    _page(
        term("Search"),
        term("How long a search may take, and how much it reads."),
        SettingRow("limits.rounds", term("Rounds"), ControlKind.NUMBER),
        SettingRow("limits.run_timeout_s", term("Time limit"), ControlKind.NUMBER),
        SettingRow("search.url", term("SearXNG"), ControlKind.TEXT),
        _CONSENT,
        _choice(
            "search.safesearch",
            term("Safe search"),
            term("Leaves out adult content."),
            ("0", term("None")),
            ("1", term("Moderate")),
            ("2", term("Strict")),
        ),
        _choice(
            "answer.length",
            term("Length of answers"),
            "",
            ("short", term("Short")),
            ("normal", term("Normal")),
            ("long", term("Long")),
        ),
        _choice(
            "answer.verify",
            term("Verify answers"),
            term(
                "The model checks what is said in other words than its source."
                " Automatic: if its evaluation says that it can."
            ),
            ("auto", term("Automatic")),
            *_ALWAYS_OR_NEVER,
        ),
        _choice(
            "answer.language",
            term("Language of answers"),
            "",
            ("auto", term("That of the question")),
            *LANGUAGES.items(),
        ),
        _choice(
            "ask.mode",
            term("Enter key sends to"),
            term("Ctrl+Enter uses the other one."),
            ("web", term("The web")),
            ("chat", term("The model alone")),
        ),
    ),
    _page(
        term("Library"),
        term("Files and pages of yours, kept on this computer: /library searches them."),
        SettingRow(
            "",
            term("Folders, files and pages"),
            ControlKind.LIBRARY,
            term("Drop them here, or choose them. Nothing in them is changed."),
        ),
        SettingRow(
            "library.exclude",
            term("Excluded everywhere"),
            ControlKind.PATTERNS,
            term(
                "Names such as *.log, paths below a folder such as /drafts, or whole paths, separated"
                " by commas. What they exclude leaves the library when its folder is read again."
            ),
        ),
        SettingRow("library.watch", term("Follow folders while open"), ControlKind.SWITCH),
        _choice(
            "library.recall",
            term("Ask the library"),
            term("Before the web: what it does not answer is searched."),
            ("first", term("Before the web")),
            ("only", term("Instead of the web")),
            ("never", term("Never")),
        ),
        SettingRow("library.keep_pages", term("Keep pages of searches"), ControlKind.SWITCH),
        _choice(
            "embeddings.api",
            term("Search by meaning"),
            term(
                "An embedding model finds what is said in other words. New texts are embedded as they"
                " come in, those that are there by `askance library embed`."
            ),
            ("none", term("Off")),
            *_SERVERS,
            ("onnx", term("Folder (ONNX)")),
            ("static", term("Folder (static)")),
        ),
        SettingRow("embeddings.url", term("Embedding server"), ControlKind.TEXT),
        SettingRow("embeddings.model", term("Embedding model"), ControlKind.TEXT),
        SettingRow("embeddings.path", term("File or folder of the model"), ControlKind.TEXT),
    ),
    _page(
        term("Programs"),
        term("Other programs that ask Askance, over MCP or OpenAI's API."),
        SettingRow(
            "",
            term("Known programs"),
            ControlKind.PROGRAMS,
            term("A new one may search the web, and nothing else."),
        ),
        SettingRow(
            "",
            term("Connect a program"),
            ControlKind.CONNECTING,
            term(
                "Programs that start their tools, such as Claude Desktop, take the configuration;"
                " those that ask over HTTP, the address and a token."
            ),
        ),
        SettingRow(
            "server.http", term("Answer over HTTP in the background too"), ControlKind.SWITCH
        ),
    ),
    _page(
        term("Hotkey"),
        term("How to open the window from anywhere."),
        SettingRow("window.hotkey", term("Hotkey"), ControlKind.HOTKEY),
        SettingRow("window.autostart", term("Start at login"), ControlKind.SWITCH),
        SettingRow("window.notify", term("Notify when answered"), ControlKind.SWITCH),
        SettingRow("", term("Keys in the window"), ControlKind.KEYS),
    ),
    _page(
        term("Appearance"),
        term("How Askance looks."),
        _choice(
            "window.theme",
            term("Colour scheme"),
            term("Light, dark, or as the system."),
            ("system", term("Same as system")),
            ("light", term("Light")),
            ("dark", term("Dark")),
        ),
        _choice(
            "window.text_size",
            term("Text size"),
            term("The size of all text."),
            *(
                # Written as `source.written` writes the number of the file, by which the choice is
                # found.
                (f"{percent / 100:g}", f"{percent} %")
                for percent in (80, 90, 100, 110, 125, 150, 175, 200, 250)
            ),
        ),
        _choice(
            "window.language",
            term("Language"),
            term("Language of this program."),
            ("", term("Same as system")),
            ("en", "English"),
            ("de", "Deutsch"),
            # Widgets keep the texts that they were made with.
            later=True,
        ),
    ),
    _page(
        term("Privacy"),
        term("What is kept on this computer, and what leaves it."),
        SettingRow(
            "",
            term("What left this computer"),
            ControlKind.LEDGER,
            term("Every query and every page that was asked for."),
        ),
        SettingRow(
            "search.enabled",
            term("Search the web"),
            ControlKind.SWITCH,
            term("Without it, answers come from the library and the conversation."),
        ),
        _CONSENT,
        SettingRow(
            "library.share_with_remote_model",
            term("Files of yours for a model elsewhere"),
            ControlKind.SWITCH,
        ),
        SettingRow("search.proxy", term("Proxy for queries"), ControlKind.TEXT),
        SettingRow("reader.proxy", term("Proxy for pages"), ControlKind.TEXT),
        SettingRow("history.days", term("Keep conversations for"), ControlKind.NUMBER),
        SettingRow(
            "",
            term("Past conversations"),
            ControlKind.HISTORY,
            term("All of them, and their words."),
        ),
        SettingRow("cache.size_mb", term("Size of the page cache"), ControlKind.NUMBER),
        SettingRow(
            "",
            term("Kept pages"),
            ControlKind.CACHE,
            term("They are downloaded again when needed."),
        ),
        SettingRow(
            "window.offer_quotes",
            term("Offer the selection as a quote"),
            ControlKind.SWITCH,
            term("When the window opens. It is sent nowhere unless you add it."),
        ),
        SettingRow("trace.keep", term("Traces kept"), ControlKind.NUMBER),
        SettingRow(
            "",
            term("Crash reports"),
            ControlKind.CRASHES,
            term("They hold where it happened, and no values."),
        ),
    ),
    _page(
        term("Services"),
        term("SearXNG and the page reader, each in a container of its own."),
        SettingRow("", term("State"), ControlKind.SERVICES),
        _choice(
            "reader.mode",
            term("Page reader"),
            term(
                "Without the service, Askance reads pages itself and tells you; with “Service only” pages"
                " fail, and answers rest on the snippets of the search."
            ),
            ("auto", term("Service, if set up")),
            ("container", term("Service")),
            ("container_only", term("Service only")),
            ("inprocess", term("Built in")),
        ),
    ),
    _page(
        term("About"),
        term("Searches the web, checks twice, and answers with sources."),
        SettingRow("", term("This installation"), ControlKind.ABOUT),
        SettingRow(
            "updates.weekly",
            term("Look for new versions"),
            ControlKind.SWITCH,
            term("Once a week, one request to GitHub. Nothing is downloaded or installed."),
        ),
        SettingRow("", term("Updates"), ControlKind.UPDATES),
    ),
)
