"""What a page could still do if it took over the process that takes it apart."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from askance.extract.sandbox.protections import Protection, Protections
from askance.health.findings import Finding

CONFINEMENT = "confinement"


@runtime_checkable
class ConfinedReader(Protocol):
    """A reader that takes pages apart in child processes of this program."""

    async def protections(self) -> Protections:
        """Return which protections hold for them. Raises ServiceDown: they cannot be started."""
        ...


async def check_confinement(reader: ConfinedReader) -> Finding:
    """Say which protections hold for the processes that take pages apart, and why others do not.

    Raises:
        ServiceDown: the processes cannot be started.
    """
    found = await reader.protections()
    held = ", ".join(_name(protection, found) for protection in found.held) or "nothing"
    says = f"What takes pages apart is held by: {held}."
    if found.missing:
        lacking = "; ".join(f"{name}: {why}" for name, why in found.missing.items())
        says += f" Not here: {lacking}."
    # The filter of system calls refuses the network, files and processes by itself.
    if {Protection.SECCOMP, Protection.MEMORY} <= set(found.held):
        return Finding(CONFINEMENT, ok=True, says=says, needed=False)
    fix = "A page that takes the process over could reach files or the network of this machine."
    return Finding(CONFINEMENT, ok=False, says=says, fix=fix, needed=False)


def _name(protection: Protection, found: Protections) -> str:
    return f"Landlock {found.landlock}" if protection is Protection.LANDLOCK else protection
