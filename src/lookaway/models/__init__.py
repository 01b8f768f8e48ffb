"""Model cards: one TOML file per system in `cards/`. A model whose control and generator exist needs no code.

A card in this package gives a source for every fact; a card of your own may leave sources out.

Reference models of the known world have no file: `NAME` and `NAME@SEVERITY` make their card, see worlds/reference.
"""

from __future__ import annotations

import difflib
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
    return _packaged(name if name in _files() else _meant(name))


def _meant(name: str) -> str:
    """The card that a name leads to however it is written: `Wan-Fun 2.2-5B`, as papers print it, is wan-fun-2.2-5b."""
    spelled: dict[str, set[str]] = {}
    for card in evaluated():
        for spelling in (card.name, *card.aliases, *(s for paper in card.papers.values() for s in paper.called)):
            spelled.setdefault(_plain(spelling), set()).add(card.name)
    found = sorted(spelled.get(_plain(name), ()))
    if len(found) > 1:
        raise UsageError(f"'{name}' is what papers call {' and '.join(found)}; give one of these names")
    if not found:
        alike = difflib.get_close_matches(_plain(name), [*map(_plain, names()), *spelled], n=3, cutoff=0.6)
        called = spelled | {_plain(known): {known} for known in names()}
        raise UnknownName("model", name, names(), dict.fromkeys(card for one in alike for card in sorted(called[one])))
    return found[0]


def _plain(name: str) -> str:
    """A name without its capitals, spaces, dots and dashes."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def card_text(name: str) -> str:
    """A packaged card as it is written, for a copy of one's own."""
    card = load(name)
    if card.name not in _files():
        raise UsageError(f"'{name}' has no card file to copy; see docs/add-a-model.md for one of your own")
    return (resources.files("lookaway.models") / "cards" / f"{card.name}.toml").read_text("utf-8")


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


def ingested(name: str, card: ModelCard | None = None) -> System:
    """A system whose videos are brought: known by its card, or by them alone."""
    if card is None:
        card = ModelCard(name=name, summary="videos brought from elsewhere", control="given", generator="folder")
    return System(name=name, card=card.model_copy(update={"generator": "folder", "settings": {}}))
