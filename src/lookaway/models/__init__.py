"""Model cards: one TOML file per generator in `cards/`. A model whose control and generator exist needs no code."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from lookaway.errors import UnknownName, UsageError
from lookaway.records import ModelCard, System
from lookaway.secrets import names_a_secret
from lookaway.tomls import read_record


def names() -> list[str]:
    folder = resources.files("lookaway.models") / "cards"
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


def load(name: str) -> ModelCard:
    """A card by name, or from a .toml file by path."""
    if name.endswith(".toml"):
        return _read(Path(name))
    if name not in names():
        raise UnknownName("model", name, names())
    with resources.as_file(resources.files("lookaway.models") / "cards" / f"{name}.toml") as path:
        return _read(path)


def _read(path: Path) -> ModelCard:
    card = read_record(path, ModelCard, "model card")
    secret = [key for key in card.settings if names_a_secret(key)]
    if secret:
        raise UsageError(
            f"{path}: settings.{secret[0]} looks like a secret, and cards are written down; use the environment"
        )
    return card


def system(name: str) -> System:
    card = load(name)
    return System(name=card.name, card=card)


def ingested(name: str) -> System:
    """A system known only by its videos."""
    card = ModelCard(name=name, summary="videos brought from elsewhere", control="given", generator="folder")
    return System(name=name, card=card)
