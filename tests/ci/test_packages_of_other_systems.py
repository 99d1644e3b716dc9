"""What builds and tries the packages of Windows and macOS, as far as it runs without them."""

from __future__ import annotations

import base64
import importlib.util
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tools import try_package
from tools.release import FILES
from tools.try_package import Broken, Machine

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
SCRIPT = (PACKAGING / "windows" / "askance.iss").read_text("utf-8")
SIGNED = {
    "MACOS_CERTIFICATE": "eA==",
    "MACOS_CERTIFICATE_PASSWORD": "y",
    "ASKANCE_CODESIGN_IDENTITY": "A1",
}
NOTARY = {
    "APPLE_NOTARY_KEY": base64.b64encode(b"key").decode(),
    "APPLE_NOTARY_KEY_ID": "ID",
    "APPLE_NOTARY_ISSUER": "issuer",
}


def loaded(name: str) -> ModuleType:
    file = PACKAGING / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"packaged_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


@pytest.fixture(scope="module")
def installer() -> Any:
    return loaded("windows/installer")


@pytest.fixture(scope="module")
def dmg() -> Any:
    return loaded("macos/dmg")


@pytest.mark.parametrize("name", ["windows/installer.py", "macos/dmg.py"])
def test_a_package_is_built_on_its_own_system(name: str) -> None:
    done = subprocess.run(  # noqa: S603
        [sys.executable, str(PACKAGING / name)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


def section(name: str) -> str:
    found = re.search(rf"^\[{name}\]$(.*?)(?=^\[|\Z)", SCRIPT, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_an_update_deletes_the_old_modules_before_it_copies_the_new_ones() -> None:
    deleted = set(re.findall(r'Name: "\{app\}\\([^"]+)"', section("InstallDelete")))
    assert deleted == {"_internal", "licences", "askance*.exe"}
    # Nobody's data is among them.
    assert "{localappdata}" not in section("InstallDelete") + section("UninstallDelete")


def test_the_installer_is_for_one_user_and_known_by_one_number() -> None:
    setup = section("Setup")
    assert "PrivilegesRequired=lowest" in setup
    assert "AppId={{77BF26E8-2015-4160-80ED-8C54DF59F6F8}" in setup


def test_the_installer_starts_programs_without_a_console() -> None:
    for name in ("Icons", "Run", "Registry"):
        assert "askance-window.exe" in section(name)
        assert "\\askance.exe" not in section(name)


def test_the_path_is_written_by_one_procedure_at_the_end_and_told_to_programs() -> None:
    assert "ChangesEnvironment=yes" in section("Setup")
    assert 'Name: "path"' in section("Tasks")
    assert "Environment" not in section("Registry")  # which would not take it out again
    code = section("Code")
    assert code.count("RegWriteExpandStringValue") == 1  # what has variables keeps them
    for call in ("SetInPath(WizardIsTaskSelected('path'))", "SetInPath(False)"):
        assert call in code


def test_the_autostart_of_the_installer_is_that_of_the_settings() -> None:
    source = (ROOT / "src/askance/system/integration.py").read_text("utf-8")
    for pattern in (r'_RUN = r"([^"]+)"', r'_VALUE = "([^"]+)"'):
        found = re.search(pattern, source)
        assert found is not None
        assert section("Registry").count(f'"{found[1]}"') == 2


def test_every_constant_of_the_script_is_given(installer: Any, tmp_path: Path) -> None:
    given = installer.definitions(tmp_path / "a", tmp_path, tmp_path / "i.ico", "1.2.0rc1")
    values = dict(line.removeprefix("/D").split("=", 1) for line in given)
    used = set(re.findall(r"\{#(\w+)\}", SCRIPT)) - {"Data"}
    assert used == values.keys()
    assert (values["Version"], values["NumericVersion"]) == ("1.2.0rc1", "1.2.0")


def test_the_compiler_is_found_where_it_installs_itself(installer: Any, tmp_path: Path) -> None:
    compiler = tmp_path / "x86" / "Inno Setup 6" / "ISCC.exe"
    compiler.parent.mkdir(parents=True)
    environment = {"ProgramFiles(x86)": str(tmp_path / "x86"), "ProgramFiles": str(tmp_path)}
    assert installer.find_compiler({**environment, "PATH": ""}) == ""
    compiler.touch()
    assert installer.find_compiler({**environment, "PATH": ""}) == str(compiler)


def test_the_archive_of_one_folder_is_always_the_same(installer: Any, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "_internal").mkdir(parents=True)
    for name in ("askance.exe", "_internal/b.dll", "_internal/a.dll"):
        (folder / name).write_text(name, "utf-8")
    one, two = tmp_path / "1.zip", tmp_path / "2.zip"
    installer.write_archive(folder, one)
    (folder / "askance.exe").touch()
    installer.write_archive(folder, two)
    assert one.read_bytes() == two.read_bytes()
    with zipfile.ZipFile(one) as packed:
        assert "Askance/_internal/a.dll" in packed.namelist()


def words(dmg: Any, tmp_path: Path, environment: Mapping[str, str]) -> list[str]:
    made = dmg.commands(tmp_path / "Askance.app", tmp_path / "a.dmg", tmp_path, environment)
    return [" ".join(command) for command in made]


def test_an_image_is_signed_and_notarised_only_with_what_that_takes(
    dmg: Any, tmp_path: Path
) -> None:
    plain = words(dmg, tmp_path, {})
    assert any(line.startswith("hdiutil create") for line in plain)
    assert not any("--sign" in line or "notarytool" in line for line in plain)
    signed = words(dmg, tmp_path, SIGNED)
    assert sum("--sign A1" in line for line in signed) == 1
    assert not any("notarytool" in line for line in signed)
    whole = words(dmg, tmp_path, {**SIGNED, **NOTARY})
    order = [
        word
        for line in whole
        for word in ("hdiutil", "--sign", "submit", "staple")
        if f" {word} " in f" {line} "
    ]
    assert order == ["hdiutil", "--sign", "submit", "staple"]
    assert (tmp_path / "notary.p8").read_bytes() == b"key"


@pytest.mark.parametrize(
    ("environment", "is_complete"),
    [
        ({}, True),
        (SIGNED, True),
        ({**SIGNED, **NOTARY}, True),
        (NOTARY, False),
        ({"MACOS_CERTIFICATE": "eA=="}, False),
        ({**SIGNED, "APPLE_NOTARY_KEY": "eA=="}, False),
        # A secret that is not set comes as an empty one.
        (dict.fromkeys([*SIGNED, *NOTARY], ""), True),
    ],
)
def test_half_of_what_signing_takes_is_said_at_once(
    dmg: Any, environment: dict[str, str], is_complete: bool
) -> None:
    assert (dmg.incomplete(environment) == "") is is_complete


def test_the_identity_is_taken_by_its_hash(dmg: Any) -> None:
    name = "0123456789ABCDEF0123456789ABCDEF01234567"
    listed = (
        f'  1) {name} "Developer ID Application: Somebody (ABC)"\n     1 valid identities found\n'
    )
    assert dmg.identity_in(listed) == name
    with pytest.raises(SystemExit):
        dmg.identity_in("     0 valid identities found\n")


def test_the_names_are_those_of_a_release(installer: Any, dmg: Any) -> None:
    names = {name.format(version="1.2.0") for name in FILES}
    for processor in ("arm64", "x86_64"):
        assert dmg.image_of(Path(), "1.2.0", processor).name in names
    base = re.search(r"^OutputBaseFilename=(.*)$", SCRIPT, re.MULTILINE)
    assert base is not None
    assert base[1].replace("{#Version}", "1.2.0") + ".exe" in names


class Windows:
    """A machine on which the installer does what Inno Setup's does."""

    def __init__(self, root: Path, *, leaves: str = "", version: str = "1.2.0") -> None:
        self.folder = root / "Programs" / "Askance"
        self.leaves, self.version = leaves, version
        self.ran: list[str] = []
        self.path: list[str] = []

    def run(self, command: list[str], environment: Mapping[str, str]) -> str:
        assert "PYTHONPATH" not in environment
        program = Path(command[0]).name
        if program == "powershell.exe":
            return ";".join(["C:\\Tools", *self.path]) + "\n"
        self.ran.append(program)
        if program == "unins000.exe":
            if self.leaves != "folder":
                _delete(self.folder)
            if self.leaves != "path":
                self.path.clear()
            return ""
        if program.endswith("-setup.exe"):
            if not self.path or self.leaves == "twice":
                self.path.append(str(self.folder))
            if self.leaves != "modules":
                _delete(self.folder)
            self.folder.mkdir(parents=True, exist_ok=True)
            return ""
        if command[1:] == ["--version"]:
            return f"askance {self.version}\n"
        return "A lighthouse [1].\n" if self.leaves != "answer" else "A lighthouse.\n"


def _delete(folder: Path) -> None:
    for file in sorted(folder.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    if folder.exists():
        folder.rmdir()


SETUP = Path("askance-1.2.0-windows-x86_64-setup.exe")


def tried(windows: Windows, root: Path) -> None:
    around = {"LOCALAPPDATA": str(root), "SYSTEMROOT": "C:\\Windows"}
    try_package.try_installer(SETUP, Machine(around, windows.run))


def test_an_installer_is_tried_from_installing_to_removing(tmp_path: Path) -> None:
    windows = Windows(tmp_path)
    tried(windows, tmp_path)
    assert windows.ran == [SETUP.name, *["askance.exe"] * 2] * 2 + ["unins000.exe"]


@pytest.mark.parametrize(
    "fault",
    [
        {"leaves": "modules"},
        {"leaves": "answer"},
        {"leaves": "path"},
        {"leaves": "twice"},
        {"version": "1.1.0"},
    ],
    ids=str,
)
def test_an_installer_that_is_broken_is_found(tmp_path: Path, fault: dict[str, str]) -> None:
    with pytest.raises(Broken):
        tried(Windows(tmp_path, **fault), tmp_path)


@pytest.mark.parametrize("is_signed", [True, False])
def test_an_image_is_given_back_whatever_happens(tmp_path: Path, is_signed: bool) -> None:
    ran: list[str] = []

    def run(command: list[str], environment: Mapping[str, str]) -> str:
        name = Path(command[0]).name
        ran.append(" ".join([name, *command[1:2]]))
        if name == "hdiutil" and command[1] == "attach":
            assert Path(command[command.index("-mountpoint") + 1]).is_dir()
        if name == "codesign" and not is_signed:
            raise Broken("code has no resources but signature indicates they must be present")
        return "askance 1.2.0\n" if command[1:] == ["--version"] else "A lighthouse [1].\n"

    image = Path("askance-1.2.0-macos-arm64.dmg")
    if is_signed:
        try_package.try_one(image, tmp_path, Machine({}, run))
        assert ran[-2:] == ["askance --version", "askance demo"]
    else:
        with pytest.raises(Broken):
            try_package.try_one(image, tmp_path, Machine({}, run))
    assert "hdiutil detach" in ran


def test_a_file_of_another_kind_is_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(Broken):
        try_package.try_one(Path("askance_1.2.0_amd64.deb"), tmp_path, Machine({}, lambda *_: ""))
    assert try_package.main([str(tmp_path)]) == 1


def test_a_folder_that_stays_is_found(tmp_path: Path) -> None:
    assert not try_package.gone(tmp_path, limit_s=0)
    assert try_package.gone(tmp_path / "removed", limit_s=0)


def test_the_package_is_started_without_this_python(tmp_path: Path) -> None:
    around = try_package.clean({"PATH": str(tmp_path), "PYTHONPATH": "x", "HOME": "/h"})
    assert str(tmp_path) not in around["PATH"]
    assert "PYTHONPATH" not in around
    assert around["HOME"] == "/h"
