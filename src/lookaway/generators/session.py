"""An interactive model: opened with the first frame, then driven step by step; see docs/sessions.md.

generator = "session"
chunk_frames = 16                           # frames that one step makes
context_s = 5.0                             # told to the server, where the card knows it
[settings]
address = "http://gpu:8000"                 # or ws://…, with the extra `sessions`
timeout_s = 600                             # for each answer
retries = 1                                 # sessions begun anew after a failure
sign_in = "EXAMPLE_API_KEY"                 # environment variable sent as a bearer token
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from lookaway.controls import AskedCamera, EncodedCamera
from lookaway.controls.cutting import Chunk, chunks
from lookaway.controls.events import with_events
from lookaway.errors import GenerationError
from lookaway.generators import CLIP_CRF, Commission, ForkPair, Made, Movie, generator, settings_of
from lookaway.records import ModelCard, Record, Request
from lookaway.secrets import secret_of
from lookaway.sessions import Opening, Picture, RemoteSession, opened
from lookaway.video import encode

LOG = "log.jsonl"


class SessionSettings(Record):
    """The card's settings for this generator."""

    address: str
    timeout_s: float = Field(600.0, gt=0, description="for each answer")
    retries: int = Field(0, ge=0)
    sign_in: str = ""


class OpenLine(Record):
    """First line of a session's log."""

    session: str
    address: str
    seed: int
    prompt: str = Field(description="as asked")
    prompt_used: str | None = Field(description="as told by the server")
    context_s: float | None
    chunk_frames: int
    first_frame_sha256: str = Field(description="of the RGB bytes of frame 0, as shown")
    seconds: float


class StepLine(Record):
    """One step of a session: what was asked, what came, how long it took."""

    session: str
    step: int
    action: dict[str, Any]
    text: str
    first: int = Field(description="first frame that the action affects")
    frames: int
    frames_sha256: tuple[str, ...] = Field(description="of the RGB bytes of each frame")
    seconds: float


def _forked(commission: Commission) -> ForkPair:
    from lookaway.generators.forking import fork_pair  # it is made of this file's steps

    return fork_pair(commission)


@generator(version=2, settings=SessionSettings, needs=("chunk_frames",), pair=_forked)
def session(commission: Commission) -> Made:
    """Opens a session at the card's address and steps through the camera; frames go to disk as they come."""
    settings, log = settings_of(commission.card, SessionSettings), commission.workdir / LOG
    log.touch()
    try:
        steps = asked_steps(commission)
        for attempt in range(settings.retries + 1):
            try:
                movie = filmed(commission, settings, steps, log)
            except GenerationError as error:
                if error.status in ("refused", "filtered") or attempt == settings.retries:
                    raise
            else:
                again = f"; succeeded at attempt {attempt + 1}" if attempt else ""
                return replace(movie, note=movie.note + again, log=log.read_text())
    except GenerationError as error:
        raise GenerationError(str(error), error.status, log.read_text()) from error
    raise AssertionError("the last attempt returns or raises")


def filmed(commission: Commission, settings: SessionSettings, steps: Sequence[Chunk], log: Path) -> Movie:
    """One session from its first frame to its last; there is a video only if all of it came."""
    driven = begun(commission, settings, log)
    video, request = commission.workdir / "out.mp4", commission.request
    try:
        encode(session_pictures(driven, steps, request.frames, log), video, request.fps, crf=CLIP_CRF)
        driven.close()
    finally:
        driven.hang_up()
    note = f"session {driven.id}, {driven.steps} steps"
    return Movie(video, prompt=driven.prompt, note=note, memory_bytes=driven.memory_bytes)


def asked_steps(commission: Commission) -> list[Chunk]:
    """The request's control in steps of the size that the card names."""
    request, path = commission.request, commission.trajectory()
    files = {name: file.read_bytes() for name, file in commission.control_files().items()}
    said = EncodedCamera(files, path if request.control.effective is not None else None)
    asked = AskedCamera.of(commission.task, commission.card)
    return with_events(chunks(asked, said, chunk_frames(commission.card)), commission.task, asked)


def chunk_frames(card: ModelCard) -> int:
    if card.chunk_frames is None:
        raise GenerationError(f"card '{card.name}': a session needs chunk_frames, the frames that one step makes")
    return card.chunk_frames


def begun(commission: Commission, settings: SessionSettings, log: Path) -> RemoteSession:
    """A new session for the request."""
    request, card = commission.request, commission.card
    opening = Opening(commission.image(), opening_prompt(request), request.fps, request.case.seed, card.context_s)
    started = time.monotonic()
    driven = opened(settings.address, opening, settings.timeout_s, headers(settings))
    line = OpenLine(
        session=driven.id,
        address=settings.address,
        seed=opening.seed,
        prompt=opening.prompt,
        prompt_used=driven.prompt,
        context_s=opening.context_s,
        chunk_frames=chunk_frames(card),
        first_frame_sha256=sha256(driven.first),
        seconds=time.monotonic() - started,
    )
    noted(log, line)
    return driven


def opening_prompt(request: Request) -> str:
    """The prompt without the camera in words, which each step says for itself."""
    return request.prompt.replace(f" {request.control.text}", "", 1) if request.control.text else request.prompt


def headers(settings: SessionSettings) -> dict[str, str]:
    if not settings.sign_in:
        return {}
    secret = secret_of(settings.sign_in)
    if not secret:
        raise GenerationError(f"set the environment variable {settings.sign_in} to sign in to the session's server")
    return {"Authorization": f"Bearer {secret}"}


def session_pictures(driven: RemoteSession, steps: Sequence[Chunk], frames: int, log: Path) -> Iterator[Picture]:
    """The frames of a video one after the other, no more than a step of them in memory."""
    yield driven.first
    yield from stepped(driven, steps, frames, log)


def stepped(driven: RemoteSession, steps: Sequence[Chunk], frames: int, log: Path) -> Iterator[Picture]:
    """The frames that these steps make, up to the last of the video; each step leaves a line in the log."""
    for chunk in steps:
        started = time.monotonic()
        pictures = driven.step(chunk.action, chunk.text, chunk.frames)
        line = StepLine(
            session=driven.id,
            step=driven.steps - 1,
            action=dict(chunk.action),
            text=chunk.text,
            first=chunk.first,
            frames=chunk.frames,
            frames_sha256=tuple(map(sha256, pictures)),
            seconds=time.monotonic() - started,
        )
        noted(log, line)
        yield from pictures[: frames - chunk.first]


def noted(log: Path, line: Record) -> None:
    with log.open("a") as file:
        file.write(line.model_dump_json() + "\n")


def sha256(picture: Picture) -> str:
    return hashlib.sha256(picture.tobytes()).hexdigest()
