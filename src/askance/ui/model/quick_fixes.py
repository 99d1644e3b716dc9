"""What stands on the button of a failure that a click can fix."""

from __future__ import annotations

from askance.domain.fixes import FixKind
from askance.presentation.i18n import term, tr

_LABELS = {
    FixKind.START_SERVICES: term("Start it"),
    FixKind.ALLOW_SEARCH: term("Use built-in search"),
    FixKind.DOWNLOAD_MODEL: term("Choose a model"),
    FixKind.SET_UP_SEARCH: term("Set up search"),
    FixKind.DIAGNOSE: term("Find out why"),
    FixKind.USE_PROXY: term("Use the proxy"),
}


def label_of(fix: FixKind) -> str:
    """Return what stands on the button."""
    return tr(_LABELS[fix])
