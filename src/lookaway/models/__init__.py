"""Model cards: one TOML file per generator in `cards/`. A model whose control and generator exist needs no code."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from lookaway.errors import UnknownName, UsageError, problems
from lookaway.records import ModelCard, System
from lookaway.secrets import names_a_secret


def names() -> list[str]:
    folder = resources.files("lookaway.models") / "cards"
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


def load(name: str) -> ModelCard:
    """A card by name, or from a .toml file by path."""
    if name.endswith(".toml"):
        return _read(Path(name).stem, Path(name))
    if name not in names():
        raise UnknownName("model", name, names())
    with resources.as_file(resources.files("lookaway.models") / "cards" / f"{name}.toml") as path:
        return _read(name, path)


def _read(name: str, path: Path) -> ModelCard:
    try:
        card = ModelCard(name=name, **tomllib.loads(path.read_text()))
    except OSError as error:
        raise UsageError(f"{path}: cannot read this model card: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    except (ValidationError, TypeError) as error:
        raise UsageError(f"{path}: not a model card: {problems(error)}") from error
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
