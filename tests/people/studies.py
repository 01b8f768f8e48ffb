"""Studies to test with: small clips whose pixels say which frame they are, and a real server for them."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from lookaway.people.folder import StudyFolder, write_study
from lookaway.people.ready_clips import ReadyClip, ReadyClips
from lookaway.records import Interval, Question, StudyItem
from lookaway.video import encode

LOOKAWAY = str(Path(sys.executable).parent / "lookaway")
BITS = 7
NASTY = "</script><img src=x onerror=\"document.title='owned'\"><b>&'\""
CRITERIA = {
    "place": '[[criteria]]\nname = "place"\ntext = "Which one has it in the right place?"\n',
    "state": '[[criteria]]\nname = "state"\ntext = "Which one has the right state?"\n'
    'judgeable = "Does it come back in both?"\n',
}
HEAD = 'kind = "{kind}"\ntitle = "A small study"\ninstructions = "Look."\nconsent = "You may stop at any time."\n'


def numbered_frame(number: int, width: int = 160, height: int = 96) -> NDArray[np.uint8]:
    """A picture whose columns are the number's bits: white is 1."""
    frame = np.full((height, width, 3), 20, np.uint8)
    for bit in range(BITS):
        if number >> bit & 1:
            frame[:, bit * width // BITS : (bit + 1) * width // BITS] = 235
    return frame


def numbered_clip(folder: Path, frames: int = 81, fps: float = 16, first: int = 0) -> ReadyClip:
    path = folder / f"numbered-{frames}-{first}.mp4"
    encode([numbered_frame((first + number) % 128) for number in range(frames)], path, fps)
    return ReadyClips(folder / "blobs").of(path)


def item(clips: Sequence[ReadyClip], number: int, **more: Any) -> StudyItem:
    systems = ("alpha", "beta")[: len(clips)]
    facts: dict[str, Any] = {
        "id": f"{number:016x}",
        "cases": tuple(f"task{number}/{system}/0" for system in systems),
        "media": tuple(clip.media for clip in clips),
        "frames": tuple(clip.frames for clip in clips),
        "fps": tuple(clip.fps for clip in clips),
        "scene": f"scene{number % 3}",
        "prompt": "A ball rolls.",
        "subject": "the ball",
        "phases": (Interval(phase="visible", start_s=0, end_s=0.2), Interval(phase="hidden", start_s=0.2, end_s=0.4)),
    }
    return StudyItem(**facts | more)


def pair_study(root: Path, items: int = 4, frames: int = 6, head: str = "", **more: Any) -> StudyFolder:
    root.mkdir(parents=True, exist_ok=True)
    clips = [numbered_clip(root, frames, 16, first) for first in (0, 64)]
    design = HEAD.format(kind="pairwise") + head + CRITERIA["place"] + CRITERIA["state"]
    return write_study(root, design, [item(clips, number, **more) for number in range(items)])


def single_study(root: Path, kind: str, items: int = 1, frames: int = 6, head: str = "") -> StudyFolder:
    root.mkdir(parents=True, exist_ok=True)
    clip = numbered_clip(root, frames)
    if kind == "bank_review":
        asked = Question(id="q0", text="Is it red?", dimension="things", polarity="positive", expected="yes")
        questions = [asked.model_copy(update={"id": f"q{number}"}) for number in range(items)]
        made = [item([clip], n, question=one, cases=("task0/truth/0",)) for n, one in enumerate(questions)]
        return write_study(root, HEAD.format(kind=kind) + "bank = true\n" + head, made)
    design = HEAD.format(kind=kind) + head + CRITERIA["place"]
    return write_study(root, design, [item([clip], number) for number in range(items)])


class Answer(NamedTuple):
    code: int
    body: bytes
    headers: dict[str, str]

    @property
    def told(self) -> Any:
        return json.loads(self.body)


class Visitor:
    """A browser without a screen: keeps its cookie and says the page's word."""

    def __init__(self, home: str) -> None:
        self.home, self.cookie, self.word = home, "", ""
        self.wire: http.client.HTTPConnection | None = None

    def ask(self, path: str, what: Any = None, method: str = "", **headers: str | None) -> Answer:
        """A POST where something is said; a header that is None is left out."""
        parts = urlsplit(self.home)
        body = what if isinstance(what, bytes) else None if what is None else json.dumps(what).encode()
        usual: dict[str, str | None] = {"Host": parts.netloc, "Cookie": self.cookie or None}
        if body is not None:
            usual |= {"Content-Type": "application/json", "Origin": self.home, "X-Lookaway-Word": self.word}
            usual |= {"Content-Length": str(len(body))}
        usual |= {name.replace("_", "-"): value for name, value in headers.items()}
        wire = http.client.HTTPConnection(parts.hostname or "", parts.port or 0, timeout=30)
        try:
            wire.putrequest(method or ("GET" if body is None else "POST"), path, skip_host=True)
            for name, value in usual.items():
                if value is not None:
                    wire.putheader(name, value)
            wire.endheaders(body)
            answer = wire.getresponse()
            return Answer(answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()})
        finally:
            wire.close()

    def join(self, link: str) -> Answer:
        """Agree, sit down, and learn the page's word."""
        answer = self.ask(urlsplit(link).path + "join", {"consent": True})
        if answer.code == 200:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
            where = "/admin/state" if answer.told["role"] == "admin" else "/state"
            self.word = self.ask(where).told["word"]
        return answer

    def say(self, number: int, axis: str, word: str, **more: Any) -> Answer:
        said = {"number": number, "axis": axis, "word": word, "submission": uuid.uuid4().hex} | more
        return self.ask("/answer", said)


class Served(NamedTuple):
    home: str
    admin: str
    raters: list[str]
    process: subprocess.Popen[str]


@contextlib.contextmanager
def served(study: Path, invites: int = 1, port: int = 0, *more: str) -> Iterator[Served]:
    """A study behind the real command, until the block ends."""
    command = [LOOKAWAY, "people", "serve", str(study), "--invite", str(invites), "--port", str(port), *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            links = []
            while len(links) < 1 + invites:
                line = process.stdout.readline() if process.stdout else ""
                assert line or process.poll() is None, process.stderr.read() if process.stderr else ""
                links += re.findall(r"https?://\S+", line)
            yield Served(links[0].partition("/i/")[0], links[0], links[1:], process)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(30)
