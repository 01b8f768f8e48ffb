"""A chat-completions server that looks at the pictures it is sent, as far as it is let, and answers by what it sees."""

from __future__ import annotations

import asyncio
import base64
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookaway.images import rgb_image
from lookaway.judges.doctor.canaries import NAMES, picture
from lookaway.judges.frames import Pixels
from tests.judges.server import NO, YES, ChatServer, Manner, Served

KNOWN = {name: picture(name) for name in NAMES}
WORD, CELL = 1.3, 32


@dataclass
class Sight(Manner):
    most_frames: int = 1000  # later ones are dropped without a word
    pairs: bool = False  # two frames in a row take one frame's tokens
    keeps_schema: bool = True
    tells_scores: bool = True
    always: str = ""  # says this whatever it sees
    sure: float = 0.97
    most_pictures: int = 1000  # of a prompt; more are refused


class SeeingServer(ChatServer):
    manner: Sight

    async def _answer(
        self, writer: asyncio.StreamWriter, asked: dict[str, Any], served: Served, headers: dict[str, str]
    ) -> bool:
        pictures = sum(part["type"] == "image_url" for part in asked["messages"][-1]["content"])
        if pictures > self.manner.most_pictures:
            served.fate = "rejected"
        return await super()._answer(writer, asked, served, headers)

    def _completion(self, asked: dict[str, Any], fate: str) -> dict[str, Any]:
        content = asked["messages"][-1]["content"]
        urls = [part["image_url"]["url"] for part in content if part["type"] == "image_url"][: self.manner.most_frames]
        pictures = [rgb_image(base64.b64decode(url.partition(",")[2])) for url in urls]
        seen = {name for name in map(recognised, pictures) if name}
        question = re.search(r"an? (\w+ \w+) in any", content[-1]["text"])
        there = question is not None and question[1] in seen
        self.manner.says = self.manner.always or ("Yes" if there else "No")
        completion = super()._completion(asked, fate if self.manner.keeps_schema else "no_form")
        steps = math.ceil(len(pictures) / 2) if self.manner.pairs else len(pictures)
        cells = round(pictures[0].shape[0] / CELL) * round(pictures[0].shape[1] / CELL) if pictures else 0
        words = sum(len(part["text"].split()) for part in content if part["type"] == "text")
        if self.manner.usage:
            completion["usage"]["prompt_tokens"] = round(WORD * words) + steps * cells
        return completion

    def _logprobs(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        if not self.manner.tells_scores or not asked.get("logprobs"):
            return None
        yes = self.manner.sure if self.manner.says == "Yes" else 1 - self.manner.sure
        likely = [("Yes", YES, 0.998 * yes), ("No", NO, 0.998 * (1 - yes)), ("The", 303, 0.001)]
        chances = {number: chance for _, number, chance in likely}
        if self.manner.knows_token_ids and asked.get("logprob_token_ids"):
            likely = [(f"token_id:{n}", n, chances.get(n, 1e-7)) for n in asked["logprob_token_ids"]]
        top = [{"token": token, "logprob": math.log(chance)} for token, _, chance in likely]
        best = max(top, key=lambda each: each["logprob"])
        return {"content": [{**best, "top_logprobs": top[: asked["top_logprobs"] if len(likely) == 3 else None]}]}


def recognised(rgb: Pixels) -> str | None:
    """The canary that a picture shows, if any."""
    for name, known in KNOWN.items():
        if rgb.shape == known.shape and np.abs(rgb.astype(np.int16) - known).mean() < 6:
            return name
    return None
