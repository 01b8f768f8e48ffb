"""A board in the formats in which others collect results: Every Eval Ever 0.3 and Hugging Face's `.eval_results`.

Both take one number per metric. What they have no field for, such as how many clips avoided the question, goes into the
details of the one and the notes of the other. A cell without a number has no place in either, and is counted.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from lookaway.metrics import METRICS
from lookaway.names import file_name
from lookaway.phrasing import others
from lookaway.records import Board, Cell, System
from lookaway.weights import HUB_NAME

FORM = "0.3.0"  # of Every Eval Ever's schema
Relationship = Literal["first_party", "third_party", "collaborative", "other"]
RELATIONSHIPS: tuple[str, ...] = get_args(Relationship)
COUNTS = ("n", "ok", "not_applicable", "avoided", "no_opportunity", "not_judgeable", "abstained", "no_output", "failed")


@dataclass(frozen=True)
class Origin:
    """Who hands results on, and when; told by whoever exports, for a run does not know."""

    organisation: str
    relationship: str  # one of RELATIONSHIPS
    at: int  # seconds since 1970
    date: str  # the same as YYYY-MM-DD
    url: str = ""


def result_files(board: Board, systems: Sequence[System], origin: Origin, dataset: str = "") -> dict[str, str]:
    """File name to content: a file of each format for every system that has a number; `dataset` is one at the hub."""
    files = {}
    for system in systems:
        cells = [c for c in board.cells if c.system == system.label and c.slice == "all"]
        if not any(cell.value is not None for cell in cells):
            continue
        owner, _, name = model_id(system).partition("/")
        made = every_eval_ever(board, system, cells, origin)
        place = f"data/{file_name(board.suite)}/{file_name(owner)}/{file_name(name)}"
        unique = uuid.UUID(bytes=uuid.uuid5(uuid.NAMESPACE_URL, made["evaluation_id"]).bytes, version=4)
        files[f"{place}/{unique}.json"] = json.dumps(made, ensure_ascii=False, indent=1) + "\n"
        if dataset:
            hub = f"{file_name(system.label)}/.eval_results/lookaway-{file_name(board.suite)}.yaml"
            files[hub] = eval_results(cells, origin, dataset)
    return files


def model_id(system: System) -> str:
    """`owner/name` at the hub where the card tells one, else `unknown/name`."""
    weights = system.card.weights
    return weights if HUB_NAME.fullmatch(weights) else f"unknown/{system.label}"


def every_eval_ever(board: Board, system: System, cells: Sequence[Cell], origin: Origin) -> dict[str, Any]:
    """One system's board as an evaluation in Every Eval Ever's form; only its cells over all tasks."""
    known = [cell for cell in cells if cell.value is not None]
    named = model_id(system)
    availability = {"closed": "closed_weights"}.get(
        system.card.weights, "open_weights" if "unknown/" not in named else "unknown"
    )
    source: dict[str, Any] = {
        "source_name": "lookaway",
        "source_type": "evaluation_run",
        "source_organization_name": origin.organisation,
        "evaluator_relationship": origin.relationship,
    }
    return {
        "schema_version": FORM,
        "evaluation_id": f"lookaway-{board.suite}/{named}/{origin.at}",
        "retrieved_timestamp": str(origin.at),
        "source_metadata": source | ({"source_organization_url": origin.url} if origin.url else {}),
        "eval_library": {
            "name": "lookaway",
            "version": board.environment.get("lookaway", "unknown"),
            "additional_details": {"cells_without_a_number": str(len(cells) - len(known))},
        },
        "model_info": {
            "name": system.label,
            "id": named,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": availability,
                "checkpoint": system.checkpoint,
                "condition_type": system.card.condition_type,
            },
        },
        "evaluation_results": [_result(board, cell) for cell in known],
    }


def _result(board: Board, cell: Cell) -> dict[str, Any]:
    reading = ":".join(filter(None, [cell.protocol, cell.metric, cell.variant]))
    who = "/".join(filter(None, [cell.instrument_key[:12], cell.ask_key[:12]]))
    result: dict[str, Any] = {
        "evaluation_result_id": f"{reading}@{cell.version}" + (f"#{who}" if who else ""),
        "evaluation_name": f"{board.suite}: {cell.protocol}",
        "source_data": {
            "dataset_name": board.suite,
            "source_type": "other",
            "additional_details": {"version": board.suite_version},
        },
        "metric_config": _metric(cell),
        "score_details": {"score": cell.value, "details": _details(cell)},
    }
    if cell.low is not None and cell.high is not None:
        result["score_details"]["uncertainty"] = {
            "confidence_interval": {
                "lower": cell.low,
                "upper": cell.high,
                "confidence_level": 0.95,
                "method": cell.method,
            },
            "num_samples": cell.scenes,
        }
    return result


def _metric(cell: Cell) -> dict[str, Any]:
    metric = METRICS.all().get(":".join(filter(None, [cell.metric, cell.variant])))
    low, high = metric.range if metric is not None and metric.range is not None else ("-Infinity", "Infinity")
    told: dict[str, Any] = {
        "metric_id": f"lookaway.{cell.metric}.{cell.variant}",
        "metric_name": cell.metric,
        "lower_is_better": metric is not None and metric.better == "lower",
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
        "additional_details": {
            "version": str(cell.version),
            "instrument": cell.instrument,
            "instrument_key": cell.instrument_key,
            "best": {"higher": "high", "lower": "low", "one": "exactly 1"}[metric.better] if metric else "unknown",
        },
    }
    if metric is not None:
        told |= {"evaluation_description": metric.doc.partition("\n")[0], "metric_unit": metric.unit}
    if cell.ask_key:
        about = {"deployment_type": "unknown", "model_availability": "unknown", "instrument_key": cell.instrument_key}
        judge = {"name": cell.instrument, "id": f"unknown/{file_name(cell.instrument)}", "additional_details": about}
        told["llm_scoring"] = {"judges": [{"model_info": judge}], "input_prompt": cell.ask}
    return told


def _details(cell: Cell) -> dict[str, str]:
    counts = {name: str(getattr(cell, name)) for name in COUNTS}
    more = {"scenes": str(cell.scenes), "interval_method": cell.method, "phase_source": cell.phase_source}
    return (
        counts | more | ({} if cell.floor is None else {"value_if_avoided_or_missing_were_worst": f"{cell.floor:.6g}"})
    )


def eval_results(cells: Sequence[Cell], origin: Origin, dataset: str) -> str:
    """Hugging Face's `.eval_results` file of one model: value, date, source and, as notes, all that they mean."""
    lines = []
    for cell in cells:
        if cell.value is None:
            continue
        lines += [
            "- dataset:",
            f"    id: {_text(dataset)}",
            f"    task_id: {_text('_'.join(filter(None, [cell.protocol, cell.metric, cell.variant])))}",
            f"  value: {cell.value!r}",
            f"  date: {_text(origin.date)}",
            *(["  source:", f"    url: {_text(origin.url)}", '    name: "lookaway"'] if origin.url else []),
            f"  notes: {_text(_notes(cell))}",
        ]
    return "\n".join(lines) + "\n"


def _notes(cell: Cell) -> str:
    interval = "" if cell.low is None else f"95 % [{cell.low:.4g}, {cell.high:.4g}], "
    rest = others(cell)
    return f"{interval}n={cell.ok} of {cell.n}{', ' + rest if rest else ''}; {cell.instrument or 'no instrument'}"


def _text(text: str) -> str:
    """A JSON string, which is YAML too."""
    return json.dumps(text, ensure_ascii=False)
