"""Make a virtual environment and install locked packages, or say in one sentence why it cannot be done.

    python3 tools/environment.py create FOLDER
    FOLDER/bin/python tools/environment.py install LOCK [LOCK ...]

It runs before anything is installed, and parses on older Pythons too, whose users it tells what is needed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

OLDEST = (3, 11)
# Wheels only: a package that is built here would fetch what builds it, without a hash. A lock is
# whole, so pip looks for nothing beside it: older ones warn of the spelling of an extra on the way.
# What is imported is compiled at its first import; all of it would take ten seconds here.
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile")
HASHED = ("--only-binary", ":all:", "--require-hashes", "--no-deps")
_AGAIN = "Then run the same command again."
_FAULTS = (
    (
        r"ProxyError|Cannot connect to proxy|Tunnel connection failed",
        "The packages could not be downloaded, since the proxy {proxy} does not answer: correct or unset it "
        "(HTTPS_PROXY, or `proxy` in pip's configuration).",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|SSLError",
        "The packages could not be downloaded, since the certificate of the package index is not trusted: "
        "let PIP_CERT name the file of the authority that signed it.",
    ),
    (
        r"NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ConnectionReset|RemoteDisconnected",
        "The packages could not be downloaded, since the package index cannot be reached: connect to the "
        "network, or let PIP_INDEX_URL name an index that can be reached.",
    ),
    (r"\[Errno 28\]|No space left on device", "The packages do not fit onto the disk: make room."),
    (r"\[Errno 30\]|Read-only file system", "The packages cannot be written, since the disk is read-only."),
)  # fmt: skip


def main(arguments: list[str]) -> int:
    """Do what the command line asks for. Returns the exit status."""
    if sys.version_info < OLDEST:
        needed, found = (".".join(map(str, version[:2])) for version in (OLDEST, sys.version_info))
        return _fail(
            f"Askance needs Python {needed} or newer, and this is {found}: install a newer one, and name it, "
            f"as in `make demo PYTHON=python{needed}`."
        )
    if len(arguments) == 2 and arguments[0] == "create":
        return _create(Path(arguments[1]))
    if len(arguments) > 1 and arguments[0] == "install":
        # What keeps one from being installed keeps the next as well, and would be said again.
        return next(filter(None, map(_install, arguments[1:])), 0)
    return _fail(__doc__ or "")


def _create(folder: Path) -> int:
    done = _run([sys.executable, "-m", "venv", str(folder)])
    if not done.returncode:
        return 0
    # One without pip would be taken for a whole one by the next run.
    shutil.rmtree(folder, ignore_errors=True)
    if "ensurepip" in done.stdout:
        version = ".".join(map(str, sys.version_info[:2]))
        return _fail(
            "This Python lacks the modules that make virtual environments. Install them, on Debian and Ubuntu "
            f"by `sudo apt install python{version}-venv`. {_AGAIN}"
        )
    return _failed("The virtual environment could not be made.", done.stdout)


def _install(lock: str) -> int:
    done = _run([sys.executable, *PIP, *HASHED, "-r", lock])
    if not done.returncode:
        return 0
    return _failed(f"The packages of {lock} could not be installed.", done.stdout)


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    # What is installed here is trusted, and the command is written above.
    return subprocess.run(  # noqa: S603
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False
    )  # fmt: skip


def _failed(otherwise: str, output: str) -> int:
    """Print one sentence where the fault is known, and all of the output where it is not."""
    proxy = _proxy()
    host, _, port = proxy.rpartition(":")
    if host and f"Connection(host='{host}', port={port}): Failed" in output:
        output = "ProxyError"  # of pip's newer releases, which name nothing but the address
    for pattern, sentence in _FAULTS:
        if re.search(pattern, output):
            return _fail(f"{sentence.format(proxy=proxy)} {_AGAIN}")
    return _fail(f"{output.rstrip()}\n\n{otherwise}")


def _proxy() -> str:
    """Return the proxy that is set, without the password in it."""
    names = ("PIP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    address = next(filter(None, map(os.environ.get, names)), "")
    host = urlsplit(address if "//" in address else f"//{address}").netloc
    return host.rpartition("@")[2] or "of pip's configuration"


def _fail(sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
