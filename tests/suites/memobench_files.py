"""A small release of MemoBench, written by hand file by file in the layout of the official one."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lookaway.video import encode

FRAMES, SIZE = 24, (64, 36)
METADATA = "data/sam3_metadata"
RENDERED, REAL = "data/Synthetic_processed", "data/Real_Raw"
U_TURN = (
    "First person view as a person is moving straight ahead and sees a cow(subject) walking from left to right. "
    "Observer passes the subject (exits FOV) and performs a U-turn. Observer re-sees the subject in its FOV."
)
PAN = (
    "A first-person view of a cup with ink being dripped in. The camera smoothly pans to the {first}, causing the cup "
    "to exit. The camera then pans back to the {second}, and the cup re-enters the frame, revealing that the water is "
    "blue."
)
SYNTHETIC_ROWS = [
    ("Barn", "1", "cow", f"{RENDERED}/Barn/Barn_001/RGB1/NewLevelSequence1.0000.jpg", U_TURN),
    ("Zen", "10", "fox", f"{RENDERED}/Zen/Zen_010/RGB10/NewLevelSequence10.0000.jpg", U_TURN),
]
REAL_ROWS = [
    ("1", "a cup", f"{REAL}/001/FRAMES/frame_0001.jpg", PAN.format(first="left", second="right")),
    ("2", "a cup", f"{REAL}/002/FRAMES/frame_0001.jpg", PAN.format(first="right", second="left")),
]


def table(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def workbook(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)
    return path


def picture(frame: int, seed: int = 0) -> NDArray[np.uint8]:
    """Soft stripes that wander: a codec keeps them, and no two frames are equal."""
    x, y = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    levels = [
        128 + 100 * np.sin((x + 3 * frame) / (9 + seed)),
        128 + 100 * np.cos(y / 7),
        np.full(x.shape, 9.0 * frame),
    ]
    return np.stack(levels, axis=-1).clip(0, 255).astype(np.uint8)


def frames(folder: Path, name: str, first: int, seed: int = 0, count: int = FRAMES) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for frame in range(count):
        Image.fromarray(picture(frame, seed)).save(folder / name.format(frame + first), quality=95)


def yaw_poses(degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Camera-to-world in OpenCV axes: right is positive, about the y axis that points down."""
    angle = np.deg2rad(degrees)
    poses = np.tile(np.eye(4), (len(degrees), 1, 1))
    poses[:, 0, 0] = poses[:, 2, 2] = np.cos(angle)
    poses[:, 0, 2], poses[:, 2, 0] = np.sin(angle), -np.sin(angle)
    poses[:, 0, 3] = np.linspace(2, 3, len(degrees))
    return poses


U_TURN_DEG = np.linspace(0, 178, FRAMES)
PAN_DEG = -60 * np.sin(np.pi * np.arange(FRAMES) / (FRAMES - 1))
LENS = (55.4, 55.4, 32.0, 18.0)  # 60 degrees across 64 pixels


def rendered_clip(folder: Path, scene: str, number: int) -> Path:
    """RGB, depth, poses and intrinsics of one rendered clip."""
    own = folder / RENDERED / scene / f"{scene}_{number:03d}"
    frames(own / f"RGB{number}", f"NewLevelSequence{number}." + "{:04d}.jpg", 0, number)
    (own / f"Depth{number}").mkdir()
    for frame in range(FRAMES):
        np.save(own / f"Depth{number}" / f"depth.{frame:04d}.npy", depth(frame))
    (own / str(number)).mkdir()
    np.save(own / str(number) / "poses.npy", yaw_poses(U_TURN_DEG))
    np.save(own / str(number) / "intrinsics.npy", np.tile(LENS, (FRAMES, 1)))
    return own


def depth(frame: int) -> NDArray[np.float32]:
    return np.full(SIZE[::-1], 2.0 + 0.25 * frame, np.float32)


def real_clip(folder: Path, number: int, arrays: Mapping[str, object] | None = None) -> Path:
    """Video, frames and estimated camera of one real clip."""
    own = folder / REAL / f"{number:03d}"
    frames(own / "FRAMES", "frame_{:04d}.jpg", 1, number)
    encode([picture(frame, number) for frame in range(FRAMES)], own / f"{number:03d}.mp4", 25.0)
    (own / "raw").mkdir()
    lens = np.array([[55.4, 0, 32], [0, 55.4, 18], [0, 0, 1]])
    given = {"cam_c2w": yaw_poses(PAN_DEG), "intrinsic": lens} if arrays is None else dict(arrays)
    np.savez(own / "raw" / f"{number:03d}_mapanything.npz", **given)
    return own


def keyframe_rows(kind: str, *rows: Sequence[object]) -> list[Sequence[object]]:
    heads = {"synthetic": ("video_folder", "exits", "re-enter", "prompt", "skip"), "real": ("id", "exit", "reenter")}
    return [heads[kind], *rows]


def released(folder: Path) -> Path:
    """Two rendered and two real clips with all that the release has of them."""
    table(
        folder / METADATA / "synthetic_metadata.csv",
        [("scene", "video_id", "subject", "exr_path", "prompt"), *SYNTHETIC_ROWS],
    )
    table(folder / METADATA / "real_metadata.csv", [("video_id", "subject", "full_image_path", "prompt"), *REAL_ROWS])
    rendered_clip(folder, "Barn", 1)
    rendered_clip(folder, "Zen", 10)
    for number in (1, 2):
        real_clip(folder, number)
    marks = keyframe_rows("synthetic", ("Barn_001", 8, 16, U_TURN, ""), ("Zen_010", 6, 20, U_TURN, ""))
    table(folder / RENDERED / "Synthetic_ExitReenter.csv", marks)
    table(folder / REAL / "Real_ExitReenter.csv", keyframe_rows("real", (1, 7, 15), (2, 9, 18)))
    question = {"ID": 1, "Dimension": "Physics", "Dimension Polarity": "Positive", "Question": "Does the fox run?"}
    bank = [("scene", "video_id", "Start Questions"), ("Z_en", 10, json.dumps([question]))]
    table(folder / "data/vqa_questions/Z_en-10-questions.csv", bank)
    cases = [
        ("scene", "video_id", "hint", "folder", "Finished", "prompt"),
        ("Z_en", 10, "it stops", "Zen_010", "Yes", U_TURN),
    ]
    table(folder / "data/vqa_questions/failure-cases.csv", cases)
    return folder
