"""Tasks in the known world: the true clip is rendered first, everything else is read off it."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookaway import truth
from lookaway.cache import Built, cached_task
from lookaway.geometry.script import trajectory
from lookaway.geometry.visibility import phases_from_visible
from lookaway.images import png_bytes
from lookaway.records import Bank, Interval, Question, Reference, Subject, Task, Twin, WorldSpec
from lookaway.store import Blobs
from lookaway.suites import Draft, look_aways
from lookaway.suites.look_aways import Angle, Timing, Turn, hidden_start_rule
from lookaway.suites.solving import Scripts, hiding_scripts, observed_scripts
from lookaway.video import encode
from lookaway.worlds import HFOV_DEG, Facts, View, World, covers_at, world_of

SIZE = (320, 180)
FPS = 16.0
TRUTH_CRF = 8
ENDED_S = 6.4  # on a process's own clock: by then its end state shows, so a clip is paced to get there


@dataclass(frozen=True)
class Shot:
    """A world, the way it is looked at, and whose twin it is."""

    world: WorldSpec
    look: str
    turn: Turn
    timing: Timing
    angle: Angle
    twin: Twin | None = None
    twin_of: str | None = None

    @property
    def hides(self) -> bool:
        return self.twin not in ("observed", "static")

    def facts(self) -> tuple[tuple[str, Any], ...]:
        """Everything as plain JSON values."""
        own = {"look": self.look, "turn": self.turn, "angle": self.angle, "twin": self.twin, "twin_of": self.twin_of}
        return tuple((self.world.model_dump() | own | {"timing": tuple(asdict(self.timing).values())}).items())

    @classmethod
    def of(cls, draft: Draft) -> Shot:
        facts = dict(draft.facts)
        world = WorldSpec(**{name: facts.pop(name) for name in WorldSpec.model_fields if name in facts})
        return cls(world=world, **(facts | {"timing": Timing(*facts["timing"])}))


def shot(spec: WorldSpec, look: str, turn: Turn, timing: Timing | None = None, angle: Angle | None = None) -> Shot:
    """A shot in the look's own timing and angle unless told otherwise."""
    known = look_aways.find(look)
    return Shot(spec, look, turn, timing or known.timing, known.angle if angle is None else angle)


def paced(spec: WorldSpec, look: str) -> WorldSpec:
    """The same world, its process so fast that it shows its end state at the end of the look's clip."""
    return spec.model_copy(update={"pace": round(ENDED_S / look_aways.find(look).total_s, 4)})


def draft(suite: str, version: str, made: Shot, id: str | None = None) -> Draft:
    """A task: this shot, not built yet."""
    spec, look = made.world, look_aways.find(made.look)
    process = f"still-{spec.process}" if spec.variant == "still" else spec.process
    camera = look.camera_script(made.timing, made.turn, made.angle) if made.hides else "as built"
    return Draft(
        id=id or f"{spec.layout}{spec.seed}_{process}_{made.look}_{spec.side[0].upper()}",
        suite=suite,
        version=version,
        scene=f"{spec.layout}{spec.seed}",
        camera=", ".join(filter(None, [camera, look.cover_script(made.timing) if made.hides else ""])),
        seconds=made.timing.total_s * look.rounds,
        fps=FPS,
        facts=made.facts(),
        build=build_known_world,
        obstacle=None if made.hides else "never_hidden",
    )


@lru_cache(maxsize=1)  # an observed twin asks for those of its task again
def scripts_of(world: World, made: Shot) -> Scripts:
    """Camera and cover scripts of a shot, solved for its world."""
    look = look_aways.find(made.look)
    if made.twin == "static":
        return Scripts(f"hold@{made.timing.total_s * look.rounds:g}s", "")
    if made.twin == "observed":
        return observed_scripts(world, look, made.timing, made.turn)
    return hiding_scripts(world, look, made.timing, made.turn, made.angle)


@dataclass(frozen=True)
class Take:
    """A true clip with everything that is known about each of its frames."""

    seconds: NDArray[np.float64]
    poses: NDArray[np.float64]
    intrinsics: NDArray[np.float64]
    views: list[View]
    masks: NDArray[np.bool_]
    states: list[dict[str, float]]

    @property
    def visible(self) -> NDArray[np.float64]:
        return np.asarray(self.masks.sum((1, 2)) / max(1, self.masks[0].sum()))

    @property
    def phases(self) -> tuple[Interval, ...]:
        return phases_from_visible(self.seconds, self.visible >= truth.VISIBLE_SHARE)


def filmed(world: World, scripts: Scripts, frames: int, fps: float, size: tuple[int, int]) -> Take:
    """The true clip of a world along camera and cover scripts."""
    path = trajectory(scripts.camera, frames, fps, size, HFOV_DEG, world.pitch_deg)
    covers = covers_at(scripts.cover, path.seconds)
    poses = world.home @ path.camera_to_world
    views = [world.render(p, s, cover=c) for p, s, c in zip(poses, path.seconds, covers, strict=True)]
    masks = np.stack([world.subject_mask(view.instances, c) for view, c in zip(views, covers, strict=True)])
    return Take(path.seconds, poses, path.intrinsics, views, masks, [world.state(s) for s in path.seconds])


def yoked_phases(world: World, made: Shot, draft: Draft, size: tuple[int, int]) -> tuple[Interval, ...]:
    """Of an observed twin: the phases of its task. Right after that task was filmed, its views are at hand."""
    if made.twin != "observed":
        return ()
    scripts = scripts_of(world, replace(made, twin=None, twin_of=None))
    return filmed(world, scripts, draft.frames, draft.fps, size).phases


def build_known_world(draft: Draft, blobs: Blobs, size: tuple[int, int] = SIZE) -> Built:
    """The task, filmed at that size, now or before."""
    return cached_task([*draft.content(), size], blobs, lambda: film_known_world(draft, blobs, size))


def film_known_world(draft: Draft, blobs: Blobs, size: tuple[int, int]) -> Built:
    """The task, filmed now."""
    made = Shot.of(draft)
    world = world_of(made.world, size)
    yoked = yoked_phases(world, made, draft, size)
    scripts = scripts_of(world, made)
    take = filmed(world, scripts, draft.frames, draft.fps, size)
    return recorded(draft, made, world.facts, world.pitch_deg, scripts, take, yoked, blobs)


def recorded(
    draft: Draft,
    made: Shot,
    facts: Facts,
    pitch_deg: float,
    scripts: Scripts,
    take: Take,
    yoked: tuple[Interval, ...],
    blobs: Blobs,
) -> Built:
    """A take as task and reference; the pictures go to the blobs."""
    height, width = take.masks.shape[1:]
    prefix_s = back_from_s(made) if look_aways.find(made.look).gives_prefix and made.hides else 0.0
    given = [view.rgb for view, second in zip(take.views, take.seconds, strict=True) if second <= prefix_s]
    look, starts_s = look_aways.find(made.look), made.world.start_s
    task = Task(
        id=draft.id,
        suite=draft.suite,
        version=draft.version,
        scene=draft.scene,
        category=facts.traits.category,
        moves=facts.traits.moves,
        changes_in_place=facts.traits.changes_in_place,
        prompt=facts.prompt,
        first_frame=blobs.put_bytes(png_bytes(take.views[0].rgb), ".png"),
        subjects=(Subject(name=facts.words.subject, box=_box(take.masks[0]), side=facts.side),),
        expected_end=facts.end,
        end_edit=f"Change the picture so that {facts.end}.",
        action_control="none" if made.world.variant == "still" else facts.words.trigger,
        observation_controls=(look.name,) if made.twin != "static" else ("none",),
        visibility="leaves_and_returns" if made.hides else "always_visible",
        camera=scripts.camera,
        cover=scripts.cover,
        hfov_deg=HFOV_DEG,
        pitch_deg=pitch_deg,
        width=width,
        height=height,
        fps=draft.fps,
        seconds=draft.seconds,
        phases=take.phases,
        twin=made.twin,
        twin_of=made.twin_of,
        prefix=_encoded(given, draft.fps, blobs) if prefix_s else None,
        prefix_s=prefix_s,
        tags=(f"layout:{made.world.layout}", f"process:{made.world.process}", f"turn:{made.turn}"),
        world=made.world,
        yoked=yoked,
        trigger=hidden_start_rule(facts.words.subject, starts_s) if hidden_at(take.phases, starts_s) else "",
        trigger_s=starts_s or None,
    )
    names = tuple(sorted(take.states[0]))
    arrays = truth.pack(
        take.seconds,
        take.poses,
        take.intrinsics,
        take.masks,
        take.visible,
        np.array([[state[name] for name in names] for state in take.states]),
    )
    reference = Reference(
        task=task.id,
        instance=task.instance,
        video=_encoded([view.rgb for view in take.views], draft.fps, blobs),
        arrays=blobs.put_bytes(arrays, ".npz"),
        depth=blobs.put_bytes(_depth_bytes([view.depth for view in take.views]), ".npz"),
        phases=take.phases,
        state_names=names,
    )
    bank = Bank(task=task.id, questions=_questions(facts, still=made.world.variant == "still"))
    return Built(task, reference, bank)


def hidden_at(phases: Sequence[Interval], second: float) -> bool:
    return any(phase.phase == "hidden" and phase.start_s <= second < phase.end_s for phase in phases)


def back_from_s(made: Shot) -> float:
    """When the way back begins."""
    return made.timing.before_s + made.timing.out_s + made.timing.hidden_s


def _box(mask: NDArray[np.bool_]) -> tuple[float, float, float, float]:
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    height, width = mask.shape
    return (
        float(columns[0] / width),
        float(rows[0] / height),
        float((columns[-1] + 1) / width),
        float((rows[-1] + 1) / height),
    )


def _encoded(frames: list[NDArray[np.uint8]], fps: float, blobs: Blobs) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "truth.mp4"
        encode(frames, path, fps, crf=TRUTH_CRF)
        return blobs.put_file(path)


def _depth_bytes(depth: list[NDArray[np.float32]]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, depth=np.stack(depth))
    return buffer.getvalue()


def _questions(facts: Facts, still: bool) -> tuple[Question, ...]:
    """Asked of the end of the clip; the same for a task and its twins."""
    words = facts.words
    return (
        Question(
            id="there",
            text=f"At the end of the video, can one see {words.subject}?",
            dimension="memory",
            polarity="positive",
            expected="yes",
        ),
        Question(
            id="ended",
            text=f"Look at the end of the video. {words.is_ended}",
            dimension="progress",
            polarity="positive",
            expected="no" if still else "yes",
        ),
        Question(
            id="as_before",
            text=f"Look at the end of the video. {words.is_as_before}",
            dimension="progress",
            polarity="negative",
            expected="yes" if still else "no",
        ),
    )
