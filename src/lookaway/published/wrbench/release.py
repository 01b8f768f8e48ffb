"""Files of WRBench's release that a check needs: the results of 23 models, the scene families and their variants.

They are the authors' and not shipped; `--release DIR` names a folder in which they lie side by side.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lookaway.errors import UsageError
from lookaway.suites.releases.reading import L, ReleaseLine, lines_of
from lookaway.suites.sheets import text_of

RESULTS = "wrbench_23model_results.csv"
FAMILIES = "families.jsonl"
VARIANTS = "variants.jsonl"

# Our columns, as the paper prints them, to those of the results file.
SCORES = {
    "CamPrec": "D1_CamPrec",
    "CamAlign": "D1_CamAlign_common_yaw",
    "StaticHold": "D1_CamAlign_static_hold",
    "Integ": "D2",
    "VisSpatial": "D3",
    "VisState": "D4",
    "ReobsSpatial": "D5",
    "ReobsState": "D6",
}
WORDS = ("model_id", "paper_group", "model_input", "viewpoint_condition_type", "low_n_flag")
SHARES = ("gate_applicable_rate", "Avg")


@dataclass(frozen=True)
class ReleasedModel:
    """One row of the results file."""

    id: str
    group: str  # V2V, Camera, Interactive or API prompt-camera
    input: str  # such as TI2V
    condition_type: str
    outputs: int
    scores: Mapping[str, float | None]  # by our column; None where the file says NA
    counts: Mapping[str, int]  # outputs behind each of them
    support: float  # share of the outputs
    average: float  # as the file gives it
    flagged: bool  # the file's own mark of few rows


class ListedFamily(ReleaseLine):
    """A scene family, as far as it is counted."""

    family_id: str
    scene: str

    @property
    def action(self) -> str:
        return self.family_id.rpartition("_")[2]


class ListedVariant(ReleaseLine):
    """A family with an event and a camera, as far as it is counted."""

    family_id: str
    event_delta: str


@dataclass(frozen=True)
class ReleaseFiles:
    """What a folder holds of the release; None for a file that is not there."""

    models: Mapping[str, ReleasedModel] | None = None  # by id
    families: tuple[ListedFamily, ...] | None = None
    variants: tuple[ListedVariant, ...] | None = None


def read_release(folder: Path) -> ReleaseFiles:
    """The files in a folder; one without any of them is refused."""
    if not folder.is_dir():
        raise UsageError(f"--release {folder}: no such folder; give the one that holds {RESULTS}")
    there = {name for name in (RESULTS, FAMILIES, VARIANTS) if (folder / name).exists()}
    if not there:
        raise UsageError(f"--release {folder}: holds neither {RESULTS} nor {FAMILIES} nor {VARIANTS}")
    return ReleaseFiles(
        models=_models(folder / RESULTS) if RESULTS in there else None,
        families=_listed(folder / FAMILIES, ListedFamily) if FAMILIES in there else None,
        variants=_listed(folder / VARIANTS, ListedVariant) if VARIANTS in there else None,
    )


def _models(path: Path) -> dict[str, ReleasedModel]:
    reader = csv.DictReader(text_of(path).splitlines())
    models: dict[str, ReleasedModel] = {}
    try:
        _check_columns(path, reader.fieldnames or ())
        for line in reader:
            where = f"{path}, line {reader.line_num}"
            model = _model(line, where)
            if model.id in models:
                raise UsageError(f"{where}: a second row for {model.id!r}")
            models[model.id] = model
    except csv.Error as error:
        raise UsageError(f"{path}: not CSV: {error}") from error
    if not models:
        raise UsageError(f"{path}: has no rows")
    return models


def _check_columns(path: Path, found: object) -> None:
    there = list(found) if isinstance(found, list | tuple) else []
    needed = [*WORDS, "n_outputs", *SHARES, *SCORES.values(), *(f"{name}_n" for name in SCORES.values())]
    if lacking := [name for name in needed if name not in there]:
        raise UsageError(f"{path}: has no column {', '.join(lacking)}; give the release as it was downloaded")


def _model(line: Mapping[str | None, str | None], where: str) -> ReleasedModel:
    if None in line or None in line.values():
        raise UsageError(f"{where}: has more or fewer fields than the heading")
    told = {str(name): str(text) for name, text in line.items()}
    return ReleasedModel(
        id=told["model_id"],
        group=told["paper_group"],
        input=told["model_input"],
        condition_type=told["viewpoint_condition_type"],
        outputs=_count(told, "n_outputs", where),
        scores={ours: None if told[name] == "NA" else _share(told, name, where) for ours, name in SCORES.items()},
        counts={ours: _count(told, f"{name}_n", where) for ours, name in SCORES.items()},
        support=_share(told, "gate_applicable_rate", where),
        average=_share(told, "Avg", where),
        flagged=told["low_n_flag"] == "true",
    )


def _share(told: Mapping[str, str], name: str, where: str) -> float:
    try:
        value = float(told[name])
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise UsageError(f"{where}: {name} is {told[name][:40]!r}, not a number from 0 to 1")
    return value


def _count(told: Mapping[str, str], name: str, where: str) -> int:
    text = told[name]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageError(f"{where}: {name} is {text[:40]!r}, not a count")
    return int(text)


def _listed(path: Path, kind: type[L]) -> tuple[L, ...]:
    lines = tuple(lines_of(path, kind))
    if not lines:
        raise UsageError(f"{path}: has no lines")
    return lines
