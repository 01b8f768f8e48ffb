"""Mistakes in model cards, found before anything is made."""

from __future__ import annotations

from lookaway.controls import CONTROLS, AskedCamera, EncodedCamera
from lookaway.errors import UsageError
from lookaway.generators import maker_of
from lookaway.pipeline.stage import Failure, attempt
from lookaway.records import ModelCard

STILL, HFOV_DEG = "hold@1s", 60.0  # every control that is told rightly how to write can say it
SMALL = {"width": 64, "height": 36}


def check_card(card: ModelCard) -> None:
    """Refuse a card that lacks what its generator needs, or whose control settings are wrong whatever the task."""
    maker_of(card)
    if card.input_policy in ("endpoint_masked", "full_target") and not CONTROLS.get(card.control).shows_source:
        able = " and ".join(sorted(name for name, kind in CONTROLS.all().items() if kind.shows_source))
        raise UsageError(
            f"{card.name}: input_policy is {card.input_policy}, but its control '{card.control}' shows it no video of "
            f"the scene; {able} do"
        )
    said = attempt(_said, card.model_copy(update=SMALL))
    if isinstance(said, Failure):
        raise UsageError(
            f"{card.name}: its control '{card.control}' cannot be written: {said.reason}; "
            "correct the card and give it again with --models"
        )


def _said(card: ModelCard) -> EncodedCamera:
    return CONTROLS.get(card.control).function(AskedCamera.plain(STILL, card, HFOV_DEG))
