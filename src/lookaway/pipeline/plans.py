"""A run folder's plan: written whole, read by every stage."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from lookaway import protocols, suites
from lookaway.controls import CONTROLS
from lookaway.errors import StoreError, UnknownName, UsageError, problems
from lookaway.generators import maker_of
from lookaway.judges import JUDGES
from lookaway.metrics import Metric
from lookaway.metrics import find as find_metric
from lookaway.observers import OBSERVERS
from lookaway.pipeline.cases import missing_maker
from lookaway.pipeline.local import FILE as LOCAL
from lookaway.pipeline.local import Local, joined, parted, read_local
from lookaway.pipeline.questions import open_judge
from lookaway.records import Plan, Setting, System
from lookaway.store import Run

DEFAULT_PROTOCOLS = ("diorama",)


def load(run: Run) -> Plan:
    path = run.root / "run.json"
    try:
        plan = Plan.model_validate_json(path.read_text())
    except FileNotFoundError as error:
        raise UsageError(
            f"{run.root}: no run here; start one with: lookaway run --suite S --models M --out {run.root}"
        ) from error
    except (OSError, ValueError) as error:
        why = problems(error) if isinstance(error, ValidationError) else error
        raise StoreError(
            f"{path}: not a run's plan ({why}); restore it, or delete it and give --suite again"
        ) from error
    return joined(plan, _local(run)) if "/" not in plan.suite else _placed(plan)


def _local(run: Run) -> Local:
    path = run.root / LOCAL
    try:
        return read_local(path.read_text())
    except FileNotFoundError:
        return Local()
    except (OSError, ValueError) as error:
        why = problems(error) if isinstance(error, ValidationError) else error
        raise StoreError(f"{path}: cannot be read ({why}); delete it and give --suite again") from error


def save(run: Run, plan: Plan) -> None:
    told, local = parted(plan)
    temporary = run.root / f".run-{os.getpid()}.json"
    try:
        run.root.mkdir(parents=True, exist_ok=True)
        for name, record in {LOCAL: local, "run.json": told}.items():
            if name == "run.json" or local != Local() or (run.root / name).exists():
                temporary.write_text(record.model_dump_json(indent=2) + "\n")
                temporary.replace(run.root / name)
    except OSError as error:
        raise StoreError(f"{run.root}: cannot write here: {error.strerror}; choose another --out") from error


def extend(
    run: Run,
    suite: str,
    systems: Iterable[System] = (),
    seeds: Iterable[int] = (0,),
    chosen: Iterable[str] = DEFAULT_PROTOCOLS,
    judge: str | None = None,
    settings: dict[str, Setting] | None = None,
    keep: bool = True,
) -> Plan:
    """The folder's plan with these systems added, and saved if `keep`. A run folder holds one suite."""
    added = Plan(
        suite=suite,
        suite_version=str(suites.find(suite).version),
        systems=tuple(systems),
        seeds=tuple(seeds),
        protocols=tuple(map(protocols.load, chosen)),
        judge=judge,
        settings=settings or {},
    )
    added = _placed(added)
    _check_names(added)
    if not keep:
        return _merged(run, added)
    with _alone(run):
        plan = _merged(run, added)
        if judge is not None:
            open_judge(plan)  # refuses what it cannot work with before it is written down
        save(run, plan)
        return plan


def _check_names(plan: Plan) -> None:
    """Refuse a plan that names what does not exist, before it is written down."""
    for system in plan.systems:
        if maker_of(system.card).can_make(system.name):
            CONTROLS.get(system.card.control)
    if plan.judge is not None:
        JUDGES.get(plan.judge.partition(":")[0])
    for plugin in dict.fromkeys(setting.partition(".")[0] for setting in plan.settings):
        if plugin not in (known := {*OBSERVERS.all(), *JUDGES.all()}):
            raise UnknownName("observer or judge to have a setting", plugin, known)


def sample(run: Run, plan: Plan, keep: bool = True) -> Plan:
    """A plan of chosen cases in place of the folder's last one; what that one made is kept and used again."""
    plan = _placed(plan)
    _check_names(plan)
    with _alone(run) if keep else contextlib.nullcontext():
        if (run.root / "run.json").exists():
            before = load(run)
            if _called(before) != _called(plan) or not before.cases:
                raise UsageError(f"{run.root} holds another run, of suite {_called(before)}; give another --out")
        if keep:
            save(run, plan)
    return plan


def _merged(run: Run, added: Plan) -> Plan:
    """What the folder holds already, with `added` on top."""
    if not (run.root / "run.json").exists():
        return added
    before = load(run)
    if _called(before) != _called(added):
        raise UsageError(f"{run.root} holds suite {_called(before)}, not {_called(added)}; give another --out")
    systems = {s.name: s for s in (*before.systems, *added.systems)}
    if before.cases and added.systems:
        raise UsageError(f"{run.root} holds a sampled run, which takes no further models; give another --out")
    chosen = {p.name: p for p in (*before.protocols, *added.protocols)}
    return Plan(
        suite=added.suite,
        suite_version=added.suite_version,
        in_folder=added.in_folder,
        folder=added.folder,
        systems=tuple(systems.values()),
        seeds=tuple(sorted({*before.seeds, *added.seeds})),
        protocols=tuple(chosen.values()),
        judge=added.judge or before.judge,
        settings=before.settings | added.settings,
        cases=before.cases,
    )


@contextlib.contextmanager
def _alone(run: Run) -> Iterator[None]:
    """One process at a time changes a plan, so that none undoes another's addition."""
    try:
        run.root.mkdir(parents=True, exist_ok=True)
        lock = (run.root / ".plan.lock").open("w")
    except OSError as error:
        raise StoreError(f"{run.root}: cannot write here: {error.strerror}; choose another --out") from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _placed(plan: Plan) -> Plan:
    """A suite that was given as a folder is called by its name, and its place, good from any folder, kept apart."""
    if plan.in_folder or not suites.is_folder(plan.suite):
        return plan
    found = {"suite": suites.find(plan.suite).name, "in_folder": True, "folder": str(Path(plan.suite).resolve())}
    return plan.model_copy(update=found)


def _called(plan: Plan) -> str:
    return f"'{plan.suite}'{' in a folder' if plan.in_folder else ''}"


def installed(plan: Plan) -> Plan:
    """The plan without metrics, observers and a judge that were there when it was made and are not installed now."""
    protocols = [
        protocol.model_copy(
            update={
                "metrics": tuple(name for name in protocol.metrics if not _gone(name)),
                "observers": tuple(name for name in protocol.observers if name in OBSERVERS.all()),
            }
        )
        for protocol in plan.protocols
    ]
    return plan.model_copy(update={"protocols": tuple(protocols), "judge": None if lost_judge(plan) else plan.judge})


def lost(run: Run, plan: Plan) -> dict[str, str]:
    """What the plan names and nothing installed here answers to, and what to do about it. Its records stay."""
    found = {}
    for protocol in plan.protocols:
        way_out = f"install it again, or: {forgetting(run, 'protocol', protocol.name)}"
        for name in dict.fromkeys((*protocol.metrics, *protocol.headline)):
            if why := _gone(name):
                found[name] = f"{why}; its recorded numbers stay in board.json; {way_out}"
        for name in protocol.observers:
            if name not in OBSERVERS.all():
                found[f"observer {name}"] = f"not installed here; {way_out}"
    if name := lost_judge(plan):
        found[f"judge {name}"] = (
            f"not installed here; its answers stay; install it again, or: {forgetting(run, 'judge')}"
        )
    for system in plan.systems:
        if why := missing_maker(system):
            way_out = f"install it again, or: {forgetting(run, 'model', system.name)}"
            found[f"new clips of {system.name}"] = f"{why} is not installed here; the clips that exist stay; {way_out}"
    return found


def forgetting(run: Run, kind: Literal["protocol", "model", "judge"], name: str = "") -> str:
    """The command that takes something out of a run's plan."""
    return shlex.join(["lookaway", "admin", "forget", str(run.root), f"--{kind}", *([name] if name else [])])


def way_out(run: Run, kind: Literal["protocol", "model", "judge"], names: Iterable[str]) -> str:
    """`; or leave it out: lookaway admin forget …`, where the plan that is written down has one of these names."""
    if not (run.root / "run.json").exists():
        return ""
    plan = load(run)
    known = {
        "protocol": {protocol.name for protocol in plan.protocols},
        "model": {system.name for system in plan.systems},
        "judge": {(plan.judge or "").partition(":")[0]},
    }
    held = [name for name in names if name in known[kind]]
    commands = [forgetting(run, kind, "" if kind == "judge" else name) for name in held]
    return f"; or leave it out: {' && '.join(commands)}" if commands else ""


def lost_judge(plan: Plan) -> str:
    """The name of the plan's judge if it is not installed here, or nothing."""
    name = (plan.judge or "").partition(":")[0]
    return name if plan.judge is not None and name not in JUDGES.all() else ""


def _gone(metric: str) -> str:
    """Why a metric cannot be measured with what is installed, or nothing."""
    try:
        needs = find_metric(metric).needs
    except UnknownName:
        return "not installed here"
    missing = [need for need in needs if need not in OBSERVERS.all()]
    return f"its observer '{missing[0]}' is not installed here" if missing else ""


def planned_metrics(plan: Plan) -> list[tuple[str, Metric]]:
    """(protocol, metric) pairs that this plan can measure."""
    return [
        (protocol.name, metric)
        for protocol in plan.protocols
        for metric in map(find_metric, protocol.metrics)
        if plan.judge is not None or not metric.needs_answers
    ]


def not_measured(plan: Plan) -> dict[str, str]:
    """Metrics of the chosen protocols that will not be measured, and why."""
    return {
        metric: "needs a judge; give one with --judge"
        for protocol in plan.protocols
        for metric in protocol.metrics
        if plan.judge is None and not _gone(metric) and find_metric(metric).needs_answers
    }


def planned_observers(plan: Plan) -> list[str]:
    needed = {need for _, metric in planned_metrics(plan) for need in metric.needs}
    return sorted(needed.union(*(protocol.observers for protocol in plan.protocols)))
