"""Which program listens on a port of this machine, where the system tells."""

from __future__ import annotations

from askance.domain.messages import NOTHING, Message


def program_on(port: int) -> Message:
    """Return a program's name and process id, such as `python3 (process 4711)`.

    Empty where the system does not tell, as it mostly does not of another user's program.
    """
    import psutil  # noqa: PLC0415 - only where a port is taken

    try:
        try:
            found = [(held, held.pid) for held in psutil.net_connections("tcp")]
        except psutil.AccessDenied:  # a Mac tells who is no administrator of his own programs alone
            found = [
                (held, process.pid)
                for process in psutil.process_iter(["net_connections"])
                for held in process.info["net_connections"] or ()
            ]
        for held, pid in found:
            is_server = held.status == psutil.CONN_LISTEN
            if is_server and pid and held.laddr and held.laddr.port == port:
                name = psutil.Process(pid).name()
                return Message("{name} (process {status})", name=name, status=str(pid))
    except (psutil.Error, OSError):  # the program has ended, or nothing is told here
        pass
    return NOTHING
