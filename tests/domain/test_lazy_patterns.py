"""Patterns that are compiled at their first use."""

from __future__ import annotations

import re

import pytest

from askance.domain.patterns import lazy_re


def test_a_lazy_pattern_does_what_a_compiled_one_does() -> None:
    lazy, compiled = (make(r"(?P<n>\d+)", re.IGNORECASE) for make in (lazy_re, re.compile))
    assert lazy.sub("#", "a1b22") == compiled.sub("#", "a1b22")
    assert [m["n"] for m in lazy.finditer("a1b22")] == ["1", "22"]
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (
        compiled.pattern,
        compiled.flags,
        compiled.groupindex,
    )


def test_a_lazy_pattern_is_compiled_when_it_is_used() -> None:
    broken = lazy_re("(")
    assert broken.pattern == "("
    with pytest.raises(re.error):
        broken.search("")
