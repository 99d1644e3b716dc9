"""Where the files of Askance are: the platform's folders, or all under `ASKANCE_HOME`; and the error for one out of reach."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from platformdirs import PlatformDirs

from askance.config.private_files import is_ours, runtime_folder
from askance.domain.errors import StorageError
from askance.domain.messages import Message
from askance.domain.web_pages import leads_here

SETTINGS_FILE = "settings.toml"


@dataclass(frozen=True, slots=True)
class Folders:
    """The four folders. None of them need exist."""

    config: Path
    data: Path
    cache: Path
    runtime: Path
    mounted_reader_token: Path | None = None
    mounted_search_token: Path | None = None
    """In a container tokens are mounted elsewhere; None for those that `askance up` makes."""

    @property
    def settings_file(self) -> Path:
        """The user's settings."""
        return self.config / SETTINGS_FILE

    @property
    def searxng_settings(self) -> Path:
        """The user's own copy of SearXNG's settings, with the list of its engines."""
        return self.config / "searxng" / "settings.yml"

    @property
    def services(self) -> Path:
        """What `askance up` lays out for the containers: their files and secrets."""
        return self.data / "services"

    @property
    def reader_token(self) -> Path:
        """The token that the reader service asks of its clients."""
        return self.mounted_reader_token or self.services / "reader.token"

    def search_token(self, url: str) -> Path | None:
        """The token that the gateway of SearXNG at this address asks for, None if it has none of ours.

        The file's name has the port that `askance up` published: a SearXNG of the user's own, on another
        port or machine, has no token.
        """
        if self.mounted_search_token:
            return self.mounted_search_token
        parts = urlsplit(url)
        # Our gateway speaks plain HTTP on loopback: anything else is a SearXNG of the user's own.
        if parts.scheme != "http" or not leads_here(parts.hostname or ""):
            return None
        return self.search_token_of(parts.port or 80)

    def search_token_of(self, port: int) -> Path:
        """The token of the gateway that `askance up` publishes on this port."""
        return self.services / f"search-{port}.token"

    def search_tokens(self) -> list[Path]:
        """All tokens of gateways that there are."""
        return sorted(self.services.glob("search-*.token"))

    @property
    def reader_seen(self) -> Path:
        """A file without contents: the time of its change is when the reader service last answered."""
        return self.runtime / "reader.heard"

    def model_queue(self, server: str) -> Path:
        """The tickets of all who ask this model server, or wait for it."""
        return self.runtime / "queue" / server

    @property
    def ledger(self) -> Path:
        """The record of everything that left this machine."""
        return self.data / "ledger.sqlite3"

    @property
    def history(self) -> Path:
        """Past conversations."""
        return self.data / "history.sqlite3"

    @property
    def library(self) -> Path:
        """Documents that were added to the library, with its index."""
        return self.data / "library.sqlite3"

    @property
    def clients(self) -> Path:
        """The programs that may use the server, and what each may do."""
        return self.data / "clients.sqlite3"

    @property
    def server_token(self) -> Path:
        """The token of programs that ask over HTTP and have none of their own."""
        return self.data / "server.token"

    @property
    def drafts(self) -> Path:
        """What was typed into the window and not sent."""
        return self.data / "drafts.json"

    @property
    def places(self) -> Path:
        """Where the window stands on each screen, and how large it is."""
        return self.data / "window.json"

    @property
    def updates(self) -> Path:
        """What is known of new versions of this program."""
        return self.data / "updates.json"

    @property
    def page_cache(self) -> Path:
        """Pages that were read before."""
        return self.cache / "pages.sqlite3"

    @property
    def models(self) -> Path:
        """Models that were downloaded, and parts of them."""
        return self.data / "models"

    @property
    def speeds(self) -> Path:
        """How fast the models that were used answer on this machine."""
        return self.cache / "speeds.json"

    @property
    def evaluations(self) -> Path:
        """How good the models that were evaluated are on this machine, a file each."""
        return self.data / "evaluations"

    @property
    def traces(self) -> Path:
        """Traces of past runs."""
        return self.data / "traces"

    @property
    def log(self) -> Path:
        """The program's own log; older parts of it lie beside it."""
        return self.data / "logs" / "askance.log"

    @property
    def crashes(self) -> Path:
        """Reports of crashes."""
        return self.data / "crashes"


MOUNTED_TOKENS = ("ASKANCE_READER_TOKEN_FILE", "ASKANCE_SEARCH_TOKEN_FILE")
"""Variables of the containers: where the tokens of the reader and of the gateway are mounted."""


def find_folders(environment: Mapping[str, str]) -> Folders:
    """Return the folders that apply under the given environment variables."""
    mounted = [Path(file) if (file := environment.get(name)) else None for name in MOUNTED_TOKENS]
    # One variable for all four, so that a whole home can be elsewhere, as in tests.
    if home := environment.get("ASKANCE_HOME"):
        root = Path(home).expanduser()
        return Folders(root / "config", root / "data", root / "cache", root / "run", *mounted)
    # Without this, Windows paths get a folder for the author, named like the program.
    dirs = PlatformDirs("askance", appauthor=False)
    with warnings.catch_warnings():
        # Without XDG_RUNTIME_DIR (a container, cron) platformdirs warns and falls back, which will do.
        warnings.simplefilter("ignore")
        runtime = dirs.user_runtime_path
    if not is_ours(str(runtime.parent), closed=True):
        # Its fallback is a name that everybody knows, below a folder that everybody writes to.
        runtime = Path(runtime_folder(environment))
    return Folders(
        dirs.user_config_path, dirs.user_data_path, dirs.user_cache_path, runtime, *mounted
    )


def out_of_reach(error: OSError, name: str, file: Path) -> StorageError:
    """Return what a person can do where the file system itself refuses."""
    problem = Message(
        "{name}, {file}, cannot be opened: {problem}.", name=name, file=file, problem=error
    )
    fix = Message("Make its folder writable, or set ASKANCE_HOME to a folder of yours.")
    return StorageError(problem, fix=fix)
