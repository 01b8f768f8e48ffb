"""`power`: how many scenes or seeds it takes to tell two systems apart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, parse_list, print_json
from lookaway.errors import UnknownName, UsageError
from lookaway.store import root_of


@app.command()
def power(
    run: Annotated[Path | None, typer.Argument(help="A run folder.", metavar="[RUN]", parser=root_of)] = None,
    between: Annotated[str | None, typer.Option(metavar="A,B", help="Two systems of the run.")] = None,
    metric: Annotated[str | None, typer.Option(help="Only this metric of the headline.")] = None,
    effect: Annotated[float | None, typer.Option(min=0, help="The difference to find; else the one measured.")] = None,
    suite: Annotated[str | None, typer.Option(help="Without a run: the scenes and tasks of this suite.")] = None,
    scenes: Annotated[int | None, typer.Option(min=2, help="Without a run: so many scenes.")] = None,
    tasks_per_scene: Annotated[float, typer.Option(min=1, help="Without a run: tasks of each scene.")] = 1.0,
    correlation: Annotated[
        float | None, typer.Option(min=0, max=1, help="Without a run: of two tasks of a scene; else 0.3.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Say how many scenes or seeds tell two systems apart.

    From a run, by how its scores vary between scenes, tasks and seeds. Without one, for a right-or-wrong score of which
    a fifth of the pairs differ. Tests are two-sided at 5 %, and are to succeed four times in five.
    """
    if run is None:
        print_lines(_planned(suite, scenes, tasks_per_scene, correlation, effect), as_json)
        return
    if suite is not None or scenes is not None or correlation is not None:
        raise UsageError("a run has its own scenes and correlation; leave --suite, --scenes and --correlation out")
    print_lines(_measured(run, between, metric, effect), as_json)


def _measured(run: Path, between: str | None, metric: str | None, effect: float | None) -> dict[str, Any]:
    from lookaway.analyses.power import power_lines
    from lookaway.pipeline import plans, run_findings
    from lookaway.store import open_run

    folder = open_run(run)
    plan = plans.load(folder)
    pair = tuple(parse_list(between)) if between is not None else None
    if pair is not None and len(pair) != 2:
        raise UsageError(f"--between {between}: name two systems, separated by a comma")
    labels = [system.label for system in plan.systems]
    for name in pair or ():
        if name not in labels:
            raise UnknownName("system of this run", name, labels)
    chosen = (pair[0], pair[1]) if pair is not None else None
    lines = [
        line._asdict()
        for findings in run_findings(folder, plan)
        for line in power_lines(findings, metric, chosen, effect)
    ]
    if not lines:
        raise UsageError(f"{run}: no two systems have numbers of the headline on the same tasks; run two, or --metric")
    return {"measured": lines}


def _planned(
    suite: str | None, scenes: int | None, per_scene: float, correlation: float | None, effect: float | None
) -> dict[str, Any]:
    from lookaway.stats.power import CORRELATION, assumed_parts, resolution, scenes_needed
    from lookaway.stats.power import power as chance
    from lookaway.suites.statistics import scenes_and_tasks

    if suite is not None:
        scenes, tasks = scenes_and_tasks(suite)
        per_scene = tasks / scenes
    if scenes is None and effect is None:
        raise UsageError("give a run, --suite, --scenes, or --effect; see docs/power.md")
    parts = assumed_parts(CORRELATION if correlation is None else correlation)
    assumed: dict[str, float | None] = {
        "correlation": parts.correlation,
        "tasks_per_scene": per_scene,
        "variance": parts.total,
    }
    if scenes is not None:
        of_mean = parts.of_mean(scenes, per_scene, 1)
        assumed |= {"scenes": scenes, "floor": resolution(of_mean, scenes)}
        if effect is not None:
            assumed |= {"power": chance(effect, of_mean, scenes)}
    if effect is not None:
        assumed |= {"effect": effect, "scenes_needed": scenes_needed(effect, parts, per_scene)}
    return {"assumed": assumed}


def print_lines(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    for line in found.get("measured", []):
        typer.echo(measured_text(line))
    if "assumed" in found:
        typer.echo(assumed_text(found["assumed"]))


def measured_text(line: dict[str, Any]) -> str:
    seeds = "one seed a task" if line["of_seeds"] is None else f"seeds {line['of_seeds']:.0%}"
    if line["scenes"] < 2:
        return f"{_measured_head(line)}\n  one scene tells nothing of how scenes vary; run tasks of at least two"
    needed = line["scenes_needed"] or "no number of"
    more = line["seeds_needed"]
    by_seeds = "" if line["of_seeds"] is None else f", or {more or 'no number of'} seeds a task"
    return (
        f"{_measured_head(line)}\n"
        f"  variance: scenes {line['of_scenes']:.0%}, tasks {line['of_tasks']:.0%}, {seeds}; "
        f"correlation within scenes {line['correlation']:.2f}\n"
        f"  these scenes find {line['floor']:.3f} at 80 %; {line['effect']:.3f} is found with {line['power']:.0%} "
        f"chance, and at 80 % by {needed} scenes{by_seeds}"
    )


def _measured_head(line: dict[str, Any]) -> str:
    return (
        f"{line['protocol']}, {line['metric']}: {line['first']} - {line['second']} = {line['difference']:+.3f} "
        f"over {line['clips']} pairs, {line['tasks']} tasks, {line['scenes']} scenes"
    )


def assumed_text(facts: dict[str, Any]) -> str:
    at = (
        f"for a right-or-wrong score of which {facts['variance']:.0%} of the pairs differ, "
        f"{facts['tasks_per_scene']:.1f} tasks a scene, correlated {facts['correlation']:.2f} within scenes:"
    )
    lines = [at]
    if "floor" in facts:
        lines.append(f"  {facts['scenes']} scenes find a difference of {facts['floor']:.3f} at 80 %")
    if "power" in facts:
        lines.append(f"  {facts['scenes']} scenes find {facts['effect']:.3f} with {facts['power']:.0%} chance")
    if "effect" in facts:
        lines.append(f"  {facts['effect']:.3f} takes {facts['scenes_needed'] or 'more than 100000'} scenes at 80 %")
    return "\n".join(lines)
