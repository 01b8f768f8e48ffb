"""The README of an exported folder."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

from lookaway.records import content_key
from lookaway.reports.escaping import in_markdown
from lookaway.suites import Suite

_INPUTS = """\
# {name}

{summary}. {tasks} tasks, version {version}, written by `lookaway suite export`.

Each task is one video to make. `ID` stands for a task's id.

| file | what it is |
|---|---|
| `prompts.csv` | one line per task: prompt, files, width, height, frames, fps, seconds |
| `first_frames/ID.png` | the frame that the video starts from |
| `prompts/ID.txt` | what the video shows, with the camera's way (and what covers the view) in words |
| `cameras/ID.json`, `cameras/ID.npz` | the camera, one pose per frame |
| `prefixes/ID.mp4` | only where a task has one: true frames that the video must begin with |
| `suite.toml`, `tasks.jsonl` | the same as a suite that lookaway reads |

**Cameras.** `camera_to_world` are 4x4 matrices in metres, x right, y down, z forward (OpenCV); the first one is the
identity. `intrinsics` are in pixels of the first frame. Every camera sees as many degrees horizontally as its task says
(`hfov_deg`), so the vertical field of view follows from the picture's shape: read it off the intrinsics.

**Length.** Make `frames` frames at `fps`. Other sizes, lengths and rates are taken too, as long as all of the picture
is shown: scale, do not crop.
"""

_BACK_HERE = """
## Bring the videos back

Name them after their tasks, `ID.mp4` (`ID_1.mp4` for a second video of the same task), put them into one folder, and:

    lookaway ingest VIDEOS --suite THIS_FOLDER --model NAME --out RUN
    lookaway run --out RUN
"""

_BACK_THERE = """
## Bring the videos back

Name them after their tasks, `ID.mp4` (`ID_1.mp4` for a second video of the same task), and send them to whoever gave
you this folder. The truth is not in it: what becomes of each subject is known to them alone.
"""

_TRUTH = """
## The truth

Not for the model.

| file | what it is |
|---|---|
| `truth/ID.mp4` | the true clip |
| `truth/phases.csv` | when the subject is visible, hidden, returned, in seconds |
| `truth/ID.npz` | one entry per frame: `seconds`, `camera_to_world`, `intrinsics`, `masks`, `visible`, `state` |
| `truth/ID.depth.npz` | `depth`: metres along the viewing axis |

`masks` are the subject's pixels, packed: `numpy.unpackbits(masks, axis=-1, count=int(mask_width)).astype(bool)`.
`visible` is their number as a share of that in the first frame. The columns of `state` are named in `tasks.jsonl` under
`reference.state_names`. These poses are in the room's axes, z up; those in `cameras/` start from the first camera.
Files that a suite has no truth for are not there.

Where there is a folder `memobench/`, it holds the same true clips in MemoBench's layout: `data/Synthetic_processed/`
with frames, poses and intrinsics, `data/sam3_metadata/synthetic_metadata.csv`, and the keyframes. Its evaluation reads
keyframes from an xlsx file: save `Synthetic_ExitReenter.csv` as one. `exits` (d_start) is the first frame in which less
than 2 % of the subject can be seen, `re-enter` (r_start) the first in which more can; MemoBench's own marks say when
it was wholly back. Tasks whose subject does not go out of view and come back are not in that folder.
"""


_CANARY = """
## For whoever collects training data

This is a benchmark: please leave it out. Canary: `{canary}`.
"""


def canary(suite: Suite, tasks: Iterable[str]) -> str:
    """The same id for the same suite and tasks, found nowhere else: who trains can look for it, and so can we."""
    about = content_key("canary", suite.name, suite.version, sorted(tasks))
    return f"lookaway-canary-{uuid.uuid5(uuid.NAMESPACE_OID, about)}"


def readme(suite: Suite, tasks: Sequence[str], truth: bool) -> bytes:
    """With the truth, or with no word about where it is."""
    name, summary = in_markdown(suite.name), in_markdown(suite.summary.rstrip("."))
    head = _INPUTS.format(name=name, summary=summary, tasks=len(tasks), version=suite.version)
    end = _CANARY.format(canary=canary(suite, tasks))
    return (head + (_BACK_HERE + _TRUTH if truth else _BACK_THERE) + end).encode()
