"""What can go wrong with containers: a class each, with its sentence and what fixes it.

All are `ServiceError`s: a tool or a service on this machine is missing, down or full.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from askance.domain.errors import ServiceDown, ServiceError, ServiceTimeout
from askance.domain.messages import NOTHING, Message, Remedy, sentence

# The ports right beside are those of the other services.
_NEXT_PORT = 10
# There the engine runs in a virtual machine, which a program of the desktop starts.
_DESKTOP = sys.platform in {"win32", "darwin"}


class _Here(ServiceError):
    """A failure on this machine. `address` is what it is about, where that is not the whole of it."""

    def __init__(self, name: str, problem: Message, *, fix: str, address: str = "") -> None:
        super().__init__(name, address or Message("this machine"), problem, fix=fix)


class NoCli(_Here):
    """Neither Docker nor Podman is installed, or not the one that the settings name."""

    def __init__(self, wanted: str = "") -> None:
        super().__init__(
            wanted.capitalize() or "Docker",
            Message("{name} was not found on this machine.", name=wanted.capitalize())
            if wanted
            else Message("Neither Docker nor Podman was found on this machine."),
            fix=Remedy(
                "Install Docker (https://docs.docker.com/get-docker/) or Podman with podman-compose, "
                "and run `askance up` again. Without them pages are read in this program.",
                command="askance up",
            ),
        )


class NoComposePlugin(_Here):
    """The tool is there, its compose is not, or is too old. `found` is the version that is."""

    def __init__(self, cli: str, *, found: str = "", fix: str = "") -> None:
        name = cli.capitalize()
        if found:
            problem = Message(
                "{name}'s compose {version} is too old: 2.20 is needed.", name=name, version=found
            )
        else:
            problem = Message("{name} is there, but it has no compose.", name=name)
        super().__init__(name, problem, fix=fix)


class DaemonDown(ServiceDown):
    """The engine does not answer. `denied` says that it is there, and this user may not ask it."""

    def __init__(self, name: str, address: str, *, denied: bool = False) -> None:
        problem = (
            Message("This user may not use {name} at {address}.", name=name, address=address)
            if denied
            else Message("{name} does not answer at {address}.", name=name, address=address)
        )
        fix = _denied_fix(name) if denied else _down_fix(name)
        super().__init__(name, address, problem, fix=fix)
        self.name, self.denied = name, denied


class RemoteEngine(ServiceError):
    """The engine is on another machine, where loopback ports and files of this one are not."""

    def __init__(self, address: str) -> None:
        super().__init__(
            "Docker",
            address,
            Message(
                "The container engine at {address} is on another machine, and so would be its "
                "ports.",
                address=address,
            ),
            fix=Message("Unset DOCKER_HOST, or run `docker context use default`."),
        )


class PortTaken(ServiceError):
    """Something else listens on a port that a service needs. `holder` says what, where known.

    `setting` is the address that says which port it is.
    """

    def __init__(self, port: int, setting: str = "", holder: str = "") -> None:
        if setting:
            fix = Remedy(
                "Stop what uses it, or take another port: `askance config set {setting} {address}`; "
                "then run `askance up` again.",
                command="askance up",
                setting=setting,
                address=f"http://127.0.0.1:{port + _NEXT_PORT}",
            )
        else:
            fix = Remedy("Stop what uses it; then run `askance up` again.", command="askance up")
        problem = (
            Message("Port {port} of this machine is taken by {name}.", port=str(port), name=holder)
            if holder
            else Message("Port {port} of this machine is taken.", port=str(port))
        )
        super().__init__("Docker", f"127.0.0.1:{port}", problem, fix=fix)
        self.port, self.holder = port, holder


class ImageMissingOffline(_Here):
    """An image is not on this machine, and its registry cannot be reached."""

    def __init__(self, name: str, image: str, reason: str) -> None:
        super().__init__(
            name,
            Message(
                "The image {image} is not on this machine and could not be downloaded: {problem}",
                image=image,
                problem=_sentence(reason),
            )
            if image
            else Message(
                "The base of the reader's image is not on this machine and could not be "
                "downloaded: {problem}",
                problem=_sentence(reason),
            ),
            address=image,
            fix=Remedy(
                "Connect this machine to the internet once and run `askance up` again. Behind a "
                "proxy, set it for the container engine, too.",
                command="askance up",
            ),
        )


class BuildFailed(ServiceError):
    """The reader's image could not be built. `lines` are the last that the builder wrote."""

    def __init__(self, name: str, reason: str, lines: Sequence[str]) -> None:
        super().__init__(
            name,
            "reader",
            Message.joined(
                Message(
                    "The reader's image could not be built: {problem}", problem=_sentence(reason)
                ),
                _quoted(lines),
            ),
            fix=Remedy(
                "Run `askance up` again. If it fails again, report these lines.",
                command="askance up",
            ),
        )
        self.lines = tuple(lines)


class Unhealthy(ServiceError):
    """A container ended, or says that it is ill. `lines` are the last of its log."""

    def __init__(self, service: str, how: str, lines: Sequence[str] = ()) -> None:
        super().__init__(
            service,
            service,
            Message.joined(
                Message("The container of {name} {how}.", name=service, how=how), _quoted(lines)
            ),
            fix=Message("`askance logs {name}` shows more.", name=service),
        )
        self.how = how
        self.lines = tuple(lines)


class StillStarting(ServiceTimeout):
    """The services run, and are not well within the time that the settings give them."""

    def __init__(self, services: Sequence[str], limit_s: float) -> None:
        who = " and ".join(services) or "The services"
        super().__init__(
            who,
            Message("this machine"),
            Message("{names} is not ready after {n} s.", names=who, n=limit_s)
            if len(services) == 1
            else Message("{names} are not ready after {n} s.", names=who, n=limit_s),
            fix=Message("`askance status` tells when that changes, `askance logs` what goes on."),
        )
        self.services = tuple(services)


class ToolFailed(_Here):
    """The tool failed with words that are none of the above: `reason`."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            name,
            Message("{name} failed: {problem}", name=name, problem=_sentence(reason)),
            fix=Message("`askance logs` may show more."),
        )
        self.reason = reason


def _down_fix(name: str) -> str:
    if name == "Podman":
        return (
            Message("Start its machine: `podman machine start`.")
            if _DESKTOP
            else Message("Start its socket: `systemctl --user enable --now podman.socket`.")
        )
    if _DESKTOP:
        return Message("Start Docker Desktop and wait until it is running.")
    return Message(
        "Start it: `sudo systemctl start docker`, or Docker Desktop where that is installed."
    )


def _denied_fix(name: str) -> str:
    if name == "Podman":
        return Message(
            "Use the socket of your own user: `systemctl --user enable --now podman.socket`."
        )
    return Message(
        "Add yourself to the group docker, `sudo usermod -aG docker $USER`, then log out and "
        "in again; or use rootless Docker or Podman."
    )


def _sentence(reason: str) -> str:
    return sentence(reason) if reason.strip() else Message("it gave no reason.")


def _quoted(lines: Sequence[str]) -> Message:
    if not lines:
        return NOTHING
    return Message("Its last lines: “{lines}”.", lines=" | ".join(line.strip() for line in lines))
