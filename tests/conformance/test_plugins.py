"""Promises that every observer, control, generator, suite, judge, report, executor and card keeps."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from lookaway import models, truth
from lookaway.controls import CONTROLS, Shape, compiled
from lookaway.executors import EXECUTORS, Group, Site
from lookaway.extras import EXTRAS
from lookaway.generators import GENERATORS
from lookaway.images import read_image
from lookaway.observers import OBSERVERS, Look, flow_raft, picture_workers, pose_workers
from lookaway.outcomes import Abstain
from lookaway.pipeline import make_board, make_exhibits, placeless_board, plans
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.plugins import registries
from lookaway.records import Bank, Reference, Task
from lookaway.reports import REPORTS
from lookaway.store import Blobs, open_run
from lookaway.suites import SUITES
from lookaway.video import SharedFrames, encode
from tests.builders import task

PLUGINS = [(registry, plugin) for registry in registries() for plugin in registry.all().values()]


@pytest.mark.parametrize(("registry", "plugin"), PLUGINS, ids=lambda x: getattr(x, "kind", None) or x.name)
def test_a_plugin_has_a_name_a_version_and_a_word_about_itself(registry, plugin) -> None:
    assert plugin.name
    assert plugin.version >= 1
    assert getattr(plugin, "doc", None) or getattr(plugin, "summary", None)
    assert getattr(plugin, "extra", None) in {None, *EXTRAS}


NOT_SCRIPTABLE = "genie-3"  # a person plays it
PROGRAMS = {pose_workers.__name__, picture_workers.__name__, flow_raft.__name__}
LIGHT = [o for o in OBSERVERS.all().values() if o.extra is None and o.function.__module__ not in PROGRAMS]


def look_at(run_folder: Path, video: Path, with_truth: bool = True) -> Look:
    run = open_run(run_folder)
    built = next(iter(built_tasks(run, plans.load(run)).values()))
    reference = built_references(run)[built.instance]
    first = read_image(run.blobs.path(built.first_frame))
    known = truth.load(reference, run.blobs.root) if with_truth else None
    return Look(SharedFrames.load(video), built, first, known)


SAMPLED = {"plain_patches"}  # look at some frames alone


@pytest.mark.parametrize("observer", LIGHT, ids=lambda o: o.name)
def test_an_observer_sees_the_same_thing_twice(observer, demo_run: Path) -> None:
    run = open_run(demo_run)
    clip = current_clips(run, plans.load(run))[0]
    video = run.blobs.path(str(clip.video))
    first, second = (observer.function(look_at(demo_run, video)).arrays() for _ in range(2))
    assert first.keys() == second.keys() == observer.saw.kinds.keys()
    for key in first:
        assert np.array_equal(first[key], second[key], equal_nan=first[key].dtype.kind == "f")
    assert len(first["seconds"]) == clip.frames or observer.name in SAMPLED


@pytest.mark.parametrize("observer", LIGHT, ids=lambda o: o.name)
@pytest.mark.parametrize("kind", ["one_frame", "black", "odd_size", "noise", "no_truth"])
def test_an_observer_answers_or_abstains_on_anything(observer, kind: str, demo_run: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frames = {
        "one_frame": [rng.integers(0, 255, (90, 160, 3), np.uint8)],
        "black": [np.zeros((90, 160, 3), np.uint8)] * 12,
        "odd_size": [rng.integers(0, 255, (93, 161, 3), np.uint8)] * 12,
        "noise": [rng.integers(0, 255, (90, 160, 3), np.uint8) for _ in range(12)],
        "no_truth": [rng.integers(0, 255, (90, 160, 3), np.uint8)] * 12,
    }[kind]
    encode(frames, tmp_path / "a.mp4", 16)
    seen = observer.function(look_at(demo_run, tmp_path / "a.mp4", with_truth=kind != "no_truth"))
    if isinstance(seen, Abstain):
        assert seen.reason
    else:
        arrays = seen.arrays()
        assert len(arrays["seconds"]) == len(frames) or observer.name in SAMPLED
        assert all(np.isfinite(a).all() for a in arrays.values() if a.dtype.kind == "f")


@pytest.mark.parametrize("name", [name for name in models.names() if name != NOT_SCRIPTABLE])
def test_a_card_says_a_tasks_camera_in_its_models_language(name: str, tmp_path: Path) -> None:
    from lookaway.geometry.trajectory import Trajectory

    card, blobs = models.load(name), Blobs(tmp_path)
    control = compiled(task(), card, blobs)
    assert control.kind == card.control
    assert control.files or control.text
    assert all(blobs.has(blob) for blob in control.files.values())
    asked = Trajectory.load(blobs.path(str(control.asked)))
    assert len(asked) == Shape.of(task(), card).frames
    if control.effective is not None:
        path = Trajectory.load(blobs.path(control.effective))
        assert len(path) == len(asked)
        assert np.allclose(path.camera_to_world[0], np.eye(4))
        assert path.yaw_deg().min() < -5


@pytest.mark.parametrize("name", models.names())
def test_a_card_names_a_control_and_a_generator_that_exist(name: str) -> None:
    card = models.load(name)
    assert CONTROLS.get(card.control)
    assert GENERATORS.get(card.generator)
    assert card.summary


@pytest.mark.parametrize("suite", SUITES.all().values(), ids=lambda s: s.name)
def test_a_suite_lists_its_tasks_without_building_them(suite) -> None:
    drafts = suite.drafts()
    assert len({draft.id for draft in drafts}) == len(drafts)
    assert all(pickle.loads(pickle.dumps(draft)) == draft for draft in drafts)


def test_no_prompt_reveals_the_end_and_every_subject_is_in_the_first_frame(demo_run: Path) -> None:
    run = open_run(demo_run)
    banks = {bank.task: bank for bank in run.latest("banks", Bank).values()}
    for built in run.latest("tasks", Task).values():
        assert built.expected_end not in built.prompt
        left, top, right, bottom = built.subjects[0].box
        assert 0 <= left < right <= 1
        assert 0 <= top < bottom <= 1
        assert {q.expected for q in banks[built.id].questions} == {"yes", "no"}  # neither always-yes nor always-no wins


def test_every_reference_belongs_to_a_task(demo_run: Path) -> None:
    run = open_run(demo_run)
    instances = {built.instance for built in run.latest("tasks", Task).values()}
    assert {r.instance for r in run.latest("references", Reference).values()} == instances


@pytest.mark.parametrize("report", REPORTS.all().values(), ids=lambda r: r.name)
def test_a_report_is_the_same_twice_and_names_no_place_on_this_machine(report, demo_run: Path) -> None:
    run = open_run(demo_run)
    plan = plans.load(run)
    board = placeless_board(make_board(run, plan), run)
    made = report.function(board, make_exhibits(run, plan))
    assert made == report.function(board, make_exhibits(run, plan))
    assert str(demo_run).encode() not in made
    for system in board.systems:
        assert system.encode() in made


@pytest.mark.parametrize(
    "executor",
    [pytest.param(e, marks=[pytest.mark.ray] if e.extra == "ray" else []) for e in EXECUTORS.all().values()],
    ids=lambda e: e.name,
)
@pytest.mark.parametrize("workers", [1, 2])
def test_an_executor_does_every_job_once(executor, workers: int) -> None:
    groups = [Group([10 * i, 10 * i + 1]) for i in range(7)]
    done = [one for outcomes in executor.function(Doubling(), groups, Site(workers)) for one in outcomes]
    assert sorted(done) == sorted(2 * job for group in groups for job in group.jobs)


class Doubling:
    """What became of a job is twice its number."""

    def __call__(self, jobs: Sequence[int]) -> list[int]:
        return [2 * job for job in jobs]

    def end(self) -> None:
        """Nothing is open."""
