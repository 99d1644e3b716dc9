"""The package that `make dist` built, and a world of loopback for it."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from servers.loopback import serve
from servers.model_script import ModelScript
from servers.site import forward_proxy
from servers.world import PAGES, knowing_model, names_of, serving
from waiting import PATIENCE_S, patience

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "dist" / "askance" / "askance"
# The files of the package have the time of their commit; this one tells when they were built.
LOG = ROOT / "build" / "pyinstaller.log"
# Set by `make dist`: then the package is demanded, and not only used where there is one.
# Looked at here: no test is left with a variable of ours.
DEMANDED = os.environ.get("ASKANCE_TEST_DIST", "")


@dataclass(frozen=True)
class Ended:
    """A program that has ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Package:
    """The executable, and what it finds around it."""

    executable: Path
    environment: Mapping[str, str]

    @property
    def inside(self) -> Path:
        """Where PyInstaller puts all but the executable."""
        return self.executable.parent / "_internal"

    def among(self, **environment: str) -> Package:
        """The same with other variables in the environment."""
        return Package(self.executable, {**self.environment, **environment})

    async def start(
        self, *arguments: str, stdin: int = asyncio.subprocess.DEVNULL
    ) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            self.executable,
            *arguments,
            env=self.environment,
            stdin=stdin,
            stdout=pipe,
            stderr=pipe,
        )

    async def call(self, *arguments: str) -> Ended:
        async with patience():
            process = await self.start(*arguments)
            out, err = await process.communicate()
        assert process.returncode is not None
        return Ended(process.returncode, out.decode(), err.decode())

    def open(self, *arguments: str) -> subprocess.Popen[str]:
        """Start it for a test that has no event loop."""
        return subprocess.Popen(  # noqa: S603 - it is our own
            [self.executable, *arguments],
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> Ended:
        """Run it to its end for a test that has no event loop."""
        with self.open(*arguments) as process:
            out, err = process.communicate(timeout=PATIENCE_S)
        return Ended(process.returncode, out, err)


def executable() -> Path:
    """Return the executable, or skip the test and say why."""
    if DEMANDED:
        return Path(DEMANDED).absolute()
    if not BUILT.exists():
        pytest.skip("dist/askance is not there: `make dist` builds it")
    newest = max(file.stat().st_mtime for file in (ROOT / "src").rglob("*.py"))
    if not LOG.exists() or LOG.stat().st_mtime < newest:
        pytest.skip("dist/askance is older than the sources: `make dist` builds it anew")
    return BUILT


@asynccontextmanager
async def in_the_world(
    package: Package, script: ModelScript | None = None
) -> AsyncIterator[Package]:
    """Serve a world, its web behind a proxy: the package knows no names of loopback."""
    async with serving(script or knowing_model()) as (servers, _, _):
        names = names_of(*PAGES, port=servers["web"].port)
        ports = {name: port for name, (_, port) in names.items()}
        async with serve(forward_proxy(ports)) as proxy:
            yield package.among(
                ASKANCE_LLM__URL=servers["model"].url,
                ASKANCE_SEARCH__URL=servers["search"].url,
                ASKANCE_READER__PROXY=proxy.url,
            )
