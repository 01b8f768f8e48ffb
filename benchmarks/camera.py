"""How well the observer `classical` recovers cameras of the known world, and what it does where it cannot.

Tasks come from the second half of the layouts, as a calibration deals them. Nothing was chosen to suit these clips, but
an early look at the observer saw clips of all layouts. `python benchmarks/camera.py DIR` takes the tasks of that half
that a run folder has built already.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from lookaway import suites, truth
from lookaway.calibration.thresholds import halves, layout_of
from lookaway.geometry.rotations import turn_deg, yaw_pitch_deg
from lookaway.geometry.script import frame_count, poses_at
from lookaway.geometry.visibility import MIN_HIDDEN_S, longest_s
from lookaway.images import read_image
from lookaway.observers import Look
from lookaway.observers.classical import Classical, classical
from lookaway.observers.following import SURE_TURN
from lookaway.outcomes import Abstain
from lookaway.pipeline.tasks import built_references
from lookaway.records import Reference, Task, WorldSpec
from lookaway.store import Blobs, open_run
from lookaway.suites.known_world import Shot
from lookaway.video import SharedFrames, encode
from lookaway.worlds import World

EACH = 8  # turning and held cameras that a run of its own builds
ASSUMED_DEG = 80.0  # where the field of view is not declared; it is 60
LEAST_TURN_DEG = 10.0  # from which an undeclared field of view is measured
HELD_DEG = 1e-6
FOLLOWED = 0.5  # of the frames: fewer is no recovered camera
SHIFTS = {
    "truck": "truck:left:0.6@2s",
    "dolly": "dolly:forward:0.8@2s",
    "crane": "crane:up:0.4@2s",
    "orbit": "orbit:left:30:2@2s",
    "dolly and yaw": "dolly:forward:0.5+yaw:left:30@2s",
    "truck and yaw": "truck:right:0.5+yaw:right:20@2s",
}
SHIFTED_WORLDS = [("bedroom", "pendulum"), ("garden", "ball"), ("market", "train"), ("street", "ball")]  # of that half
PEER_CLIPS = {  # sign of the first turn; left is negative
    "case_a_yaw_lr": -1,
    "case_a_yaw_rl": +1,
    "cat_drag_wan22_5b_yaw_rl60": +1,
    "cat_expected_inspatio_yaw_rl60": +1,
}
PEERS = Path(__file__).resolve().parents[2] / "shared" / "peer-data" / "wrbench" / "videos"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Filmed:
    """A clip, and how its camera really turned."""

    look: Look
    rotations: Floats
    video: Path | None = None

    @property
    def turned_deg(self) -> float:
        return float(turn_deg(self.rotations).max())


def measure(folder: Path | None = None) -> dict[str, float]:
    """Errors in degrees over the frames that `classical` could place, shares of frames and clips, and cost."""
    with TemporaryDirectory() as own:
        clips = list(_built(folder) if folder is not None else _made(Path(own)))
        turning = [clip for clip in clips if not _shifts(clip.look.task) and clip.turned_deg > HELD_DEG]
        held = [clip for clip in clips if clip.turned_deg <= HELD_DEG]
        return {
            **_declared(turning),
            **_held(held),
            **_undeclared([clip for clip in turning if clip.turned_deg >= LEAST_TURN_DEG]),
            **_shifted(clips[0].look.task, Path(own)),
            **_shifting([clip for clip in clips if _shifts(clip.look.task)]),
            **_peers(clips[0].look.task),
            "over_decode": _cost(turning),
        }


def _made(folder: Path) -> Iterator[Filmed]:
    drafts = [draft for draft in suites.find("diorama").drafts() if draft.hides]
    _, reported = halves(Shot.of(draft).world.layout for draft in drafts)
    drafts = [draft for draft in drafts if Shot.of(draft).world.layout in reported]
    blobs, left = Blobs(folder), {True: EACH, False: EACH}
    for draft in drafts[:: max(1, len(drafts) // (8 * EACH))]:
        looks = Shot.of(draft).look
        covered = suites.look_aways.find(looks).camera is None
        if left[covered]:
            left[covered] -= 1
            task, reference, *_ = draft.built(blobs)
            assert reference is not None
            yield _filmed(task, reference, blobs)


def _built(folder: Path) -> Iterator[Filmed]:
    run = open_run(folder)
    tasks, references = run.latest("tasks", Task).values(), built_references(run)
    _, reported = halves(map(layout_of, tasks))
    for task in tasks:
        if layout_of(task) in reported:
            yield _filmed(task, references[task.instance], run.blobs)


def _filmed(task: Task, reference: Reference, blobs: Blobs) -> Filmed:
    known = truth.load(reference, blobs.root)
    assert known.world is not None
    poses = known.world.camera_to_world
    look = Look(SharedFrames.load(known.video), task, read_image(blobs.path(task.first_frame)), None)
    return Filmed(look, (np.linalg.inv(poses[0]) @ poses)[:, :3, :3], known.video)


def _shifts(task: Task) -> bool:
    poses = poses_at(task.camera, np.arange(task.frames) / task.fps, task.pitch_deg)
    return bool(np.linalg.norm(poses[:, :3, 3], axis=1).max() > 0)


def _seen(look: Look) -> Classical | None:
    """What it saw; None where it abstained or lost most of the clip."""
    found = classical(look)
    return None if isinstance(found, Abstain) or found.trusted.mean() < FOLLOWED else found


def _errors(clips: list[Filmed]) -> tuple[Floats, float, float]:
    """Over all placed frames; the share that is no pure turn; the share of clips that camera metrics abstain on."""
    errors, impure, lost = [np.empty(0)], [], 0
    for clip in clips:
        found = _seen(clip.look)
        lost += found is None or longest_s(found.seconds, ~found.trusted) >= MIN_HIDDEN_S
        if found is not None:
            errors.append(turn_deg(found.rotation, clip.rotations)[found.trusted])
            impure.append((found.confidence < SURE_TURN).mean())
    return np.concatenate(errors), float(np.mean(impure)), lost / len(clips)


def _outside(found: Classical, clip: Filmed) -> float:
    """Share of frames whose true yaw or pitch lies outside of the interval, or that were not placed."""
    off = np.abs(yaw_pitch_deg(found.rotation) - yaw_pitch_deg(clip.rotations))
    return float(((off > found.half_width_deg).any(axis=1) | ~found.trusted).mean())


def _declared(clips: list[Filmed]) -> dict[str, float]:
    errors, impure, lost = _errors(clips)
    return {
        "turning_clips": len(clips),
        "turning_median_deg": float(np.median(errors)),
        "turning_p95_deg": float(np.quantile(errors, 0.95)),
        "turning_impure": impure,
        "turning_outside": float(np.mean([_outside(found, c) for c in clips if (found := _seen(c.look)) is not None])),
        "turning_abstained": lost,
    }


def _held(clips: list[Filmed]) -> dict[str, float]:
    errors, _, _ = _errors(clips)
    return {"held_clips": len(clips), "held_max_deg": float(errors.max())}


def _undeclared(clips: list[Filmed]) -> dict[str, float]:
    errors, covered, told = [np.empty(0)], 0, 0
    for clip in clips:
        task = clip.look.task.model_copy(update={"hfov_declared": False, "hfov_deg": ASSUMED_DEG})
        found = _seen(replace(clip.look, task=task))
        if found is None:
            continue
        value, low, high = found.hfov_deg
        covered += bool(low <= clip.look.task.hfov_deg <= high)
        if value != ASSUMED_DEG:
            told += 1
            errors.append(turn_deg(found.rotation, clip.rotations)[found.trusted])
    whole = np.concatenate(errors)
    return {
        "undeclared_clips": len(clips),
        "undeclared_lens_told": told / len(clips),
        "undeclared_median_deg": float(np.median(whole)),
        "undeclared_p95_deg": float(np.quantile(whole, 0.95)),
        "undeclared_interval_holds": covered / len(clips),
    }


def _shifted(task: Task, folder: Path) -> dict[str, float]:
    """Per shift: the share of frames outside of their interval, and the median half-width."""
    rows: dict[str, float] = {}
    for name, script in SHIFTS.items():
        outside, wide = [], []
        for layout, process in SHIFTED_WORLDS:
            clip = _shot(World(WorldSpec(layout=layout, process=process, seed=3)), script, task, folder)
            found = _seen(clip.look)
            if found is not None:
                outside.append(_outside(found, clip))
                wide.append(np.median(found.half_width_deg[found.trusted]))
        key = name.replace(" ", "_")
        rows[f"{key}_outside"], rows[f"{key}_half_width_deg"] = float(np.mean(outside)), float(np.median(wide))
    return rows


def _shifting(clips: list[Filmed]) -> dict[str, float]:
    """The same over tasks of the suite whose camera shifts on its way."""
    if not clips:
        return {}
    seen = [(found, clip) for clip in clips if (found := _seen(clip.look)) is not None]
    return {
        "shifting_tasks": len(clips),
        "shifting_tasks_outside": float(np.mean([_outside(found, clip) for found, clip in seen])),
    }


def _shot(world: World, script: str, task: Task, folder: Path) -> Filmed:
    """A world filmed along a script, as a video file; of the task only the field of view counts."""
    seconds = np.arange(frame_count(script, task.fps)) / task.fps
    poses = poses_at(script, seconds, world.pitch_deg)
    frames = [world.render(world.home @ pose, float(s)).rgb for pose, s in zip(poses, seconds, strict=True)]
    video = folder / "shot.mp4"
    encode(iter(frames), video, task.fps, crf=18)
    return Filmed(Look(SharedFrames.load(video), task, frames[0], None), poses[:, :3, :3])


def _peers(task: Task) -> dict[str, float]:
    """Real clips whose field of view nobody tells: their turn's sign, and its size under all likely fields of view."""
    if not PEERS.is_dir():
        return {}
    rows: dict[str, float] = {}
    right = 0
    for name, sign in PEER_CLIPS.items():
        with SharedFrames.load(PEERS / f"{name}.mp4") as frames:
            look = Look(frames, task.model_copy(update={"hfov_declared": False}), frames.rgb[0], None)
            lens = classical(look)
            assert not isinstance(lens, Abstain), lens.reason
            peaks = [_peak_deg(look, float(hfov)) for hfov in lens.hfov_deg]
        right += int(np.sign(peaks[0]) == sign)
        rows |= {f"{name}_hfov_{end}": float(lens.hfov_deg[k]) for k, end in ((1, "low"), (2, "high"))}
        rows |= {f"{name}_peak_{end}": peaks[k] for k, end in ((1, "low"), (2, "high"))}
    return {"peer_clips": len(PEER_CLIPS), "peer_signs_right": right / len(PEER_CLIPS), **rows}


def _peak_deg(look: Look, hfov_deg: float) -> float:
    """The largest turn about the vertical under that field of view; right is positive."""
    found = classical(replace(look, task=look.task.model_copy(update={"hfov_declared": True, "hfov_deg": hfov_deg})))
    assert not isinstance(found, Abstain), found.reason
    forward = found.rotation[found.trusted, :, 2]
    yaw = np.rad2deg(np.unwrap(np.arctan2(forward[:, 0], forward[:, 2])))
    return float(yaw[np.abs(yaw).argmax()])


def _cost(clips: list[Filmed]) -> float:
    """CPU of looking over CPU of decoding."""
    decoding = looking = 0.0
    for clip in clips[:EACH]:
        assert clip.video is not None
        started = time.process_time()
        frames = SharedFrames.load(clip.video)
        decoded = time.process_time()
        classical(replace(clip.look, frames=frames))
        decoding, looking = decoding + decoded - started, looking + time.process_time() - decoded
    return looking / decoding


if __name__ == "__main__":
    for name, value in measure(Path(sys.argv[1]) if len(sys.argv) > 1 else None).items():
        print(f"{name} {value:.3f}")
