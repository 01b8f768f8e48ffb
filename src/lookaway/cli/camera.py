"""`camera`: scripts as poses, and how well a camera path follows the one asked for, on plain files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from lookaway.cli import group
from lookaway.cli.common import JsonFlag, console, print_json
from lookaway.errors import UsageError

if TYPE_CHECKING:
    from lookaway.geometry.camera_pair import CameraPair, CameraPath
    from lookaway.geometry.trajectory import Trajectory

MOST_FRAMES = 100_000
KINDS = (".npy", ".npz", ".json")

camera = group("camera", "Camera paths as files: write one, score one, smooth one.")

POSE_FILE = "(N, 4, 4), (N, 3, 4) or (N, 3, 3) as .npy; .npz and .json name them camera_to_world, and may hold seconds."


@camera.command()
def script(
    script: Annotated[str, typer.Argument(help="Such as 'yaw:left:60@2s, yaw:right:60@2s'.", metavar="SCRIPT")],
    frames: Annotated[int, typer.Option(min=1, max=MOST_FRAMES, help="How many poses.")],
    fps: Annotated[float, typer.Option(help="Poses per second.")],
    out: Annotated[
        Path,
        typer.Option(metavar="FILE", help="Where to write: .npy holds camera-to-world; .npz and .json all there is."),
    ],
    hfov: Annotated[float, typer.Option(help="Horizontal field of view in degrees, for the intrinsics.")] = 60.0,
    size: Annotated[str, typer.Option(metavar="WxH", help="Size in pixels, for the intrinsics.")] = "320x180",
) -> None:
    """Write a camera script as one pose per frame.

    Poses are camera-to-world in the OpenCV frame, the first one identity.
    """
    from lookaway.geometry.script import duration, trajectory

    if not 0 < fps < float("inf"):
        raise UsageError(f"--fps {fps:g} must be a positive number")
    if not 0 < hfov < 180:
        raise UsageError(f"--hfov {hfov:g} must lie between 0 and 180 degrees")
    lasts = duration(script, fps)
    path = trajectory(script, frames, fps, _size(size), hfov)
    _write(path, out)
    typer.echo(f"{out}: {frames} poses over {path.seconds[-1]:g} s; the script lasts {lasts:g} s")


@camera.command()
def score(
    asked: Annotated[Path, typer.Option(help=f"The path asked for: {POSE_FILE}")],
    got: Annotated[Path, typer.Option(help="The path that the video has, in the same form.")],
    as_json: JsonFlag = False,
) -> None:
    """Score a camera path against the one asked for.

    Every variant of every camera metric is a number, or the reason why there is none.
    """
    from lookaway.geometry.camera_pair import paired

    pair = paired(_read(asked), _read(got))
    scores = _scores(pair)
    facts = _facts(pair)
    if as_json:
        print_json(scores | facts)
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("metric", "variant", "value", "unit"):
        table.add_column(column, style="bold" if column == "metric" else None, overflow="fold")
    for name, variants in scores.items():
        for variant, value in variants.items():
            number = isinstance(value, float)
            table.add_row(
                name, variant, f"{value:.3f}" if number else str(value), _unit(name, variant) if number else ""
            )
    console().print(table)
    typer.echo(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in facts.items()))


@camera.command()
def smooth(
    poses: Annotated[Path, typer.Argument(help=f"An estimated path: {POSE_FILE}", metavar="POSES")],
    out: Annotated[Path, typer.Option(metavar="FILE.npy", help="Where to write it, camera-to-world (N, 4, 4).")],
    window: Annotated[int, typer.Option(min=3, max=999, help="Frames that are smoothed over, an odd number.")] = 9,
) -> None:
    """Smooth an estimated camera path, and say how far that moved it.

    Tells the correlation between the turns of both paths, and the largest angle between them.
    """
    import numpy as np

    from lookaway.geometry.smoothing import pose_integrity, smoothed_poses

    if out.suffix != ".npy":
        raise UsageError(f"{out}: smoothed poses are kept as .npy")
    raw = _read(poses).poses
    made = smoothed_poses(raw, window)
    try:
        np.save(out, made)
    except OSError as error:
        raise UsageError(f"{out}: cannot write the poses here: {error.strerror}") from error
    typer.echo(f"{out}: {len(made)} poses; raw against smoothed: {pose_integrity(raw, made)}")


def _scores(pair: CameraPair) -> dict[str, dict[str, float | str]]:
    from lookaway.geometry.camera_scores import SCORES, STATIC, inactivity
    from lookaway.metrics import find

    still = inactivity(pair) == 1.0
    found: dict[str, dict[str, float | str]] = {}
    for name, variants in SCORES.items():
        for variant, function in variants.items():
            gated = still and "camera_active" in find(f"{name}:{variant}").gates
            value = STATIC if gated else function(pair)
            found.setdefault(name, {})[variant] = value if isinstance(value, float | str) else value.reason
    return found


def _unit(name: str, variant: str) -> str:
    from lookaway.metrics import find

    return find(f"{name}:{variant}").unit


def _facts(pair: CameraPair) -> dict[str, float | str]:
    from lookaway.geometry.camera_scores import motion

    return {
        "asked_peak_deg": round(float(pair.asked_deg.max()), 3),
        "got_peak_deg": round(float(pair.got_deg.max()), 3),
        "motion": motion(pair) if pair.turns else "no turn asked",
    }


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and 0 < int(width) <= 1 << 16 and 0 < int(height) <= 1 << 16):
        raise UsageError(f"--size '{text}' must be WIDTHxHEIGHT in pixels, such as 320x180")
    return int(width), int(height)


def _write(path: Trajectory, out: Path) -> None:
    import io

    import numpy as np

    _check_kind(out)
    buffer = io.BytesIO()
    match out.suffix:
        case ".npy":
            np.save(buffer, path.camera_to_world)
        case ".npz":
            buffer.write(path.to_bytes())
        case ".json":
            arrays = ("camera_to_world", "intrinsics", "seconds")
            buffer.write(json.dumps({name: getattr(path, name).tolist() for name in arrays}).encode())
    try:
        out.write_bytes(buffer.getvalue())
    except OSError as error:
        raise UsageError(f"{out}: cannot write the poses here: {error.strerror}") from error


def _check_kind(path: Path) -> None:
    if path.suffix not in KINDS:
        raise UsageError(f"{path}: poses are kept as {', '.join(KINDS)}, not '{path.suffix}'")


def _read(path: Path) -> CameraPath:
    from lookaway.geometry.camera_pair import camera_path

    poses, seconds = _arrays(path)
    return camera_path(poses, str(path), seconds)


def _arrays(path: Path) -> tuple[Any, Any]:
    """Poses and seconds of a file; seconds are None where it has none."""
    from lookaway.arrays import BadArrays, read_arrays

    _check_kind(path)
    try:
        held: Any = json.loads(path.read_bytes()) if path.suffix == ".json" else read_arrays(path)
        named = {"camera_to_world": held} if isinstance(held, list) else dict(held)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or 'not a whole file'}") from error
    except (BadArrays, TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not a {path.suffix} file of numbers") from error
    if "" in named:  # an npy file has one array, without a name
        named.setdefault("camera_to_world", named[""])
    if "cam_c2w" in named:  # as MapAnything's files of MemoBench call it
        named.setdefault("camera_to_world", named["cam_c2w"])
    if "camera_to_world" not in named:
        raise UsageError(f"{path}: holds no array named camera_to_world; write one with: lookaway camera script")
    return named["camera_to_world"], named.get("seconds")
