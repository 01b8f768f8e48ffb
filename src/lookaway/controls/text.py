"""The camera as a sentence, for models that take nothing but text."""

from __future__ import annotations

from lookaway.controls import Shape, asked_path, control
from lookaway.geometry.script import in_words
from lookaway.records import Control, ModelCard, Task
from lookaway.store import Blobs


@control(version=1)
def text(task: Task, card: ModelCard, blobs: Blobs) -> Control:
    """The camera script in words, appended to the prompt; what of it a model can obey is unknown."""
    path = asked_path(task, Shape.of(task, card))
    return Control(kind="text", text=in_words(task.camera), effective=blobs.put_bytes(path.to_bytes(), ".npz"))
