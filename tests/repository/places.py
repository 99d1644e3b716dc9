"""The files that a rule looks at. A rule that names a folder must not pass because nothing is there."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "askance"


def python_files(*folders: Path) -> list[Path]:
    """Return the Python files below folders, each of which has some."""
    found: list[Path] = []
    for folder in folders:
        files = sorted(folder.rglob("*.py"))
        assert files, f"a rule looks into {folder.relative_to(ROOT)}, and nothing is there"
        found += files
    return found
