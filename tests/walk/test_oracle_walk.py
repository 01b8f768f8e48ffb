"""The oracle without a file: in a run of the known world it knows the answers, whatever its models are called."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from lookaway.api import Silent
from lookaway.errors import ObserveError
from lookaway.judges.oracle import answerers, oracle
from lookaway.judges.prompting import load
from lookaway.models import ingested
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.answers import asked_of
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.footage import Footage, reel_of
from lookaway.pipeline.ingest import stage
from lookaway.pipeline.items import Item
from lookaway.pipeline.mapping import map_folder
from lookaway.pipeline.seats import JudgeSeat, Member
from lookaway.pipeline.sheets import Sheet, sheets
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Answer, Ask, Bank, PlannedJudge, Score, Setting, Shown
from lookaway.store import Run, open_run
from tests.conftest import MODELS

SEAT = JudgeSeat(PlannedJudge(judge="oracle"), (Member("oracle", "", {}),))
PROMPTS = [
    *("question", "wrbench/judgeable", "wrbench/returned_state_right", "wrbench/visible_place_follows"),
    *("stevo/hidden:paper_text", "stevo/progress", "stevo/coherent", "memobench/answer", "memobench/write_memory"),
]


def judged(run: Run, **settings: Setting) -> dict[tuple[str, str, str], Answer]:
    """Answers to the tasks' own questions by task, model and question."""
    given = {f"oracle.{name}": value for name, value in settings.items()}
    plan = plans.extend(run, "diorama-mini", chosen=["questions"], judges=["oracle"], settings=given)
    for name in ("judge", "score"):
        run_stage(STAGES[name], run, plan, Options(), Silent())
    made = {clip.video: clip.case for clip in current_clips(run, plan)}
    answers = run.latest("answers", Answer).values()
    return {(made[a.media].task, made[a.media].system, a.question): a for a in answers if a.media in made}


def test_without_a_file_the_oracle_answers_what_is_asked(own_run: Run) -> None:
    found = judged(own_run)
    expected = {(b.task, q.id): q.expected for b in own_run.latest("banks", Bank).values() for q in b.questions}
    true = {place: answer.choice for place, answer in found.items() if place[1] == "truth"}
    assert len(true) == 6
    assert all(choice == expected[task, question] for (task, _, question), choice in true.items())
    gone = {
        answer.choice for (_, model, question), answer in found.items() if (model, question) == ("vanished", "there")
    }
    assert gone == {"no"}
    still = [a for (_, model, question), a in found.items() if (model, question) == ("frozen", "there")]
    assert [answer.choice for answer in still] == ["yes", "yes"]
    scores = own_run.latest("scores", Score).values()
    right = [s.value for s in scores if (s.metric, s.system) == ("question_accuracy", "truth")]
    assert right == [1.0, 1.0]


def test_with_an_error_of_one_every_answer_is_turned(own_run: Run, tmp_path: Path) -> None:
    other = open_run(shutil.copytree(own_run.root, tmp_path / "other"))
    right, wrong = judged(own_run), judged(other, error=1.0)
    told = {place for place, answer in right.items() if answer.choice is not None}
    assert told
    assert all({right[place].choice, wrong[place].choice} == {"yes", "no"} for place in told)
    assert all(wrong[place].choice is None for place in right.keys() - told)


def test_of_a_clip_that_was_brought_nothing_is_known(own_run: Run, tmp_path: Path) -> None:
    plan = plans.load(own_run)
    clip = next(c for c in current_clips(own_run, plan) if c.case.system == "frozen" and c.video)
    folder = tmp_path / "brought"
    folder.mkdir()
    changed = own_run.blobs.path(clip.video or "").read_bytes() + b"\0\0\0\x08free"  # another file of the same pictures
    (folder / f"{clip.case.task}.mp4").write_bytes(changed)
    plan = plans.extend(own_run, "diorama-mini", [ingested("x")])
    run_stage(stage(map_folder(folder, [clip.case.task]), "x"), own_run, plan, Options(), Silent())
    (sheet,) = (s for s in sheets(own_run, plan, []) if s.clip.case.system == "x" and s.clip.video is not None)
    with pytest.raises(ObserveError, match="give the oracle a file"):
        replies(own_run, [sheet], ["question"])


def replies(run: Run, known: list[Sheet], prompts: list[str]) -> dict[tuple[str, str, str], str]:
    """What the oracle replies, by clip, prompt and question."""
    found = {}
    for sheet in known:
        each = [item for prompt in prompts for item in items(sheet, prompt)]
        reels = {i.media: reel_of(run.blobs.path(i.media), still=i.media == sheet.task.first_frame) for i in each}
        footage = Footage().add(reels, each)
        for item in each:
            (asked,) = asked_of(item, sheet.task, footage, run.root)
            found[item.media, item.prompt.name, item.name] = oracle(asked.probe(0)).text
    return found


def items(sheet: Sheet, named: str) -> list[Item]:
    name, _, variant = named.partition(":")
    prompt = load(name, variant)
    about = "first_frame" if answerers()[name].made else "clip"
    ask = Ask(prompt=name, variant=prompt.variant, about=about)
    media = sheet.task.first_frame if about == "first_frame" else sheet.clip.video
    assert media is not None
    spans = ((2.5, 9.0),) if "return_seconds" in prompt.declared.sees else None
    ask = ask.model_copy(update={"window": "returned@replay"} if spans else {})
    given = {"expected_change": "it goes on"}
    plain = Item(name, ask, prompt, SEAT, media, sheet.task.instance, spans=spans, given=given)
    questions = sheet.bank.questions
    if "question" not in prompt.declared.sees:
        return [Item(**(vars(plain) | {"questions": questions}))]
    return [Item(**(vars(plain) | {"name": q.id, "questions": (q,)})) for q in questions]


def renamed(run: Run, folder: Path) -> Run:
    """A copy in which every model has another name."""
    shutil.copytree(run.root, folder)
    names = {model: f"m{number}" for number, model in enumerate(MODELS)}
    for path in (p for p in folder.rglob("*") if p.suffix in (".json", ".jsonl")):
        text = path.read_text()
        for model, other in names.items():
            text = text.replace(f'"{model}"', f'"{other}"').replace(f"/{model}/", f"/{other}/")
        path.write_text(text)
    return open_run(folder)


def test_renaming_every_model_changes_no_reply(own_run: Run, tmp_path: Path) -> None:
    other = renamed(own_run, tmp_path / "renamed")
    before, after = (
        replies(run, [s for s in sheets(run, plans.load(run), []) if s.clip.video], PROMPTS) for run in (own_run, other)
    )
    assert not {clip.case.system for clip in current_clips(other, plans.load(other))} & set(MODELS)
    assert after == before
    assert len(set(before.values())) > len(PROMPTS), "replies differ between clips"


def test_what_is_kept_of_a_clip_names_no_model(own_run: Run) -> None:
    kept = own_run.latest("shown", Shown).values()
    assert {shown.media for shown in kept} == {c.video for c in current_clips(own_run, plans.load(own_run))}
    told = json.dumps([shown.model_dump() for shown in kept]).encode()
    told += b"".join(own_run.blobs.path(shown.arrays).read_bytes() for shown in kept)
    assert not [model for model in MODELS if model.encode() in told]
