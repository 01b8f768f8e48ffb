"""A run folder's plan: written whole, read by every stage."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, get_args

from pydantic import ValidationError

from lookaway import protocols, suites
from lookaway.banks import packed, read_banks, reference
from lookaway.controls import CONTROLS
from lookaway.errors import StoreError, UnknownName, UsageError, problems
from lookaway.generators import maker_of
from lookaway.judges import JUDGES
from lookaway.metrics import Metric
from lookaway.metrics import find as find_metric
from lookaway.observers import OBSERVERS
from lookaway.pipeline.branches import check_branch
from lookaway.pipeline.cases import missing_maker
from lookaway.pipeline.instruments import observer_here, without_passport
from lookaway.pipeline.planned import check_settings, roles_of
from lookaway.pipeline.seats import instrument_here, seat_of
from lookaway.pipeline.tasks import bank_of
from lookaway.pipeline.this_machine import FILE as LOCAL
from lookaway.pipeline.this_machine import Local, joined, parted, read_local
from lookaway.places import safe_text
from lookaway.records import (
    FORM,
    UNNAMED,
    BankRef,
    Clip,
    JudgeRole,
    MetricRef,
    Plan,
    PlannedJudge,
    Protocol,
    Setting,
    System,
    Task,
)
from lookaway.store import Run

WITH_TRUTH, WITHOUT_TRUTH = ("diorama",), ("real",)  # protocols where none is chosen


def load(run: Run) -> Plan:
    path = run.root / "run.json"
    try:
        facts = json.loads(path.read_text())
        if not isinstance(facts, dict) or facts.get("form") != FORM:
            raise StoreError(
                f"{path}: a run folder of another version of lookaway, whose records have another form; "
                "keep it for that version, and give another --out here"
            )
        plan = Plan.model_validate(facts)
    except FileNotFoundError as error:
        raise UsageError(
            f"{run.root}: no run here; start one with: lookaway run --suite S --models M --out {run.root}"
        ) from error
    except (OSError, ValueError, RecursionError) as error:
        why = problems(error) if isinstance(error, ValidationError) else error
        raise StoreError(
            f"{path}: not a run's plan ({why}); restore it, or delete it and give --suite again"
        ) from error
    return joined(plan, _local(run))


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
    chosen: Iterable[str] | None = None,
    judges: Iterable[str] = (),
    settings: dict[str, Setting] | None = None,
    keep: bool = True,
    branches: Iterable[str] = (),
    banks: Path | None = None,
) -> Plan:
    """The folder's plan with these systems added, and saved if `keep`. A run folder holds one suite, read here anew."""
    found = suites.find(suite)
    asked = Plan(
        suite=suite,
        suite_version=str(found.version),
        tasks=tuple(draft.id for draft in found.drafts()),
        seeds=tuple(seeds),
        branches=("", *map(check_branch, branches)),
        protocols=(),
    )
    if banks is not None:
        asked = asked.model_copy(update={"bank": kept_bank(run, banks, asked.tasks, keep)})
    names = default_protocols(found) if chosen is None else chosen
    return _added(run, _placed(asked), systems, names, judges, settings or {}, keep)


def kept_bank(run: Run, folder: Path, tasks: Iterable[str], keep: bool) -> BankRef:
    """How a plan names the banks of a folder; they are put into the run folder if `keep`."""
    banks = read_banks(folder)
    if not set(tasks) & banks.keys():
        raise UsageError(f"none of the {len(banks)} banks is of a task of this suite, but of {min(banks)} and the like")
    for task in run.latest("tasks", Task).values():
        bank_of(task, banks)  # one that was written for another instance is refused before anything is looked at
    if keep:
        run.blobs.put_bytes(packed(banks), ".json")
    return reference(banks)


def default_protocols(suite: suites.Suite) -> tuple[str, ...]:
    """What a suite is measured with where nobody chooses: whether it knows any truth decides."""
    return WITH_TRUTH if any(draft.truth for draft in suite.drafts()) else WITHOUT_TRUTH


def amend(
    run: Run,
    systems: Iterable[System] = (),
    chosen: Iterable[str] = (),
    judges: Iterable[str] = (),
    settings: dict[str, Setting] | None = None,
    keep: bool = True,
) -> Plan:
    """The same, without a look at the suite: for a run folder whose suite may be elsewhere."""
    plan = load(run)
    asked = plan.model_copy(update={"systems": (), "protocols": (), "judges": (), "settings": {}, "instruments": {}})
    return _added(run, asked, systems, chosen, judges, settings or {}, keep)


def _added(
    run: Run,
    asked: Plan,
    systems: Iterable[System],
    chosen: Iterable[str],
    judges: Iterable[str],
    settings: dict[str, Setting],
    keep: bool,
) -> Plan:
    given = tuple(map(PlannedJudge.parse, judges))
    new = {"systems": tuple(systems), "protocols": tuple(map(protocols.load, chosen)), "judges": given}
    added = asked.model_copy(update=new | {"settings": settings})
    _check_names(added)
    if not keep:
        return _merged(run, added)
    with _alone(run):
        plan = _merged(run, added)
        for judge in given:
            for member in seat_of(plan, judge).members:
                member.opened()  # refuses what it cannot work with before it is written down
        check_settings(installed(plan))
        save(run, plan)
        return plan


def _check_names(plan: Plan) -> None:
    """Refuse a plan that names what does not exist, before it is written down."""
    for system in plan.systems:
        if maker_of(system.card).can_make(system.name):
            CONTROLS.get(system.card.control)
    for judge in plan.judges:
        for name in judge.plugins:
            JUDGES.get(name)
    known = {*OBSERVERS.all(), *JUDGES.all(), *get_args(JudgeRole)}
    for plugin in dict.fromkeys(setting.partition(".")[0] for setting in plan.settings):
        if plugin not in known:
            raise UnknownName("observer, judge or role to have a setting", plugin, known)


def sample(run: Run, plan: Plan, keep: bool = True) -> Plan:
    """A plan of chosen cases in place of the folder's last one; what that one made is kept and used again."""
    plan = with_instruments(_placed(plan.model_copy(update={"systems": _rows(plan.systems, (), run)})))
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
        return with_instruments(added.model_copy(update={"systems": _rows(added.systems, (), run)}))
    before = load(run)
    if _called(before) != _called(added):
        raise UsageError(f"{run.root} holds suite {_called(before)}, not {_called(added)}; give another --out")
    if before.cases and added.systems:
        raise UsageError(f"{run.root} holds a sampled run, which takes no further models; give another --out")
    chosen = {p.name: p for p in (*before.protocols, *added.protocols)}
    roles = {judge.role for judge in added.judges}
    kept = tuple(judge for judge in before.judges if judge.role not in roles)
    merged = added.model_copy(
        update={
            "systems": _rows(added.systems, before.systems, run),
            "seeds": tuple(sorted({*before.seeds, *added.seeds})),
            "branches": tuple(dict.fromkeys((*before.branches, *added.branches))),
            "protocols": tuple(chosen.values()),
            "judges": (*kept, *added.judges),
            "settings": before.settings | added.settings,
            "instruments": {name: i for name, i in before.instruments.items() if not added.settings_of(name)},
            "cases": before.cases,
            "bank": added.bank or before.bank,
        }
    )
    return with_instruments(merged)


def _rows(added: Iterable[System], before: Iterable[System], run: Run) -> tuple[System, ...]:
    """The systems, each with a row of its own: another checkpoint or setting of a name is another row.

    A system that never made a clip gives its row to the next one of its name: its card was mended.
    """
    rows = {system.label: system for system in before}
    for system in added:
        known = next((name for name, old in rows.items() if old.key == system.key), None)
        label = known or system.label
        if known is None and label in rows and not (_is_brought(rows[label], system) or _is_replaced(rows[label], run)):
            label = f"{label}~{system.key[:6]}"
        rows[label] = system.model_copy(update={"row": label})
    return tuple(rows.values())


def _is_brought(*systems: System) -> bool:
    """Videos that were brought stay what they are when another card describes what made them."""
    return all(system.card.generator == "folder" for system in systems)


def _is_replaced(old: System, run: Run) -> bool:
    """Weights without a name are new every time; and who has no video yet has nothing to lose."""
    if old.checkpoint.startswith(UNNAMED):
        return True
    return not any(clip.video for clip in run.latest("clips", Clip).values() if clip.case.system == old.label)


def with_instruments(plan: Plan) -> Plan:
    """The plan with its observers and judges as they are here; those that are not installed stay as they were."""
    here = {
        name: observer_here(name, plan.settings_of(name), plan.instruments.get(name))
        for name in planned_observers(installed(plan))
    }
    judges = [
        judge.model_copy(update={"instrument": instrument_here(plan, judge)}) if _is_installed(judge) else judge
        for judge in plan.judges
    ]
    for role in {judge.role for judge in judges}:
        keys = [judge.instrument.key for judge in judges if judge.role == role and judge.instrument is not None]
        if len(set(keys)) < len(keys):
            place = f" as {role}" if role else ""
            raise UsageError(f"two judges are the same instrument{place}: nothing would tell their answers apart")
    return plan.model_copy(update={"instruments": plan.instruments | here, "judges": tuple(judges)})


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
    found = {"suite": suites.find(plan.suite).name, "in_folder": True, "folder": suites.from_anywhere(plan.suite)}
    return plan.model_copy(update=found)


def _called(plan: Plan) -> str:
    return f"'{plan.suite}'{' in a folder' if plan.in_folder else ''}"


def installed(plan: Plan) -> Plan:
    """The plan without metrics, observers and a judge that were there when it was made and are not installed now."""
    protocols = [
        protocol.model_copy(
            update={
                "metrics": tuple(ref for ref in protocol.metrics if not _gone(ref)),
                "observers": tuple(name for name in protocol.observers if name in OBSERVERS.all()),
            }
        )
        for protocol in plan.protocols
    ]
    judges = tuple(filter(_is_installed, plan.judges))
    return plan.model_copy(update={"protocols": tuple(protocols), "judges": judges})


def lost(run: Run, plan: Plan) -> dict[str, str]:
    """What the plan names and nothing installed here answers to, and what to do about it. Its records stay."""
    found = {}
    for protocol in plan.protocols:
        way_out = f"install it again, or: {forgetting(run, 'protocol', protocol.name)}"
        for metric in protocol.metrics:
            if why := _gone(metric):
                found[str(metric)] = f"{why}; its recorded numbers stay in board.json; {way_out}"
        for name in protocol.observers:
            if name not in OBSERVERS.all():
                found[f"observer {name}"] = f"not installed here; {way_out}"
    for name in lost_judges(plan):
        found[f"judge {name}"] = (
            f"not installed here; its answers stay; install it again, or: {forgetting(run, 'judge', 'all')}"
        )
    for system in plan.systems:
        if why := missing_maker(system):
            way_out = f"install it again, or: {forgetting(run, 'model', system.label)}"
            found[f"new clips of {system.label}"] = f"{why} is not installed here; the clips that exist stay; {way_out}"
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
        "model": {system.label for system in plan.systems},
        "judge": {name for judge in plan.judges for name in judge.plugins},
    }
    held = [name for name in names if name in known[kind]]
    commands = [forgetting(run, kind, "all" if kind == "judge" else name) for name in held]
    return f"; or leave it out: {' && '.join(commands)}" if commands else ""


def lost_judges(plan: Plan) -> list[str]:
    """Names of the plan's judges that are not installed here."""
    return [name for judge in plan.judges for name in judge.plugins if name not in JUDGES.all()]


def _is_installed(judge: PlannedJudge) -> bool:
    return all(name in JUDGES.all() for name in judge.plugins)


def _gone(metric: MetricRef) -> str:
    """Why a metric cannot be measured with what is installed, or nothing."""
    try:
        needs = find_metric(metric).observers
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
        if not _unfilled(plan, protocol, metric)
    ]


def not_measured(plan: Plan) -> dict[str, str]:
    """Metrics of the chosen protocols that will not be measured, and why."""
    found = {}
    for protocol in plan.protocols:
        for ref in protocol.metrics:
            if not _gone(ref) and (roles := _unfilled(plan, protocol, find_metric(ref))):
                role = "" if roles == ["scorer"] else f"{roles[0]}="
                found[str(ref)] = f"needs a judge{f' as {roles[0]}' if role else ''}; give one with --judge {role}JUDGE"
    return found


def _unfilled(plan: Plan, protocol: Protocol, metric: Metric) -> list[JudgeRole]:
    """Roles that a metric needs and no judge fills."""
    roles = roles_of(protocol.asks[name] for name in metric.all_asks)
    return [role for role in roles if not plan.judges_of(role)]


def deviations(plan: Plan) -> dict[str, str]:
    """Where the plan's judges are not what they should be: unexamined, or one model in two roles that must differ."""
    found = {}
    for protocol in plan.protocols:
        for role, demand in protocol.roles.items():
            for other in demand.differs_from:
                mine, theirs = (_models(plan, one) for one in (role, other))
                if both := sorted(mine & theirs):
                    found[f"{protocol.name}: {role}"] = (
                        f"the same model as the {other}, {both[0]}; the protocol wants two"
                    )
    return found | unexamined(plan)


def unexamined(plan: Plan) -> dict[str, str]:
    """Models among the plan's judges that have sat no exam, and what to do about it."""
    found = {}
    for judge in filter(_is_installed, plan.judges):
        for text, member in zip(judge.members, seat_of(plan, judge).members, strict=True):
            if member.judge.opens is not None and not member.instrument.passport:
                called = f"judge {member.instrument.label}"
                found[called] = f"has sat no exam: lookaway judges exam {safe_text(text)}"
    return found


def _models(plan: Plan, role: JudgeRole) -> set[str]:
    seats = [seat_of(plan, judge) for judge in plan.judges_of(role) if _is_installed(judge)]
    return {without_passport(member.instrument).label for seat in seats for member in seat.members}


def planned_observers(plan: Plan) -> list[str]:
    needed = {need for _, metric in planned_metrics(plan) for need in metric.observers}
    return sorted(needed.union(*(protocol.observers for protocol in plan.protocols)))
