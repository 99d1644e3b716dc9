"""Folders and files are made in one module, so that none of them is open to others by chance.

What takes the place of another is put there by one function, so that none is ever there in part.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from repository.places import SOURCES, python_files

MAKES = {
    *("mkdir", "makedirs", "touch", "write_text", "write_bytes", "chmod", "fchmod", "mkfifo"),
    *("mkstemp", "mkdtemp", "NamedTemporaryFile", "TemporaryFile", "TemporaryDirectory"),
    *("copy", "copy2", "copyfile", "copytree", "move"),
}  # fmt: skip
MODULES_OF_COPIES = {"shutil"}
# Who may do it, and why.
ALLOWED = {
    # The one place.
    "config/private_files.py": {"mkdir", "chmod", "fchmod", "open for writing", "rename"},
    # Modes are taken away, from databases that are there; damaged ones are moved out of the way.
    "adapters/storage/database.py": {"chmod", "rename"},
    # Whole parts of the log become older ones.
    "config/diagnostics.py": {"rename"},
    # Tickets without content, whose name is all there is of them.
    "adapters/llm/model_queue.py": {"rename"},
    # Without a name, and gone with its process.
    "adapters/llm/embedded.py": {"TemporaryFile"},
    # So is the unpacked model of languages, which is mapped.
    "text/languages/language_model.py": {"TemporaryFile"},
    # In a folder that is closed to others; users in containers read the files.
    "adapters/containers/compose_project.py": {"chmod", "copytree", "copyfile"},
    # The pipe of the window under Windows, and places for output that nobody wants.
    "system/ipc.py": {"open for writing"},
    "cli/exits.py": {"open for writing"},
    "server/serving.py": {"open for writing"},
    "__main__.py": {"open for writing"},
}


def made_in(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = called(node.func)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name in {"copy", "copy2", "copyfile", "copytree", "move"}:
            if isinstance(owner, ast.Name) and owner.id in MODULES_OF_COPIES:
                yield name
        elif name in {"rename", "replace"}:
            if renames(node, owner):
                yield "rename"
        elif name in MAKES or name == "QSettings":
            yield name
        elif name == "open" and writes(node):
            yield "open for writing"


def called(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def renames(call: ast.Call, owner: ast.expr | None) -> bool:
    """Whether it is of `os`, or of a path: texts and dates are replaced by more than one argument."""
    is_of_os = isinstance(owner, ast.Name) and owner.id == "os"
    return is_of_os or (len(call.args) == 1 and not call.keywords)


def writes(call: ast.Call) -> bool:
    """Whether a call of something named `open` may write: by its mode, or by the flags of `os.open`."""
    given = [*call.args, *(word.value for word in call.keywords)]
    modes = [a.value for a in given if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    is_mode = any(set(mode) <= set("rwxabt+") and set(mode) & set("wxa+") for mode in modes if mode)
    flags = {node.attr for a in given for node in ast.walk(a) if isinstance(node, ast.Attribute)}
    return is_mode or bool(flags & {"O_WRONLY", "O_RDWR", "O_CREAT"}) or "flags" in names(given)


def names(given: list[ast.expr]) -> set[str]:
    return {node.id for a in given for node in ast.walk(a) if isinstance(node, ast.Name)}


def test_nobody_makes_a_file_or_a_folder_elsewhere() -> None:
    found = {
        path.relative_to(SOURCES).as_posix(): set(made_in(path)) for path in python_files(SOURCES)
    }
    assert {name: made for name, made in found.items() if made} == ALLOWED


def test_the_rule_sees_every_way_to_make_one(tmp_path: Path) -> None:
    ways = {
        "import shutil, os, tempfile": set(),
        "path.mkdir()": {"mkdir"},
        "os.makedirs('x')": {"makedirs"},
        "path.open('wb')": {"open for writing"},
        "open(path, mode='a')": {"open for writing"},
        "path.open('rb')": set(),
        "os.open(path, os.O_CREAT | os.O_WRONLY)": {"open for writing"},
        "os.open(path, os.O_RDONLY)": set(),
        "tempfile.mkstemp()": {"mkstemp"},
        "shutil.copyfile(a, b)": {"copyfile"},
        "text.copy()": set(),
        "os.replace(a, b)": {"rename"},
        "path.rename(other)": {"rename"},
        "path.replace(other)": {"rename"},
        "text.replace('a', 'b')": set(),
        "replace(page, text='')": set(),
        "path.write_text('x')": {"write_text"},
    }
    file = tmp_path / "module.py"
    for source, expected in ways.items():
        file.write_text(source, encoding="utf-8")
        assert set(made_in(file)) == expected, source
