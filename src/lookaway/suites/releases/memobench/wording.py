"""What MemoBench's prompts say of a clip and no column does: which way its camera goes, and how it ends."""

from __future__ import annotations

import re

TRAJECTORIES = {
    "pan_lr": "Pan L->R",
    "pan_rl": "Pan R->L",
    "tilt_ud": "Tilt U->D",
    "tilt_du": "Tilt D->U",
    "u_turn": "U-turn",
    "forward": "Forward",
    "head_turn": "Head turn",
    "vertical": "Vertical",
}
PROCESSES = {  # the paper's seven groups, told by words of our choosing: the first that occurs
    "combustion & heat": r"candle|flame|fire|boiling|cooking oil|hot water being placed|heat-soaked|soaked in hot",
    "physical deformation": r"memory foam|stress ball|drawing board|compressed towel|white fungus|puffed rice",
    "viscous flow": r"honey|slime|chocolate|yogurt|ketchup|paint applied|sauce bottle",
    "chemical reaction": r"iodine|vinegar|vitamin c|disinfectant|permanganate solution|cabbage|baking soda|raw egg",
    "bubble & foam": r"foam|bubbles|sprite|cola\b|beer|dish soap|carbonated|soda",
    "diffusion & absorption": r"drip|dropper|dye|tissue|sponge|litter|surfactant|soy sauce|paint|coloring",
    "dissolution": r"dissolv|powder|sugar cube|capsule|marshmallow|crystals|pod|poured|tablet",
}
_FIRST_MOVE = re.compile(r"\bcamera\b[^.]*?\b(?:(pan)s\b[^.]*?\b(left|right)|(tilt)s\b[^.]*?\b(up|down))")
_NAMED = {("pan", "left"): "pan_lr", ("pan", "right"): "pan_rl", ("tilt", "up"): "tilt_ud", ("tilt", "down"): "tilt_du"}
_VERTICAL = re.compile(
    r"observer[^.,]*?\b(looks? (?:back )?(?:up|down)|jumps?|roars?|bows?|lands|head (?:up|down)|(?:up|down)wards?)"
)
_HEAD = re.compile(r"turns?(?: the)?(?: back)? (?:head| to)")
_STANDING = re.compile(r"^.{0,110}?\bstanding\b")
_CAMERA = re.compile(r"\bcamera (?:then |smoothly )*(?:pans|tilts)")
_END = re.compile(r"\b(?:revealing(?: that)?|re-sees?)\s+(.+)", re.DOTALL)


def trajectory_of(prompt: str) -> str:
    """The first direction named comes first, as in the paper's table: a pan to the left and back is `pan_lr`.

    Of rendered clips only the U-turn has a word of its own; the other three are told apart by what the observer does.
    Empty where no move is named.
    """
    text = prompt.lower()
    if move := _FIRST_MOVE.search(text):
        return _NAMED[move[1] or move[3], move[2] or move[4]]
    if "u-turn" in text:
        return "u_turn"
    if _VERTICAL.search(text):
        return "vertical"
    if _HEAD.search(text) or (_STANDING.search(text) and "turn" in text):
        return "head_turn"
    return "forward" if "observer" in text else ""


def process_of(prompt: str) -> str:
    """The prompt without its camera: clips of one process share it."""
    sentences = re.split(r"(?<=\.)\s+", prompt.strip())
    return " ".join(sentence for sentence in sentences if not _CAMERA.search(sentence.lower()))


def end_of(prompt: str) -> str:
    """How it looks when the subject is seen again, in the words of the prompt; empty where it does not say."""
    told = _END.search(prompt)
    return "" if told is None else told[1].strip()


def process_group(prompt: str) -> str:
    """Which of the paper's seven groups of processes, by the words of the prompt; empty where none of them occurs."""
    text = process_of(prompt).lower()
    return next((group for group, words in PROCESSES.items() if re.search(words, text)), "")
