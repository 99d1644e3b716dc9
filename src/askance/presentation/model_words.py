"""Downloads and offers of models in words, for the first page, the model list and the overlay."""

from __future__ import annotations

from askance.domain.downloads import (
    DownloadPhase,
    FoundServer,
    ModelDownload,
    ModelTier,
)
from askance.presentation.i18n import gigabytes, term, tr, translated

_MB = 1_000_000
# What takes longer is slow, and how slow follows from what else the machine does.
_SLOWEST_ANSWER_S = 300.0
TIER_NAMES = {"small": term("Small"), "medium": term("Medium"), "large": term("Large")}
_TITLES = {
    DownloadPhase.PAUSED: term("Paused"),
    DownloadPhase.OFFLINE: term("Offline"),
    DownloadPhase.DISK_FULL: term("Disk full"),
    DownloadPhase.DAMAGED: term("Damaged"),
    DownloadPhase.FAILED: term("Failed"),
}
_SENTENCES = {
    DownloadPhase.QUEUED: term("Waits for the other download."),
    DownloadPhase.CONNECTING: term("Connecting"),
    DownloadPhase.CHECKING: term("Verifying"),
    DownloadPhase.OFFLINE: term("No connection. It goes on by itself when there is one."),
    DownloadPhase.DONE: term("It is here."),
}
_BUTTONS = {
    DownloadPhase.PAUSED: term("Resume"),
    DownloadPhase.FAILED: term("Try again"),
    DownloadPhase.DISK_FULL: term("Try again"),
    DownloadPhase.OFFLINE: term("Try now"),
    DownloadPhase.BUSY: term("Try now"),
    DownloadPhase.DAMAGED: term("Download again"),
    DownloadPhase.RUNNING: term("Pause"),
}


def tier_name(tier: ModelTier) -> str:
    """Return what the tier is called."""
    return tr(TIER_NAMES[tier.key])


def tier_about(tier: ModelTier, answer_s: float, *, has_card: bool) -> str:
    """Say what a tier is good for, and how long an answer takes with it here, where that is known."""
    seconds = max(5, 5 * round(answer_s / 5))
    match tier.key:
        case "small":
            return tr("Short answers, quick on any laptop.")
        case _ if answer_s > _SLOWEST_ANSWER_S:
            return tr("Better answers, and slow on this processor.")
        case "medium" if answer_s:
            return tr("Good for research. An answer in about {s} s here.", s=seconds)
        case "medium":
            return tr("Good for research.")
        case _ if not answer_s:
            return tr("Best answers.")
        case _ if has_card:
            return tr("Best answers. An answer in about {s} s here.", s=seconds)
        case _:
            return tr("Best answers, about {s} s here: no graphics card.", s=seconds)


def server_about(server: FoundServer) -> str:
    """Say where a server listens, and how fast it has answered here before."""
    if not server.is_running:
        return tr("Ollama is installed, but not running.").removesuffix(".")
    place = server.url.removeprefix("http://")
    speed = round(server.words_per_s)
    return f"{place} · {tr('about {n} words a second', n=speed)}" if speed else place


def download_title(download: ModelDownload) -> str:
    """Return the word for how a download stands: it names its row."""
    return tr(_TITLES.get(download.phase, "Model"))


def download_text(download: ModelDownload, smaller: ModelTier | None = None) -> str:
    """Say in one sentence how far a download is, or what is wrong; `smaller` is a tier that has room."""
    phase = download.phase
    if phase in _SENTENCES:
        return tr(_SENTENCES[phase])
    if phase is DownloadPhase.RUNNING:
        parts = (size_of(download), _pace(download), left_text(download))
        return " · ".join(filter(None, parts))
    if phase is DownloadPhase.PAUSED:
        return tr("{size}, kept through a restart.", size=size_of(download))
    if phase is DownloadPhase.BUSY:
        return tr("{why} It goes on by itself.", why=translated(download.problem))
    if phase is DownloadPhase.DISK_FULL:
        return _disk_full(download, smaller)
    return translated(download.problem)


def size_of(download: ModelDownload) -> str:
    """Return how much of a download is here: `1.1 of 2.5 GB`."""
    done, whole = download.done_bytes, download.total_bytes
    return tr("{k} of {n} GB", k=done / 1_000 / _MB, n=gigabytes(whole))


def left_text(download: ModelDownload) -> str:
    """Return how long a download still takes; nothing where that is not known."""
    left = download.seconds_left
    # A minute more or less is what can be known of an hour.
    if left is None or left > 100 * 3600:
        return ""
    if left >= 600:
        return tr("{t} left", t=tr("{n} min", n=round(left / 60)))
    seconds = max(1, round(left))
    whole = tr("{min} min {s} s", min=seconds // 60, s=seconds % 60)
    return tr("{t} left", t=whole if seconds >= 60 else tr("{n} s", n=seconds))


def _pace(download: ModelDownload) -> str:
    pace = download.bytes_per_s / _MB
    return tr("{v} MB/s", v=pace if pace < 10 else round(pace)) if pace >= 0.05 else ""


def _disk_full(download: ModelDownload, smaller: ModelTier | None) -> str:
    needed = gigabytes(download.total_bytes - download.done_bytes)
    free = gigabytes(download.free_bytes)
    if smaller is None:
        return tr("{n} GB are needed and {m} GB are free.", n=needed, m=free)
    return tr(
        "{n} GB are needed and {m} GB are free. {tier} needs {k} GB.",
        n=needed,
        m=free,
        tier=tier_name(smaller),
        k=gigabytes(smaller.bytes),
    )


def button_of(phase: DownloadPhase) -> str:
    """Return what stands on the button beside a download."""
    return tr(_BUTTONS.get(phase, "Pause"))
