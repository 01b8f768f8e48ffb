"""Model cards: one TOML file per system in `cards/`. A model whose control and generator exist needs no code.

A card in this package gives a source for every fact; a card of your own may leave sources out.

Reference models of the known world have no file: `NAME` and `NAME@SEVERITY` make their card, see worlds/reference.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from lookaway.errors import UnknownName, UsageError
from lookaway.records import ModelCard, Setting, System
from lookaway.secrets import holds_a_secret, names_a_secret
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
    return _packaged(name)


def evaluated() -> list[ModelCard]:
    """The cards of all systems that a paper evaluates, by name."""
    return [card for card in map(_packaged, _files()) if card.papers]


def called(paper: str, spelling: str) -> ModelCard:
    """The card of the system that a paper spells so, in print or in its released files."""
    cards = {name: card for card in evaluated() if paper in card.papers for name in card.papers[paper].called}
    if spelling not in cards:
        raise UnknownName(f"system of {paper}", spelling, cards)
    return cards[spelling]


def _packaged(name: str) -> ModelCard:
    with resources.as_file(resources.files("lookaway.models") / "cards" / f"{name}.toml") as path:
        card = _read(path)
    check_sources(card)
    return card


def check_sources(card: ModelCard) -> None:
    """Refuse a card that states a fact without a source, or sources something that it does not state."""
    stated = {fact for fact, value in card.facts().items() if value is not None}
    bare = sorted(fact for fact in stated if card.source(fact) is None)
    if bare:
        raise UsageError(f"{card.name}: no source for {', '.join(bare)}; add it under [sources], or leave the fact out")
    idle = sorted(set(card.sources) - stated - ({"control_settings"} if card.control_settings else set()))
    if idle:
        raise UsageError(f"{card.name}: a source for {', '.join(idle)}, which the card does not state")


def _reference(name: str) -> ModelCard:
    """The card of a reference model."""
    from lookaway.worlds.reference import parsed

    model, severity = parsed(name)
    settings: dict[str, Setting] = {"reference": model.name, "version": model.version}
    if model.ladder:
        settings["severity"] = model.severity(severity)
    card = ModelCard(
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
    )
    stated = [fact for fact, value in card.facts().items() if value is not None]
    return card.model_copy(update={"sources": dict.fromkeys(stated, "this package")})


def _read(path: Path) -> ModelCard:
    card = read_record(path, ModelCard, "model card")
    settings = [f"settings.{key}" for key in card.settings] + [
        f"control_settings.{key}" for key in card.control_settings
    ]
    secret = [name for name in settings if names_a_secret(name.partition(".")[2])]
    if secret:
        raise UsageError(f"{path}: {secret[0]} looks like a secret, and cards are written down; use the environment")
    signed = [key for key, value in card.settings.items() if isinstance(value, str) and holds_a_secret(value)]
    if signed:
        raise UsageError(
            f"{path}: settings.{signed[0]} has a key or password in its address, and cards are written down; "
            "name an environment variable in settings.sign_in instead"
        )
    return card


def system(name: str) -> System:
    card = load(name)
    return System(name=card.name, card=card)


def ingested(name: str) -> System:
    """A system known only by its videos."""
    card = ModelCard(name=name, summary="videos brought from elsewhere", control="given", generator="folder")
    return System(name=name, card=card)
