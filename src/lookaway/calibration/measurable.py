"""What a calibration measures: metrics as protocols have them, and why it cannot measure the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lookaway import extras, protocols
from lookaway.calibration.observable import OBSERVER
from lookaway.errors import UsageError
from lookaway.judges.prompting import names as prompt_names
from lookaway.metrics import METRICS, Metric
from lookaway.metrics import find as find_metric
from lookaway.observers import OBSERVERS
from lookaway.pipeline import plans
from lookaway.records import MetricRef, Plan, Protocol

PROTOCOL = "calibration"
HEADLINE = 5


def planned_protocols(chosen: Sequence[str], metrics: Sequence[str] | None, judged: bool) -> tuple[Protocol, ...]:
    """The chosen protocols, or all that is registered; of each, those named metrics that can be measured here.

    Protocols stay apart, each with its own asks, prompts and roles: two may mean different things by one name.
    """
    given = [protocols.load(name) for name in chosen] if chosen else _everything(judged)
    _check_names(given)
    wanted = None if metrics is None else [find_metric(name) for name in metrics]
    for metric in wanted or []:
        if chosen and not any(metric.ref in protocol.metrics for protocol in given):
            raise UsageError(f"metric '{metric.ref}' is in none of the protocols: {', '.join(p.name for p in given)}")
    refs = None if wanted is None else {metric.ref for metric in wanted}
    able = [_narrowed(protocol, _able(protocol, refs)) for protocol in given]
    return tuple(protocol for protocol in able if protocol.metrics) or tuple(able[:1])


def _check_names(given: Sequence[Protocol]) -> None:
    names = [protocol.name for protocol in given]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two protocols are called '{name}', and scores go by that name; rename one of the files")


def _able(protocol: Protocol, wanted: set[MetricRef] | None) -> list[MetricRef]:
    """Whether a judge fills every role that a metric asks is for the plan to say."""
    named = [ref for ref in protocol.metrics if wanted is None or ref in wanted]
    return [ref for ref in named if not cannot_measure(find_metric(ref), judged=True)]


def _everything(judged: bool) -> list[Protocol]:
    """Every registered metric: those that ask as the installed protocols have them, all others in one of our own."""
    installed = [protocols.load(name) for name in protocols.names()] if judged else []
    plain = [m.ref for m in METRICS.all().values() if not m.all_asks or (judged and _is_plain(m, installed))]
    own = Protocol(
        name=PROTOCOL,
        summary="Every metric against reference models whose faults are known",
        metrics=tuple(plain),
        headline=tuple(plain[:HEADLINE]),
    )
    asking = [_narrowed(p, [ref for ref in p.metrics if find_metric(ref).all_asks]) for p in installed]
    return [protocols.with_variants(own), *(protocol for protocol in asking if protocol.metrics)]


def _is_plain(metric: Metric, installed: Iterable[Protocol]) -> bool:
    """Whether all that it asks are prompts of ours by their names, and no protocol says otherwise."""
    return not any(metric.ref in p.metrics for p in installed) and set(metric.all_asks) <= set(prompt_names())


def _narrowed(protocol: Protocol, metrics: Sequence[MetricRef]) -> Protocol:
    """The protocol with these of its metrics; a ledger that misses one of its steps is none."""
    headline = [ref for ref in protocol.headline if ref in metrics] or metrics[:HEADLINE]
    names = set(map(str, metrics))
    whole = all(step.metric in metrics for step in protocol.ledger)
    return protocol.model_copy(
        update={
            "metrics": tuple(metrics),
            "headline": tuple(headline),
            "ledger": protocol.ledger if whole else (),
            "populations": {name: known for name, known in protocol.populations.items() if name in names},
            "observers": tuple(dict.fromkeys((*protocol.observers, OBSERVER))),
        }
    )


# ---------------------------------------------------------------- why not


def cannot_measure(metric: Metric, judged: bool) -> str:
    """Why a metric cannot be measured here, or nothing."""
    if metric.all_asks and not judged:
        return "needs a judge; give one with --judge"
    for need in metric.observers:
        if need not in OBSERVERS.all():
            return f"needs the observer '{need}', which is not installed here"
        extra = OBSERVERS.get(need).extra
        if extra is not None and extras.missing(extra):
            return f"needs the '{extra}' extra: pip install 'lookaway[{extra}]'"
    return ""


def not_measured(plan: Plan) -> dict[str, str]:
    """Registered metrics that a plan does not measure, by `name:variant`, and why."""
    planned = {str(metric.ref) for _, metric in plans.planned_metrics(plans.installed(plan))}
    unfilled = plans.not_measured(plan)
    known = [*plan.protocols, *map(protocols.load, protocols.names())]
    left = {name: metric for name, metric in METRICS.all().items() if name not in planned}
    return {name: unfilled.get(name) or _why_not(metric, bool(plan.judges), known) for name, metric in left.items()}


def _why_not(metric: Metric, judged: bool, known: Iterable[Protocol]) -> str:
    return _never_asked(metric, known) or cannot_measure(metric, judged) or "not part of this run"


def _never_asked(metric: Metric, known: Iterable[Protocol]) -> str:
    """That none of these protocols has a metric, and so nobody says how it asks what it asks; or nothing."""
    if any(metric.ref in protocol.metrics for protocol in known):
        return ""
    ask = next((ask for ask in metric.all_asks if ask not in prompt_names()), None)
    return f"no protocol here asks '{ask}' for it; give one with --protocols" if ask is not None else ""
