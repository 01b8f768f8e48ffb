"""What judges say: words, forms, token scores, whole bodies of services, and files of answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from lookaway.errors import UsageError
from lookaway.judges.answer_files import all_lines
from lookaway.judges.estimators.p_yes import p_yes
from lookaway.judges.estimators.structured import structured
from lookaway.judges.estimators.votes import vote
from lookaway.judges.gemini.reply import read_gemini
from lookaway.judges.openai.chat import ChatRequest, Media
from lookaway.judges.openai.chat_reply import read_reply
from lookaway.records import TokenScores
from tests.fuzz.driving import Attempt, FalseVerdict, Target
from tests.fuzz.mutation import spoilt_json, spoilt_text
from tests.judges.replies import FORM

VOTE_WORDS = (
    *("Yes", "No", "yes", "no", "YES", "NO", "not", "but", "however", "and", "or", "maybe", "cannot tell", "unsure"),
    *(
        "<think>",
        "</think>",
        "<thinking>",
        "</thinking>",
        "Answer: ",
        "**",
        ". ",
        ", ",
        "? ",
        "/",
        "\n",
        "’",
        "n't",
        "_",
    ),
)
FORM_WORDS = ("seen", "progressed", "how", "answers", "id", "answer", "count", "slow", "fast", "yes", "no", "```json\n")
FORM_WORDS = (*FORM_WORDS, "True", "False", "None", "<think>", "</think>", "'", ",}", ",]", "Here it is: ", "```")
BODY_WORDS = (
    "choices",
    "message",
    "content",
    "finish_reason",
    "logprobs",
    "top_logprobs",
    "stop",
    "length",
    "Yes",
    "No",
)
_THOUGHT = re.compile(r"<(think|thinking)>.*?</\1>", re.IGNORECASE | re.DOTALL)
_WORDS = re.compile(r"[^\W_]+")
REQUEST = ChatRequest("?", Media((), (), ()))


def _said(text: str) -> set[str]:
    """Words outside of thoughts, by a plainer reading than the parser's own."""
    return {word.lower() for word in _WORDS.findall(_THOUGHT.sub(" ", text))}


def _vote(folder: Path) -> Attempt:
    def attempt(data: bytes) -> bool:
        text = data.decode("utf-8", "surrogateescape")
        found = vote(text)
        other = {"yes": "no", "no": "yes"}.get(found)
        if other is not None:
            after = text.lower().rpartition("think")[2] if "think" in text.lower() else text
            if found not in _said(text) and found not in _said(after):
                raise FalseVerdict(f"{text!r} never says {found}")
            if other in _said(after):
                raise FalseVerdict(f"{text!r} says {other} as well as {found}")
            if vote(text, "cut") != "invalid":
                raise FalseVerdict(f"{text!r} counts though it was cut")
        return found != "invalid"

    return attempt


def _leaves(value: Any) -> Iterator[Any]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if parts is None:
        yield value
    else:
        for part in parts:
            yield from _leaves(part)


def _form(folder: Path) -> Attempt:
    def attempt(data: bytes) -> bool:
        text = data.decode("utf-8", "surrogateescape")
        found = structured([(text, "complete")], FORM)
        if found.status != "ok":
            if found.choice is not None or not found.reason:
                raise FalseVerdict(f"{text!r}: {found}")
            return False
        leaves = list(_leaves(found.fields))
        lower, plain = text.lower(), _unescaped(text)
        for leaf in leaves:
            told = str(leaf).lower() if isinstance(leaf, bool) else str(leaf)
            if isinstance(leaf, bool | int) and told not in lower:
                raise FalseVerdict(f"{text!r} never says {leaf}")
            if isinstance(leaf, str) and not set(_WORDS.findall(leaf)) <= set(_WORDS.findall(plain)):
                raise FalseVerdict(f"{text!r} never says {leaf!r}")
        if found.choice != ("yes" if found.fields["progressed"] else "no"):
            raise FalseVerdict(f"{text!r}: {found.choice}")
        if structured([(text, "cut")], FORM).status == "ok":
            raise FalseVerdict(f"{text!r} counts though it was cut")
        return True

    return attempt


def _unescaped(text: str) -> str:
    """The text, and beside it what its JSON escapes stand for: either reading may hold a word."""
    plain = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    plain = re.sub(r"\\[nrtbf]", " ", plain)
    return f"{text} {plain} {plain.replace(chr(92), '')}"


def _scores(folder: Path) -> Attempt:
    def attempt(data: bytes) -> bool:
        try:
            scores = TokenScores.model_validate_json(data)
        except ValidationError as error:
            raise UsageError("no token scores") from error
        found = p_yes(scores)
        if found.status != "ok":
            if found.choice is not None or not found.reason:
                raise FalseVerdict(f"{data!r}: {found}")
            return False
        low, point, high = found.p_yes_low, found.p_yes, found.p_yes_high
        if low is None or point is None or high is None or not 0 <= low <= point <= high <= 1 + 1e-12:
            raise FalseVerdict(f"{data!r}: {found}")
        if {"yes": low <= 0.5, "no": high >= 0.5}.get(found.choice or "", False):
            raise FalseVerdict(f"{data!r}: {found}")
        return True

    return attempt


def _chat(folder: Path) -> Attempt:
    def attempt(data: bytes) -> bool:
        reply = read_reply(data, REQUEST)
        told = json.loads(data)["choices"][0]
        if reply.text != told["message"]["content"] or reply.finish_reason != told["finish_reason"]:
            raise FalseVerdict(f"{data!r}: {reply}")
        return True

    return attempt


def _gemini(folder: Path) -> Attempt:
    def attempt(data: bytes) -> bool:
        reply = read_gemini(data)
        content = json.loads(data)["candidates"][0].get("content") or {}
        rest = reply.text
        for part in content.get("parts", []):
            if part.get("thought") is not True:
                rest = rest.removeprefix(part.get("text", ""))
        if rest:
            raise FalseVerdict(f"{data!r}: {reply}")
        return True

    return attempt


def _answers(suffix: str) -> Any:
    def opens(folder: Path) -> Attempt:
        counter = iter(range(10**9))

        def attempt(data: bytes) -> bool:
            path = folder / f"{next(counter)}{suffix}"
            path.write_bytes(data)
            try:
                lines = all_lines(str(path), ("answer",))
            finally:
                path.unlink()
            for line in lines:
                if not line["media"] or not line["question"] or line["answer"] is None:
                    raise FalseVerdict(f"a line about nothing: {line}")
            return bool(lines)

        return attempt

    return opens


TARGETS = (
    Target("spoken_vote", _vote, spoilt_text(VOTE_WORDS), share=14),
    Target("form_reply", _form, spoilt_json(FORM_WORDS), share=14),
    Target("token_scores", _scores, spoilt_json(["logprobs", "yes", "no", "Yes", "No", "unlisted_most"]), share=8),
    Target("chat_body", _chat, spoilt_json(BODY_WORDS), share=8),
    Target(
        "gemini_body", _gemini, spoilt_json(["candidates", "content", "parts", "text", "finishReason", "STOP"]), share=8
    ),
    Target("answer_lines", _answers(".jsonl"), spoilt_json(["media", "question", "answer", "*"]), share=2),
    Target(
        "answer_table", _answers(".csv"), spoilt_text(["media", "question", "answer", "*", ",", "\n", '"']), share=2
    ),
)
