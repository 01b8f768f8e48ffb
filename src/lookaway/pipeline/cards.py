"""Mistakes in model cards, found before anything is made."""

from __future__ import annotations

from collections.abc import Iterable

from lookaway.controls import CONTROLS, Asked, Said
from lookaway.errors import UsageError
from lookaway.generators import maker_of
from lookaway.pipeline.cases import generated_systems
from lookaway.pipeline.stage import Failure, attempt
from lookaway.records import ModelCard, Plan

SMALL = {"width": 64, "height": 36}  # a control is tried on a picture of no size worth waiting for
HFOV_DEG = 60.0


def check_cards(plan: Plan, cameras: Iterable[str]) -> None:
    """Refuse a card whose generator cannot work with its settings, or whose control can say none of the cameras."""
    scripts = list(dict.fromkeys(cameras))
    for system in generated_systems(plan):
        maker_of(system.card)
        tried = _tried(system.card, scripts)
        if isinstance(tried, Failure):
            raise UsageError(
                f"{system.name}: its control '{system.card.control}' can say none of the tasks' cameras: "
                f"{tried.reason}; correct the card and give it again with --models"
            )


def _tried(card: ModelCard, scripts: list[str]) -> Said | Failure | None:
    """What the control says of the first script that it can say, or why it cannot say the last."""
    said: Said | Failure | None = None
    for script in scripts:
        said = attempt(_said, script, card.model_copy(update=SMALL))
        if isinstance(said, Said):
            break
    return said


def _said(script: str, card: ModelCard) -> Said:
    return CONTROLS.get(card.control).function(Asked.plain(script, card, HFOV_DEG))
