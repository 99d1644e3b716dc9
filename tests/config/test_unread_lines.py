"""A line of the settings file that is not understood changes nothing of the others, is named, and never
loosens what it guards."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.config.choices import AskMode
from askance.config.settings import Bar, Settings, field_names
from askance.config.sources import STRICTEST, Loaded, load, strictest_settings
from askance.domain.errors import SettingsError
from askance.domain.messages import Message
from sampled import examples

# One value of each setting that is stricter than its default, as it is written.
STRICT = {
    "ask.mode": '"chat"',
    "llm.preload": '"never"',
    "search.enabled": "false",
    "search.engines": '"mojeek"',
    "search.safesearch": "2",
    "search.proxy": '"socks5h://127.0.0.1:9050"',
    "search.in_process": '"refused"',
    "reader.mode": '"container_only"',
    "reader.proxy": '"http://127.0.0.1:21480"',
    "limits.rounds": "1",
    "trace.keep": "5",
    "cache.size_mb": "10",
    "ledger.keep_days": "7",
    "history.days": "30",
    "library.exclude": '["*.kdbx", "/private"]',
    "library.recall": '"only"',
    "library.keep_pages": "false",
    "library.pages_days": "30",
    "window.offer_quotes": "false",
    "window.notify": "false",
}
VALUES = ["7", "-1", '"x"', '""', "true", "[1]", "{ a = 1 }", "nan", "1979-05-27", "[]", "0x10"]
LETTERS = st.sampled_from([*"aeinorstx_-.=#[]\"' 0123456789"])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def value_of(settings: Settings, name: str) -> Any:
    section, _, field = name.partition(".")
    return getattr(getattr(settings, section), field)


def written(names: list[str]) -> list[str]:
    """The lines of a file that sets these to what is stricter than the default."""
    lines: list[str] = []
    for section in dict.fromkeys(name.partition(".")[0] for name in names):
        lines.append(f"[{section}]")
        lines += [
            f"{name.partition('.')[2]} = {STRICT[name]}"
            for name in names
            if name.partition(".")[0] == section
        ]
    return lines


def is_as_strict(loaded: Loaded, name: str, before: Settings) -> bool:
    """Whether a setting guards as much as it did before a line of the file was changed."""
    settings = loaded.settings
    strict = STRICTEST[name.partition(".")[0]]
    if value_of(settings, name) == value_of(before, name):
        return True
    if strict.bars is not None:
        return settings.why_barred(strict.bars) is not None
    return name in strict.values and value_of(settings, name) == strict.values[name]


@st.composite
def changed_files(draw: st.DrawFn) -> tuple[list[str], str]:
    """Names that a file sets strictly, and its text with one line changed."""
    names = draw(st.lists(st.sampled_from(sorted(STRICT)), min_size=1, max_size=8, unique=True))
    lines = written(names)
    at = draw(st.integers(0, len(lines) - 1))
    line = lines[at]
    where = draw(st.integers(0, len(line)))
    key, is_setting, _ = line.partition(" = ")
    ways = [
        line[:where] + draw(LETTERS) + line[where:],
        line[: max(0, where - 1)] + line[where:],
        line[: max(0, where - 1)] + draw(LETTERS) + line[where:],
        f"{key} = {draw(st.sampled_from(VALUES))}" if is_setting else line.replace("[", "[ "),
        f"{line}\n{line}",
        f"[{line}]",
        line.upper(),
    ]
    lines[at] = draw(st.sampled_from(ways))
    return names, "\n".join(lines) + "\n"


@examples(300)
@given(changed_files())
def test_no_changed_line_loosens_what_is_stricter_than_its_default(
    changed: tuple[list[str], str],
) -> None:
    names, text = changed
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "settings.toml")
        file.write_text("\n".join(written(names)), encoding="utf-8")
        before = load(file, {}).settings
        file.write_text(text, encoding="utf-8")
        try:
            loaded = load(file, {})
        except SettingsError:
            return  # nothing leaves, and nothing is kept: see below
    if not loaded.unread:
        return  # every line is understood: it says something else
    loosened = [name for name in names if not is_as_strict(loaded, name, before)]
    assert not loosened, (text, loaded.unread)


def test_each_section_that_guards_something_is_known() -> None:
    assert set(STRICTEST) <= set(Settings.model_fields)
    assert {n for strict in STRICTEST.values() for n in strict.values} <= set(field_names())
    assert {name.partition(".")[0] for name in STRICT} == set(STRICTEST)


@pytest.mark.parametrize("section", sorted(STRICTEST))
def test_a_line_of_a_section_that_is_not_understood_has_it_at_its_strictest(
    file: Path, section: str
) -> None:
    file.write_text(f"[{section}]\nnobody_knows_this = 1\n", encoding="utf-8")
    loaded = load(file, {"OLLAMA_HOST": "far.example"})
    assert [line.name for line in loaded.unread] == [f"{section}.nobody_knows_this"]
    assert loaded.unread[0].message.startswith(f"{file}: ")
    for held, strictest in STRICTEST[section].values.items():
        assert value_of(loaded.settings, held) == strictest
        assert loaded.settings.is_held(held)
    bars = STRICTEST[section].bars
    assert loaded.settings.bars == (frozenset({bars}) if bars else frozenset())


NEWER = """\
[history]
days = 0
[trace]
keep = 0
[reader]
proxy = "http://127.0.0.1:21480"
[search]
proxy = "socks5h://127.0.0.1:9050"
{odd}
"""


@pytest.mark.parametrize(
    ("odd", "name"),
    [
        ("[voice]\nenabled = true", "voice.enabled"),
        ("[voice]\nkeep_days = 30\nurl = 'http://a.example'", "voice.keep_days"),
        ("[voice.microphone]\ngain = 3", "voice.microphone"),
        ("[[voices]]\nname = 'x'", "voices"),
        ("[llm]\ncontext_tokens = 'many'", "llm.context_tokens"),
        ("[window]\ntheme = 'purple'", "window.theme"),
    ],
)
def test_a_line_of_a_newer_version_bars_nothing_and_leaves_the_rest(
    file: Path, odd: str, name: str
) -> None:
    file.write_text(NEWER.format(odd=odd), encoding="utf-8")
    notes: list[str] = []
    loaded = load(file, {}, note=notes.append)
    settings = loaded.settings
    assert (settings.history.days, settings.trace.keep) == (0, 0)
    assert settings.reader.proxy == "http://127.0.0.1:21480"
    assert settings.search.proxy == "socks5h://127.0.0.1:9050"
    assert settings.search.enabled
    assert settings.bars == frozenset()
    assert name in [line.name for line in loaded.unread]
    assert any(name in note for note in notes)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("[histry]\ndays = 0", "history.days"),
        ("[history]\ndyas = 0", "history.days"),
        ("[history]\ndays = flase_", None),
        ("[History]\nDays = 0", "history.days"),
        ("history = false", "history.days"),
        ("[[history]]\ndays = 0", "history.days"),
        ('proxy = "http://127.0.0.1:8118"', "search.enabled"),
        ('[reader]\nproxxy = "127.0.0.1:8118"', "search.enabled"),
        ('[trace]\nmode = "chat"', "ask.mode"),
        ('[reader]\nmode = "chat"', "ask.mode"),
    ],
)
def test_a_slip_in_a_name_is_taken_for_what_it_may_be(
    file: Path, text: str, held: str | None
) -> None:
    file.write_text(text, encoding="utf-8")
    if held is None:
        with pytest.raises(SettingsError):
            load(file, {})
        return
    settings = load(file, {}).settings
    assert settings.is_held(held)
    assert value_of(settings, held) in {False, AskMode.CHAT}


def test_what_stands_elsewhere_is_not_held(file: Path) -> None:
    file.write_text("[voice]\nenabled = false\n[history]\ndays = 30\n", encoding="utf-8")
    loaded = load(file, {"ASKANCE_SEARCH__ENABLED": "true"})
    settings = loaded.settings
    assert (settings.history.days, settings.search.enabled) == (30, True)
    assert loaded.unread[0].held == ()


@pytest.mark.parametrize("odd", ["days = 'x'", "keep = 'x'", "pages_days = 'x'"])
def test_nothing_is_deleted_for_a_limit_that_is_not_understood(file: Path, odd: str) -> None:
    section = {"days": "history", "keep": "trace", "pages_days": "library"}[odd.split()[0]]
    file.write_text(f"[{section}]\n{odd}\n", encoding="utf-8")
    settings = load(file, {}).settings
    assert settings.ledger.keep_days == 90
    assert settings.trace.keep in {200, 0}
    assert settings.library.pages_days in {0, 365}
    is_stored = {settings.history.days > 0, settings.trace.keep > 0, settings.library.keep_pages}
    assert len(is_stored) == 2


def test_settings_that_cannot_be_read_bar_everything_and_keep_their_look(file: Path) -> None:
    file.write_text("[window\n", encoding="utf-8")
    environment = {"ASKANCE_WINDOW__LANGUAGE": "de", "ASKANCE_HISTORY__DAYS": "30"}
    settings = strictest_settings(file, environment, Message("Broken."))
    assert settings.bars == frozenset(Bar)
    assert settings.window.language == "de"
    assert settings.is_held("history.days")
    with pytest.raises(SettingsError, match="Broken"):
        settings.refuse_if_barred(Bar.ALL)
    settings = strictest_settings(file, {"ASKANCE_LIMITS__ROUNDS": "many"}, Message("Broken."))
    assert (settings.history.days, settings.search.enabled) == (0, False)
    file.write_text("[window]\ntheme = 'dark'\n", encoding="utf-8")
    settings = strictest_settings(file, {"ASKANCE_LIMITS__ROUNDS": "many"}, Message("Broken."))
    assert (settings.window.theme, settings.history.days) == ("dark", 0)
