"""Protocols: which metrics make up a profile, and of which rows their tables speak. One folder each; no machinery."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from lookaway.analyses import ANALYSES
from lookaway.errors import UnknownName, UsageError
from lookaway.judges.estimators.votes import check_rule
from lookaway.judges.frames import frame_rule
from lookaway.judges.prompting import Prompt, check_wording, parsed
from lookaway.judges.prompting import load as load_prompt
from lookaway.judges.prompting.files import FOLDER, chosen_variant, own_texts
from lookaway.metrics import Metric
from lookaway.metrics import find as find_metric
from lookaway.readings import windows
from lookaway.records import Ask, MetricRef, Protocol
from lookaway.tomls import read_record

FILE = "protocol.toml"


def names() -> list[str]:
    return sorted(f.name for f in resources.files("lookaway.protocols").iterdir() if (f / FILE).is_file())


def load(name: str) -> Protocol:
    """A protocol by name, from a .toml file by path, or `metric:NAME` for one metric alone."""
    if name.startswith("metric:"):
        metric = resolved(MetricRef.model_validate(name.removeprefix("metric:")))
        alone = f"{metric.name} alone"
        return with_variants(
            Protocol(name=name, summary=alone, metrics=(metric,), headline=(metric,), analyses=("cells",))
        )
    if name.endswith(".toml"):
        return _own(Path(name))
    if name not in names():
        raise UnknownName("protocol", name, names())
    with resources.as_file(resources.files("lookaway.protocols") / name / FILE) as path:
        return with_variants(read_record(path, Protocol, "protocol", name))


def _own(path: Path) -> Protocol:
    if path.stem in names():
        raise UsageError(f"{path}: '{path.stem}' is a protocol of lookaway's own; give the file another name")
    protocol = read_record(path, Protocol, "protocol")
    return with_variants(protocol.model_copy(update={"prompts": own_texts(path.parent / FOLDER)}))


def with_variants(protocol: Protocol) -> Protocol:
    """The protocol with every metric's variant and every prompt's version said.

    A metric, analysis, prompt or window that does not exist is an error here, and so is an ask that nobody defines.
    """
    for name in protocol.analyses:
        ANALYSES.get(name)
    steps = [step.model_copy(update={"metric": resolved(step.metric)}) for step in protocol.ledger]
    populations = {str(resolved(MetricRef.model_validate(name))): p for name, p in protocol.populations.items()}
    return Protocol.model_validate(
        dict(protocol)
        | {
            "metrics": tuple(map(resolved, protocol.metrics)),
            "headline": tuple(map(resolved, protocol.headline)),
            "ledger": tuple(steps),
            "populations": populations,
            "asks": _asks(protocol),
        }
    )


def _asks(protocol: Protocol) -> dict[str, Ask]:
    """The protocol's asks and, where a metric asks a prompt of ours by its name, that one as it is."""
    metrics = [find_metric(metric) for metric in protocol.metrics]
    plain = {name: Ask(prompt=name) for metric in metrics for name in metric.all_asks if name not in protocol.asks}
    asks = {name: _resolved(name, ask, protocol) for name, ask in (plain | protocol.asks).items()}
    for metric in metrics:
        for name in metric.all_asks:
            _check_window(name, asks[name], asks, metric)
    return asks


def _resolved(name: str, ask: Ask, protocol: Protocol) -> Ask:
    try:
        prompt = prompt_of(ask, protocol)
    except UnknownName as error:
        raise UsageError(f"protocol {protocol.name}: ask '{name}': {error}") from error
    for wording in ask.wordings:
        check_wording(prompt, wording)
    check_rule(ask.votes)
    said = {
        "prompt": f"{prompt.name}@{prompt.declared.version}",
        "variant": prompt.variant,
        "frames": str(frame_rule(ask.frames)),
        "reference": ask.reference or prompt.declared.reference,
        "given": _resolved(name, ask.given, protocol) if ask.given is not None else None,
    }
    resolved = ask.model_copy(update=said)
    check_frames(resolved, prompt)
    return resolved


def _check_window(name: str, ask: Ask, asks: Mapping[str, Ask], metric: Metric) -> None:
    if not ask.window:
        return
    _, source = windows.parted(ask.window)
    before = metric.all_asks[: metric.all_asks.index(name)]
    observed = source in windows.OBSERVED and source in metric.looks_with(())
    if not observed and source not in before:
        raise UsageError(
            f"ask '{name}' is about {ask.window}, but {metric.name} neither looks with '{source}' nor asks it before"
        )


def check_frames(ask: Ask, prompt: Prompt) -> None:
    """Refuse frames that cannot answer what is asked."""
    if frame_rule(ask.frames).kind != "native":
        return
    if prompt.form.rows is not None and prompt.form.rows.about_frames:
        raise UsageError(f"prompt {prompt.name} asks about each frame; a video that the server samples has none")
    if ask.window or ask.reference or ask.beside:
        raise UsageError(f"prompt {prompt.name} is asked about some frames; a video is sent whole or not at all")


def prompt_of(ask: Ask, protocol: Protocol) -> Prompt:
    """The prompt of an ask: the protocol's own, else one of ours."""
    name = ask.prompt.partition("@")[0]
    own = [key.partition(".")[2] for key in protocol.prompts if key.partition(".")[0] == name]
    if not own:
        return load_prompt(name, ask.variant)
    return parsed(name, protocol.prompts[f"{name}.{chosen_variant(name, own, ask.variant)}"])


def resolved(metric: MetricRef) -> MetricRef:
    """The reference with its variant; where a metric has several, the one meant must be said."""
    found = find_metric(metric)
    return MetricRef(name=found.name, variant=found.variant)
