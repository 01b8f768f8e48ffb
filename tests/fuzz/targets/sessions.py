"""Messages to a server of sessions. `SESSION` in a message stands for one that is open."""

from __future__ import annotations

import json
from pathlib import Path

from lookaway.errors import UsageError
from lookaway.sessions.desk import Desk
from tests.fuzz.driving import CORPUS, Attempt, FalseVerdict, Target
from tests.fuzz.mutation import spoilt_json
from tests.generators.strangers import Model

WORDS = ("kind", "open", "step", "fork", "close", "session", "first_frame", "width", "height", "version", "seconds")


def _message(folder: Path) -> Attempt:
    hello = (CORPUS / "session_message" / "good" / "open.json").read_bytes()

    def attempt(data: bytes) -> bool:
        desk = Desk(Model(), most=8)
        session = json.loads(desk.answer(hello)[1])["session"]
        code, told = desk.answer(data.replace(b"SESSION", session.encode()))
        answer = json.loads(told)
        if (code == 200) == ("error" in answer):
            raise FalseVerdict(f"{code}: {told[:200]}")
        if code != 200:
            raise UsageError(answer["error"])
        return True

    return attempt


TARGETS = (Target("session_message", _message, spoilt_json(WORDS), share=4),)
