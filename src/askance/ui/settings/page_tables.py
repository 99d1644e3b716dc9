"""What stands on each page of the settings: literal tables over the tree of settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from askance.presentation.answers import LANGUAGES
from askance.presentation.i18n import tr
from askance.text.finding import holds


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One row. `name` is that of the setting; a row without one does something in its place. `kind` is the control's.

    `about` takes the place of the setting's own help. `options` are those of a choice: value and label, and what is
    known of it below that. `mark` says that a change counts from the next start on, or that it is an advanced one.
    """

    name: str
    label: str
    kind: str
    about: str = ""
    options: tuple[tuple[str, ...], ...] = ()
    mark: str = ""

    @property
    def advanced(self) -> bool:
        """Whether it is folded away at the end of its page."""
        return self.mark == "advanced"


@dataclass(frozen=True, slots=True)
class PageTable:
    """One page: its name in the list at the side, a sentence about it, its rows."""

    title: str
    about: str
    rows: tuple[SettingRow, ...]


# Each row: the setting, its label, its kind, its help, its options, and its mark. Values are texts, as
# the file and the command line have them; a text size is written as `source.written` writes it. The consent stands on two
# pages: it is looked for by who wants to search, and by who wants to know what leaves.
# fmt: off
_TABLES: tuple[tuple[str, str, tuple[tuple[Any, ...], ...]], ...] = (
    ("General", "How Askance is called, and how it answers.", (
        ("window.hotkey", "Key that shows and hides", "hotkey", "Works from anywhere."),
        ("window.autostart", "Start at login", "switch", "Without showing the window."),
        ("window.notify", "Notify when answered", "switch", "While the window is hidden. Never shows the answer."),
        ("window.hide_on_blur", "Hide when another window is used", "switch", "While it is narrow and not pinned."),
        ("ask.mode", "Default mode", "choice", "Ctrl+Enter uses the other one.",
            (("web", "The web"), ("chat", "The model alone"))),
        ("answer.length", "Length of answers", "choice", "Short ones come sooner.",
            (("short", "Short"), ("normal", "Normal"), ("long", "Long"))),
        ("answer.language", "Language of answers", "choice", "Automatic follows the question.",
            (("auto", "Automatic"), *LANGUAGES.items())),
        ("answer.suggest", "Suggest next questions", "switch", "In grey in the field, and below the answer."),
    )),
    ("Model", "The language model that plans, judges and writes.", (
        ("llm.api", "Server", "choice", "What runs the model.",
            (("ollama", "Ollama", "Loads and unloads its models itself"),
             ("openai", "Another server", "llama.cpp, LM Studio, Jan, vLLM and others"),
             ("embedded", "Built in (GGUF file)", "Needs nothing else that runs"))),
        ("llm.url", "Address", "text", "Where the server answers, without a path."),
        ("llm.api_key", "Key", "secret", "Only for servers that want one. It is never shown."),
        ("llm.model", "Model", "model", "Which model answers; automatic takes the first on the server."),
        ("llm.context_tokens", "Context", "number", "Tokens that Ollama gives the model: 1,024 to 1,000,000.",
            (), "advanced"),
        ("llm.think", "Reasoning", "switch", "Lets models reason that can. Answers take longer.", (), "advanced"),
        ("llm.preload", "Load ahead", "choice", "As the window comes up, before anything is typed.",
            (("plugged_in", "Not on battery"), ("always", "Always"), ("never", "Never")), "advanced"),
        ("llm.gguf", "GGUF file", "text", "The model that the built-in server runs.", (), "advanced"),
    )),
    ("Search", "Where it searches, and how far it goes.", (
        ("search.in_process", "Search without SearXNG", "consent",
            "Queries go from this computer straight to public engines."),
        ("search.url", "SearXNG", "text", "Its address. Where it answers it is asked first."),
        ("limits.rounds", "Thoroughness", "number", "How often it searches again for what is missing."),
        ("search.safesearch", "Hide adult content", "choice", "Asks engines for their safe results.",
            (("0", "No"), ("1", "Moderate"), ("2", "Strict"))),
        ("library.recall", "Use the library too", "choice", "Your files are searched beside the web.",
            (("first", "Before the web", "What it does not answer is searched"), ("only", "Instead of the web"),
             ("never", "Never"))),
        ("limits.run_timeout_s", "Time limit", "number",
            "In seconds, up to 3,600; 0 = automatic (90 to 300).", (), "advanced"),
        ("answer.verify", "Verify answers", "choice",
            "The model checks what is said in other words than its source.",
            (("auto", "Automatic", "If its evaluation says that it can"), ("always", "Always"),
             ("never", "Never")), "advanced"),
        ("answer.entailment", "Entailment model", "text",
            "Folder of a small model (ONNX) that checks it instead; empty for none.", (), "advanced"),
    )),
    ("Library", "Your files and saved pages. Search them with /library.", (
        ("", "Folders, files and pages", "library", "Drop them here, or choose them. Nothing in them is changed."),
        ("library.watch", "Watch folders", "switch", "What changes in them is read again while Askance is open."),
        ("library.keep_pages", "Save pages that were read", "switch",
            "What was read for an answer can be found again."),
        ("library.exclude", "Excluded everywhere", "patterns",
            "Names such as *.log, paths below a folder such as /drafts, or whole paths, with commas between them. "
            "What they exclude leaves the library when its folder is read again.", (), "advanced"),
        ("embeddings.api", "Search by meaning", "choice", "An embedding model finds what is said in other words.",
            (("none", "Off"), ("ollama", "Ollama", "Loads and unloads its models itself"),
             ("openai", "Another server", "llama.cpp, LM Studio, Jan, vLLM and others"),
             ("embedded", "Built in (GGUF file)", "Needs nothing else that runs"), ("onnx", "Folder (ONNX)"),
             ("static", "Folder (static)")), "advanced"),
        ("embeddings.url", "Embedding server", "text", "Where it answers, without a path.", (), "advanced"),
        ("embeddings.model", "Embedding model", "text",
            "Its name on the server; empty takes the first that it has.", (), "advanced"),
        ("embeddings.path", "File or folder of the model", "text",
            "Where no server has it: a GGUF file, or a folder.", (), "advanced"),
    )),
    ("Appearance", "How Askance looks.", (
        ("window.theme", "Colour scheme", "choice", "Light, dark, or as the system.",
            (("system", "Same as system"), ("light", "Light"), ("dark", "Dark"))),
        ("window.text_size", "Text size", "choice", "The size of all text.",
            (("0.8", "80 %"), ("0.9", "90 %"), ("1", "100 %"), ("1.1", "110 %"), ("1.25", "125 %"),
             ("1.5", "150 %"), ("1.75", "175 %"), ("2", "200 %"), ("2.5", "250 %"))),
        ("window.language", "Language", "choice", "Language of this program.",
            (("", "Same as system"), ("en", "English"), ("de", "Deutsch")), "later"),
    )),
    ("Privacy", "What is kept on this computer, and what leaves it.", (
        ("", "Network activity", "ledger", "Every query and every page that was asked for."),
        ("search.enabled", "Search the web", "switch",
            "Without it, answers come from the library and the conversation."),
        ("search.in_process", "Search without SearXNG", "consent",
            "Queries go from this computer straight to public engines."),
        ("library.share_with_remote_model", "Let remote models read your files", "switch",
            "A remote model gets what an answer needs of them, and what was asked about them."),
        ("window.offer_quotes", "Suggest selected text", "switch",
            "When the window opens. It is sent nowhere unless you add it."),
        ("history.days", "Keep conversations for", "number",
            "Days after the last question, up to 36,500; 0 keeps no more of them."),
        ("", "Past conversations", "history", "All of them, and their words."),
        ("", "Kept pages", "cache", "They are downloaded again when needed."),
        ("", "Crash reports", "crashes", "They name places in the code and contain none of your data."),
        ("search.proxy", "Proxy for queries", "text", "HTTP or SOCKS, such as Tor's; empty means directly.",
            (), "advanced"),
        ("reader.proxy", "Proxy for pages", "text",
            "Empty goes the way of queries, so that nothing passes Tor unseen; “direct” means none.",
            (), "advanced"),
        ("cache.size_mb", "Size of the page cache", "number", "Megabytes, up to 100,000; 0 keeps no pages.",
            (), "advanced"),
        ("trace.keep", "Traces kept", "number", "One of each run, up to 100,000; older ones are deleted.",
            (), "advanced"),
    )),
    ("Connected apps", "Other programs that ask Askance, over MCP or OpenAI's API.", (
        ("", "Known programs", "programs", "A new one may search the web, and nothing else."),
        ("", "Connect a program", "connecting",
            "Programs that start their tools, such as Claude Desktop, take the configuration; those that ask over "
            "HTTP, the address and a token."),
        ("server.http", "Answer over HTTP in the background too", "switch",
            "For programs that do not start their tools."),
    )),
    ("Services", "SearXNG and the page reader, each in a container of its own.", (
        ("", "State", "services"),
        ("reader.mode", "Page reader", "choice", "Where pages are taken apart.",
            (("auto", "Service, if set up", "Else Askance reads them itself"),
             ("container", "Service", "Askance reads them where it fails, and says so"),
             ("container_only", "Service only", "Answers rest on snippets without it"),
             ("inprocess", "Built in", "Askance reads them itself"))),
    )),
    ("About", "Searches the web, checks twice, and answers with sources.", (
        ("", "This installation", "about"),
        ("updates.weekly", "Look for new versions", "switch",
            "Once a week, one request to GitHub. Nothing is downloaded or installed."),
        ("", "Updates", "updates"),
    )),
)
# fmt: on


def _page(title: str, about: str, rows: Iterable[Iterable[Any]]) -> PageTable:
    return PageTable(title, about, tuple(SettingRow(*row) for row in rows))


PAGES = tuple(_page(*table) for table in _TABLES)


def hits(row: SettingRow, title: str, words: str) -> bool:
    """Whether each of the words stands in what a row shows, in the title of its page, or in the setting's name in the file."""
    texts = (title, row.label, row.about, *(text for option in row.options for text in option[1:]))
    # In English, too, whatever the language is: guides and people who help name settings so.
    return bool(words.split()) and holds(" ".join((*texts, *map(tr, texts), row.name)), words)
