"""The models that are offered for download, from `model_tiers.toml` beside this module."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from askance.domain.downloads import ModelTier


@cache
def model_tiers() -> tuple[ModelTier, ...]:
    """Return the models that are offered, the smallest first."""
    text = files("askance.app").joinpath("model_tiers.toml").read_text("utf-8")
    return tuple(ModelTier(**row) for row in tomllib.loads(text)["tier"])
