"""Do the frames show what the prompt says, to ImageReward (MemoBench)?"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.picture_workers import ImageRewards


@metric(unit="share", better="higher", range=(0, 1), variant="paper", needs=["image_rewards"], version=1)
def image_reward(case: Case) -> Outcome:
    """The mean over five frames of the sigmoid of ImageReward; 0.5 is a reward of 0. A still clip may score high."""
    return float(np.mean(expit(case.saw(ImageRewards).score)))


@metric(
    name="image_reward",
    unit="share",
    better="higher",
    range=(0, 1),
    variant="released",
    needs=["image_rewards"],
    version=1,
)
def released(case: Case) -> Outcome:
    """The sigmoid of the mean of ImageReward over five frames; that the mean comes first is inferred."""
    return float(expit(np.mean(case.saw(ImageRewards).score)))
