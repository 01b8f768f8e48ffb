"""A session in a stranger's model: what comes back is what was asked for, or there is a reason."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import TypeVar

from pydantic import ValidationError

from lookaway.errors import GenerationError, problems
from lookaway.secrets import first_words
from lookaway.sessions.messages import (
    Closed,
    CloseMessage,
    Forked,
    ForkMessage,
    Message,
    Opened,
    OpenMessage,
    SessionAnswer,
    StepMessage,
    Stepped,
    Unable,
    beyond_a_step,
    packed,
    unpacked,
)
from lookaway.sessions.session import Action, Opening, Picture
from lookaway.sessions.wires import SAID, Wire, wire_to

A = TypeVar("A", bound=SessionAnswer)


def opened(
    address: str, opening: Opening, timeout_s: float = 600.0, headers: Mapping[str, str] | None = None
) -> RemoteSession:
    """A new session at that address; each answer may take `timeout_s`."""
    wire = wire_to(address, timeout_s, headers or {})
    height, width = opening.first_frame.shape[:2]
    message = OpenMessage(
        first_frame=packed(opening.first_frame),
        prompt=opening.prompt,
        seed=opening.seed,
        width=width,
        height=height,
        fps=opening.fps,
        context_s=opening.context_s,
    )
    try:
        answer = asked(wire, message, Opened)
        first = opening.first_frame if answer.frame is None else picture(answer.frame, 0)
    except GenerationError:
        wire.close()
        raise
    return RemoteSession(wire, answer.session, first, answer.prompt)


class RemoteSession:
    """Counts steps and frames, and takes no answer that does not continue them."""

    def __init__(
        self, wire: Wire, id: str, first: Picture, prompt: str | None, steps: int = 0, frames_shown: int = 1
    ) -> None:
        self._wire, self.id = wire, id
        self.first, self.prompt = first, prompt
        self.steps, self.frames_shown = steps, frames_shown
        self.memory_bytes: int | None = None  # the most that the server told

    def step(self, action: Action, text: str, frames: int) -> list[Picture]:
        """The frames after the last one shown."""
        if (too_many := beyond_a_step(frames, self.first)) is not None:
            raise GenerationError(f"session {self.id}: {too_many}; lower chunk_frames in the model card")
        message = StepMessage(
            session=self.id,
            step=self.steps,
            first=self.frames_shown,
            frames=frames,
            action=dict(action),
            text=text,
        )
        answer = asked(self._wire, message, Stepped)
        self._check(message, answer)
        if answer.memory_bytes is not None:
            self.memory_bytes = max(answer.memory_bytes, self.memory_bytes or 0)
        shown = [self._fitting(text, n) for n, text in enumerate(answer.frames, message.first)]
        self.steps, self.frames_shown = self.steps + 1, self.frames_shown + frames
        return shown

    def fork(self) -> RemoteSession:
        """Another session that has come this way and goes on by itself."""
        answer = asked(self._wire, ForkMessage(session=self.id), Forked)
        if answer.session == self.id:
            raise GenerationError(f"session {self.id}: its fork has the same name, so the two could not be told apart")
        return RemoteSession(self._wire, answer.session, self.first, self.prompt, self.steps, self.frames_shown)

    def close(self) -> None:
        """Let the server forget the session; one that is gone needs no closing."""
        with contextlib.suppress(GenerationError):
            asked(self._wire, CloseMessage(session=self.id), Closed)

    def hang_up(self) -> None:
        """End the connection, which forks share."""
        self._wire.close()

    def _check(self, message: StepMessage, answer: Stepped) -> None:
        told = (answer.session, answer.step, answer.first, len(answer.frames))
        wanted = (message.session, message.step, message.first, message.frames)
        for name, has, wants in zip(("session", "step", "first frame", "count of frames"), told, wanted, strict=True):
            if has != wants:
                raise GenerationError(
                    f"session {self.id}, step {message.step}: {name} is {has} in the answer and {wants} in the "
                    "question, so the clip would be spliced"
                )

    def _fitting(self, text: str, number: int) -> Picture:
        height, width = self.first.shape[:2]
        return picture(text, number, (width, height))


def picture(text: str, number: int, size: tuple[int, int] | None = None) -> Picture:
    try:
        return unpacked(text, size)
    except ValueError as error:
        raise GenerationError(f"frame {number} of the session's answer: {error}") from error


def asked(wire: Wire, message: Message, kind: type[A]) -> A:
    """The server's answer, or why there is none."""
    body = wire.ask(message)
    try:
        told = json.loads(body)
        if isinstance(told, dict) and "error" in told:
            unable = Unable.model_validate(told)
            raise GenerationError(f"'{message.do}' cannot be done, says {wire.address}: {unable.error}", unable.status)
        return kind.model_validate(told)
    except ValidationError as error:
        raise GenerationError(f"{wire.address} answered '{message.do}' wrongly: {problems(error)}") from error
    except (ValueError, RecursionError) as error:
        said = first_words(body.decode(errors="replace"), SAID)
        raise GenerationError(f"{wire.address} did not answer '{message.do}' in JSON: {said}") from error
