"""Functions that a worker runs in tests."""

from __future__ import annotations

import os
import sys
import time

import numpy as np

from lookaway.errors import MissingWeights
from lookaway.observers import Arrays, Look
from lookaway.outcomes import Abstain


def settings_seen(look: Look) -> Arrays | Abstain:
    return {"names": np.array([f"{name}={value}" for name, value in sorted(look.settings.items())])}


def abstains(look: Look) -> Arrays | Abstain:
    return Abstain(f"{len(look.frames)} frames are too few")


def raises(look: Look) -> Arrays | Abstain:
    return {"never": np.array(1 / 0)}


def dies(look: Look) -> Arrays | Abstain:
    sys.stderr.write("no such GPU\n")
    sys.stderr.flush()
    os._exit(3)


def hangs(look: Look) -> Arrays | Abstain:
    time.sleep(60)
    return {}


def process_id(look: Look) -> Arrays | Abstain:
    return {"id": np.array([os.getpid()])}


def no_weights(look: Look) -> Arrays | Abstain:
    raise MissingWeights("a/b", "hf download a/b")


def no_arrays(look: Look) -> Arrays | Abstain:
    return {"a list": [1, 2]}  # type: ignore[dict-item]
