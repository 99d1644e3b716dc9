"""Where a script has no font, it is said which and what installs one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from askance.app.checks.parts import check_fonts
from askance.system.qt_environment import (
    SCRIPTS,
    font_fix,
    font_problem,
    fonts_of_system,
    scripts_in,
    without_font,
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Plain words, 12.5 km: déjà vu, Ωμέγα, Москва.", []),
        ("日本", ["Chinese"]),
        ("かな漢字", ["Chinese", "Japanese"]),
        ("한국어", ["Korean"]),
        ("مرحبا שלום", ["Arabic", "Hebrew"]),
        ("हिन्दी ไทย", ["Hindi", "Thai"]),
    ],
)
def test_scripts_are_known_by_their_characters(text: str, names: list[str]) -> None:
    assert [script.name for script in scripts_in(text)] == names


def test_a_font_of_any_language_of_a_script_is_enough() -> None:
    assert without_font(scripts_in("日本"), lambda code: code == "ja") == []
    lacking = without_font(scripts_in("かな漢字"), lambda code: code == "zh-tw")
    assert [script.name for script in lacking] == ["Japanese"]


@pytest.mark.parametrize(
    ("program", "command"),
    [
        ("apt", "sudo apt install fonts-noto-cjk fonts-noto-core"),
        ("dnf", "sudo dnf install google-noto-sans-cjk-vf-fonts google-noto-sans-vf-fonts"),
        ("pacman", "sudo pacman -S noto-fonts noto-fonts-cjk"),
    ],
)
def test_what_installs_them_is_said_for_the_package_manager_that_is_there(
    program: str, command: str
) -> None:
    lacking = scripts_in("한국어, ไทย")
    assert "Korean, Thai" in font_problem(lacking)
    assert f"`{command}`" in font_fix(
        lacking, lambda name: name if name == program else None, "linux"
    )
    assert not font_fix(lacking, lambda _: None, "linux")
    assert not font_fix(lacking, lambda name: name, "darwin")


async def test_the_doctor_names_what_is_missing() -> None:
    well = await check_fonts(lambda: lambda _: True)
    ill = await check_fonts(lambda: lambda code: not code.startswith(("zh", "ja", "ko")))
    unknown = await check_fonts(lambda: None)
    assert (well.ok, ill.ok, unknown.ok) == (True, False, True)
    assert "Chinese, Japanese, Korean" in ill.message
    assert "Thai" not in ill.message


@pytest.mark.skipif(
    shutil.which("fc-list") is None, reason="no fontconfig: install the package fontconfig"
)
def test_fontconfig_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = fonts_of_system()
    assert own is not None
    assert own("de")
    assert not own("no language")
    nothing = tmp_path / "fonts.conf"
    nothing.write_text(f"<fontconfig><cachedir>{tmp_path}</cachedir></fontconfig>", "utf-8")
    monkeypatch.setenv("FONTCONFIG_FILE", str(nothing))
    has_font = fonts_of_system()
    assert has_font is not None
    assert without_font(SCRIPTS, has_font) == list(SCRIPTS)
