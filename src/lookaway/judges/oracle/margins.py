"""From when on the oracle calls something right or wrong. Between the two it says that there is no exact answer."""

from __future__ import annotations

from lookaway.geometry.visibility import MIN_HIDDEN_S
from lookaway.truth import VISIBLE_SHARE

OUT_OF_SIGHT = VISIBLE_SHARE  # of the first frame's subject pixels: below it nobody finds the subject
IN_SIGHT = 0.2  # a fifth of it shows what it is, where it is and how it is
LIT = 0.3  # of the room's light: below it, what a camera makes of the picture decides what can be seen
DARK = 0.01  # below it the world itself counts as dark

PLACE_SAME = 0.03  # frame widths: the declared margin of the metric return_place
PLACE_OTHER = 0.06  # twice that
MOVED_M = 0.02  # a displacement below it is rounding

CLOCK_SAME_S = 0.1  # under two frames at 16 a second
CLOCK_OTHER_S = 0.25  # four frames
STATE_SAME = 0.05  # of a state's range over the true clip: nobody sees the difference
STATE_OTHER = 0.15
APART_M = 0.01  # two moments at which no point of the subject differs by more look the same, whatever their log says

AT_THE_END_S = 0.5  # a frame so near to the end of the clip shows how it ends
ENDED = 0.1  # of a state's range: so near to its end or its beginning it is there
HALF_WAY = 0.5

LOOK_SAME = 0.03  # mean change of the subject's pixels beyond that of the rest, from 0 to 1
LOOK_OTHER = 0.1
STRETCH_SAME = 0.02
STRETCH_OTHER = 0.2
SHIFT_SAME = 0.005  # frame widths: what noise and blur seem to displace
SHIFT_OTHER = 0.015
STRAYS_DEG = 3.0  # of the camera: a hand-held one strays by two
CUT_DEG = 12.0  # of the camera from one frame to the next, unasked: no hand turns it by 190 degrees a second

PACE = (0.5, 2.0)  # a process that runs evenly at such a speed from the start breaks no promise of the task
SUSTAINED_S = MIN_HIDDEN_S  # shorter disappearances are flicker
ABOUT_DUE = 0.1  # of the time out of sight: so near to the due moment is about there
FAR_FROM_DUE = 0.35
