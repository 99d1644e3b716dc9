"""What is written for macOS, run here: only the answers of its kernel are a fake."""

from __future__ import annotations

import os
import struct
import sys
from types import SimpleNamespace

import pytest

from askance.system import ipc

# From macOS's <sys/ucred.h>: version, user, number of groups, sixteen groups.
XUCRED = struct.Struct("=IIh2x16I")
SOL_LOCAL, LOCAL_PEERCRED = 0, 1


pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no numbers of users: run it on Linux or macOS"
)


@pytest.fixture(autouse=True)
def macos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")


@pytest.mark.parametrize(("other", "is_ours"), [(0, True), (1, False)])
def test_the_user_at_the_other_end_is_that_of_the_kernel(other: int, is_ours: bool) -> None:
    def getsockopt(level: int, option: int, size: int) -> bytes:
        assert (level, option) == (SOL_LOCAL, LOCAL_PEERCRED)
        return XUCRED.pack(0, os.geteuid() + other, 1, *range(16))[:size]

    end = SimpleNamespace(getsockopt=getsockopt)
    assert ipc.is_ours(end) is is_ours  # type: ignore[arg-type]
