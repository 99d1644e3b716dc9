"""What is fuzzed: functions of bytes that return where all is well, and raise where it is not."""

from __future__ import annotations

from collections.abc import Callable

from fuzz.targets import files, services, texts, web

Target = Callable[[bytes], None]

TARGETS: dict[str, Target] = {**web.TARGETS, **services.TARGETS, **texts.TARGETS, **files.TARGETS}
"""Every target by its name, which is also the folder of its seeds under `fuzz/corpus`."""
