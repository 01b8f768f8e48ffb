"""What a gate that errs does to support, by each rule, and whether the correction brings it back. No video is made.

    python benchmarks/gate_error.py [--error 0.1] [--draws 2000] > benchmarks/gate_error.md

Rows of labels are drawn for clips of five seconds whose support is known; each label is wrong with the given chance.
The chance that a clip of a kind is read as supported is found with the very rules of the metrics; then whole
measurements are drawn: a judge is graded on known clips, other clips are read, and their support is corrected.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.visibility import MIN_HIDDEN_S
from lookaway.outcomes import Abstain
from lookaway.readings.judged_support import MIN_RETURNED_S, JudgedSample, support_of
from lookaway.stats.intervals import Estimate
from lookaway.stats.misclassification import Share, corrected_share

Flags = NDArray[np.bool_]
Draw = Callable[[np.random.Generator, Flags, float], Flags]  # what the gate says, from what is right

CLIP_S = 5.0
CLIPS = 20_000  # per kind, for the chance to be read as supported
RUN_S = 1.0  # mean length of a run of wrong labels, where errors come in runs
GRADED = 100  # known clips of each kind that the judge is graded on
READ = 200  # clips of a system whose support is read
SHARES = (0.05, 0.2, 0.5, 0.8)  # of them that really have support


class Rule(NamedTuple):
    """How labels come about and what they come to."""

    name: str
    rate: float  # labels a second
    min_hidden_s: float
    min_returned_s: float
    draw: Draw


class Read(NamedTuple):
    """The chance that a clip is read as supported."""

    static: float  # the camera rests: no support
    stayed: float  # the camera is asked to turn and leaves the subject in view, or does not bring it back: no support
    returned: float  # hidden for 1 to 2.5 seconds and back for one at least: support


def independent(rng: np.random.Generator, right: Flags, error: float) -> Flags:
    return np.asarray(right ^ (rng.random(len(right)) < error))


def in_runs(rng: np.random.Generator, right: Flags, error: float, rate: float = 4.0) -> Flags:
    """The same share of labels is wrong, but a wrong one is followed by another."""
    stop = min(1.0, 1 / max(1.0, RUN_S * rate))
    start = error * stop / (1 - error)
    wrong = np.zeros(len(right), bool)
    state = rng.random() < error
    for k in range(len(right)):
        wrong[k] = state
        state = rng.random() >= stop if state else rng.random() < start
    return np.asarray(right ^ wrong)


def two_passes(rng: np.random.Generator, right: Flags, error: float) -> Flags:
    """A second counts where either pass makes the subject out; the passes err apart from each other."""
    return independent(rng, right, error) | independent(rng, right, error)


RULES = (
    Rule("sound, errors apart", 4.0, MIN_HIDDEN_S, MIN_RETURNED_S, independent),
    Rule("sound, errors in runs of a second", 4.0, MIN_HIDDEN_S, MIN_RETURNED_S, in_runs),
    Rule("paper, errors apart", 4.0, MIN_HIDDEN_S, 0.0, independent),
    Rule("paper, errors in runs of a second", 4.0, MIN_HIDDEN_S, 0.0, in_runs),
    Rule("released, both passes err alike", 1.0, 0.0, 0.0, independent),
    Rule("released, passes err apart", 1.0, 0.0, 0.0, two_passes),
)


def in_sight(rng: np.random.Generator, kind: str, seconds: NDArray[np.float64]) -> Flags:
    """When the subject can really be made out, in a clip of a kind."""
    if kind == "static" or (kind == "stayed" and rng.random() < 0.5):
        return np.ones(len(seconds), bool)
    left = rng.uniform(1.0, 1.5)
    back = left + rng.uniform(1.0, 2.5) if kind == "returned" else np.inf
    return np.asarray((seconds < left) | (seconds >= back))


def chances(rule: Rule, error: float, clips: int, rng: np.random.Generator) -> Read:
    seconds = np.arange(0, CLIP_S + 1e-9, 1 / rule.rate)
    known: dict[bytes, bool] = {}

    def supported(flags: Flags) -> bool:
        key = flags.tobytes()
        if key not in known:
            rows = [JudgedSample.of_one_flag(s, bool(flag)) for s, flag in zip(seconds, flags, strict=True)]
            known[key] = support_of(rows, rule.min_hidden_s, rule.min_returned_s).holds
        return known[key]

    def share(kind: str) -> float:
        return float(np.mean([supported(rule.draw(rng, in_sight(rng, kind, seconds), error)) for _ in range(clips)]))

    return Read(*(share(kind) for kind in Read._fields))


class Drawn(NamedTuple):
    """What came of many measurements of a share."""

    read: float  # mean of the share as read
    corrected: float  # mean of the corrected one
    covered: float  # share of the corrected intervals that hold the truth
    uncorrected: float  # the same of Wilson's interval of the share as read
    width: float
    silent: int  # measurements in which the judge was not shown to beat chance


def measured(read: Read, true: float, draws: int, rng: np.random.Generator) -> Drawn:
    """Yaw rows of which a share has support, with a judge that was graded on yaw rows of either kind."""
    seen, found, plain = [], [], []
    for _ in range(draws):
        hits, faked = rng.binomial(GRADED, read.returned), rng.binomial(GRADED, read.stayed)
        supported = rng.binomial(READ, true)
        called = rng.binomial(supported, read.returned) + rng.binomial(READ - supported, read.stayed)
        seen.append(called / READ)
        found.append(
            corrected_share(Share(seen[-1], READ), Share(hits / GRADED, GRADED), Share(1 - faked / GRADED, GRADED))
        )
        exact = corrected_share(Share(seen[-1], READ), Share(1.0, 1e12), Share(1.0, 1e12))
        plain += [exact] if isinstance(exact, Estimate) else []
    told = [one for one in found if not isinstance(one, Abstain)]
    return Drawn(
        float(np.mean(seen)),
        float(np.mean([one.value for one in told])) if told else float("nan"),
        _covered(told, true),
        _covered(plain, true),
        float(np.mean([(one.high or 1.0) - (one.low or 0.0) for one in told])) if told else float("nan"),
        draws - len(told),
    )


def _covered(told: list[Estimate], true: float) -> float:
    hold = [one.low is not None and one.high is not None and one.low <= true <= one.high for one in told]
    return float(np.mean(hold)) if hold else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--error", type=float, default=0.1, help="chance that a label is wrong")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--clips", type=int, default=CLIPS)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    read = {rule.name: chances(rule, given.error, given.clips, rng) for rule in RULES}
    sys.stdout.write("\n".join(_page(given.error, given.draws, given.clips, read, rng)) + "\n")


def _page(error: float, draws: int, clips: int, read: dict[str, Read], rng: np.random.Generator) -> list[str]:
    lines = [
        f"# Support when {error:.0%} of the gate's labels are wrong",
        "",
        f"Made by `python benchmarks/gate_error.py`: labels of clips of {CLIP_S:g} s are drawn and read by the rules",
        f"of `judged_support`, {clips} clips of each kind. `sound` and `paper` take four labels a second, and half a",
        "second to hide; in `sound` a return lasts half a second too. In `released` one label a second hides, and one",
        "is back; two passes are made, and a second counts where either sees the subject.",
        "",
        "## Bias",
        "",
        "Share that is read as supported, minus the truth. Yaw rows: half of them with support.",
        "",
        "| rule | static rows | yaw rows without support | yaw rows with support | yaw rows |",
        "|---|---|---|---|---|",
    ]
    for name, of in read.items():
        lost = of.returned - 1
        half = (of.stayed + lost) / 2
        lines.append(f"| {name} | {of.static:+.3f} | {of.stayed:+.3f} | {lost:+.3f} | {half:+.3f} |")
    lines += [
        "",
        "## Corrected",
        "",
        f"The judge is graded on {GRADED} known yaw clips with and {GRADED} without support, then {READ} other yaw",
        f"clips are read; {draws} draws each. Covered: how often the 95 % interval holds the true share. Silent: draws",
        "in which the judge was not shown to beat chance, and nothing is corrected.",
        "",
        "| rule | true | as read | corrected | covered | width | covered if not corrected | silent |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, of in read.items():
        for true in SHARES:
            got = measured(of, true, draws, rng)
            lines.append(
                f"| {name} | {true:.2f} | {got.read:.3f} | {got.corrected:.3f} | {got.covered:.1%} | {got.width:.2f} "
                f"| {got.uncorrected:.1%} | {got.silent} |"
            )
    return lines


if __name__ == "__main__":
    main()
