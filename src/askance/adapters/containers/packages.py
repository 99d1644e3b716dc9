"""Where this system gets a compose for Docker that is new enough."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping

from askance.adapters.containers.child import ask
from askance.adapters.containers.executables import find_executable
from askance.domain.messages import Message

# Docker's own packages first, then Ubuntu's; Debian's package changed to the second version of
# compose with Debian 13, and is a first version before that.
_OF_APT = ("docker-compose-plugin", "docker-compose-v2", "docker-compose")
_OF_OTHERS = {
    "alpine": "sudo apk add docker-cli-compose",
    "arch": "sudo pacman -S docker-compose",
    "suse": "sudo zypper install docker-compose",
}
_CANDIDATE = re.compile(r"^(\S+):\n(?:  .*\n)*?  Candidate: (?:\d+:)?(\d+)\.(\d+)", re.MULTILINE)
# It reads lists that are on this machine already.
_LIMIT_S = 10.0
_INSTRUCTIONS = "https://docs.docker.com/compose/install/linux/"


async def compose_remedy(environment: Mapping[str, str], oldest: tuple[int, int]) -> Message:
    """Say how to get a compose of version `oldest` or newer, as far as this system tells."""
    if platform.system() != "Linux":
        return Message("Install a newer Docker Desktop.")
    if apt := find_executable("apt-cache", environment):
        if package := await _package_of_apt(apt, environment, oldest):
            return Message("Install it with `{command}`.", command=f"sudo apt install {package}")
        return Message(
            "No package of this system is new enough. See {address} for how to install it.",
            address=_INSTRUCTIONS,
        )
    for system in _systems():
        if command := _OF_OTHERS.get(system):
            return Message("Install it with `{command}`.", command=command)
    return Message("See {address} for how to install it.", address=_INSTRUCTIONS)


async def _package_of_apt(apt: str, environment: Mapping[str, str], oldest: tuple[int, int]) -> str:
    plain = {**environment, "LC_ALL": "C"}
    try:
        said = (await ask([apt, "policy", *_OF_APT], plain, limit_s=_LIMIT_S)).out
    except (OSError, TimeoutError):
        return ""
    found = {name: (int(a), int(b)) for name, a, b in _CANDIDATE.findall(said)}
    return next((name for name in _OF_APT if found.get(name, (0, 0)) >= oldest), "")


def _systems() -> list[str]:
    """Return the names of this distribution, and of those that it is made from."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return []
    return [release.get("ID", ""), *release.get("ID_LIKE", "").split()]
