"""What a run would do, before anything is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from lookaway import models, protocols, suites
from lookaway.generators import maker_of
from lookaway.geometry.visibility import OBSTACLES
from lookaway.observers import OBSERVERS
from lookaway.pipeline.observe import wants_device
from lookaway.pipeline.plans import not_measured, planned_metrics, planned_observers
from lookaway.pipeline.pool_hours import ClipCost, Device
from lookaway.records import Plan
from lookaway.stats.power import assumed_parts, resolution
from lookaway.suites import Draft

TRUTH_SECONDS_PER_FRAME = 0.09
SCORE_SECONDS_PER_CLIP = 0.05


def floor_of_drafts(drafts: Sequence[Draft]) -> float | None:
    """The smallest difference of a right-or-wrong score that tasks hiding their subject find at 80 %, by assumption."""
    posed = [draft for draft in drafts if draft.hides]
    scenes = len({draft.scene for draft in posed})
    return resolution(assumed_parts().of_mean(scenes, len(posed) / scenes, 1), scenes) if scenes else None


def estimate(suite: str, model_names: list[str], protocol_names: list[str], seeds: int, workers: int) -> dict[str, Any]:
    """Counts, denominators and rough seconds; local models cost nothing but time."""
    drafts = suites.find(suite).drafts()
    systems = [models.system(name) for name in model_names]
    plan = Plan(
        suite=suite,
        suite_version=str(suites.find(suite).version),
        systems=tuple(systems),
        seeds=tuple(range(seeds)),
        protocols=tuple(map(protocols.load, protocol_names)),
    )
    cases = len(drafts) * len(systems) * seeds
    frames = sum(draft.frames for draft in drafts)
    hiding = sum(draft.hides for draft in drafts)
    metrics = [
        {
            "protocol": protocol,
            "metric": metric.name,
            "denominator": (hiding if metric.gates else len(drafts)) * len(systems) * seeds,
        }
        for protocol, metric in planned_metrics(plan)
    ]
    makers = [maker_of(system.card) for system in systems]
    lookers = [OBSERVERS.get(name) for name in planned_observers(plan)]
    rates = {m.name: m.seconds_per_frame for m in makers} | {o.name: o.seconds_per_frame for o in lookers}
    unknown = sorted(name for name, rate in rates.items() if rate is None)
    making = sum(maker.seconds_per_frame or 0 for maker in makers) * frames * seeds
    looking = sum(looker.seconds_per_frame or 0 for looker in lookers) * frames * len(systems) * seeds
    seconds = frames * TRUTH_SECONDS_PER_FRAME + making + looking
    return {
        "suite": suite,
        "tasks": len(drafts),
        "scenes": len({draft.scene for draft in drafts}),
        "frames": frames,
        "resolution": floor_of_drafts(drafts),
        "with_opportunity": hiding,
        "without_opportunity": dict(Counter(OBSTACLES[d.obstacle] for d in drafts if d.obstacle)),
        "systems": len(systems),
        "cases": cases,
        "metrics": metrics,
        "not_measured": not_measured(plan),
        "scores": cases * len(metrics),
        "seconds": (seconds + cases * SCORE_SECONDS_PER_CLIP) / workers,
        "without": unknown,
        "clip_costs": [
            ClipCost("truth", "cpu", frames * TRUTH_SECONDS_PER_FRAME / cases),
            *_clip_costs([(m.name, "cpu", m.seconds_per_frame) for m in makers], frames / len(drafts), len(makers)),
            *_clip_costs(
                [(o.name, "gpu" if wants_device(o, {}) else "cpu", o.seconds_per_frame) for o in lookers],
                frames / len(drafts),
            ),
            ClipCost("score", "cpu", SCORE_SECONDS_PER_CLIP),
        ],
        "cost_usd": 0.0,
    }


def _clip_costs(rates: Sequence[tuple[str, Device, float | None]], frames: float, shared_by: int = 1) -> list[ClipCost]:
    """Seconds of a clip by rates per frame, one row a name; of makers each makes its share of the clips."""
    found: dict[str, ClipCost] = {}
    for name, device, rate in rates:
        known = found.get(name)
        seconds = None if rate is None else rate * frames / shared_by + (known.seconds or 0.0 if known else 0.0)
        found[name] = ClipCost(name, device, seconds)
    return list(found.values())
