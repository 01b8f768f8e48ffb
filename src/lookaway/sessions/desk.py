"""The server's side of the conversation: which session is where, and what to answer."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import ValidationError

from lookaway.errors import GenerationError, LookawayError, UsageError, problems
from lookaway.sessions.messages import (
    MESSAGES,
    VERSION,
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
from lookaway.sessions.session import Opening, Opens, Picture, Session

BAD_REQUEST, NOT_FOUND, CONFLICT, NOT_DONE, FULL = 400, 404, 409, 422, 503


class Unanswerable(LookawayError):
    """A message that cannot be answered, and the HTTP status that says so."""

    def __init__(self, code: int, message: str) -> None:
        self.code = code
        super().__init__(message)


@dataclass
class Seat:
    """A session and how far it has come."""

    session: Session
    first: Picture
    steps: int = 0
    frames_shown: int = 1
    used: float = field(default_factory=time.monotonic)
    busy: threading.Lock = field(default_factory=threading.Lock)


class Desk:
    """Answers messages about any number of sessions; those that nobody uses for `idle_s` are closed."""

    def __init__(self, opens: Opens, idle_s: float = 600.0, most: int = 64) -> None:
        self._opens, self._idle_s, self._most = opens, idle_s, most
        self._seats: dict[str, Seat] = {}
        self._opening = 0  # seats that are promised to sessions on their way
        self._lock = threading.Lock()

    def answer(self, body: str | bytes) -> tuple[int, str]:
        """HTTP status and JSON for any message, however bad."""
        try:
            return 200, self._answered(MESSAGES.validate_json(body)).model_dump_json()
        except ValidationError as error:
            code, unable = BAD_REQUEST, Unable(error=problems(error))
        except Unanswerable as error:
            code, unable = error.code, Unable(error=str(error))
        except UsageError as error:
            code, unable = BAD_REQUEST, Unable(error=str(error))
        except GenerationError as error:
            code, unable = NOT_DONE, Unable(error=str(error), status=error.status)
        return code, unable.model_dump_json()

    def _answered(self, message: Message) -> SessionAnswer:
        self._forget_idle()
        match message:
            case OpenMessage():
                return self._open(message)
            case StepMessage():
                return self._step(message)
            case ForkMessage():
                seat = self._seat(message.session)
                with self._room(), seat.busy:
                    return Forked(session=self._take(self._forked(seat)))
            case CloseMessage():
                seat = self._seat(message.session)
                with seat.busy:
                    self._leave(message.session)
                return Closed(session=message.session)

    def _open(self, message: OpenMessage) -> Opened:
        if message.version != VERSION:
            raise Unanswerable(BAD_REQUEST, f"version {message.version} of the messages is not known, only {VERSION}")
        try:
            first = unpacked(message.first_frame, (message.width, message.height))
        except ValueError as error:
            raise Unanswerable(BAD_REQUEST, f"first_frame: {error}") from error
        with self._room():
            session = self._opens(Opening(first, message.prompt, message.fps, message.seed, message.context_s))
            shown = session.first
            return Opened(session=self._take(Seat(session, shown)), prompt=session.prompt, frame=packed(shown))

    def _forked(self, seat: Seat) -> Seat:
        return Seat(seat.session.fork(), seat.first, seat.steps, seat.frames_shown)

    def _step(self, message: StepMessage) -> Stepped:
        seat = self._seat(message.session)
        with seat.busy:
            if (message.step, message.first) != (seat.steps, seat.frames_shown):
                raise Unanswerable(
                    CONFLICT,
                    f"session {message.session} awaits step {seat.steps} from frame {seat.frames_shown} on, "
                    f"not step {message.step} from frame {message.first} on",
                )
            if (too_many := beyond_a_step(message.frames, seat.first)) is not None:
                raise Unanswerable(BAD_REQUEST, f"session {message.session}: {too_many}; ask for fewer at a time")
            pictures = seat.session.step(message.action, message.text, message.frames)
            answer = Stepped(
                session=message.session,
                step=seat.steps,
                first=seat.frames_shown,
                frames=tuple(map(packed, pictures)),
            )
            seat.steps, seat.frames_shown = seat.steps + 1, seat.frames_shown + len(pictures)
            seat.used = time.monotonic()
        return answer

    def _seat(self, name: str) -> Seat:
        with self._lock:
            if name not in self._seats:
                raise Unanswerable(NOT_FOUND, f"no session '{name}' here; it was closed, forgotten or never opened")
            seat = self._seats[name]
            seat.used = time.monotonic()
            return seat

    @contextlib.contextmanager
    def _room(self) -> Iterator[None]:
        """A seat that nobody else is given meanwhile, or an error before any work is done for it."""
        with self._lock:
            if len(self._seats) + self._opening >= self._most:
                raise Unanswerable(FULL, f"{self._most} sessions are open, and there is room for no more; close one")
            self._opening += 1
        try:
            yield
        finally:
            with self._lock:
                self._opening -= 1

    def _take(self, seat: Seat) -> str:
        name = secrets.token_hex(8)
        with self._lock:
            self._seats[name] = seat
        return name

    def _leave(self, name: str) -> None:
        with self._lock:
            seat = self._seats.pop(name, None)
        if seat is not None:
            seat.session.close()

    def _forget_idle(self) -> None:
        oldest = time.monotonic() - self._idle_s
        with self._lock:
            idle = [name for name, seat in self._seats.items() if seat.used < oldest and not seat.busy.locked()]
        for name in idle:
            self._leave(name)
