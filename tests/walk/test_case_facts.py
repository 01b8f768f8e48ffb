"""What a page shows of a clip is that clip's own: its phases, its camera, the frames behind its scores, its moments."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway.images import read_image
from lookaway.pipeline import make_exhibits, plans
from lookaway.pipeline.case_strip import write_strip
from lookaway.reports.exhibits import ShownClip
from lookaway.store import open_run

BALL = "parlour0_ball_left"


@pytest.fixture(scope="module")
def clips(demo_run: Path) -> dict[str, ShownClip]:
    run = open_run(demo_run)
    shown = make_exhibits(run, plans.load(run), apart=True)
    return {clip.case: clip for task in shown.tasks for clip in task.clips}


def test_phases_are_those_of_the_clip_and_not_of_the_truth(clips: dict[str, ShownClip]) -> None:
    still, frozen = clips[f"{BALL}/static-camera/0"], clips[f"{BALL}/frozen/0"]
    assert [phase.phase for phase in still.phases] == ["visible"], "its camera never turned away, whatever was asked"
    assert [phase.phase for phase in frozen.phases] == ["visible", "hidden", "returned"]
    assert frozen.phase_words == "as measured in this clip"


def test_a_filmstrip_marks_each_clip_with_its_own_phases(demo_run: Path, tmp_path: Path) -> None:
    """Green is visible, blue is returned, as `video.filmstrip` paints the bar; the upper row is the clip's."""
    run, picture = open_run(demo_run), tmp_path / "strip.png"
    bars = {}
    for system in ("static-camera", "frozen"):
        words = write_strip(run, f"{BALL}/{system}/0", picture)
        assert words == "the clip above the truth; phases of the clip as measured in this clip"
        strip = read_image(picture)
        upper, lower = strip[1, 2], strip[strip.shape[0] // 2 + 1, 2]
        assert tuple(upper) == tuple(lower) == (76, 153, 112), "both begin in sight"
        bars[system] = [tuple(strip[row, -3]) for row in (1, strip.shape[0] // 2 + 1)]
    assert bars["frozen"] == [(66, 122, 190)] * 2
    assert bars["static-camera"] == [(76, 153, 112), (66, 122, 190)], "its camera never turned away"


def test_the_camera_is_told_as_asked_and_as_recovered(clips: dict[str, ShownClip]) -> None:
    still, true = clips[f"{BALL}/static-camera/0"].camera, clips[f"{BALL}/truth/0"].camera
    assert still is not None
    assert true is not None
    furthest = min(degrees for _, degrees in true.asked)
    assert furthest < -30
    assert min(degrees for _, degrees in true.recovered) == pytest.approx(furthest, abs=2)
    assert min(degrees for _, degrees in still.recovered) > -2


def test_a_score_names_frames_after_the_return_of_that_clip(clips: dict[str, ShownClip]) -> None:
    frozen = clips[f"{BALL}/frozen/0"]
    back_s = next(phase.start_s for phase in frozen.phases if phase.phase == "returned")
    place = next(shown for shown in frozen.scores if shown.score.metric == "return_place")
    assert place.frames == f"{len(place.spans)} frames after the return"
    assert all(start >= back_s - 0.01 for start, _ in place.spans)
    hidden = next(shown for shown in frozen.scores if shown.score.metric == "left_view")
    assert hidden.spans == tuple((p.start_s, p.end_s) for p in frozen.phases if p.phase == "hidden")
    gated = next(s for s in clips[f"{BALL}/static-camera/0"].scores if s.score.metric == "return_place")
    assert (gated.score.value, gated.spans) == (None, ())


def test_a_frozen_world_comes_back_looking_as_it_was_left(clips: dict[str, ShownClip]) -> None:
    left_s, back_s = (clips[f"{BALL}/frozen/0"].phases[1].start_s, clips[f"{BALL}/frozen/0"].phases[1].end_s)
    told = {system: clips[f"{BALL}/{system}/0"].moments[-1] for system in ("truth", "frozen")}
    for system, moment_s in (("truth", back_s), ("frozen", left_s)):
        assert told[system].startswith(f"On return at {back_s:.1f} s it looks like ")
        seconds = float(told[system].split("looks like ")[1].split(" s ")[0])
        assert seconds == pytest.approx(moment_s, abs=0.15)
    assert clips[f"{BALL}/static-camera/0"].moments == ()


def test_how_far_a_clip_got_stands_with_its_step(clips: dict[str, ShownClip]) -> None:
    (end,) = clips[f"{BALL}/vanished/0"].ledger
    assert (end.step, end.outcome) == (3, "lost")
    assert end.words.startswith("lost at there: ")
    (true,) = clips[f"{BALL}/truth/0"].ledger
    assert (true.step, true.outcome) == (None, "reached")
