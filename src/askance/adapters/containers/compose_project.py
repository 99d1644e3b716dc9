"""The compose project of this user, laid out: its files, `.env`, secrets and choices, and SearXNG's settings."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from askance import __version__
from askance.adapters.containers.compose import COMPOSE_FILE, ENV_FILE
from askance.config.choices import ReaderMode
from askance.config.folders import Folders
from askance.config.private_files import FOR_ALL_TO_READ, exists, make_folder, replace_file
from askance.config.settings import Bar, Settings
from askance.config.sources import NOT_SETTINGS
from askance.domain.errors import InputError, SettingsError, StorageError
from askance.domain.messages import Message, Remedy
from askance.domain.ports.containers import READER_NET, SEARCH_GATEWAY, SEARXNG, SERVICES
from askance.domain.web_pages import leads_here

SEARXNG_PORT, READER_PORT = 25017, 25018
SEARXNG_SETTINGS = "deploy/searxng/settings.yml"
# Of this program the images take all but these; each of them takes its part.
NOT_IN_IMAGES = ("ui", "_deploy", "_desktop", "_prompts", "__pycache__")
_LAID_OUT = ("deploy", "src", "prompts")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc")
_LEFT_OUT_OF_SOURCES = shutil.ignore_patterns(*NOT_IN_IMAGES, "*.pyc")

# Kept where the user wrote them into the file, or gives them in the environment.
_CARRIED_OVER = tuple(sorted(NOT_SETTINGS - {"ASKANCE_HOME"}))
_SECRET = "ASKANCE_SEARXNG_SECRET"  # noqa: S105 - its name
_SECRET_BYTES = 32
_BUILT = "built.sha256"

# `NAME='…'` with `\'` in it, `NAME="…"`, or `NAME=…` up to a comment.
_LINE = re.compile(
    r"^[^\S\n]*+([A-Za-z_]\w*+)=(?:'((?:[^'\\]|\\.)*)'|\"([^\"]*)\"|([^#\n]*))", re.MULTILINE
)
_UNSAFE = frozenset("\n\r\\")


@dataclass(frozen=True, slots=True)
class Installation:
    """A project that compose can start.

    `services` are those that the settings ask for, `notes` what the user should know. `build`
    says that the images must be built, since what goes into them has changed.
    """

    folder: Path
    services: tuple[str, ...]
    searxng_port: int
    reader_port: int
    engine_list: Path
    mounted_list: Path
    search_token: Path
    inputs: str
    build: bool
    notes: tuple[str, ...] = ()

    def complete(self) -> None:
        """Note that this project runs: its images are built, nothing uses the files of other settings any more."""
        files = [*self.folder.glob(f"{_MADE}*.yml"), *self.folder.glob("search-*.token")]
        for file in files:
            if file not in {self.mounted_list, self.search_token}:
                remove_mounted(file)
        replace_file(self.folder / _BUILT, self.inputs.encode())


def lay_out(settings: Settings, folders: Folders, environment: Mapping[str, str]) -> Installation:
    """Lay the project out in `folders.services`. Secrets are made once, the user's copy of the
    engine list is made once, everything else is made anew.

    Raises:
        SettingsError: a proxy is on this machine's loopback, where no container gets to.
        InputError: the user's engine list cannot be used.
        StorageError: the folder cannot be written.
    """
    services = wanted_services(settings)
    _refuse_loopback_proxies(settings, services)
    try:
        return _laid_out(settings, folders, environment, services)
    except OSError as exc:
        where = exc.filename or folders.services
        raise StorageError(
            Message("{file} cannot be written: {problem}.", file=where, problem=exc),
            fix=Message("Check its owner and the free space."),
        ) from exc


def wanted_services(settings: Settings) -> tuple[str, ...]:
    """Return the services that the settings ask for: without the reader where pages are read in
    this program by choice.
    """
    inprocess = settings.reader.mode is ReaderMode.INPROCESS
    return (SEARXNG, SEARCH_GATEWAY) if inprocess else SERVICES


def _refuse_loopback_proxies(settings: Settings, services: tuple[str, ...]) -> None:
    """Raise SettingsError for a proxy that containers cannot reach; it names what to change."""
    proxies = {"search.proxy": settings.search.proxy}
    if READER_NET in services:
        proxies["reader.proxy"] = settings.page_reader.proxy
    for name, proxy in proxies.items():
        if not proxy or not leads_here(urlsplit(proxy).hostname or ""):
            continue
        fix = (
            Remedy(
                "Let the proxy listen on an address of your network and name that one, or set "
                "reader.mode to inprocess, then run `askance up` again.",
                command="askance up",
            )
            if name == "reader.proxy"
            else Remedy(
                "Let the proxy listen on an address of your network and name that one, then run "
                "`askance up` again.",
                command="askance up",
            )
        )
        problem = Message(
            "{setting} = {address} is an address of this machine alone, which a container cannot "
            "reach.",
            setting=name,
            address=proxy,
        )
        raise SettingsError(problem, fix=fix)


def packaged_project() -> Path:
    """Return the folder that holds docker-compose.yml and deploy/."""
    # In a checkout the files lie beside `src`, in a wheel within the package.
    shipped = packaged_sources() / "_deploy"
    return shipped if shipped.is_dir() else Path(__file__).parents[4]


def packaged_sources() -> Path:
    """Return the folder of the package `askance`."""
    return Path(str(files("askance")))


def lay_out_files(project: Path, sources: Path, folder: Path) -> None:
    """Make the files of the project in `folder` those that ship, whatever was there of them.

    An image takes over the modes of its files, and another user than this one reads them
    there: so they may be read by all, in a folder that nobody else gets into.
    """
    for name in _LAID_OUT:
        # What an older version laid out must not get into the images.
        shutil.rmtree(folder / name, ignore_errors=True)
    shutil.copytree(project / "deploy", folder / "deploy", ignore=_LEFT_OUT)
    shutil.copytree(sources, folder / "src" / "askance", ignore=_LEFT_OUT_OF_SOURCES)
    shipped = sources / "_prompts"
    shutil.copytree(shipped if shipped.is_dir() else project / "prompts", folder / "prompts")
    shutil.copyfile(project / COMPOSE_FILE, folder / COMPOSE_FILE)
    (folder / COMPOSE_FILE).chmod(0o644)
    for top in _LAID_OUT:
        for place, _, names in os.walk(folder / top):
            Path(place).chmod(0o755)
            for name in names:
                (Path(place) / name).chmod(0o644)


def read_dotenv(file: Path) -> dict[str, str]:
    """Return the variables of a file, in the part of the syntax that every compose understands.

    There are none where it is not there.

    Raises:
        InputError: it cannot be read.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as exc:
        raise InputError(
            Message("{file} cannot be read: {problem}.", file=file, problem=exc),
            fix=Message("Fix or delete it."),
        ) from exc
    return {
        name: quoted.replace("\\'", "'") or double or plain.strip()
        for name, quoted, double, plain in _LINE.findall(text)
    }


def as_dotenv(variables: Mapping[str, str]) -> str:
    """Return the text of a file. In single quotes nothing is a comment, and an apostrophe is the
    only sign that is written otherwise; what a backslash means there, no two of them agree on.

    Raises:
        InputError: a value has a line break or a backslash.
    """
    lines = [
        "# Written anew by every `askance up`; what you add of images and of the server stays."
    ]
    for name, value in variables.items():
        if not _UNSAFE.isdisjoint(value):
            problem = Message(
                "{name} would be {said}: it must not have a line break or a backslash in it.",
                name=name,
                said=repr(value),
            )
            raise InputError(problem)
        quoted = value.replace("'", "\\'")
        lines.append(f"{name}='{quoted}'")
    return "\n".join(lines) + "\n"


def _laid_out(
    settings: Settings,
    folders: Folders,
    environment: Mapping[str, str],
    services: tuple[str, ...],
) -> Installation:
    settings.refuse_if_barred(Bar.WEB)
    folder = folders.services
    # Its files can be read by all, for the sake of the users in the containers.
    make_folder(folder)
    lay_out_files(packaged_project(), packaged_sources(), folder)
    own = folders.searxng_settings
    note = update_own_copy(folder / SEARXNG_SETTINGS, own, folder)
    mounted = write_for_container(settings_for_container(own, settings.search.proxy), folder)
    token = folders.reader_token
    _make_once(token)
    searxng_port = _port(settings.search.url, SEARXNG_PORT)
    reader_port = _port(settings.reader.url, READER_PORT)
    search_token = folders.search_token_of(searxng_port)
    _make_once(search_token)
    before = read_dotenv(folder / ENV_FILE)
    carried_over = {name: environment.get(name) or before.get(name, "") for name in _CARRIED_OVER}
    variables = {
        "ASKANCE_VERSION": __version__,
        _SECRET: before.get(_SECRET) or secrets.token_urlsafe(_SECRET_BYTES),
        "ASKANCE_SEARXNG_SETTINGS": mounted.as_posix(),
        "ASKANCE_SEARXNG_PORT": str(searxng_port),
        "ASKANCE_READER_PORT": str(reader_port),
        "ASKANCE_SEARCH_TOKEN_FILE": search_token.as_posix(),
        "ASKANCE_SEARCH_TOKEN_ID": _identity(search_token),
        "ASKANCE_READER_TOKEN_FILE": token.as_posix(),
        "ASKANCE_READER_TOKEN_ID": _identity(token),
        "ASKANCE_READER_PROXY": settings.page_reader.proxy,
        **{name: value for name, value in carried_over.items() if value},
    }
    replace_file(folder / ENV_FILE, as_dotenv(variables).encode())
    inputs = _inputs(folder, carried_over["ASKANCE_PYTHON_IMAGE"], services)
    built = folder / _BUILT
    return Installation(
        folder=folder,
        services=services,
        searxng_port=searxng_port,
        reader_port=reader_port,
        engine_list=own,
        mounted_list=mounted,
        search_token=search_token,
        inputs=inputs,
        build=not built.exists() or built.read_text(encoding="utf-8") != inputs,
        notes=(note,) if note else (),
    )


def _make_once(token: Path) -> None:
    make_room(token)
    if token.exists() and token.stat().st_size:
        return
    made = secrets.token_urlsafe(_SECRET_BYTES).encode()
    # A service is another user; nobody else gets into the folder.
    replace_file(token, made, mode=FOR_ALL_TO_READ)


def _identity(token: Path) -> str:
    """Return what changes with a token and does not tell it, empty where there is none.

    Compose makes a container anew when its description has changed, not for another file's content.
    """
    return digest(token.read_bytes())[:12] if token.exists() else ""


def _inputs(folder: Path, python_image: str, services: tuple[str, ...]) -> str:
    """Return one number for everything that the images of these services are made from."""
    total = hashlib.sha256(f"{__version__}\0{python_image}\0{services}\0".encode())
    # The images of these services: the server's is not built by `up`.
    files = [folder / COMPOSE_FILE, *(folder / "deploy" / "reader").rglob("*")]
    for file in sorted([*files, *(folder / "src").rglob("*")]):
        if file.is_file():
            total.update(f"{file.relative_to(folder).as_posix()}\0".encode())
            total.update(file.read_bytes() + b"\0")
    return total.hexdigest()


def _port(url: str, default: int) -> int:
    """Return the port of a service's address where that is on this machine."""
    parts = urlsplit(url)
    # The port of a service elsewhere says nothing of the port to publish here.
    return (parts.port or default) if leads_here(parts.hostname or "") else default


_ORIGIN = "searxng-settings.sha256"
_MADE = "searxng-settings-"


def update_own_copy(shipped: Path, own: Path, folder: Path) -> str:
    """Make the user's copy if there is none; never change one. Return what to tell, or nothing.

    `folder` remembers which shipped file the user was last notified of.

    Raises:
        OSError: it cannot be written.
    """
    origin, now = folder / _ORIGIN, digest(shipped.read_bytes())
    if not exists(own):
        make_folder(own.parent)
        replace_file(own, shipped.read_bytes())
        replace_file(origin, now.encode())
        return ""
    # A copy without such a record counts as made from what is shipped now.
    known = origin.read_text(encoding="utf-8") if origin.exists() else now
    replace_file(origin, now.encode())
    if known == now or digest(own.read_bytes()) == now:
        return ""
    return Message(
        "The engine list that comes with Askance has changed; yours, {file}, stays as it is. "
        "The new one is {shipped}.",
        file=own,
        shipped=shipped,
    )


def settings_for_container(own: Path, proxy: str) -> str:
    """Return the settings as the container gets them: the user's, word for word, or with the proxy
    through which all engines are then asked.

    Raises:
        InputError: the file is no YAML that SearXNG could read, or cannot be read.
    """
    import yaml  # noqa: PLC0415 - 20 ms and a megabyte, and most windows start no container

    fix = Remedy("Fix it, or delete it: `askance up` then creates a new one.", command="askance up")
    try:
        text = own.read_text(encoding="utf-8")
        # Parsed as a check: without a proxy the text itself is returned, with its comments.
        parsed: Any = yaml.safe_load(text)
    except (OSError, UnicodeDecodeError) as exc:
        raise InputError(
            Message("The engine list {file} cannot be read: {problem}.", file=own, problem=exc),
            fix=fix,
        ) from exc
    except yaml.YAMLError as exc:
        mark: Any = getattr(exc, "problem_mark", None)
        problem = (
            Message(
                "The engine list {file} is not valid YAML, line {status}.",
                file=own,
                status=str(mark.line + 1),
            )
            if mark
            else Message("The engine list {file} is not valid YAML.", file=own)
        )
        raise InputError(problem, fix=fix) from exc
    if not isinstance(parsed, dict):
        raise InputError(
            Message("The engine list {file} has no settings in it.", file=own), fix=fix
        )
    if not proxy:
        return text
    settings = cast("dict[str, Any]", parsed)
    outgoing = settings.get("outgoing")
    outgoing = cast("dict[str, Any]", outgoing) if isinstance(outgoing, dict) else {}
    settings["outgoing"] = {**outgoing, "proxies": {"all://": [proxy]}}
    return yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)


def write_for_container(text: str, folder: Path) -> Path:
    """Write the settings under a name that changes with them, and return the file.

    Compose makes a container anew when the path of a mounted file has changed, and only then.
    """
    file = folder / f"{_MADE}{digest(text.encode())[:12]}.yml"
    make_room(file)
    # SearXNG runs as another user; nobody else gets into the folder.
    replace_file(file, text.encode(), mode=FOR_ALL_TO_READ)
    return file


def make_room(file: Path) -> None:
    """Remove the folder that an engine has made where a container was to mount this file, and it was not there.

    Raises:
        OSError: something is in it.
    """
    if file.is_dir():
        file.rmdir()


def remove_mounted(file: Path) -> None:
    """Remove a file that containers mount, or what stands in its place.

    Raises:
        OSError: it cannot be removed.
    """
    make_room(file)
    file.unlink(missing_ok=True)


def digest(content: bytes) -> str:
    """Return the SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
