"""A chat-completions server whose belief depends on every frame it is shown and on the question alone."""

from __future__ import annotations

import base64
import hashlib
import math
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lookaway.images import rgb_image
from tests.judges.server import NO, YES, ChatServer, Manner


@dataclass
class Mind(Manner):
    weights: int = 0  # another number is another model
    off: float = 0.0  # nats by which rounded weights move a belief, at most
    noise: float = 0.0  # nats of numerical noise, another in each reply
    temperature: float | None = None  # words are drawn, and no token scores told
    every: int = 1  # of so many frames one is looked at
    black: int = 12  # of 255: a frame below it is black
    sharpness: float = 3.0
    seed: int = 0  # of noise and of drawn words, which are others for every time a question is put
    times: Counter[str] = field(default_factory=Counter)

    def chance(self, asked: dict[str, Any]) -> random.Random:
        question = hashlib.sha256(repr(asked["messages"]).encode()).hexdigest()
        self.times[question] += 1
        return random.Random(f"{self.seed} {question} {self.times[question]}")


class ExaminedServer(ChatServer):
    manner: Mind

    def _completion(self, asked: dict[str, Any], fate: str) -> dict[str, Any]:
        mind, chance = self.manner, self.manner.chance(asked)
        self.belief = self._belief(asked) + chance.gauss(0, mind.noise)
        if mind.temperature is not None:
            cold = mind.temperature == 0
            yes = float(self.belief > 0) if cold else 1 / (1 + math.exp(-self.belief / mind.temperature))
            self.manner.says = "Yes" if chance.random() < yes else "No"
        else:
            self.manner.says = "Yes" if self.belief > 0 else "No"
        return super()._completion(asked, fate)

    def _belief(self, asked: dict[str, Any]) -> float:
        """In nats: a random projection of small pictures, drawn from the weights and the words of the question."""
        mind, content = self.manner, asked["messages"][-1]["content"]
        urls = [part["image_url"]["url"] for part in content if part["type"] == "image_url"][:: mind.every]
        frames = [rgb_image(base64.b64decode(url.partition(",")[2]))[::16, ::16] / 255.0 for url in urls]
        words = content[-1]["text"].rpartition("Question:")[2]
        seed = list(hashlib.sha256(f"{mind.weights} {words}".encode()).digest())
        rng = np.random.default_rng(seed)
        seen = [float(rng.normal(0, 1, frame.shape).ravel() @ (frame - 0.5).ravel()) for frame in frames]
        off = mind.off * np.random.default_rng([1, *seed]).uniform(-1, 1)
        return mind.sharpness * float(np.mean(seen)) / 10 + float(off)

    def _logprobs(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        if self.manner.temperature is not None or not asked.get("logprobs"):
            return None
        yes = 1 / (1 + math.exp(-self.belief))
        likely = [("Yes", YES, 0.99 * yes), ("No", NO, 0.99 * (1 - yes)), ("The", 303, 0.005)]
        top = [{"token": token, "logprob": math.log(max(chance, 1e-9))} for token, _, chance in likely]
        return {"content": [{**max(top, key=lambda one: one["logprob"]), "top_logprobs": top}]}
