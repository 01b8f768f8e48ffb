"""The page on which somebody draws the subject's box on each video's first frame: served on this machine alone.

The page is three files that never change; names of videos come to it as JSON and are shown as text. Its address holds a
token that nobody can guess, and requests of other pages are refused.
"""

from __future__ import annotations

import contextlib
import hmac
import io
import json
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pydantic import Field, ValidationError

from lookaway.errors import VideoError, problems
from lookaway.limits import PICK_BYTES, PICK_SIDE
from lookaway.looking.boxes import SubjectBox
from lookaway.looking.brought import BroughtVideo
from lookaway.sessions.limited_server import LimitedHandler, LimitedServer
from lookaway.sessions.visitors import server_names
from lookaway.video import decode_some

HOST = "127.0.0.1"
PAGE = Path(__file__).with_name("pick_page")
FILES = {
    "": ("page.html", "text/html"),
    "page.js": ("page.js", "text/javascript"),
    "page.css": ("page.css", "text/css"),
}
JSON, TEXT = "application/json", "text/plain; charset=utf-8"
OK, BAD, NOT_FOUND = 200, 400, 404
SAFE = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self' data:; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class PickAnswer(SubjectBox):
    """What the page says of one video."""

    video: int = Field(ge=0, description="counted from 0")


class FirstPicture(NamedTuple):
    id: str
    jpeg: bytes


class PageReply(NamedTuple):
    code: int
    kind: str
    body: bytes


@dataclass
class PickDesk:
    """What the page may ask for, and what it was told."""

    pictures: Sequence[FirstPicture]
    subject: str  # what it is called unless somebody writes another name
    answers: dict[int, SubjectBox] = field(default_factory=dict)
    finished: threading.Event = field(default_factory=threading.Event)

    def shown(self, what: str) -> PageReply:
        """What a page may read."""
        if what in FILES:
            name, kind = FILES[what]
            return PageReply(OK, f"{kind}; charset=utf-8", (PAGE / name).read_bytes())
        if what == "videos":
            return PageReply(OK, JSON, json.dumps([self._row(at) for at in range(len(self.pictures))]).encode())
        frames = {f"frame/{at}": picture.jpeg for at, picture in enumerate(self.pictures)}
        if what in frames:
            return PageReply(OK, "image/jpeg", frames[what])
        return PageReply(NOT_FOUND, TEXT, b"there is no such page")

    def _row(self, at: int) -> dict[str, object]:
        said = self.answers.get(at, SubjectBox(box=None, name=self.subject))
        return {"id": self.pictures[at].id, "box": said.box, "name": said.name, "answered": at in self.answers}

    def told(self, what: str, body: bytes) -> PageReply:
        """Take what a page says."""
        if what == "finish":
            return PageReply(OK, JSON, b"{}")
        if what != "answer":
            return PageReply(NOT_FOUND, TEXT, b"there is no such page")
        try:
            answer = PickAnswer.model_validate_json(body)
        except ValidationError as error:
            return PageReply(BAD, TEXT, problems(error).encode())
        if answer.video >= len(self.pictures):
            return PageReply(BAD, TEXT, b"there is no such video")
        self.answers[answer.video] = SubjectBox(box=answer.box, name=answer.name)
        return PageReply(OK, JSON, b"{}")

    def by_video(self) -> dict[str, SubjectBox]:
        return {self.pictures[at].id: answer for at, answer in sorted(self.answers.items())}


class Picked(NamedTuple):
    answers: dict[str, SubjectBox]  # by id of the video
    finished: bool  # or was the time over?


def picked(videos: Sequence[BroughtVideo], subject: str, wait_s: float, say: Callable[[str], None]) -> Picked:
    """What somebody drew on the page whose address is said; whatever was drawn when the time is over, if so."""
    return picked_on(list(first_pictures(videos)), subject, wait_s, say)


def picked_on(pictures: Sequence[FirstPicture], subject: str, wait_s: float, say: Callable[[str], None]) -> Picked:
    """The same of pictures."""
    desk = PickDesk(pictures, subject)
    if not desk.pictures:
        return Picked({}, True)
    with pick_server(desk) as address:
        say(address)
        done = desk.finished.wait(wait_s)
    return Picked(desk.by_video(), done)


def first_pictures(videos: Sequence[BroughtVideo]) -> Iterator[FirstPicture]:
    """Of the videos that can be read."""
    for video in videos:
        with contextlib.suppress(VideoError):
            (first,) = decode_some(video.path, [0])
            yield first_picture(video.id, first.rgb)


def first_picture(id: str, rgb: NDArray[np.uint8]) -> FirstPicture:
    """A picture as the page shows it."""
    picture, buffer = Image.fromarray(rgb), io.BytesIO()
    picture.thumbnail((PICK_SIDE, PICK_SIDE))
    picture.save(buffer, "JPEG", quality=90)
    return FirstPicture(id, buffer.getvalue())


@contextlib.contextmanager
def pick_server(desk: PickDesk) -> Iterator[str]:
    """The address of the page, served until the block ends."""
    token = secrets.token_urlsafe(24)

    class Handler(LimitedHandler):
        names = server_names(HOST)

        def do_GET(self) -> None:
            refused, what = self.unwelcome(), self._asked()
            if refused is not None or what is None:
                self._refuse(refused.code if refused else NOT_FOUND)
            else:
                self._reply(desk.shown(what))

        def do_POST(self) -> None:
            body, what = self.received(PICK_BYTES), self._asked()
            if not isinstance(body, bytes) or what is None:
                self._refuse(NOT_FOUND if isinstance(body, bytes) else body.code)
                return
            reply = desk.told(what, body)
            self._reply(reply)
            if what == "finish" and reply.code == OK:
                desk.finished.set()

        def _asked(self) -> str | None:
            """What comes behind the token; None without it."""
            given, slash, what = self.path.partition("?")[0].removeprefix("/").partition("/")
            return what if slash and hmac.compare_digest(given.encode(), token.encode()) else None

        def _refuse(self, code: int) -> None:
            self._reply(PageReply(code, TEXT, b"this page is only for whoever was given its address"))

        def _reply(self, reply: PageReply) -> None:
            self.answer(reply.code, reply.kind, reply.body, SAFE)

    server = LimitedServer((HOST, 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_address[1]}/{token}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
