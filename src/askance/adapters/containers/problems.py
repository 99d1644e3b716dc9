"""What can go wrong with containers: a class each, with its sentence and what mends it.

All are `ServiceError`s: a tool or a service on this machine is missing, down or full.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from askance.domain.errors import ServiceDown, ServiceError, ServiceSlow

# The ports right beside are those of the other services.
_NEXT_PORT = 10
_DESKTOP = sys.platform in {"win32", "darwin"}


class NoCli(ServiceError):
    """Neither Docker nor Podman is installed, or not the one that the settings name."""

    def __init__(self, wanted: str = "") -> None:
        what = wanted.capitalize() if wanted else "Neither Docker nor Podman"
        super().__init__(
            wanted.capitalize() or "Docker",
            "this machine",
            f"{what} was {'not ' if wanted else ''}found on this machine.",
            fix="Install Docker (https://docs.docker.com/get-docker/) or Podman with podman-compose,"
            " and run `askance up` again. Without them pages are read in this program.",
        )


class NoComposePlugin(ServiceError):
    """The tool is there, its compose is not, or is too old. `found` is the version that is."""

    def __init__(self, cli: str, *, found: str = "", fix: str = "") -> None:
        name = cli.capitalize()
        if found:
            problem = f"{name}'s compose {found} is too old: 2.20 is needed."
        else:
            problem = f"{name} is there, but it has no compose."
        super().__init__(
            name,
            "this machine",
            problem,
            fix=fix,
        )


class DaemonDown(ServiceDown):
    """The engine does not answer. `denied` says that it is there, and this user may not ask it."""

    def __init__(self, name: str, address: str = "", *, denied: bool = False) -> None:
        at = f" at {address}" if address else ""
        super().__init__(
            name,
            address or "this machine",
            f"This user may not use {name}{at}." if denied else f"{name} does not answer{at}.",
            fix=_denied_fix(name) if denied else _down_fix(name),
        )
        self.name, self.denied = name, denied


class RemoteEngine(ServiceError):
    """The engine is on another machine, where loopback ports and files of this one are not."""

    def __init__(self, address: str) -> None:
        super().__init__(
            "Docker",
            address,
            f"The engine at {address} is on another machine, and its ports would be there.",
            fix="Unset DOCKER_HOST, or run `docker context use default`.",
        )


class PortTaken(ServiceError):
    """Something else listens on a port that a service needs. `holder` says what, where known.

    `setting` is the address that says which port it is.
    """

    def __init__(self, port: int, setting: str = "", holder: str = "") -> None:
        move = ""
        if setting:
            another = f"http://127.0.0.1:{port + _NEXT_PORT}"
            move = f", or take another port: `askance config set {setting} {another}`"
        super().__init__(
            "Docker",
            f"127.0.0.1:{port}",
            f"Port {port} of this machine is taken{f' by {holder}' if holder else ''}.",
            fix=f"Stop what uses it{move}; then run `askance up` again.",
        )
        self.port, self.holder = port, holder


class ImageMissingOffline(ServiceError):
    """An image is not on this machine, and where it is kept cannot be reached."""

    def __init__(self, name: str, image: str, said: str) -> None:
        what = f"The image {image}" if image else "What the reader's image is built from"
        super().__init__(
            name,
            image or "this machine",
            f"{what} is not on this machine, and could not be fetched: {_sentence(said)}",
            fix="Connect this machine to the internet once and run `askance up` again. "
            "Behind a proxy, tell it to the engine, too.",
        )


class ImageUnknown(ServiceError):
    """Where an image is kept, there is none of that name and tag."""

    def __init__(self, name: str, image: str, said: str) -> None:
        what = f"The image {image}" if image else "An image"
        super().__init__(
            name,
            image or "this machine",
            f"{what} does not exist, or may not be fetched: {_sentence(said)}",
            fix="Update Askance; or name another one in ASKANCE_SEARXNG_IMAGE or"
            " ASKANCE_PYTHON_IMAGE, and run `askance up` again.",
        )


class PullsLimited(ServiceError):
    """The registry has given this address enough for now."""

    def __init__(self, name: str, said: str) -> None:
        super().__init__(
            name,
            "this machine",
            f"The registry gives out no more images for now: {_sentence(said)}",
            fix="Wait an hour, or log in with `docker login`, and run `askance up` again.",
        )


class BuildFailed(ServiceError):
    """The reader's image could not be built. `lines` are the last that the builder wrote."""

    def __init__(self, name: str, said: str, lines: Sequence[str]) -> None:
        super().__init__(
            name,
            "reader",
            f"The reader's image could not be built: {_sentence(said)}{_quoted(lines)}",
            fix="Run `askance up` again; if it stays, report these lines.",
        )
        self.lines = tuple(lines)


class Unhealthy(ServiceError):
    """A container ended, or says that it is ill. `lines` are the last of its log."""

    def __init__(self, service: str, how: str, lines: Sequence[str] = ()) -> None:
        super().__init__(
            service,
            service,
            f"The container of {service} {how}.{_quoted(lines)}",
            fix=f"`askance logs {service}` shows more.",
        )
        self.how = how
        self.lines = tuple(lines)


class StillStarting(ServiceSlow):
    """The services run, and are not well within the time that the settings give them."""

    def __init__(self, services: Sequence[str], limit_s: float) -> None:
        who = " and ".join(services) or "The services"
        be = "are" if len(services) != 1 else "is"
        super().__init__(
            who,
            "this machine",
            f"{who} {be} not well after {limit_s:g} s.",
            fix="`askance status` tells when that changes, `askance logs` what goes on; "
            "raise services.start_limit_s on a slow machine.",
        )
        self.services = tuple(services)


class NoSpace(ServiceError):
    """The disk that holds the images is full."""

    def __init__(self, name: str) -> None:
        super().__init__(
            name,
            "this machine",
            f"The disk on which {name} keeps its images is full.",
            fix=f"Make room, for example with `{name.lower()} image prune`, "
            "and run `askance up` again.",
        )


class ToolFailed(ServiceError):
    """The tool failed with words that are none of the above."""

    def __init__(self, name: str, said: str, *, fix: str = "") -> None:
        super().__init__(
            name,
            "this machine",
            f"{name} failed: {_sentence(said)}",
            fix=fix or "`askance logs` may tell more.",
        )


def _down_fix(name: str) -> str:
    if name == "Podman":
        return (
            "Start its machine: `podman machine start`."
            if _DESKTOP
            else "Start its socket: `systemctl --user enable --now podman.socket`."
        )
    if _DESKTOP:
        return "Start Docker Desktop, and wait until it says that it runs."
    return "Start it: `sudo systemctl start docker`, or Docker Desktop where that is installed."


def _denied_fix(name: str) -> str:
    if name == "Podman":
        return "Use the socket of your own user: `systemctl --user enable --now podman.socket`."
    return (
        "Add yourself to the group docker, `sudo usermod -aG docker $USER`, "
        "then log out and in again; or use rootless Docker or Podman."
    )


def _sentence(said: str) -> str:
    said = " ".join(said.split()) or "it gave no reason"
    return said if said.endswith((".", "!", "?")) else f"{said}."


def _quoted(lines: Sequence[str]) -> str:
    return f" Its last lines: “{' | '.join(line.strip() for line in lines)}”." if lines else ""
