"""Names -> builders that live in sibling files; the files are imported when a name is first asked for."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Generic, TypeVar

from lookaway.errors import UnknownName

Builder = TypeVar("Builder")


class Catalogue(Generic[Builder]):
    """Collects every builder that a module of one package registers with the decorator `add`."""

    def __init__(self, kind: str, package: str) -> None:
        self.kind, self.package = kind, package
        self._builders: dict[str, Builder] = {}
        self._imported = False

    def add(self, name: str) -> Callable[[Builder], Builder]:
        """Decorator: register a builder under a name."""

        def register(builder: Builder) -> Builder:
            self._builders[name] = builder
            return builder

        return register

    def find(self, name: str) -> Builder:
        """The builder of that name; an unknown name is met with its nearest neighbours."""
        known = self.names()
        if name not in known:
            raise UnknownName(self.kind, name, known)
        return self._builders[name]

    def names(self) -> list[str]:
        """Every registered name, sorted."""
        if not self._imported:
            for module in pkgutil.iter_modules(importlib.import_module(self.package).__path__):
                importlib.import_module(f"{self.package}.{module.name}")
            self._imported = True
        return sorted(self._builders)
