"""All regular expressions of the program: those that its source writes, and those that its modules hold."""

from __future__ import annotations

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from askance.domain.patterns import LazyPattern
from patterns.steps import Use

SOURCE = Path(__file__).parents[2] / "src"
_FUNCTIONS = {
    "match": Use.MATCH,
    "fullmatch": Use.FULL,
    **dict.fromkeys(("search", "sub", "subn", "split", "findall", "finditer"), Use.SEARCH),
}
_USES_RE = re.compile(rf"\bre\.(?:compile|{'|'.join(_FUNCTIONS)})\b|\blazy_re\(")
_LOOKED_AT = (ast.Call, ast.Name, ast.Attribute, ast.ImportFrom)
_ATTRIBUTES = {"pattern", "flags", "groups", "groupindex"}


@dataclass(frozen=True, slots=True)
class Collected:
    """A pattern, where it stands (`askance.text.ranking.urls._TRACKING`), and how it is used."""

    module: str
    place: str
    pattern: str
    flags: int
    use: Use


def modules_with_patterns() -> list[str]:
    """Return the names of the modules that may hold patterns, without reading them as Python."""
    return [_name_of(path) for path in _files() if _USES_RE.search(path.read_text("utf-8"))]


@cache
def collect() -> list[Collected]:
    """Return every pattern, once for each place. It takes seconds, once.

    A pattern whose uses cannot be seen, because it is handed about, counts as one that searches.
    """
    modules = dict(_modules())
    uses = _uses(modules)
    found: dict[tuple[str, str], Collected] = {}
    for name, (module, nodes) in modules.items():
        for variable, pattern in _held(module):
            use = uses.get((name, variable), {Use.SEARCH})
            found[name, pattern.pattern] = Collected(
                name, f"{name}.{variable}", pattern.pattern, pattern.flags, _widest(use)
            )
        for line, pattern, flags, use in _written(nodes, module):
            key = (name, pattern)
            if key not in found:
                found[key] = Collected(name, f"{name}:{line}", pattern, flags, use)
    return list(found.values())


def unread_calls() -> list[str]:
    """Return the places where `re` is called with a pattern that is made while the program runs."""
    found: list[str] = []
    for name, (module, nodes) in _modules():
        found += [
            f"{name}: {ast.unparse(call)}"
            for call, _ in _calls(nodes)
            if _evaluated(call.args[0], module) is None
        ]
    return found


def _files() -> list[Path]:
    return [path for path in sorted(SOURCE.rglob("*.py")) if path.stem != "__main__"]


def _name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _nodes(path: Path) -> list[ast.AST]:
    """Return those nodes of a file that are looked at here."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, _LOOKED_AT)]


def _modules() -> Iterator[tuple[str, tuple[ModuleType, list[ast.AST]]]]:
    for path in _files():
        nodes = _nodes(path)
        if any(True for _ in _calls(nodes)):
            name = _name_of(path)
            yield name, (importlib.import_module(name), nodes)


def _calls(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.Call, str]]:
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id == "lazy_re":
            yield node, "compile"
        elif (
            isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and (node.func.attr in _FUNCTIONS or node.func.attr == "compile")
        ):
            yield node, node.func.attr


def _held(module: ModuleType) -> Iterator[tuple[str, re.Pattern[str]]]:
    for variable, value in vars(module).items():
        for pattern in _patterns_in(value):
            yield variable, pattern


def _patterns_in(value: Any, depth: int = 3) -> Iterator[Any]:
    if isinstance(value, re.Pattern | LazyPattern):
        yield value
    elif depth and isinstance(value, Mapping):
        for inner in [*value.keys(), *value.values()]:
            yield from _patterns_in(inner, depth - 1)
    elif depth and isinstance(value, tuple | list | set | frozenset):
        for inner in value:
            yield from _patterns_in(inner, depth - 1)


def _written(nodes: Iterable[ast.AST], module: ModuleType) -> Iterator[tuple[int, str, int, Use]]:
    for call, method in _calls(nodes):
        pattern = _evaluated(call.args[0], module)
        if isinstance(pattern, str):
            yield call.lineno, pattern, _flags(call, module), _FUNCTIONS.get(method, Use.SEARCH)


def _flags(call: ast.Call, module: ModuleType) -> int:
    given = [word.value for word in call.keywords if word.arg == "flags"]
    given += [argument for argument in call.args[1:] if "re." in ast.unparse(argument)]
    return sum(int(_evaluated(flag, module) or 0) for flag in given)


def _evaluated(node: ast.expr, module: ModuleType) -> Any:
    """Return what an expression of constants of the module is, or None where it needs more."""
    try:
        return eval(compile(ast.Expression(node), "<pattern>", "eval"), dict(vars(module)))  # noqa: S307
    except NameError:
        return None


def _uses(
    modules: Mapping[str, tuple[ModuleType, list[ast.AST]]],
) -> dict[tuple[str, str], set[Use]]:
    """Return how each name of each module is used, wherever it was imported to."""
    found: defaultdict[tuple[str, str], set[Use]] = defaultdict(set)
    for path in _files():
        name, nodes = _name_of(path), _nodes(path)
        home = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        called = {id(node): use for node, use in _used(nodes)}
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                where = home.get(node.id, (name, node.id))
                if where[0] in modules:
                    found[where].add(called.get(id(node), Use.SEARCH))
    return found


def _used(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.Name, Use]]:
    """Yield the names whose method is called. One that is laid at a place is laid at many."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            inner = node.func.value
            if isinstance(inner, ast.Name) and node.func.attr in _FUNCTIONS:
                # One that is laid at a place, without an end, may be laid at every place.
                use = _FUNCTIONS[node.func.attr]
                yield inner, Use.SEARCH if len(node.args) == 2 else use
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.attr in _ATTRIBUTES
        ):
            yield node.value, Use.FULL


def _widest(uses: Iterable[Use]) -> Use:
    return next(use for use in (Use.SEARCH, Use.MATCH, Use.FULL) if use in set(uses))
