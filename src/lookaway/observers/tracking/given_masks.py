"""The subject as somebody else masked it, ready to be described as if it had been followed here."""

from __future__ import annotations

import numpy as np

from lookaway.observers import Flags, Floats
from lookaway.observers.tracking.colours import learned_odds
from lookaway.observers.tracking.following import Followed, MaskTrack
from lookaway.observers.tracking.pictures import Pictures
from lookaway.observers.tracking.plate import Plate


def followed_masks(pictures: Pictures, masks: Flags, sureness: Floats) -> Followed:
    """A track of masks (N, height, width) of the pictures' size; an empty one says that it is not seen."""
    track = MaskTrack(masks.copy(), np.asarray(masks.any(axis=(1, 2))), sureness.copy())
    plate = Plate(pictures)
    for i in range(len(pictures)):
        plate.add(i, track.masks[i])
    return Followed(track, learned_odds(pictures, track.masks[0], track.masks.__getitem__), plate)
