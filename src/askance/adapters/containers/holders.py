"""Which program listens on a port of this machine, where the system tells."""

from __future__ import annotations

from pathlib import Path

from askance.domain.messages import Message

_LISTENING = "0A"


def program_on(port: int, proc: Path = Path("/proc")) -> str:
    """Return a program's name and process id, such as `python3 (process 4711)`.

    Empty where the system does not tell: another user's program, or a system without /proc.
    """
    sockets = _listening(port, proc)
    if not sockets:
        return ""
    processes = [entry for entry in proc.iterdir() if entry.name.isdigit()]
    return next((named for process in processes if (named := _holder(process, sockets))), "")


def _listening(port: int, proc: Path) -> set[str]:
    found: set[str] = set()
    for table in ("tcp", "tcp6"):
        try:
            lines = (proc / "net" / table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(f"socket:[{fields[9]}]")
    return found


def _holder(process: Path, sockets: set[str]) -> str:
    try:
        if not any(str(file.readlink()) in sockets for file in (process / "fd").iterdir()):
            return ""
        name = (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:  # another user's, or gone
        return ""
    return Message("{name} (process {status})", name=name, status=str(process.name))
