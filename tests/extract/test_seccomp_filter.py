"""The program that judges system calls, run by an interpreter of its own for both machines."""

from __future__ import annotations

import errno
import platform
import re
import struct
from pathlib import Path

import pytest

from askance.extract.sandbox import kernel
from askance.extract.sandbox.kernel import (
    COMPUTE,
    CONVERSE,
    MACHINES,
    Machine,
    Rules,
    SeccompAction,
    program,
)

TABLES = (kernel.COMPUTING, kernel.FILES, kernel.NETWORK, kernel.PROGRAMS,
          kernel.CLONES, kernel.SIGNALS, kernel.INTRUSIONS)  # fmt: skip
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


def judged(code: bytes, number: int, audit: int) -> int:
    """Run a filter on a call, as the kernel would."""
    lines = list(struct.iter_unpack("=HBBI", code))
    call = struct.pack("=II", number, audit)
    at, accumulator = 0, 0
    while True:
        operation, yes, no, value = lines[at]
        at += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", call, value)
            case 0x15:
                at += yes if accumulator == value else no
            case 0x35:
                at += yes if accumulator >= value else no
            case 0x06:
                return value
            case _:
                raise AssertionError(hex(operation))


@pytest.fixture(params=sorted(MACHINES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def machine(name: str) -> Machine:
    return MACHINES[name]


def test_the_numbers_are_those_of_the_kernel_s_own_headers(name: str, machine: Machine) -> None:
    if not HEADERS[name].exists():
        pytest.skip("the headers of the kernel are not installed: install linux-libc-dev")
    text = HEADERS[name].read_text("ascii")
    defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text))
    defined.setdefault("newfstatat", defined.get("fstatat", ""))
    ours = {call: both[machine.column] for table in TABLES for call, both in table.items()}
    newer = {call for call in ours if call not in defined and (ours[call] or 0) >= 440}
    differing = {
        call: number
        for call, number in ours.items()
        if call not in newer and defined.get(call, "None") != str(number)
    }
    assert differing == {}


def test_each_call_is_judged_as_its_table_says(machine: Machine) -> None:
    code = program(COMPUTE, SeccompAction.UNKNOWN, machine)
    for numbers, action in COMPUTE:
        for call, both in numbers.items():
            if (number := both[machine.column]) is not None:
                assert judged(code, number, machine.audit) == action, call
    assert judged(code, 4_000, machine.audit) == SeccompAction.UNKNOWN


def test_refusals_carry_the_number_of_the_error() -> None:
    assert SeccompAction.REFUSE & 0xFFFF == errno.EACCES
    assert SeccompAction.UNKNOWN & 0xFFFF == errno.ENOSYS


@pytest.mark.parametrize("rules", [COMPUTE, CONVERSE])
def test_calls_of_another_machine_end_the_process(rules: Rules, machine: Machine) -> None:
    code = program(rules, SeccompAction.ALLOW, machine)
    reads = kernel.COMPUTING["read"][machine.column]
    assert reads is not None
    assert judged(code, reads, machine.audit) == SeccompAction.ALLOW
    for other in (0x4000_0003, 0, *(m.audit for m in MACHINES.values() if m != machine)):
        assert judged(code, reads, other) == SeccompAction.END
    # x32: the same machine, a second set of calls.
    assert judged(code, 0x4000_0000 | reads, machine.audit) == SeccompAction.END


def test_no_call_stands_in_two_tables() -> None:
    names = [call for table in TABLES for call in table]
    assert len(names) == len(set(names))


@pytest.mark.skipif(platform.system() != "Linux", reason="Linux alone has it: run it on Linux")
def test_this_machine_is_known_or_named() -> None:
    from askance.extract.sandbox.kernel import this_machine  # noqa: PLC0415

    known = MACHINES.get(platform.machine())
    if known is None:
        with pytest.raises(OSError, match=platform.machine()):
            this_machine()
    else:
        assert this_machine() == known
