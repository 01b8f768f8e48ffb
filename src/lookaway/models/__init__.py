"""Model cards: one TOML file per generator in `cards/`. A model whose control and generator exist needs no code.

Reference models of the known world have no file: `NAME` and `NAME@SEVERITY` make their card, see worlds/reference.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from lookaway.errors import UnknownName, UsageError
from lookaway.records import ModelCard, Setting, System
from lookaway.secrets import names_a_secret
from lookaway.tomls import read_record


def names() -> list[str]:
    """Every card that can be named; a severity can be added to a reference model that has one."""
    from lookaway.worlds.reference import REFERENCE

    return sorted([*_files(), *REFERENCE.names()])


def _files() -> list[str]:
    folder = resources.files("lookaway.models") / "cards"
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


def load(name: str) -> ModelCard:
    """A card by name, or from a .toml file by path."""
    from lookaway.worlds.reference import REFERENCE

    if name.endswith(".toml"):
        return _read(Path(name))
    if name.partition("@")[0] in REFERENCE.names():
        return _reference(name)
    if name not in _files():
        raise UnknownName("model", name, names())
    with resources.as_file(resources.files("lookaway.models") / "cards" / f"{name}.toml") as path:
        return _read(path)


def _reference(name: str) -> ModelCard:
    """The card of a reference model."""
    from lookaway.worlds.reference import parsed

    model, severity = parsed(name)
    settings: dict[str, Setting] = {"reference": model.name, "version": model.version}
    if model.ladder:
        settings["severity"] = model.severity(severity)
    return ModelCard(
        name=name if severity is None else f"{model.name}@{severity:g}",
        summary=model.summary,
        condition_type="known-world",
        control="poses",
        generator="known_world",
        settings=settings,
        width=model.shape.width,
        height=model.shape.height,
        fps=model.shape.fps,
        context_s=model.severity(severity) if model.context else None,
        licence="Apache-2.0",
        sources={"condition_type": "lookaway.worlds", "licence": "this package"},
    )


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
