"""How likely a text is in each of 139 languages: py3langid, loaded where a text is not plainly of one."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_loading = Lock()
# What the model calls otherwise, and what is read and searched as one language.
_CODES = {
    "no": "nb", "nn": "nb", "pcm": "en", "ary": "ar", "arz": "ar", "yue": "zh", "wuu": "zh",
}  # fmt: skip


def likelihoods(text: str) -> dict[str, float]:
    """Return how likely a text is in each language, by codes of ISO 639, the likeliest first.

    Loading the model takes half a second and 75 MB, once a process. It is unpacked into a temporary file:
    where the disk is full nothing is returned, and the next call tries again.
    """
    found: defaultdict[str, float] = defaultdict(float)
    try:
        model = _model()
    except OSError:
        return found
    for code, likelihood in model.rank(text):
        own = _CODES.get(code, code)
        found[own] = max(found[own], likelihood)
    return found


def forget_model() -> None:
    """Let the memory of the model go, where nobody has asked for a while: it is loaded again where a text needs it."""
    with _loading:
        _loaded.cache_clear()


def is_loaded() -> bool:
    """Say whether the model is in memory."""
    return _loaded.cache_info().currsize > 0


def _model() -> LanguageIdentifier:
    with _loading:
        return _loaded()


@lru_cache(maxsize=1)
def _loaded() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
