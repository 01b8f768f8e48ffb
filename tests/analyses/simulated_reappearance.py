"""Reappearance scores of eight simulated systems under every setting, with effects of known size or none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookaway import protocols
from lookaway.analyses import Findings, Scale
from lookaway.records import Score
from tests.analyses.score_tables import findings, in_scenes, table
from tests.store.store_records import a_score

SYSTEMS = [f"m{n}" for n in range(8)]
CLIPS = 40
PROTOCOL = protocols.load("memobench_sweeps")
VARIANTS = [ref.variant for ref in PROTOCOL.metrics if ref.name == "object_reappearance"]


@dataclass(frozen=True)
class Planted:
    """All zero is a null: a setting adds noise to each clip, and nothing else."""

    wide_cover: float = 0.0  # added to system m0 where masks may cover up to 70 %
    first_word: float = 0.0  # added to everybody where only the first word is asked
    shuffled: str = ""  # a setting under which a clip's number has nothing to do with what it was
    large: float = 0.0  # added to objects of more than 10 %
    far: float = 0.0  # added to turns beyond 120 degrees
    noise: float = 0.02


def simulated(seed: int = 0, planted: Planted = Planted()) -> Findings:
    rng = np.random.default_rng(seed)
    asked = in_scenes(*(f"s{n:02}" for n in range(CLIPS)))
    sizes, turns = rng.integers(0, 3, CLIPS), rng.integers(0, 3, CLIPS)
    strata = [
        dict(zip(("size", "turn"), (_names("size")[a], _names("turn")[b]), strict=True))
        for a, b in zip(sizes, turns, strict=True)
    ]
    scores = []
    for system in SYSTEMS:
        skill = rng.uniform(0.3, 0.6)
        for number, task in enumerate(asked):
            value = skill + 0.12 * rng.standard_normal()
            value += planted.large * (sizes[number] == 2) + planted.far * (turns[number] == 2)
            scores += [_score(rng, task.id, system, variant, value, strata[number], planted) for variant in VARIANTS]
    scales = {("object_reappearance", variant): Scale(0.0, 1.0, 0.0) for variant in VARIANTS}
    return findings(table(scores), asked, SYSTEMS, PROTOCOL, scales)


def _names(family: str) -> list[str]:
    return [variant for variant in VARIANTS if variant.startswith(family)]


def _score(
    rng: np.random.Generator,
    task: str,
    system: str,
    variant: str,
    value: float,
    strata: dict[str, str],
    planted: Planted,
) -> Score:
    family = variant.partition("_")[0]
    facts = {
        "task": task,
        "system": system,
        "protocol": PROTOCOL.name,
        "metric": "object_reappearance",
        "variant": variant,
    }
    facts |= {"instrument": f"eyes {variant}" if family == "prompt" else "eyes"}
    facts |= {"instrument_key": f"k-{variant}" if family == "prompt" else "k"}
    if family in strata and strata[family] != variant:
        return a_score(**facts, value=None, status="not_applicable", reason="another stratum")
    if family in ("cover", "prompt"):
        value += planted.noise * rng.standard_normal()
    value += planted.wide_cover * (system == "m0" and variant.endswith("_70"))
    value += planted.first_word * (variant == "prompt_first_word")
    if variant == planted.shuffled:
        value = rng.uniform(0, 1)
    return a_score(**facts, value=float(np.clip(value, 0, 1)))
