"""A card as one row of a table, for the command line and for docs/models.md."""

from __future__ import annotations

from lookaway.records import ModelCard

_ORDER = ("source-video", "geometry-cache", "model-inferred", "prompt-only", "unknown", "baseline", "known-world")


def ordered(cards: list[ModelCard]) -> list[ModelCard]:
    """From those that are given most about the view to those that are given least."""
    return sorted(cards, key=lambda card: (_ORDER.index(card.condition_type), card.name))


def row(card: ModelCard) -> dict[str, str]:
    """What fits on a line; `?` is unknown."""
    return {
        "model": card.name,
        "condition": card.condition_type,
        "control": card.control,
        "size": f"{_said(card.width)}x{_said(card.height)}" if card.width or card.height else "?",
        "frames@fps": f"{_said(card.frames)}@{_said(card.fps)}" if card.frames or card.fps else "?",
        "papers": " ".join(card.papers),
    }


def mechanism_row(card: ModelCard) -> dict[str, str]:
    """What it was made from, and what carries the unseen; `?` is unknown."""
    return {
        "model": card.name,
        "base": _text(card.base),
        "carrier": _text(card.carrier),
        "training data": _text(card.training_data),
        "context": _context(card),
    }


def _context(card: ModelCard) -> str:
    if card.context_s is not None:
        return f"{card.context_s:g} s"
    return "?" if card.context_frames is None else f"{card.context_frames} frames"


def _text(fact: str) -> str:
    return "?" if fact == "unknown" else fact


def _said(number: float | None) -> str:
    return "?" if number is None else f"{number:g}"
