"""What optical flow by RAFT-Large leaves unexplained; torchvision's, in a worker of its own environment."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from lookaway.errors import MissingPackage, MissingWeights, ObserveError
from lookaway.observers import Look, observer
from lookaway.observers.flow_errors import FlowErrors, Pairs, compared_pairs, seen_errors
from lookaway.observers.worker_calls import WorkerSettings, worker_answer, worker_settings
from lookaway.outcomes import Abstain

NAME = "flow_raft"
MODEL = "torchvision/raft_large"


class RaftFlow(FlowErrors):
    """By RAFT-Large."""


@observer(version=1, saw=RaftFlow, weights=MODEL, unverified=True)
def flow_raft(look: Look) -> RaftFlow | Abstain:
    """Per pair of frames of the visible and the returned phase: the error that flow by RAFT-Large leaves."""
    pairs = compared_pairs(look)
    if isinstance(pairs, Abstain):
        return pairs
    try:
        return _seen(look, pairs)
    except (MissingWeights, MissingPackage):
        raise
    except ObserveError as error:
        raise ObserveError(f"worker {NAME}: {error}") from error


def _seen(look: Look, pairs: Pairs) -> RaftFlow | Abstain:
    settings = worker_settings(WorkerSettings, NAME, look)
    shown = sorted({frame for pair in pairs for frame in pair})
    place = {frame: i for i, frame in enumerate(shown)}
    with TemporaryDirectory() as folder:
        facts = {"pairs": [[place[i], place[j]] for i, j in pairs], "out": folder}
        answer = worker_answer(NAME, look, settings, shown, facts)
        if "error" in answer:
            raise ObserveError(str(answer["error"]))
        if "abstain" in answer:
            return Abstain(str(answer["abstain"]))
        flows = _read(Path(folder) / "flows.npy", (len(pairs), *look.frames.rgb.shape[1:3], 2))
        return seen_errors(RaftFlow, look, pairs, flows)


def _read(path: Path, shape: tuple[int, ...]) -> np.ndarray:
    try:
        flows = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise ObserveError(f"it wrote no flows.npy that can be read: {error}") from error
    if flows.shape != shape or flows.dtype != np.float32 or not np.isfinite(flows).all():
        raise ObserveError(f"its flows are {flows.dtype} {flows.shape}, not finite float32 {shape}")
    return np.asarray(flows)
