"""Functions that a worker runs in tests."""

from __future__ import annotations

import os
import sys
import time

import numpy as np
from numpy.typing import NDArray

from lookaway.errors import MissingWeights
from lookaway.observers import Indices, Look, ObservedArrays
from lookaway.outcomes import Abstain


class OddSight(ObservedArrays):
    """What most of them return: the process that looked, and the settings it was given."""

    process: Indices
    settings: NDArray[np.str_]


OddSight.observer = "odd"


def sight(look: Look) -> OddSight | Abstain:
    told = [f"{name}={value}" for name, value in sorted(look.settings.items())]
    return OddSight(process=np.array([os.getpid()]), settings=np.array(told, np.str_))


def abstains(look: Look) -> OddSight | Abstain:
    return Abstain(f"{len(look.frames)} frames are too few")


def raises(look: Look) -> OddSight | Abstain:
    return Abstain(f"{1 / 0}")


def dies(look: Look) -> OddSight | Abstain:
    sys.stderr.write("no such GPU\n")
    sys.stderr.flush()
    os._exit(3)


def hangs(look: Look) -> OddSight | Abstain:
    time.sleep(60)
    return Abstain("too late")


def no_weights(look: Look) -> OddSight | Abstain:
    raise MissingWeights("a/b", "hf download a/b")


def no_arrays(look: Look) -> OddSight | Abstain:
    return {"a list": [1, 2]}  # type: ignore[return-value]
