"""The camera as a sentence, for models that take nothing but text; with tags where a product documents them."""

from __future__ import annotations

from lookaway.controls import AskedCamera, EncodedCamera, control
from lookaway.geometry.asked import path_in_words
from lookaway.geometry.moves import Move
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
def text(asked: AskedCamera) -> EncodedCamera:
    """The camera in words, appended to the prompt; what of it a model can obey is unknown."""
    if not asked.script:
        return EncodedCamera(text=path_in_words(asked.path))
    tags = filter(None, (_tag(move, asked.card) for move in asked.moves))
    return EncodedCamera(text=" ".join([in_words(asked.script), *tags]))


def _tag(move: Move, card: ModelCard) -> str:
    """What the card's product calls this move: `[Pan left]`, or `[Pan left,Pedestal up]` for what is made at once."""
    if move.still:
        return ""
    named = [
        card.control_settings.get(names[0] if getattr(move, field) > 0 else names[1])
        for field, names in _TAGS.items()
        if getattr(move, field)
    ]
    tags = [str(tag) for tag in named if tag]
    if len(tags) > 1 and "tags_at_once" in card.control_settings:
        return f"[{','.join(tag.strip('[]') for tag in tags)}]"
    return " ".join(tags)
