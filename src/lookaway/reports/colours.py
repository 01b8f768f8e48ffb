"""One colour and one mark per system, the same in every picture of a page; the page says what `--s0` to `--s7` are.

The colours are told apart with any kind of colour blindness, and the marks without any colour.
"""

from __future__ import annotations

from collections.abc import Sequence

COUNT = 8
MARKERS = ("circle", "square", "triangle", "diamond", "fallen", "cross", "star", "bar")


def colour(place: int) -> str:
    """Of the system at that place of the board."""
    return f"var(--s{place % COUNT})"


def marker(place: int) -> str:
    """Another one where colours begin again."""
    return MARKERS[(place + place // COUNT) % len(MARKERS)]


def place_of(title: str, systems: Sequence[str], otherwise: int) -> int:
    """Where the system stands that a row is titled after; another place where it is none's."""
    return systems.index(title) if title in systems else otherwise
