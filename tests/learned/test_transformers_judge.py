"""The judge `transformers`, with real processors and a real, tiny model: what it reads, reuses and says."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway.api import Silent
from lookaway.errors import CallFailed, UsageError
from lookaway.judges import JUDGES, About, Probe, Said
from lookaway.judges.calls.asking import Asker, Inquiry, Reached
from lookaway.judges.calls.budget import Budget, Ceiling
from lookaway.judges.calls.pool import Pool
from lookaway.judges.calls.reply_cache import ReplyCache
from lookaway.judges.estimators import p_yes, structured, vote
from lookaway.judges.estimators.spellings import single_tokens
from lookaway.judges.frames import Encoding, SentFrame, sent_frames
from lookaway.judges.prompting.forms import YES_NO, Field, Form
from lookaway.judges.transformers import InProcess
from lookaway.pipeline import STAGES, make_board, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Answer, Reply, Score
from lookaway.store import Run
from tests.judges.made import frames, pictures
from tests.learned.plain_model import PlainModel

pytestmark = pytest.mark.torch

ABOUT = About("q", "ab" * 32)
QUESTIONS = [f"Is the kettle {'really ' * n}there? Answer with a single word, Yes or No." for n in range(10)]
LIST = Form(kind="structured", fields=(Field(name="there", kind="boolean", says="is it there"),))


@pytest.fixture(scope="module")
def plain(tiny: Path) -> PlainModel:
    return PlainModel(tiny)


def opened(folder: Path, **settings: Any) -> InProcess:
    opens = JUDGES.get("transformers").opens
    assert opens is not None
    made = opens(str(folder), settings)
    assert isinstance(made, InProcess)
    return made


def said(folder: Path, probes: Sequence[Probe], **settings: Any) -> list[Said]:
    """All probes asked at once."""

    async def main() -> list[Said]:
        async with opened(folder, **settings) as judge:
            received = await asyncio.gather(*map(judge.send, probes))
            return [judge.read(one.raw, probe) for one, probe in zip(received, probes, strict=True)]

    return asyncio.run(main())


def probe(prompt: str, shown: Sequence[SentFrame], form: Form = YES_NO, sample: int = 0) -> Probe:
    return Probe(prompt, shown, ABOUT, form, sample)


def assert_same(replies: Sequence[Said], logprobs: Sequence[Any], plain: PlainModel) -> None:
    """Every score equals the plain model's to 1e-5, and the bounds of p_yes meet."""
    spelled = single_tokens(lambda text: plain.tokenizer.encode(text, add_special_tokens=False))
    for reply, expected in zip(replies, logprobs, strict=True):
        assert reply.scores is not None
        wanted = {form: float(expected[token]) for token, form in (spelled.yes | spelled.no).items()}
        assert reply.scores.logprobs == pytest.approx(wanted, abs=1e-5)
        made = p_yes(reply.scores, least_mass=0)
        assert made.p_yes_low == made.p_yes == made.p_yes_high


# ---------------------------------------------------------------- what is reused


def test_ten_questions_about_a_clip_show_it_to_the_model_once(tiny: Path) -> None:
    first, second = frames(4), frames(6)
    seen: list[int] = []

    async def main() -> list[int]:
        async with opened(tiny) as judge:
            await judge.send(probe(QUESTIONS[0], first))
            assert judge._model is not None
            judge._model.model.model.visual.register_forward_hook(lambda *_: seen.append(1))
            await asyncio.gather(*(judge.send(probe(text, second)) for text in QUESTIONS))
            return seen

    assert len(asyncio.run(main())) == 1


def test_answers_given_together_are_those_given_from_scratch(tiny: Path, plain: PlainModel) -> None:
    shown = frames(5)
    replies = said(tiny, [probe(text, shown) for text in QUESTIONS], batch=4)
    assert_same(replies, [plain.logprobs(plain.of_video(text, shown, 2.0)) for text in QUESTIONS], plain)
    assert [reply.usage.prompt_tokens for reply in replies] == [
        plain.of_video(text, shown, 2.0)["input_ids"].shape[1] for text in QUESTIONS
    ]


def test_frames_may_go_as_pictures_with_their_times(tiny: Path, plain: PlainModel) -> None:
    shown = frames(3)
    replies = said(tiny, [probe(text, shown) for text in QUESTIONS], media="frames")
    assert_same(replies, [plain.logprobs(plain.of_pictures(text, shown)) for text in QUESTIONS], plain)


def test_one_frame_is_no_video(tiny: Path, plain: PlainModel) -> None:
    shown = frames(1)
    replies = said(tiny, [probe(QUESTIONS[0], shown)])
    assert_same(replies, [plain.logprobs(plain.of_pictures(QUESTIONS[0], shown))], plain)


def test_questions_about_several_clips_at_once_get_their_own_answers(tiny: Path) -> None:
    clips = [frames(4), frames(6), frames(4, step_s=0.25)]
    mixed = [probe(text, shown) for text in QUESTIONS[:4] for shown in clips]
    together = said(tiny, mixed, batch=3)
    alone = [said(tiny, [one])[0] for one in mixed[:6]]
    for one, reply in zip(alone, together, strict=False):
        assert one.scores is not None
        assert reply.scores is not None
        assert one.scores.logprobs == pytest.approx(reply.scores.logprobs, abs=1e-5)


def test_who_stops_waiting_disturbs_nobody(tiny: Path) -> None:
    shown = frames(4)

    async def main() -> list[Any]:
        async with opened(tiny) as judge:
            asked = [asyncio.create_task(judge.send(probe(text, shown))) for text in QUESTIONS[:4]]
            await asyncio.sleep(0)
            asked[1].cancel()
            return await asyncio.gather(*asked, return_exceptions=True)

    ends = asyncio.run(main())
    assert isinstance(ends[1], asyncio.CancelledError)
    kept = said(tiny, [probe(text, shown) for text in QUESTIONS[:4]])
    for place in (0, 2, 3):
        scores = json.loads(ends[place].raw)["scores"]["logprobs"]
        assert scores == pytest.approx(kept[place].scores.logprobs, abs=1e-5)  # type: ignore[union-attr]


def test_kept_replies_need_no_weights(tiny: Path, tmp_path: Path) -> None:
    probes = [probe(text, frames(4)) for text in QUESTIONS[:3]]

    async def main() -> tuple[list[Reached], bool]:
        with ReplyCache(tmp_path / "cache.sqlite") as cache:
            async with opened(tiny) as judge:
                asker = Asker(Pool(judge.limits), cache, Budget(cache.database, "run", Ceiling(usd=0.0)))
                asked = [
                    Inquiry(f"{judge.identity} {one.prompt}", judge.estimate(one), lambda one=one: judge.send(one))
                    for one in probes
                ]
                return [end async for end in asker.ask_all(asked)], judge._model is None

    first, unloaded = asyncio.run(main())
    assert [end.attempts for end in first] == [1, 1, 1]
    assert not unloaded
    again, unloaded = asyncio.run(main())
    assert all(end.cached for end in again)
    assert unloaded
    assert {end.key: end.kept for end in again} == {end.key: end.kept for end in first}


# ---------------------------------------------------------------- what is said


def test_pixels_and_times_reach_the_answer(tiny: Path) -> None:
    def at(shown: Sequence[SentFrame]) -> float:
        scores = said(tiny, [probe(QUESTIONS[0], shown)])[0].scores
        assert scores is not None
        made = p_yes(scores, least_mass=0).p_yes
        assert made is not None
        return made

    usual, other_times = frames(6), frames(6, step_s=3.0)
    black = [SentFrame(f.index, f.seconds, np.zeros_like(f.rgb), f"black {f.index}") for f in usual]
    assert len({round(at(shown), 4) for shown in (usual, other_times, black)}) == 3


def test_votes_are_draws_from_the_same_belief(tiny: Path) -> None:
    shown, count = frames(4), 200
    scores = said(tiny, [probe(QUESTIONS[0], shown)])[0].scores
    assert scores is not None
    yes = sum(np.exp(scores.logprobs[form]) for form in scores.yes)
    asked = [probe(QUESTIONS[0], shown, sample=sample) for sample in range(count)]
    drawn = said(tiny, asked, temperature=1, longest_word=1)
    share = sum(reply.text.strip().lower() == "yes" for reply in drawn) / count
    assert abs(share - yes) < 4 * np.sqrt(yes * (1 - yes) / count)
    assert {vote(reply.text, reply.finish) for reply in drawn} == {"invalid"}, "cut after one token: no vote"
    assert said(tiny, asked[:5], temperature=1, longest_word=1) == drawn[:5]
    assert {reply.scores for reply in drawn} == {None}


def test_a_model_that_begins_another_sentence_abstains(tmp_path: Path) -> None:
    from tests.learned.tiny_vlm import build

    (reply,) = said(build(tmp_path / "quiet", louder=1.0), [probe(QUESTIONS[0], frames(4))])
    assert reply.scores is not None
    made = p_yes(reply.scores)
    assert (made.status, made.choice) == ("abstained", None)
    assert made.answer_mass == pytest.approx(12 / 448, rel=0.5), "random weights spread belief over all tokens"


def test_a_reply_that_ends_by_itself_is_complete(tiny: Path, tmp_path: Path) -> None:
    """Every spelling of yes and no is made an end of replies, so that one word is a whole one."""
    folder = shutil.copytree(tiny, tmp_path / "brief")
    tokenizer = json.loads((tiny / "tokenizer.json").read_text())["model"]["vocab"]
    ends = [tokenizer[space + word] for space in ("", "Ġ") for word in ("Yes", "No", "yes", "no", "YES", "NO")]
    config = json.loads((tiny / "generation_config.json").read_text())
    (folder / "generation_config.json").write_text(json.dumps(config | {"eos_token_id": ends}))
    drawn = said(folder, [probe(QUESTIONS[0], frames(4), sample=n) for n in range(8)], temperature=1, longest_word=200)
    assert {reply.finish for reply in drawn} == {"complete"}
    assert {vote(reply.text, reply.finish) for reply in drawn if reply.usage.reply_tokens == 1} <= {"yes", "no"}


def test_a_structured_reply_is_text_and_a_cut_one_no_verdict(tiny: Path, plain: PlainModel) -> None:
    shown = frames(4)
    (reply,) = said(tiny, [probe("Describe it as JSON.", shown, LIST)], longest_form=12)
    expected = plain.tokens(plain.of_video("Describe it as JSON.", shown, 2.0), 12)
    assert reply.text == plain.tokenizer.decode(expected, skip_special_tokens=True)
    assert (reply.finish, reply.usage.reply_tokens) == ("cut", 12)
    assert structured([(reply.text, reply.finish)], LIST).status == "invalid"


# ---------------------------------------------------------------- where the answer begins


def test_models_that_think_are_asked_for_the_answer_itself(tiny: Path, plain: PlainModel, tmp_path: Path) -> None:
    from tests.learned.tiny_vlm import MAY_THINK, MUST_THINK

    shown = frames(4)
    thoughtless = plain.logprobs(plain.of_video(QUESTIONS[0], shown, 2.0, "<think>\n\n</think>\n\n"))
    for name, template in (("may", MAY_THINK), ("must", MUST_THINK)):
        folder = shutil.copytree(tiny, tmp_path / name)
        (folder / "chat_template.jinja").write_text(template)
        assert_same(said(folder, [probe(QUESTIONS[0], shown)]), [thoughtless], plain)


def test_a_template_that_drops_its_media_is_found_out(tiny: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny, tmp_path / "blind")
    template = (folder / "chat_template.jinja").read_text()
    (folder / "chat_template.jinja").write_text(template.replace("<|video_pad|>", "").replace("<|image_pad|>", ""))
    for media in ("video", "frames"):
        with pytest.raises((CallFailed, UsageError), match="frames"):
            said(folder, [probe(QUESTIONS[0], frames(6))], media=media)


@pytest.mark.parametrize(("media", "least"), [("video", 2 * 700), ("frames", 4 * 1900)])
def test_large_frames_are_made_smaller_and_not_mistaken_for_dropped_ones(
    media: str, least: int, tiny: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(tiny, tmp_path / "sharp")
    config = json.loads((folder / "processor_config.json").read_text())
    for eyes in ("image_processor", "video_processor"):
        config[eyes]["size"]["longest_edge"] = 24576 * 32 * 32  # as in the published weights
    (folder / "processor_config.json").write_text(json.dumps(config))
    shown = sent_frames(pictures(4, (1920, 1080)), Encoding())
    (reply,) = said(folder, [probe(QUESTIONS[0], shown)], media=media)
    assert reply.usage.prompt_tokens is not None
    assert least < reply.usage.prompt_tokens < 1.2 * least


# ---------------------------------------------------------------- which weights


def test_whatever_changes_a_reply_changes_the_identity(tiny: Path, tmp_path: Path) -> None:
    other = shutil.copytree(tiny, tmp_path / "other")
    weights = bytearray((other / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (other / "model.safetensors").write_bytes(weights)
    changes: list[dict[str, Any]] = [{}, {"dtype": "bfloat16"}, {"media": "frames"}, {"temperature": 0.5}]
    keys = [opened(tiny, **change).identity for change in changes] + [opened(other).identity]
    assert len(set(keys)) == len(keys)
    moved = shutil.copytree(tiny, tmp_path / "moved")
    assert opened(moved, batch=2).identity == opened(tiny).identity


def test_missing_weights_are_explained(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"no/such-model: no weights here.*hf download no/such-model.*transformers:FOLDER"
    ):
        JUDGES.get("transformers").opens("no/such-model", {})  # type: ignore[misc]
    with pytest.raises(UsageError, match="Qwen/Qwen3-VL-8B-Instruct: no weights here"):
        JUDGES.get("transformers").opens("", {})  # type: ignore[misc]


def test_a_model_without_eyes_is_refused(tiny: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny, tmp_path / "blind")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config["text_config"] | {"model_type": "qwen2"}))
    with pytest.raises(UsageError, match="no image-text-to-text model"):
        said(folder, [probe(QUESTIONS[0], frames(4))])


def test_a_device_that_is_not_there_is_explained(tiny: Path) -> None:
    with pytest.raises(UsageError, match="does not fit on device 'xla'"):
        said(tiny, [probe(QUESTIONS[0], frames(4))], device="xla")


def test_a_setting_that_means_nothing_is_refused(tiny: Path) -> None:
    with pytest.raises(UsageError, match=r"--set transformers\.…: batch.*settings are: device, dtype"):
        opened(tiny, batch=0)


# ---------------------------------------------------------------- a whole run


def test_a_run_is_judged_without_leaving_the_machine(tiny: Path, own_run: Run) -> None:
    settings = {"transformers.frames": "uniform:4"}
    plan = plans.extend(
        own_run, "diorama-mini", chosen=["questions"], judges=[f"transformers:{tiny}"], settings=settings
    )
    run_stage(STAGES["judge"], own_run, plan, Options(), Silent())
    answers = [*own_run.latest("answers", Answer).values()]
    assert len(answers) == 18, "nobody is asked about a camera that never turned"
    assert {answer.estimator for answer in answers} == {"p_yes"}
    assert {answer.status for answer in answers} <= {"ok", "abstained"}, "random weights may answer neither yes nor no"
    assert "ok" in {answer.status for answer in answers}
    replies = [*own_run.latest("replies", Reply).values()]
    assert {len(reply.frames_sha256) for reply in replies} == {4}
    assert {reply.usage.cost_usd for reply in replies} == {0.0}


def test_wrbench_is_asked_of_a_model_on_this_machine(tiny: Path, own_run: Run) -> None:
    """Random weights fill no table and may answer neither yes nor no; nothing fails, and nothing is made up."""
    judges = [f"{role}=transformers:{tiny}" for role in ("scorer", "gate")]
    plan = plans.extend(own_run, "diorama-mini", chosen=["wrbench"], judges=judges)
    for stage in ("judge", "score"):
        run_stage(STAGES[stage], own_run, plan, Options(), Silent())
    answers = [*own_run.latest("answers", Answer).values()]
    assert {answer.ask.partition("@")[0] for answer in answers} >= {
        "wrbench/judgeable",
        "wrbench/visible_place_follows",
        "wrbench/visible_state_broken",
    }
    assert {answer.status for answer in answers} <= {"ok", "abstained", "invalid"}
    scores = [s for s in own_run.latest("scores", Score).values() if s.protocol == "wrbench" and s.ask]
    assert {score.metric for score in scores} >= {"judged_support", "visible_spatial", "reobserved_state"}
    assert all(score.value is not None or score.reason for score in scores)
    assert "failed" not in {score.status for score in scores}


def test_stevo_is_asked_of_a_model_on_this_machine_and_its_tables_come(tiny: Path, own_run: Run) -> None:
    """Random weights seldom keep a form; what they say is a verdict or a reason, and the tables say which."""
    plan = plans.extend(own_run, "diorama-mini", chosen=["stevo"], judges=[f"verifier=transformers:{tiny}"])
    for stage in ("judge", "score"):
        run_stage(STAGES[stage], own_run, plan, Options(only="parlour0_ball*/truth/0"), Silent())
    answers = [*own_run.latest("answers", Answer).values()]
    asked = {answer.ask.partition("@")[0] for answer in answers}
    assert asked >= {"stevo/hidden", "stevo/started", "stevo/progress_expect", "stevo/plausible", "stevo/coherent"}
    assert {answer.status for answer in answers} <= {"ok", "abstained", "invalid"}
    scores = [s for s in own_run.latest("scores", Score).values() if s.protocol == "stevo" and s.ask]
    assert {score.metric for score in scores} >= {"observation_control", "state_progress", "coherence", "task_success"}
    assert all(score.value is not None or score.reason for score in scores)
    tables = {table.name: table for table in make_board(own_run, plan).tables}
    funnel = tables["evolution-funnel-stevo"]
    assert [row.title for row in funnel.rows] == [system.label for system in plan.systems]
    assert all(cell.value is not None or cell.reason for row in funnel.rows for cell in row.cells)
    assert "verifier-rates-stevo" in tables
