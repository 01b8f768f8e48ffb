"""Fork pairs: one session in two branches, one of which looks away while the other keeps watching."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from lookaway.controls import CONTROLS, AskedCamera
from lookaway.controls.cutting import Chunk, chunks
from lookaway.controls.events import with_events
from lookaway.errors import GenerationError
from lookaway.generators import CLIP_CRF, Commission, ForkPair, Movie, settings_of
from lookaway.generators.session import SessionSettings, asked_steps, begun, chunk_frames, session_pictures, stepped
from lookaway.sessions import Picture, RemoteSession
from lookaway.video import encode

STILL = 1e-9


def fork_pair(commission: Commission) -> ForkPair:
    """The request's video, and one of the same session whose camera never moved.

    The session is forked after the last whole step before the camera moves.
    """
    card, settings = commission.card, settings_of(commission.card, SessionSettings)
    if card.can_fork is False:
        raise GenerationError(f"card '{card.name}' says that its sessions cannot be forked")
    together, away = parted(commission, asked_steps(commission))
    watching = watched(commission)[len(together) :]
    log, past = commission.workdir / "together.jsonl", commission.workdir / "together.raw"
    driven = begun(commission, settings, log)
    try:
        with past.open("wb") as file:
            for picture in session_pictures(driven, together, commission.request.frames, log):
                file.write(picture.tobytes())
        fork = driven.fork()
        return ForkPair(
            branch(commission, driven, away, "away"),
            branch(commission, fork, watching, "watching"),
            parts_at=1 + sum(chunk.frames for chunk in together),
        )
    finally:
        driven.hang_up()


def branch(commission: Commission, driven: RemoteSession, steps: Sequence[Chunk], name: str) -> Movie:
    """The common past and one of the two ways on from there."""
    video, log, request = commission.workdir / f"{name}.mp4", commission.workdir / f"{name}.jsonl", commission.request
    log.write_text((commission.workdir / "together.jsonl").read_text())
    past = again(commission.workdir / "together.raw", driven.first.shape)
    encode(chain(past, stepped(driven, steps, request.frames, log)), video, request.fps, crf=CLIP_CRF)
    driven.close()
    note = f"session {driven.id}, {driven.steps} steps"
    return Movie(video, driven.prompt, note=note, log=log.read_text(), memory_bytes=driven.memory_bytes)


def again(raw: Path, shape: tuple[int, ...]) -> Iterator[Picture]:
    """Frames that were written down byte by byte."""
    with raw.open("rb") as file:
        while data := file.read(math.prod(shape)):
            yield np.frombuffer(data, np.uint8).reshape(shape)


def parted(commission: Commission, steps: Sequence[Chunk]) -> tuple[list[Chunk], list[Chunk]]:
    """The steps before the camera moves, and the others."""
    poses = AskedCamera.of(commission.task, commission.card).path.camera_to_world
    moved = np.flatnonzero(np.abs(poses - poses[0]).max(axis=(1, 2)) > STILL)
    if not moved.size:
        raise GenerationError(f"{commission.task.id}: its camera never moves, so there is nothing to fork")
    together = [chunk for chunk in steps if chunk.first + chunk.frames <= moved[0]]
    return together, list(steps[len(together) :])


def watched(commission: Commission) -> list[Chunk]:
    """The steps of a camera that stays where it is."""
    task, card = commission.task, commission.card
    asked = AskedCamera.of(task.model_copy(update={"camera": f"hold@{task.seconds!r}s"}), card)
    steps = chunks(asked, CONTROLS.get(card.control).function(asked), chunk_frames(card))
    return with_events(steps, task, asked)
