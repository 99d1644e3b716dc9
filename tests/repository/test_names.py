"""A class name stands for one thing, and names are the words that a developer would search for."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from repository.places import SOURCES, python_files

PRIVATE_WORDS = re.compile(
    r"(?:^|_)(?:told|tells?|telling|said|says?|heard|hear|kept|keep)(?:_|$)", re.IGNORECASE
)
# What is left: settings and fields of other programs (`keep_days`, `keep_alive`), `Source.kept` of stored
# answers, `file.tell()`, and `keep` where it is the verb of the thing itself (`_keep_focus`).
MOST_PRIVATE_USES = 50


def names_in(tree: ast.AST) -> Iterator[str]:
    """Yield every identifier that stands in a module, each as often as it does."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield name
            case ast.AsyncFunctionDef(name=name) | ast.Name(id=name):
                yield name
            case ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case _:
                pass


def twice(modules: Iterable[tuple[str, ast.AST]]) -> dict[str, list[str]]:
    """Return the names of public classes that several places define, with these."""
    places = defaultdict[str, list[str]](list)
    for module, tree in modules:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module)
    return {name: found for name, found in places.items() if len(found) > 1}


def sources() -> Iterator[tuple[str, ast.AST]]:
    """Yield the modules of the program with their paths; to keep all of them would take longer."""
    for file in python_files(SOURCES):
        yield file.relative_to(SOURCES).as_posix(), ast.parse(file.read_text(encoding="utf-8"))


def test_no_class_has_the_name_of_another_and_no_private_word_comes_back() -> None:
    """A message is a message, a callback `on_progress`, a record is stored: docs/writing.md has the terms."""
    uses = Counter[str]()

    def counted() -> Iterator[tuple[str, ast.AST]]:
        for module, tree in sources():  # each is parsed once
            uses.update(filter(PRIVATE_WORDS.search, names_in(tree)))
            yield module, tree

    assert twice(counted()) == {}
    assert uses.total() <= MOST_PRIVATE_USES, uses.most_common()


def test_a_second_class_of_a_name_and_a_private_word_are_found() -> None:
    one = ast.parse("class Reading: ...\n\nclass _Own: ...")
    other = ast.parse(
        "class Reading:\n    def f(self, said): return self.told_all\n\nclass _Own: ..."
    )
    assert twice([("a.py", one), ("b.py", other)]) == {"Reading": ["a.py", "b.py"]}
    private = [name for name in names_in(other) if PRIVATE_WORDS.search(name)]
    assert sorted(private) == ["said", "told_all"]
    assert not PRIVATE_WORDS.search("essay_of")
    assert not PRIVATE_WORDS.search("untold")
