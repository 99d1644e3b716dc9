"""What the environment sets is for this process alone: saving a setting writes that one and no other."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from askance.config.sources import set_value
from askance.ui.settings.source import SettingsSource

SECRET = "hush-hush-hush"  # noqa: S105 - it opens nothing
ENVIRONMENT = {
    "ASKANCE_LIBRARY__QDRANT_KEY": SECRET,
    "ASKANCE_LLM__API_KEY": SECRET,
    "ASKANCE_LLM__MODEL": "of-the-environment",
    "ASKANCE_READER__PROXY": f"http://user:{SECRET}@127.0.0.1:8080",
    "ASKANCE_SERVER__HOSTS": "a.example, b.example",
    "OLLAMA_HOST": "10.0.0.7:1234",
}
BEFORE = "# mine\n[answer]\n\n[limits]\nrounds = 3\n"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("limits.rounds", "4", 4), ("library.qdrant_url", "http://127.0.0.1:6333", "http://127.0.0.1:6333"),
     ("ask.mode", "chat", "chat")],
)  # fmt: skip
@pytest.mark.parametrize("is_window", [True, False], ids=["the window", "the command"])
def test_saving_a_setting_writes_nothing_of_the_environment(
    tmp_path: Path, name: str, text: str, value: object, is_window: bool
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(BEFORE, "utf-8")
    if is_window:
        source = SettingsSource(file, ENVIRONMENT)
        assert source.load().library.qdrant_key.get_secret_value() == SECRET
        source.write(name, text)
    else:
        set_value(name, text, file)
    written = tomllib.loads(file.read_text("utf-8"))
    section, _, field = name.partition(".")
    wanted: dict[str, dict[str, object]] = {"answer": {}, "limits": {"rounds": 3}}
    wanted.setdefault(section, {})[field] = value
    assert written == wanted
    assert SECRET not in "".join(path.read_text("utf-8") for path in tmp_path.iterdir())
