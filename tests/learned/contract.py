"""What every chat-completions server of the tiny model must give, asked with the client that judges use."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lookaway.judges import JUDGES, About, Probe, Said
from lookaway.judges.calls.functions import backend_of
from lookaway.judges.estimators import p_yes, vote
from lookaway.judges.estimators.spellings import Spellings, single_tokens
from lookaway.judges.frames import Encoding, SentFrame
from lookaway.judges.openai.chat import ChatRequest, frames_media
from lookaway.judges.openai.chat_reply import ChatReply, read_reply
from lookaway.judges.openai.client import Client, Server
from lookaway.records import Setting, TokenScores
from tests.judges.made import frames
from tests.learned.plain_model import PlainModel

QUESTIONS = [f"Is the kettle {'really ' * n}there? Answer with a single word, Yes or No." for n in range(10)]
CLIPS = [frames(count, Encoding("png"), step_s) for count, step_s in ((1, 0.5), (5, 0.5), (8, 0.25))]
SAME = 1e-5

Ask = Callable[[Sequence[ChatRequest]], list[ChatReply]]


def asks(url: str, model: str = "tiny") -> Ask:
    """All requests at once, through one client."""

    async def main(requests: Sequence[ChatRequest]) -> list[ChatReply]:
        async with Client(Server(url=url, model=model)) as client:
            received = await asyncio.gather(*map(client.send, requests))
        return [read_reply(one.raw, asked) for one, asked in zip(received, requests, strict=True)]

    return lambda requests: asyncio.run(main(requests))


def request(prompt: str, shown: Sequence[SentFrame], **asked: object) -> ChatRequest:
    media = frames_media([frame.data for frame in shown], [frame.seconds for frame in shown])
    return ChatRequest(prompt, media, **{"max_tokens": 1, **asked})  # type: ignore[arg-type]


def exact_scores(reply: ChatReply, spelled: Spellings) -> TokenScores:
    told = {score.token_id: score.logprob for score in reply.positions[0].others}
    named = {form: told[token] for token, form in (spelled.yes | spelled.no).items()}
    return TokenScores(logprobs=named, yes=tuple(spelled.yes.values()), no=tuple(spelled.no.values()))


def listed_scores(reply: ChatReply, spelled: Spellings) -> TokenScores:
    listed = {score.token: score.logprob for score in reply.positions[0].others}
    yes, no = tuple(spelled.yes.values()), tuple(spelled.no.values())
    return TokenScores(logprobs=listed, yes=yes, no=no, unlisted_most=min(listed.values()))


def point(scores: TokenScores | None) -> float:
    assert scores is not None
    made = p_yes(scores, least_mass=0).p_yes
    assert made is not None
    return made


@pytest.fixture(scope="session")
def spelled(tiny: Path) -> Spellings:
    tokenizer = PlainModel(tiny).tokenizer
    return single_tokens(lambda text: tokenizer.encode(text, add_special_tokens=False))


@pytest.fixture(scope="session")
def in_process(tiny: Path) -> list[list[Said]]:
    """What the judge `transformers` says to every question about every clip."""
    return [heard("transformers", str(tiny), {"media": "frames"}, shown) for shown in CLIPS]


def heard(judge: str, source: str, settings: dict[str, Setting], shown: Sequence[SentFrame]) -> list[Said]:
    """What a judge says to every question about a clip, asked all at once."""

    async def main() -> list[Said]:
        async with backend_of(JUDGES.get(judge), source, settings) as backend:
            probes = [Probe(text, shown, About("q", "m")) for text in QUESTIONS]
            received = await asyncio.gather(*map(backend.send, probes))
            return [backend.read(one.raw, probe) for one, probe in zip(received, probes, strict=True)]

    return asyncio.run(main())


class Contract:
    """The module of a subclass gives `url`, and so a server."""

    @pytest.fixture
    def ask(self, url: str) -> Ask:
        return asks(url)

    def test_the_judges_openai_and_transformers_say_the_same(self, url: str, tiny: Path) -> None:
        shown = frames(5, Encoding("jpeg"))
        there = heard("openai", url, {"model": "tiny"}, shown)
        here = heard("transformers", str(tiny), {"media": "frames"}, shown)
        for served, own in zip(there, here, strict=True):
            assert point(served.scores) == pytest.approx(point(own.scores), abs=SAME)
            assert served.usage.prompt_tokens == own.usage.prompt_tokens

    def test_exact_scores_are_those_of_the_model_in_this_process(
        self, ask: Ask, spelled: Spellings, in_process: list[list[Said]], record_property: Callable[[str, object], None]
    ) -> None:
        tokens = tuple(spelled.yes | spelled.no)
        apart = []
        for shown, expected in zip(CLIPS, in_process, strict=True):
            replies = ask([request(text, shown, token_ids=tokens) for text in QUESTIONS])
            for reply, known in zip(replies, expected, strict=True):
                apart.append(abs(point(exact_scores(reply, spelled)) - point(known.scores)))
                assert reply.tokens_in == known.usage.prompt_tokens
        record_property("largest difference of p_yes", max(apart))
        print(f"largest difference of p_yes: {max(apart):.2g} in {len(apart)} questions")  # noqa: T201
        assert max(apart) < SAME

    def test_the_bounds_from_listed_scores_hold_the_exact_value(
        self, ask: Ask, spelled: Spellings, in_process: list[list[Said]]
    ) -> None:
        for top in (2, 5, 20):
            replies = ask([request(text, CLIPS[1], top_logprobs=top) for text in QUESTIONS])
            for reply, known in zip(replies, in_process[1], strict=True):
                made = p_yes(listed_scores(reply, spelled), least_mass=0, widest=1)
                assert made.p_yes_low is not None
                assert made.p_yes_high is not None
                assert made.p_yes_low - SAME <= point(known.scores) <= made.p_yes_high + SAME

    def test_without_scores_the_words_are_the_likeliest(self, ask: Ask, in_process: list[list[Said]]) -> None:
        replies = ask([request(text, CLIPS[1]) for text in QUESTIONS])
        assert [reply.text for reply in replies] == [known.text for known in in_process[1]]
        assert [reply.positions for reply in replies] == [()] * len(QUESTIONS)
        assert {reply.finish_reason for reply in replies} == {"length"}
        assert {vote(reply.text, "cut") for reply in replies} == {"invalid"}

    def test_scores_are_probabilities_of_the_whole_vocabulary(self, ask: Ask, in_process: list[list[Said]]) -> None:
        (reply,) = ask([request(QUESTIONS[0], CLIPS[2], top_logprobs=20)])
        assert math.fsum(math.exp(score.logprob) for score in reply.positions[0].others) <= 1 + SAME
        best = max(score.logprob for score in reply.positions[0].others)
        known = in_process[2][0].scores
        assert known is not None
        assert best >= max(known.logprobs.values()) - SAME
