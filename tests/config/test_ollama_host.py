"""Ollama's own variable, which says where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from askance.config.sources import address_of_ollama, load, load_settings

DEFAULT = "http://127.0.0.1:11434"


@pytest.mark.parametrize(
    ("variable", "address"),
    [
        ("", ""),
        ("  ", ""),
        ("attic", "http://attic:11434"),
        ("attic:8080", "http://attic:8080"),
        ("192.0.2.7:11500", "http://192.0.2.7:11500"),
        (":11500", "http://127.0.0.1:11500"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104 - an address to be read
        ("0.0.0.0:11500", "http://127.0.0.1:11500"),
        ("[::]:11500", "http://[::1]:11500"),
        ("[::1]", "http://[::1]:11434"),
        ("::1", "http://[::1]:11434"),
        ("http://attic", "http://attic:80"),
        ("https://attic.example/ollama/", "https://attic.example:443/ollama"),
        ("https://attic.example:8443", "https://attic.example:8443"),
        ('"attic:8080"', "http://attic:8080"),
        ("ftp://attic", ""),
        ("attic:port", ""),
        ("attic:99999", ""),
    ],
)
def test_it_is_read_as_ollama_reads_it(variable: str, address: str) -> None:
    assert address_of_ollama({"OLLAMA_HOST": variable}) == address


def test_it_stands_for_the_default_and_is_named_as_the_origin() -> None:
    loaded = load(None, {"OLLAMA_HOST": "127.0.0.1:11500"})
    settings, origins = loaded.settings, loaded.origins
    assert settings.llm.url == "http://127.0.0.1:11500"
    assert origins == {"llm.url": "OLLAMA_HOST"}
    assert load_settings(None, {}).llm.url == DEFAULT


def test_every_setting_of_askance_wins_over_it(tmp_path: Path) -> None:
    ollama = {"OLLAMA_HOST": "127.0.0.1:11500"}
    file = tmp_path / "settings.toml"
    file.write_text('[llm]\nurl = "http://127.0.0.1:1"\n', "utf-8")
    assert load_settings(file, ollama).llm.url == "http://127.0.0.1:1"
    variable = {**ollama, "ASKANCE_LLM__URL": "http://127.0.0.1:2"}
    assert load_settings(file, variable).llm.url == "http://127.0.0.1:2"
    overrides = {"llm.url": "http://127.0.0.1:3"}
    assert load_settings(file, ollama, overrides).llm.url == "http://127.0.0.1:3"
