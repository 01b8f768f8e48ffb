"""Names to plugins: decorators inside, entry points outside, near-miss hints, nothing imported early."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.metadata
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from lookaway.errors import LookawayError, UnknownName


class Plugin(Protocol):
    """What every plugin record has; kinds add their own fields."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def function(self) -> Callable[..., Any]: ...


P = TypeVar("P", bound=Plugin)


class Registry(Generic[P]):
    """All plugins of one kind. Built-ins are the modules of `package`; outsiders use the entry point group.

    An entry point names a module; importing it runs the decorators in it.
    """

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self.package = package
        self.group = package
        self.broken: dict[str, str] = {}
        self._plugins: dict[str, P] = {}
        self._loaded = False

    def add(self, name: str, plugin: P) -> None:
        known = self._plugins.get(name)
        if known is not None and known.function.__module__ != plugin.function.__module__:
            raise LookawayError(
                f"two {self.package.rpartition('.')[2]} are named '{name}': in {known.function.__module__} and in "
                f"{plugin.function.__module__}; rename one"
            )
        self._plugins[name] = plugin

    def get(self, name: str) -> P:
        self._load()
        if name not in self._plugins:
            raise UnknownName(self.kind, name, self._plugins)
        return self._plugins[name]

    def all(self) -> dict[str, P]:
        self._load()
        return dict(sorted(self._plugins.items()))

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        package = importlib.import_module(self.package)
        for module in pkgutil.iter_modules(package.__path__, self.package + "."):
            importlib.import_module(module.name)
        for entry in importlib.metadata.entry_points(group=self.group):
            try:
                entry.load()
            except (ImportError, AttributeError, LookawayError) as error:
                self.broken[entry.name] = f"{entry.value}: {error}"


def source_sha256(function: Callable[..., Any]) -> str:
    """Hash of the code in the plugin's module; comments, layout and docstrings do not count."""
    module = inspect.getmodule(function)
    try:
        source = inspect.getsource(module if module is not None and module.__name__ != "__main__" else function)
    except (OSError, TypeError):
        return "no source"
    tree = ast.parse(inspect.cleandoc(source) if module is None else source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
            and isinstance(body[0].value.value, str)
        ):
            node.body = body[1:]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()
