"""True camera of a clip: poses and lens, in each of the forms that the release has them in."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lookaway.arrays import BadArrays, read_arrays
from lookaway.errors import LookawayError, SuiteError, UsageError
from lookaway.geometry.camera_pair import camera_path
from lookaway.geometry.smoothing import PoseIntegrity, pose_integrity, smoothed_poses
from lookaway.geometry.trajectory import Floats
from lookaway.suites.releases.memobench.listing import ListedClip, data_folder
from lookaway.suites.releases.memobench.media import clip_folder
from lookaway.suites.sheets import lacking, sheet_rows

OPENCV = np.diag(
    [1.0, -1.0, -1.0, 1.0]
)  # a camera that looks along -z with y up, as one that looks along z with y down
PLACE, ANGLES, LENS = ("loc_x", "loc_y", "loc_z"), ("rot_x", "rot_y", "rot_z"), ("fx", "fy", "cx", "cy")
NAMES = ("cam_c2w", "intrinsic")  # in an npz file
OFF_CENTRE = 0.02  # by which twice the lens centre may differ from the size of the picture


@dataclass
class TrueCamera:
    """Poses (N, 4, 4) camera-to-world in OpenCV axes and intrinsics (N, 3, 3), where they are known."""

    poses: Floats | None = None
    intrinsics: Floats | None = None
    raw: Floats | None = None  # estimated poses before smoothing
    integrity: PoseIntegrity | None = None
    notes: list[str] = field(default_factory=list)


def true_camera(folder: Path, clip: ListedClip, frames: int, size: tuple[int, int]) -> TrueCamera:
    """What the release has of a clip's camera; what does not fit its frames is told and not taken."""
    camera = TrueCamera()
    try:
        found = _rendered(folder, clip) if clip.split == "synthetic" else _estimated(folder, clip)
    except LookawayError as error:
        camera.notes.append(f"not readable: {error}")
        return camera
    if found is None:
        camera.notes.append(f"missing: {clip.id} has no poses")
        return camera
    poses, lens = found
    try:
        camera.poses = checked_poses(poses, frames)
    except UsageError as error:
        camera.notes.append(f"contradictory: {clip.id}: {error}")
    if camera.poses is not None and clip.split == "real":
        camera.raw, camera.poses = camera.poses, smoothed_poses(camera.poses)
        camera.integrity = pose_integrity(camera.raw, camera.poses)
    if lens is not None:
        try:
            camera.intrinsics, scaled = fitted_lens(lens_matrices(lens, frames), size)
            camera.notes += [f"contradictory: {clip.id}: {scaled}"] if scaled else []
        except ValueError as error:
            camera.notes.append(f"contradictory: {clip.id}: intrinsics {error}")
    return camera


def checked_poses(poses: Floats, frames: int) -> Floats:
    """The poses, their rotations made exact; UsageError says what is wrong with them."""
    if poses.ndim != 3 or poses.shape[1:] != (4, 4):
        raise UsageError(f"poses are {poses.shape}, not (N, 4, 4)")
    if len(poses) != frames:
        raise UsageError(f"{len(poses)} poses for {frames} frames")
    camera_path(poses, "poses")
    from scipy.spatial.transform import Rotation  # takes a third of a second to import

    exact = poses.copy()
    exact[:, :3, :3] = Rotation.from_matrix(poses[:, :3, :3]).as_matrix()
    return exact


def lens_matrices(told: Floats, frames: int) -> Floats:
    """(N, 3, 3) from (4,), (N, 4), (3, 3) or (N, 3, 3): fx, fy, cx, cy or a matrix, for all frames or for each."""
    matrices = _as_matrices(np.asarray(told, float))
    if len(matrices) not in (1, frames):
        raise ValueError(f"are {len(matrices)} for {frames} frames")
    if not np.isfinite(matrices).all() or (matrices[:, [0, 1], [0, 1]] <= 0).any():
        raise ValueError("are not those of a lens: a focal length is not above 0")
    return np.broadcast_to(matrices, (frames, 3, 3)).copy()


def _as_matrices(told: Floats) -> Floats:
    if told.shape[-2:] == (3, 3) and told.ndim in (2, 3):
        return told.reshape(-1, 3, 3)
    if told.ndim not in (1, 2) or told.shape[-1] != 4:
        raise ValueError(f"are {told.shape}, not (4,), (N, 4), (3, 3) or (N, 3, 3)")
    rows = told.reshape(-1, 4)
    made = np.tile(np.eye(3), (len(rows), 1, 1))
    made[:, [0, 1, 0, 1], [0, 1, 2, 2]] = rows
    return made


def fitted_lens(matrices: Floats, size: tuple[int, int]) -> tuple[Floats, str]:
    """The lens in pixels of the clip, and what had to be done: estimates are often told for smaller pictures.

    The centre of a lens lies in the middle of its pictures, so twice the centre is their size. ValueError where those
    pictures have another shape.
    """
    meant = 2 * matrices[0, :2, 2]
    scale = np.array(size) / meant if (meant > 0).all() else np.zeros(2)
    if np.abs(scale - 1).max() <= OFF_CENTRE:
        return matrices, ""
    if not scale.all() or abs(scale[0] / scale[1] - 1) > 2 * OFF_CENTRE:
        raise ValueError(f"have their centre at {meant[0] / 2:g}, {meant[1] / 2:g} of {size[0]}x{size[1]} pixels")
    fitted = matrices.copy()
    fitted[:, :2] *= scale[:, None]
    return fitted, f"its lens is told for {meant[0]:.0f}x{meant[1]:.0f} pixels, not {size[0]}x{size[1]}: scaled"


def csv_poses(places: Floats, angles: Floats) -> Floats:
    """Camera-to-world (N, 4, 4) of the engine's table: left-handed turns about x, then y, then z, in radians."""
    from scipy.spatial.transform import Rotation  # takes a third of a second to import

    poses = np.tile(np.eye(4), (len(places), 1, 1))
    poses[:, :3, :3] = Rotation.from_euler("xyz", -angles).as_matrix()  # left-handed: the other way round
    poses[:, :3, 3] = places
    return np.asarray(poses @ OPENCV)


def _rendered(folder: Path, clip: ListedClip) -> tuple[Floats, Floats | None] | None:
    own = clip_folder(folder, clip)
    arrays = [_first_there(own / str(clip.number) / name, own / name) for name in ("poses.npy", "intrinsics.npy")]
    table = own / f"camera_full{clip.number}.csv"
    told = _table(table) if table.is_file() and not all(arrays) else None
    poses = _array(arrays[0]) if arrays[0] else told[0] if told else None
    lens = _array(arrays[1]) if arrays[1] else told[1] if told else None
    return None if poses is None else (poses, lens)


def _estimated(folder: Path, clip: ListedClip) -> tuple[Floats, Floats | None] | None:
    name = f"{clip.number:03d}_mapanything.npz"
    collected = data_folder(folder) / "mapanything" / "outputs" / "real" / name
    path = _first_there(clip_folder(folder, clip) / "raw" / name, collected)
    if path is None:
        return None
    arrays = _arrays(path)
    if "cam_c2w" not in arrays:
        raise SuiteError(f"{path}: has no array called cam_c2w")
    return arrays["cam_c2w"], arrays.get("intrinsic")


def _first_there(*paths: Path) -> Path | None:
    return next((path for path in paths if path.is_file()), None)


def _array(path: Path) -> Floats:
    held = _arrays(path)
    if "" not in held:
        raise SuiteError(f"{path}: several arrays, where an npy file holds one")
    return held[""]


def _arrays(path: Path) -> dict[str, Floats]:
    """Of an npz file by name; of an npy file the only one, under no name."""
    try:
        return {name: np.asarray(array, np.float64) for name, array in read_arrays(path, NAMES).items()}
    except (BadArrays, ValueError, TypeError) as error:
        raise SuiteError(f"{path}: not the arrays of a camera ({error})") from error


def _table(path: Path) -> tuple[Floats, Floats | None]:
    rows = sheet_rows(path)
    if absent := lacking(rows, (*PLACE, *ANGLES)):
        raise SuiteError(f"{path}: has no column {', '.join(absent)}")
    try:
        places, angles = (
            np.array([[float(row[name]) for name in names] for _, row in rows]) for names in (PLACE, ANGLES)
        )
        lens = None if lacking(rows, LENS) else np.array([[float(row[name]) for name in LENS] for _, row in rows])
    except ValueError as error:
        raise SuiteError(f"{path}: a cell is no number ({error})") from error
    if not rows or not np.isfinite(angles).all():
        raise SuiteError(f"{path}: has {'no rows' if not rows else 'angles that are no numbers'}")
    return csv_poses(places, angles), lens
