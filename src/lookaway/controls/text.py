"""The camera as a sentence, for models that take nothing but text; with tags where a product documents them."""

from __future__ import annotations

from lookaway.controls import Asked, Said, control
from lookaway.geometry.moves import Move
from lookaway.geometry.parsing import parse
from lookaway.geometry.poses import plain
from lookaway.geometry.script import in_words
from lookaway.records import ModelCard

_TAGS = {  # field of a Move: the settings that hold the tags for more and for less of it
    "yaw_deg": ("turn_right", "turn_left"),
    "pitch_deg": ("turn_up", "turn_down"),
    "right_m": ("move_right", "move_left"),
    "up_m": ("rise", "sink"),
    "forward_m": ("forward", "backward"),
}


@control(version=2)
def text(asked: Asked) -> Said:
    """The camera script in words, appended to the prompt; what of it a model can obey is unknown."""
    moves = plain(parse(asked.script, asked.shape.fps), asked.pitch_deg)
    tags = [tag for move in moves for tag in _tags(move, asked.card)]
    return Said(text=" ".join([in_words(asked.script), *tags]))


def _tags(move: Move, card: ModelCard) -> list[str]:
    """What the card's product calls this move, in the order of the script."""
    if move.still:
        return []
    named = [
        card.control_settings.get(names[0] if getattr(move, field) > 0 else names[1])
        for field, names in _TAGS.items()
        if getattr(move, field)
    ]
    return [str(tag) for tag in named if tag]
