"""`askance doctor` on what holds for the processes that take pages apart."""

from __future__ import annotations

import asyncio
import re
import sys
from dataclasses import dataclass, field

import pytest

from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import SystemResolver
from askance.app.checks.first_steps import CheckResult
from askance.app.checks.parts import check_confinement
from askance.config.settings import ReaderSettings
from askance.extract.sandbox import Protection, Protections
from cli.commands.examination import lines, look, made_healthy
from cli.fake_shell import FakeReader, FakeShell

ALL = Protections(landlock=7)
CONTAINER = Protections({Protection.NAMESPACE: "Operation not permitted"}, landlock=4)
OLD = Protections(
    dict.fromkeys((Protection.LANDLOCK, Protection.SECCOMP), "Function not implemented")
)


@dataclass
class HeldReader(FakeReader):
    """A reader whose children are held in some ways."""

    held: Protections = field(default_factory=Protections)

    async def protections(self) -> Protections:
        return self.held


def found(protections: Protections) -> CheckResult:
    return asyncio.run(check_confinement(HeldReader(held=protections)))


def test_all_that_holds_is_named() -> None:
    assert found(ALL).ok
    held = found(ALL).message.partition(": ")[2]
    assert held.endswith(", Landlock 7, seccomp.")
    assert held.count(", ") == 4


def test_what_is_missing_stands_with_its_reason() -> None:
    assert found(CONTAINER).ok
    assert found(CONTAINER).message.endswith(
        " Landlock 4, seccomp. Not here: network namespace: Operation not permitted."
    )


@pytest.mark.parametrize("missing", [OLD, Protections(dict.fromkeys(Protection, "not here"))])
def test_a_machine_that_holds_little_says_what_that_means(missing: Protections) -> None:
    finding = found(missing)
    assert not finding.ok
    assert finding.fix
    # Pages are read all the same.


def test_the_command_has_a_line_for_it(fake_shell: FakeShell) -> None:
    made_healthy(fake_shell)
    fake_shell.app.reader = HeldReader(pages=fake_shell.app.reader.pages, held=CONTAINER)
    assert look(fake_shell) == 0
    assert re.match(r"✓ .*: memory ", lines(fake_shell)["confinement"])


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has these: run it on Linux")
async def test_a_real_child_of_this_machine_tells_what_holds_for_it() -> None:
    async with InProcessReader(ReaderSettings(), resolver=SystemResolver()) as reader:
        finding = await check_confinement(reader)
    assert "memory limit" in finding.message
