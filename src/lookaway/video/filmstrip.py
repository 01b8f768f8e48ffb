"""A clip at a glance: a row of frames with their seconds and phases."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from lookaway.video.decode import Frame
from lookaway.video.resize import resize
from lookaway.video.sample import indices_uniform

_PAPER, _INK, _GAP = (255, 255, 255), (60, 64, 72), 4
_OTHER_PHASE = (158, 158, 158)
_PHASES = {"visible": (76, 153, 112), "hidden": (84, 88, 104), "returned": (66, 122, 190)}


def filmstrip(
    frames: Sequence[Frame], height: int = 90, count: int = 8, marks: Sequence[str] | None = None
) -> NDArray[np.uint8]:
    """Up to `count` evenly spread frames side by side, each over its second.

    `marks` names the phase of each frame shown (`indices_uniform(len(frames), count)`) in a bar on top.
    """
    shown = [frames[index] for index in indices_uniform(len(frames), count)]
    if marks is not None and len(marks) != len(shown):
        raise ValueError(f"{len(marks)} marks for {len(shown)} frames shown; give one each")
    text = max(9, height // 8)
    bar, caption = (text + 4 if marks else 0), text + 6
    cell = max(1, round(height * shown[0].rgb.shape[1] / shown[0].rgb.shape[0])) if shown else 0
    strip = Image.new("RGB", (max(1, len(shown) * (cell + _GAP) - _GAP), bar + height + caption), _PAPER)
    draw, font = ImageDraw.Draw(strip), ImageFont.load_default(text)
    for place, frame in enumerate(shown):
        left = place * (cell + _GAP)
        middle = left + cell / 2
        strip.paste(Image.fromarray(resize(frame.rgb, (cell, height))), (left, bar))
        draw.text((middle, bar + height + caption / 2), f"{frame.seconds:.2f} s", _INK, font, anchor="mm")
        if marks:
            draw.rectangle((left, 0, left + cell - 1, bar - 2), _PHASES.get(marks[place], _OTHER_PHASE))
            draw.text((middle, bar / 2 - 1), marks[place], _PAPER, font, anchor="mm")
    return np.array(strip)
