"""Caches of what is worked out of texts and of their words: a run asks for the same again and again, the next one not."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper  # pyright: ignore[reportPrivateUsage]

_T = TypeVar("_T")

_caches: list[_lru_cache_wrapper[Any]] = []


def text_cache(maxsize: int) -> Callable[[Callable[..., _T]], _lru_cache_wrapper[_T]]:
    """Cache a function as `lru_cache` does, until `forget_texts`."""

    def cached(function: Callable[..., _T]) -> _lru_cache_wrapper[_T]:
        _caches.append(wrapper := lru_cache(maxsize)(function))
        return wrapper

    return cached


def forget_texts() -> None:
    """Empty these caches: after long pages they have megabytes, and the process lives for days."""
    for cache in _caches:
        cache.cache_clear()
