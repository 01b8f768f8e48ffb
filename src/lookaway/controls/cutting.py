"""What a control says, cut into the steps of a session: so many frames at a time.

Frame 0 is given; the first step makes the frames from 1 on. Steps are whole, so the last may go on beyond the video.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lookaway.controls import AskedCamera, EncodedCamera, actions, script, steps
from lookaway.controls.text import text as sentence
from lookaway.errors import UsageError
from lookaway.geometry.pieces import piece
from lookaway.sessions import Action


@dataclass(frozen=True)
class Chunk:
    """One step: what is asked, and which frames it makes."""

    first: int  # frame that it affects
    frames: int
    action: Action
    text: str = ""


Cut = Callable[[AskedCamera, EncodedCamera, int, int], tuple[Action, str]]


def chunks(asked: AskedCamera, said: EncodedCamera, chunk_frames: int) -> list[Chunk]:
    """All steps of a video."""
    cut = CUTS.get(asked.card.control, _poses)
    starts = range(1, asked.shape.frames, chunk_frames)
    return [Chunk(first, chunk_frames, *cut(asked, said, first, chunk_frames)) for first in starts]


def _poses(asked: AskedCamera, said: EncodedCamera, first: int, count: int) -> tuple[Action, str]:
    """Where the camera is at each of the frames; beyond the video it stands."""
    if said.effective is None:
        raise UsageError(
            f"'{asked.card.name}': control '{asked.card.control}' cannot be cut into the steps of a session; "
            f"these can: {', '.join(CUTS)}, and all that tell camera poses"
        )
    rows = np.clip(np.arange(first, first + count), 0, len(said.effective) - 1)
    cameras, lenses = said.effective.camera_to_world[rows], said.effective.intrinsics[rows]
    return {"camera_to_world": cameras.tolist(), "intrinsics": lenses.tolist()}, ""


def _held(asked: AskedCamera, said: EncodedCamera, first: int, count: int) -> tuple[Action, str]:
    """What is held from the frame before each of the frames until that frame; beyond the video nothing is."""
    with np.load(io.BytesIO(said.files[actions.FILE])) as arrays:
        rows = {name: array[first - 1 : first - 1 + count] for name, array in arrays.items()}
    return {name: np.pad(held, ((0, count - len(held)), (0, 0))).tolist() for name, held in rows.items()}, ""


def _words(asked: AskedCamera, said: EncodedCamera, first: int, count: int) -> tuple[Action, str]:
    """A shorter step string, for as many latents."""
    stride = int(asked.card.control_settings.get("latent_stride", 1))
    if count % stride:
        raise UsageError(
            f"card '{asked.card.name}': chunk_frames = {count} is no multiple of latent_stride = {stride}, "
            "so steps cannot be cut there"
        )
    listed = [part.rpartition("-") for part in said.files[steps.FILE].decode().strip().split(", ") if part]
    words = [word for word, _, times in listed for _ in range(int(times))]
    now = words[(first - 1) // stride : (first - 1 + count) // stride]
    if static := asked.card.control_settings.get("static"):
        now += [str(static)] * (count // stride - len(now))
    return {"steps": ", ".join(f"{word}-{len(list(same))}" for word, same in itertools.groupby(now))}, ""


def _sentences(asked: AskedCamera, said: EncodedCamera, first: int, count: int) -> tuple[Action, str]:
    return {}, sentence(replace(asked, script=_part(asked, asked.script, first, count))).text


def _script(asked: AskedCamera, said: EncodedCamera, first: int, count: int) -> tuple[Action, str]:
    return {"script": _part(asked, said.files[script.FILE].decode().strip(), first, count)}, ""


def _part(asked: AskedCamera, whole: str, first: int, count: int) -> str:
    fps = asked.shape.fps
    return piece(whole, (first - 1) / fps, (first - 1 + count) / fps, fps, asked.pitch_deg)


CUTS: dict[str, Cut] = {"actions": _held, "steps": _words, "text": _sentences, "script": _script}
