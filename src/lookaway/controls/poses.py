"""Explicit camera poses, one per frame."""

from __future__ import annotations

from lookaway.controls import Shape, asked_path, control
from lookaway.records import Control, ModelCard, Task
from lookaway.store import Blobs


@control(version=1)
def poses(task: Task, card: ModelCard, blobs: Blobs) -> Control:
    """Camera-to-world matrices and intrinsics as npz; the model can obey them exactly."""
    path = asked_path(task, Shape.of(task, card))
    blob = blobs.put_bytes(path.to_bytes(), ".npz")
    return Control(kind="poses", payload=blob, effective=blob, loss_deg=0.0)
