"""Check a sealed run: score some of its clips again, and say what came out the same.

The clips are looked at anew, from the sealed videos; nothing that was sealed as seen or scored is used, but a judge's
answers, which are taken as they were sealed.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lookaway.gates import GATES
from lookaway.metrics import METRICS
from lookaway.observers import OBSERVERS
from lookaway.pipeline import observe, plans, score
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.stage import Options, Progress, run_stage
from lookaway.records import Audit, AuditVerdict, CaseId, Plan, Score, ScoreCheck, Seal, Setting
from lookaway.registry import Plugin, source_sha256
from lookaway.sharing.archives import unpack
from lookaway.sharing.draws import drawn_cases, fresh_nonce
from lookaway.sharing.environment import differences, environment
from lookaway.store import Run, open_run

MADE_AGAIN = ("observations", "scores", "plugins")  # logs that an audit writes itself
TOLERANCE = 0.02  # with another decoder or other libraries; see benchmarks/audit.md
# Of a sealed plan only settings that name nothing on this machine are taken over: no program, no file.
RUNS_A_PROGRAM = {"command", "worker", "python"}
_PLAIN = re.compile(r"\w[\w.@+-]{0,99}(/\w[\w.-]{0,99})?")
PROVES = {
    "reproduced": (
        "The drawn scores follow from the sealed clips, tasks and answers. Nothing here shows that the clips come from "
        "the model that is named."
    ),
    "reproduced in part": (
        "What could be scored here follows from the sealed clips, tasks and answers; the rest was not checked. Nothing "
        "here shows that the clips come from the model that is named."
    ),
    "not reproduced": "At least one sealed score does not follow from its sealed clip.",
    "other suite": "The sealed tasks or truths are not those of the trusted suite: its numbers are of something else.",
    "hashes only": (
        "The seal has no pixels: its files are whole and as they were sealed, and that is all. No score was checked."
    ),
}


@dataclass
class _Counts:
    equal: int = 0
    within: int = 0
    largest: float = 0.0
    on_answers: int = 0
    outside: list[ScoreCheck] = field(default_factory=list)
    unchecked: list[ScoreCheck] = field(default_factory=list)


def audit(
    path: Path,
    clips: int,
    progress: Progress,
    *,
    nonce: str = "",
    tolerance: float | None = None,
    suite: Seal | None = None,
    settings: Mapping[str, Setting] | None = None,
    workers: int = 1,
) -> Audit:
    """Score `clips` clips of a sealed run again; `suite` is a seal whose tasks and truths are trusted.

    `settings` are the auditor's own, such as where a worker lies here.
    """
    with tempfile.TemporaryDirectory(prefix="lookaway-audit-") as folder:
        seal, bundle = unpack(path, Path(folder))
        here = environment()
        others = _other_tasks(seal, suite)
        apart = differences(seal.environment, here) | _other_sources(seal) | others
        limit, why = _tolerance(seal, here, tolerance)
        made: dict[str, Any] = {
            "bundle": bundle,
            "nonce": nonce or fresh_nonce(),
            "nonce_given": bool(nonce),
            "tolerance": limit,
            "tolerance_reason": why,
            "differences": apart,
        }
        if not seal.pixels:
            return Audit(**made, clips=0, verdict="hashes only", proves=PROVES["hashes only"])
        run = open_run(folder)
        plan, refused = _safe_plan(plans.load(run), settings or {})
        made["differences"] = apart | refused
        cases = [str(clip.case) for clip in current_clips(run, plan)]
        drawn = drawn_cases(bundle, str(made["nonce"]), cases, clips)
        found = _compared(run, plan, drawn, limit, progress, workers)
    verdict = "other suite" if others and not found.outside else _verdict(found)
    return Audit(
        **made,
        clips=len(cases),
        drawn=tuple(drawn),
        equal=found.equal,
        within=found.within,
        outside=tuple(found.outside),
        unchecked=tuple(found.unchecked),
        largest_difference=found.largest,
        on_answers=found.on_answers,
        verdict=verdict,
        proves=PROVES[verdict],
    )


def _safe_plan(plan: Plan, own: Mapping[str, Setting]) -> tuple[Plan, dict[str, str]]:
    """The plan with settings that a stranger may make, and the auditor's own; and what was not taken over."""
    safe = {name: value for name, value in plan.settings.items() if _is_safe(name, value)}
    refused = {
        f"setting {name}": "not taken over from a seal; give it with --set if you trust it"
        for name in plan.settings
        if name not in safe and name not in own
    }
    return plan.model_copy(update={"settings": safe | dict(own), "folder": None}), refused


def _is_safe(name: str, value: Setting) -> bool:
    if name.rpartition(".")[2] in RUNS_A_PROGRAM:
        return False
    return not isinstance(value, str) or _PLAIN.fullmatch(value) is not None


def _verdict(found: _Counts) -> AuditVerdict:
    if found.outside:
        return "not reproduced"
    return "reproduced in part" if found.unchecked or not (found.equal or found.within) else "reproduced"


def _tolerance(seal: Seal, here: Mapping[str, str], given: float | None) -> tuple[float, str]:
    if given is not None:
        return given, "as the auditor chose"
    if not differences(dict(seal.environment), dict(here)):
        return 0.0, "the same versions on the same kind of machine: equal to the last bit"
    return TOLERANCE, "another decoder or other libraries than where it was sealed"


def _other_sources(seal: Seal) -> dict[str, str]:
    """Observers, metrics and gates whose code here is not the code that was sealed."""
    registries: dict[str, Mapping[str, Plugin]] = {
        "observer": OBSERVERS.all(),
        "metric": METRICS.all(),
        "gate": GATES.all(),
    }
    apart = {}
    for named, sealed in seal.plugins.items():
        kind, _, rest = named.partition(" ")
        known = registries.get(kind)
        if known is None:
            continue
        name, _, version = rest.rpartition("@")
        here = [plugin for plugin in known.values() if plugin.name == name and str(plugin.version) == version]
        if not here:
            apart[named] = "not installed here in this version"
        elif sealed not in {source_sha256(plugin.function) for plugin in here}:
            apart[named] = "other code here under the same version"
    return apart


def _other_tasks(seal: Seal, suite: Seal | None) -> dict[str, str]:
    if suite is None:
        return {}
    other = [name for name, sha256 in seal.tasks.items() if suite.tasks.get(name, sha256) != sha256]
    unknown = [name for name in seal.tasks if name not in suite.tasks]
    told = {}
    if other:
        told["tasks"] = f"{len(other)} are not those of the trusted suite, such as {other[0]}"
    if unknown:
        told["further tasks"] = f"{len(unknown)} are not in the trusted suite, such as {unknown[0]}"
    return told


def _compared(run: Run, plan: Plan, drawn: Sequence[str], limit: float, progress: Progress, workers: int) -> _Counts:
    wanted = {CaseId.parse(name) for name in drawn}
    before = _of_cases(run.latest("scores", Score), wanted)
    for log in MADE_AGAIN:
        shutil.rmtree(run.log_folder(log), ignore_errors=True)
    plan = plans.installed(plan).model_copy(update={"cases": tuple(sorted(wanted, key=str))})
    for stage in (observe.STAGE, score.STAGE):
        run_stage(stage, run, plan, Options(workers=workers), progress)
    after = _of_cases(run.latest("scores", Score), wanted)
    found = _Counts()
    for key in sorted(before.keys() | after.keys()):
        _compare(before.get(key), after.get(key), limit, found)
    return found


def _of_cases(scores: Mapping[str, Score], wanted: Iterable[CaseId]) -> dict[str, Score]:
    known = set(wanted)
    return {key: one for key, one in scores.items() if one.case in known}


def _compare(sealed: Score | None, again: Score | None, limit: float, found: _Counts) -> None:
    one = sealed or again
    assert one is not None
    check = ScoreCheck(
        case=str(one.case),
        metric=f"{one.protocol}: {one.metric}:{one.variant}",
        sealed=_told(sealed),
        again=_told(again),
    )
    if one.ask_key:
        found.on_answers += 1
    if again is None or (again.status in ("abstained", "failed") and sealed is not None and _cannot(again)):
        found.unchecked.append(check)
        return
    if sealed is None:
        found.outside.append(check)
        return
    apart = _apart(sealed, again)
    if apart is None or apart > limit:
        found.outside.append(check)
        return
    found.largest = max(found.largest, apart)
    if apart == 0:
        found.equal += 1
    else:
        found.within += 1


def _cannot(again: Score) -> bool:
    """Whether what is missing is missing here: weights, a package, an extra."""
    return any(word in again.reason for word in ("pip install", "lookaway weights get", "weights"))


def _apart(sealed: Score, again: Score) -> float | None:
    """How far two scores are apart, as the tolerance counts it; None where they say different things."""
    if (sealed.status, sealed.gate) != (again.status, again.gate):
        return None
    pairs = [(sealed.value, again.value), (sealed.low, again.low), (sealed.high, again.high)]
    if any((one is None) != (other is None) for one, other in pairs):
        return None
    far = [abs(one - other) / max(1.0, abs(one)) for one, other in pairs if one is not None and other is not None]
    return max(far, default=0.0)


def _told(one: Score | None) -> str:
    if one is None:
        return "no such score"
    return f"{one.value!r}" if one.value is not None else f"{one.status}: {one.reason}"[:300]
