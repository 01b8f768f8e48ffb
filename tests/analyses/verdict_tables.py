"""Score tables of simulated verifiers."""

from __future__ import annotations

import numpy as np

from lookaway.analyses import Findings
from lookaway.protocols import load
from lookaway.records import Score
from tests.analyses.score_tables import findings, in_scenes, row, table

CONTROL, EVOLUTION = ("observation_control", "action_control"), ("state_progress", "physical_plausibility", "coherence")
CLIPS = 200


def verdict_findings(**systems: dict[str, np.ndarray]) -> Findings:
    """Systems by their verdicts, an array of 0, 1 or NaN for each metric named; the others are all 1."""
    tasks = in_scenes(*(f"s{number // 4}" for number in range(CLIPS)))
    rows = [one for name, said in systems.items() for one in _scores(name, said)]
    return findings(table(rows), tasks, list(systems), load("stevo"))


def _scores(system: str, said: dict[str, np.ndarray]) -> list[Score]:
    whole = {name: said.get(name, np.ones(CLIPS)) for name in (*CONTROL, *EVOLUTION)}
    whole["control_success"] = _all([whole[name] for name in CONTROL])
    whole["evolution_success"] = _all([whole[name] for name in EVOLUTION])
    facts = {"system": system, "protocol": "stevo", "variant": "sound", "version": 1}
    return [
        row(f"t{number}", metric, None if np.isnan(each) else float(each), "" if each == each else "no form", **facts)
        for metric, values in whole.items()
        for number, each in enumerate(values)
    ]


def _all(parts: list[np.ndarray]) -> np.ndarray:
    stacked = np.stack(parts)
    return np.where((stacked == 0).any(axis=0), 0.0, np.where(np.isnan(stacked).any(axis=0), np.nan, 1.0))
