"""What may lie beside the repository: collections of pages, texts and addresses that are not part of it."""

from __future__ import annotations

import os
from pathlib import Path

SHARED = Path(os.environ.get("ASKANCE_TEST_SHARED", Path(__file__).parents[2] / "shared"))
"""The folder of the collections. Benches and tests do without the ones that are not there."""
