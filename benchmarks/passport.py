"""Does a fingerprint stay with its judge? A tiny vision-language model behind a real server, restarted and changed.

    python benchmarks/passport.py     needs the extras worlds, openai and torch; writes passport.md beside this file

Eight exams are sat under each condition, over real sockets. A trial takes one stored and one later exam, draws 64 clips
of the exam with replacement, and compares the answers about them; a clip that is drawn twice counts twice, and its
halves are drawn once, since it is one clip.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ["HF_HUB_OFFLINE"] = "1"

from tests.learned.cpu_torchvision import import_torchvision  # noqa: E402
from tests.learned.model_server import ModelServer, serving  # noqa: E402
from tests.learned.plain_model import PlainModel  # noqa: E402
from tests.learned.tiny_vlm import build  # noqa: E402

from lookaway.judges.exam.fingerprint import compared  # noqa: E402
from lookaway.judges.exam.paper import exam_paper  # noqa: E402
from lookaway.pipeline.exam import sitting  # noqa: E402
from lookaway.pipeline.seats import seat_of  # noqa: E402
from lookaway.records import ExamAnswer, ExamPaper, Plan, PlannedJudge, Setting  # noqa: E402
from lookaway.store import Blobs  # noqa: E402

EXAMS, TRIALS = 8, 200
ABOUT = """\
A random Qwen3-VL of two layers, on the CPU in float32, behind uvicorn in a thread of the same process; the judge
`openai` asks it over HTTP. For token scores the server is started and its weights are read anew for every exam. For
words the scores of a request are computed once for each condition, and a word is drawn from them in every call."""
SCORES: dict[str, Setting] = {"openai.model": "tiny", "openai.concurrency": 2}
WORDS: dict[str, Setting] = SCORES | {"openai.scores": "none", "openai.temperature": 1.0}
Change = Callable[[PlainModel], None]
Sat = list[ExamAnswer]


@dataclass
class Behaviour:
    """What a server does behind the client's back."""

    temperature: float = 1.0  # of the scores that it tells, or of the words that it draws
    words: bool = False
    every: int = 1  # of so many frames one is kept
    rng: np.random.Generator | None = None
    known: dict[str, Any] = field(default_factory=dict)  # scores by request, kept where words are drawn


class TinyServer(ModelServer):
    """One forward pass a request. Where words are drawn, equal requests to equal weights share theirs."""

    behaviour = Behaviour()

    def _completion(self, body: dict[str, Any], fate: str) -> dict[str, Any]:
        for message in body["messages"]:
            message["content"] = self._kept(message["content"])
        scores = self._next_token(body["messages"])
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": self._word(scores) if self.behaviour.words else "Yes"},
            "logprobs": _told(scores, body["logprob_token_ids"]) if body.get("logprobs") else None,
        }
        self._ids += 1
        return {
            "id": f"chatcmpl-{self._ids}",
            "object": "chat.completion",
            "model": body["model"],
            "choices": [choice],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 1},
        }

    def _kept(self, content: list[dict[str, Any]]) -> list[dict[str, Any]]:
        pictures = [part for part in content if part["type"] == "image_url"]
        dropped = [part for number, part in enumerate(pictures) if number % self.behaviour.every]
        return [part for part in content if not any(part is one for one in dropped)]

    def _next_token(self, messages: list[dict[str, Any]]) -> Any:
        import torch

        key = hashlib.sha256(json.dumps(messages).encode()).hexdigest()
        known = self.behaviour.known
        if key not in known or not self.behaviour.words:
            known[key] = self.model.logprobs(self.model.of_messages(messages))
        return torch.log_softmax(known[key] / max(self.behaviour.temperature, 1e-6), dim=-1)

    def _word(self, scores: Any) -> str:
        assert self.behaviour.rng is not None
        chances = scores.exp().numpy()
        drawn = int(self.behaviour.rng.choice(len(chances), p=chances / chances.sum()))
        return str(self.model.tokenizer.decode([drawn]))


def _told(scores: Any, tokens: Sequence[int]) -> dict[str, Any]:
    top = [{"token": f"token_id:{token}", "logprob": float(scores[token])} for token in tokens]
    return {"content": [{**max(top, key=lambda one: one["logprob"]), "top_logprobs": top}]}


def rounded_to_int8(model: PlainModel) -> None:
    """Every matrix in steps of a 127th of the largest value of its row, as 8-bit weights have them."""
    import torch

    with torch.no_grad():
        for parameter in model.model.parameters():
            if parameter.ndim >= 2:
                step = parameter.abs().flatten(1).amax(1).clamp(min=1e-12) / 127
                step = step.reshape(-1, *[1] * (parameter.ndim - 1))
                parameter.copy_((parameter / step).round() * step)


def unchanged(model: PlainModel) -> None:
    """The weights as they are."""


@dataclass(frozen=True)
class Condition:
    name: str
    weights: Path
    change: Change = unchanged
    temperature: float = 1.0
    every: int = 1


def exams(condition: Condition, paper: ExamPaper, blobs: Blobs, words: bool, rounds: int, first: int) -> list[Sat]:
    """Eight sittings, the server started anew for each and its weights read anew; for words, read once."""
    found, start = [], time.monotonic()
    model: PlainModel | None = None
    known: dict[str, Any] = {}
    for number in range(EXAMS):
        if model is None or not words:
            model = PlainModel(condition.weights)
            condition.change(model)
        rng = np.random.default_rng([first, number])
        TinyServer.behaviour = Behaviour(condition.temperature, words, condition.every, rng, known)
        with serving(model, TinyServer) as server:
            found.append(sat(server.url, paper, blobs, WORDS if words else SCORES, rounds))
    sys.stderr.write(f"{condition.name}: {EXAMS} exams in {time.monotonic() - start:.0f} s\n")
    return found


def sat(url: str, paper: ExamPaper, blobs: Blobs, settings: dict[str, Setting], rounds: int) -> Sat:
    planned = PlannedJudge.parse(f"openai:{url}")
    seat = seat_of(Plan(suite="", suite_version="", protocols=(), judges=(planned,), settings=settings), planned)
    return asyncio.run(sitting(seat, seat.members[0], paper, blobs, rounds))


def called_same(stored: Sequence[Sat], later: Sequence[Sat], paper: ExamPaper, seed: int) -> float:
    """Share of trials in which the later exam keeps the stored fingerprint."""
    rng = np.random.default_rng(seed)
    sheets = sorted({item.sheet for item in paper.items})
    same = 0
    for _ in range(TRIALS):
        one = int(rng.integers(len(stored)))
        other = int(rng.choice([n for n in range(len(later)) if later is not stored or n != one]))
        drawn = rng.choice(sheets, len(sheets))
        same += compared(*(_drawn(exam, drawn) for exam in (stored[one], later[other])), _clips(paper, drawn)).same
    return same / TRIALS


def _drawn(exam: Sat, drawn: Sequence[str]) -> Sat:
    by_sheet: dict[str, Sat] = {}
    for answer in exam:
        by_sheet.setdefault(answer.item.partition("-")[0], []).append(answer)
    return [
        answer.model_copy(update={"item": f"{answer.item}#{copy}"})
        for copy, sheet in enumerate(drawn)
        for answer in by_sheet[sheet]
    ]


def _clips(paper: ExamPaper, drawn: Sequence[str]) -> dict[str, str]:
    items = [(copy, item) for copy, sheet in enumerate(drawn) for item in paper.items if item.sheet == sheet]
    return {f"{item.id}#{copy}": item.sheet for copy, item in items}


def table(
    title: str, conditions: Sequence[Condition], paper: ExamPaper, blobs: Blobs, words: bool, rounds: int
) -> list[str]:
    stored = exams(conditions[0], paper, blobs, words, rounds, 0)
    lines = [f"## {title}", "", "| condition | exams | same fingerprint | another fingerprint |", "|---|---|---|---|"]
    for number, condition in enumerate(conditions):
        later = stored if number == 0 else exams(condition, paper, blobs, words, rounds, number)
        same = called_same(stored, later, paper, number)
        lines.append(f"| {condition.name} | {len(later)} | {same:.1%} | {1 - same:.1%} |")
    return [*lines, ""]


def main() -> None:
    import_torchvision()
    start = time.monotonic()
    with TemporaryDirectory() as folder:
        place = Path(folder)
        own, other = build(place / "own"), build(place / "other", seed=1)
        blobs = Blobs(place / "blobs")
        paper = exam_paper(blobs)
        weights = [
            Condition("the same server, restarted", own),
            Condition("other random weights", other),
            Condition("weights rounded to 8 bits", own, rounded_to_int8),
        ]
        drops = Condition("drops every second frame", own, every=2)
        scores = [*weights, Condition("sampler: scores told at temperature 0.7", own, temperature=0.7), drops]
        words = [*weights, Condition("sampler: greedy in place of temperature 1", own, temperature=0.0), drops]
        lines = table("A judge that tells token scores, two rounds", scores, paper, blobs, False, 2)
        lines += table("A judge that answers in words at temperature 1, four rounds", words, paper, blobs, True, 4)
    minutes = (time.monotonic() - start) / 60
    took = f"{len(paper.items)} questions about 64 clips, {TRIALS} trials a row; {minutes:.0f} min on two cores."
    page = "\n".join(["# Fingerprints of a tiny model", "", ABOUT, "", *lines, took, ""])
    Path(__file__).with_suffix(".md").write_text(page)
    sys.stdout.write(page)


if __name__ == "__main__":
    main()
