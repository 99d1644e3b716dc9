"""Versions of this program: how they are written, which is newer, and what is known of new ones."""

from __future__ import annotations

import re
from dataclasses import dataclass

from askance.domain.messages import NOTHING, Message

PROJECT = "askance/askance"
"""The repository on GitHub whose releases are the versions of this program: the one place that says so. A release is
refused in any other (tools/release.py)."""
RELEASES_PAGE = f"https://github.com/{PROJECT}/releases"

# Of PEP 440 what this project gives itself, with the `v` of its tags; no epochs, no local versions.
_VERSION = re.compile(r"v?([0-9]{1,5})\.([0-9]{1,5})(?:\.([0-9]{1,5}))?(?:(a|b|rc)([0-9]{1,4}))?")
_STAGES = ("a", "b", "rc")
_FINAL = len(_STAGES)

VersionKey = tuple[int, int, int, int, int]
"""Orders versions: a release stands behind its own pre-releases."""


def version_key(text: str) -> VersionKey | None:
    """Return what a version is ordered by; None where the text is no version."""
    found = _VERSION.fullmatch(text)
    if found is None:
        return None
    # `1.2` and `1.2.0` are one version: PEP 440 pads the shorter one with zeros.
    major, minor, patch, stage, number = found.groups()
    level = _STAGES.index(stage) if stage else _FINAL
    return int(major), int(minor), int(patch or 0), level, int(number or 0)


def is_prerelease(text: str) -> bool:
    """Whether a version is one that only testers want."""
    key = version_key(text)
    return key is not None and key[3] < _FINAL


@dataclass(frozen=True, slots=True)
class Release:
    """A published version and what its authors say has changed, which is foreign text."""

    version: str
    changes: str = ""


@dataclass(frozen=True, slots=True)
class UpdateState:
    """What is known of new versions. `asked_at` are the last requests, in seconds since 1970.

    `problem` is why the last request told nothing; empty where it did. `announced` is the version
    that the user was told of.
    """

    asked_at: tuple[float, ...] = ()
    releases: tuple[Release, ...] = ()
    problem: Message = NOTHING
    announced: str = ""

    def newer(self, than: str) -> tuple[Release, ...]:
        """Return the known releases behind a version, the newest first; pre-releases only to who has one."""
        # What has another form, such as a developer's `1.2.dev3`, stands in no order: it hears of none.
        own = version_key(than)
        if own is None:
            return ()
        found = [
            (key, release)
            for release in self.releases
            if (key := version_key(release.version)) is not None
            and key > own
            and (is_prerelease(than) or not is_prerelease(release.version))
        ]
        found.sort(key=lambda pair: pair[0], reverse=True)
        return tuple(release for _, release in found)
