"""`suite stats` and `suite keyframes`: a suite in numbers, and two annotators beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookaway.cli.common import JsonFlag, print_json, print_rows

if TYPE_CHECKING:
    from lookaway.stats.intervals import Estimate
    from lookaway.suites.keyframes import KeyframeAgreement

MOST_LINES = 20  # --json lists all


def stats(
    suite: Annotated[str, typer.Argument(help="A suite's name or folder.", metavar="SUITE")], as_json: JsonFlag = False
) -> None:
    """Count its scenes and categories, turns and hidden frames.

    A turn has three numbers: net from the first view to the last, path along the way, peak at the farthest view.
    """
    from lookaway.suites.statistics import counts, suite_facts, trajectory_lines
    from lookaway.video.names import printable

    facts = suite_facts(suite)
    lines = [line._asdict() for line in trajectory_lines(facts)]
    if as_json:
        print_json({"tasks": len(facts), "trajectories": lines, "counts": counts(facts)})
        return
    print_rows([{name: _short(value) for name, value in line.items()} for line in lines], as_json)
    typer.echo(f"\n{len(facts)} tasks")
    for field, count in counts(facts).items():
        shown = ", ".join(f"{name or '-'} {number}" for name, number in list(count.items())[:MOST_LINES])
        more = f", … and {len(count) - MOST_LINES} more" if len(count) > MOST_LINES else ""
        typer.echo(printable(f"{field} ({len(count)}): {shown}{more}"))


def keyframes(
    first: Annotated[Path, typer.Argument(help="One annotator's keyframe file.", metavar="A")],
    second: Annotated[Path, typer.Argument(help="Another's.", metavar="B")],
    apart: Annotated[int, typer.Option(min=0, help="Name clips that are further apart than so many frames.")] = 5,
    as_json: JsonFlag = False,
) -> None:
    """Compare the keyframes of two annotators.

    A keyframe file is csv or xlsx with the columns clip, gone and back: the first frame of the true clip without the
    subject, and the first with it again, counted from 0.
    """
    from lookaway.suites.keyframes import compare_keyframes, read_keyframes
    from lookaway.video.names import printable

    files = [read_keyframes(path) for path in (first, second)]
    for file in files:
        for problem in file.problems:
            typer.echo(printable(f"left out: {problem}"), err=True)
    found = compare_keyframes(files[0].marks, files[1].marks)
    if as_json:
        print_json(_as_json(found))
        return
    rows = [
        {
            "mark": one.mark,
            "clips": one.clips,
            "B minus A": _interval(one.mean),
            "apart": _interval(one.apart),
            **{f"within {most}": f"{share:.0%}" for most, share in one.within.items()},
        }
        for one in found.marks
    ]
    print_rows(rows, as_json)
    for line in _named(found, apart):
        typer.echo(printable(line))


def _named(found: KeyframeAgreement, apart: int) -> list[str]:
    far = [
        f"{clip}: {mark} {difference:+d} frames"
        for clip, marks in found.differences.items()
        for mark, difference in marks.items()
        if abs(difference) > apart
    ]
    alone = {"only in A": found.only_first, "only in B": found.only_second, "marked by one alone": found.one_sided}
    more = [f"… and {len(far) - MOST_LINES} more"] if len(far) > MOST_LINES else []
    return [*far[:MOST_LINES], *more, *(f"{what}: {', '.join(clips)}" for what, clips in alone.items() if clips)]


def _as_json(found: KeyframeAgreement) -> dict[str, object]:
    marks = [
        one._asdict()
        | {name: None if e is None else e._asdict() for name, e in (("mean", one.mean), ("apart", one.apart))}
        for one in found.marks
    ]
    return {
        "marks": marks,
        "differences": found.differences,
        "only_first": found.only_first,
        "only_second": found.only_second,
        "one_sided": found.one_sided,
    }


def _interval(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.1f}"
    return f"{estimate.value:.1f} [{estimate.low:.1f}, {estimate.high:.1f}]"


def _short(value: object) -> object:
    return round(value, 1) if isinstance(value, float) else value
