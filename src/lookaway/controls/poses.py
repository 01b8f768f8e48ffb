"""Explicit camera poses, one per frame or per latent, as arrays in a file."""

from __future__ import annotations

import io
import json

import numpy as np

from lookaway.controls import AskedCamera, EncodedCamera, Files, control
from lookaway.controls.buttons import pressed
from lookaway.controls.dialect import Dialect
from lookaway.errors import UsageError
from lookaway.geometry.trajectory import Floats, Trajectory


def read(files: Files, asked: AskedCamera) -> Trajectory:
    dialect = Dialect.of(asked.card)
    matrices = _full(_read_array(files, dialect, dialect.poses_array))[dialect.anchor_rows :]
    return dialect.path(matrices, asked.path)


@control(version=2, decode=read)
def poses(asked: AskedCamera) -> EncodedCamera:
    """Camera matrices and intrinsics as npz, npy or JSON, in the card's axes, direction and rate."""
    dialect = Dialect.of(asked.card)
    size = (asked.shape.width, asked.shape.height)
    matrices = dialect.matrices(asked.path)
    arrays = {dialect.poses_array: _anchored(matrices[:, : int(dialect.rows[0])], dialect)}
    if name := asked.card.control_settings.get("source_array"):  # the source was filmed from the first view, held
        arrays[str(name)] = np.repeat(matrices[:1, : int(dialect.rows[0])], len(matrices), axis=0)
    if dialect.intrinsics != "none":
        arrays[dialect.intrinsics_array] = _anchored(dialect.lens(asked.path, size), dialect)
    if names := asked.card.control_settings.get("buttons"):
        held = pressed(asked.path, [name.strip() for name in str(names).split(",")])
        arrays[str(asked.card.control_settings.get("buttons_array", "buttons"))] = held
    return EncodedCamera(_written(arrays, dialect), dialect.path(matrices, asked.path))


def _anchored(rows: Floats, dialect: Dialect) -> Floats:
    """Rows with the first one repeated before them, as often as the dialect wants."""
    return np.concatenate([rows[:1]] * dialect.anchor_rows + [rows])


def _full(matrices: Floats) -> Floats:
    """Matrices with their last row, which says nothing, put back."""
    full = np.tile(np.eye(4), (len(matrices), 1, 1))
    full[:, : matrices.shape[1]] = matrices
    return full


def _written(arrays: dict[str, Floats], dialect: Dialect) -> dict[str, bytes]:
    match dialect.format:
        case "npz" | "arrays":
            buffer = io.BytesIO()
            np.savez(buffer, **arrays)  # type: ignore[arg-type]
            return {"camera.npz": buffer.getvalue()}
        case "npy":
            return {f"{name}.npy": _npy(array) for name, array in arrays.items()}
        case "json":
            return {"camera.json": json.dumps({name: array.tolist() for name, array in arrays.items()}).encode()}
        case "json_lines":
            rows = arrays[dialect.poses_array]
            return {"camera.jsonl": "".join(f"{json.dumps(row.tolist())}\n" for row in rows).encode()}
        case "rows":
            rows = arrays[dialect.poses_array]
            return {"camera.npy": _npy(rows.reshape(1, len(rows), -1))}
        case other:
            raise UsageError(
                f"control 'poses' cannot write format '{other}'; it knows npz, npy, json, json_lines, rows"
            )


def _read_array(files: Files, dialect: Dialect, name: str) -> Floats:
    match dialect.format:
        case "npz" | "arrays":
            with np.load(io.BytesIO(files["camera.npz"])) as arrays:
                return np.asarray(arrays[name])
        case "npy":
            return np.asarray(np.load(io.BytesIO(files[f"{name}.npy"])))
        case "json":
            return np.array(json.loads(files["camera.json"])[name])
        case "json_lines":
            return np.array([json.loads(line) for line in files["camera.jsonl"].splitlines()])
        case _:
            rows = np.load(io.BytesIO(files["camera.npy"]))[0]
            return np.asarray(rows.reshape(len(rows), -1, 4))


def _npy(array: Floats) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()
