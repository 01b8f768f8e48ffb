"""What an audit catches, what re-sealing gains, and whether an anchor narrows scores on secret draws.

    python benchmarks/audit.py [--nonces 20000] [--run RUN] [--audited FILE ...] > benchmarks/audit.md

The first two are drawn with the very code that draws clips. `--run` is a finished run with reference models, whose kept
scores are resampled by scene; `--audited` are files of `lookaway share audit --out`, of seals that were really altered,
or really scored on other libraries. No clip is made.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import hypergeom

from lookaway.outcomes import Abstain
from lookaway.pipeline import counted_scores, plans
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import Audit
from lookaway.sharing.draws import drawn_cases, fresh_nonce
from lookaway.stats.anchoring import anchoring
from lookaway.stats.rates import wilson
from lookaway.store import open_run

CLIPS, RESCORED = 154, 50
RESEALED = 1000
DRAWS = 2000
CASES = [f"task{number}/mine/0" for number in range(CLIPS)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nonces", type=int, default=20_000)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--audited", type=Path, nargs="*", default=[])
    given = parser.parse_args()
    print("# What an audit catches\n")
    print(
        "Made by `python benchmarks/audit.py`. Clips are drawn by `sharing/draws.py`, as `lookaway share audit` does.\n"
    )
    caught(given.nonces)
    resealed(given.nonces // 2)
    for path in given.audited:
        audited(path)
    if given.run is not None:
        anchored(given.run)


def is_caught(bundle: str, nonce: str, altered: set[str]) -> bool:
    return not altered.isdisjoint(drawn_cases(bundle, nonce, CASES, RESCORED))


def caught(nonces: int) -> None:
    print(f"## {RESCORED} of {CLIPS} clips scored again, {nonces} nonces\n")
    print("| clips with an altered score | caught | 95 % | by counting |\n|---|---|---|---|")
    for count in (1, 2, 4, 8, 16):
        altered = set(CASES[:count])
        hits = sum(is_caught("bundle", str(number), altered) for number in range(nonces))
        rate = wilson(hits, nonces)
        exact = 1 - hypergeom(CLIPS, count, RESCORED).pmf(0)
        print(f"| {count} | {hits / nonces:.3f} | [{rate.low:.3f}, {rate.high:.3f}] | {exact:.3f} |")
    print()


def resealed(nonces: int) -> None:
    """A submitter seals the same altered run many times and hands in the bundle that looks best to them."""
    altered = set(CASES[:8])
    bundles = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(RESEALED)]
    guesses = [hashlib.sha256(f"guess{number}".encode()).hexdigest()[:32] for number in range(20)]
    escapes = [sum(not is_caught(bundle, guess, altered) for guess in guesses) for bundle in bundles]
    best, first = bundles[int(np.argmax(escapes))], bundles[0]
    fresh = [fresh_nonce() for _ in range(nonces)]
    print(f"## Sealed {RESEALED} times\n")
    print(
        f"Eight scores are altered, the run is sealed {RESEALED} times with some harmless change, and the bundle is "
        f"handed in that escapes most often under {len(guesses)} nonces that the submitter tries. "
        f"The auditor draws a nonce after receipt; {nonces} of them.\n"
    )
    print("| bundle | escapes under tried nonces | caught under the auditor's | 95 % |\n|---|---|---|---|")
    for name, bundle in (("the first", first), (f"the best of {RESEALED}", best)):
        tried = sum(not is_caught(bundle, guess, altered) for guess in guesses)
        hits = sum(is_caught(bundle, nonce, altered) for nonce in fresh)
        rate = wilson(hits, nonces)
        print(f"| {name} | {tried} of {len(guesses)} | {hits / nonces:.3f} | [{rate.low:.3f}, {rate.high:.3f}] |")
    if max(escapes) > 0:
        known = guesses[[not is_caught(best, guess, altered) for guess in guesses].index(True)]
        print(
            f"\nHad the nonce been known beforehand, the best bundle would have been caught "
            f"{'always' if is_caught(best, known, altered) else 'never'}: the nonce must come after receipt. "
            "Handing in again and again is another matter, since one try in some 26 escapes: a site counts every "
            "audit of a bundle, and one that failed outweighs all others.\n"
        )


def audited(path: Path) -> None:
    one = Audit.model_validate_json(path.read_bytes())
    print(f"## A real audit: {path.stem}\n")
    print(
        f"{len(one.drawn)} of {one.clips} clips scored again: {one.equal} scores equal to the last bit, {one.within} "
        f"within {one.tolerance:g}, {len(one.outside)} not reproduced, {len(one.unchecked)} not checked; largest "
        f"difference among those that reproduced {one.largest_difference:.2g}. Verdict: {one.verdict}.\n"
    )
    libraries = {name: how for name, how in one.differences.items() if "there," in how and ":" not in name}
    for name, how in libraries.items():
        print(f"- {name}: {how}")
    for check in one.outside[:8]:
        print(f"- {check.case}, {check.metric}: sealed {check.sealed}, here {check.again}")
    print()


def anchored(place: Path) -> None:
    run = open_run(place)
    plan = plans.load(run)
    tasks = built_tasks(run, plan)
    protocol = plan.protocols[0]
    scores = counted_scores(run, plan).filter((pl.col("status") == "ok") & (pl.col("protocol") == protocol.name))
    labels = [system.label for system in plan.systems if not system.is_ceiling]
    print("## Secret draws\n")
    print(
        f"Kept scores of {len(tasks)} tasks of `{plan.suite}`; {DRAWS} draws of as many scenes, with replacement. "
        "Spread: standard deviation over draws of a system's mean, as it is and against the anchor on the same "
        "draw. `used` is what `stats/anchoring.py` decides from one draw, the kept one.\n"
    )
    print("| metric | system | anchor | scenes | correlation | spread raw | spread anchored | used |")
    print("|---|---|---|---|---|---|---|---|")
    for metric, (system, anchor) in itertools.product(protocol.headline, itertools.permutations(labels, 2)):
        mine = scores.filter(
            (pl.col("metric") == metric.name) & (pl.col("variant") == (metric.variant or pl.col("variant")))
        )
        one, other = (
            dict(mine.filter(pl.col("system") == s).select("task", "value").iter_rows()) for s in (system, anchor)
        )
        common = sorted(one.keys() & other.keys())
        scenes = np.array([tasks[task].scene for task in common])
        values, anchors = np.array([one[t] for t in common]), np.array([other[t] for t in common])
        found = anchoring(values, anchors, scenes) if common else Abstain("none")
        if isinstance(found, Abstain) or found.raw_error == 0:
            continue
        raw, against = spreads(values, anchors, scenes)
        use = "anchored" if found.narrows else "raw"
        numbers = f"{found.scenes} | {found.correlation:.2f} | {raw:.4f} | {against:.4f}"
        print(f"| {metric.name} | {system} | {anchor} | {numbers} | {use} |")


def spreads(values: np.ndarray, anchors: np.ndarray, scenes: np.ndarray) -> tuple[float, float]:
    names, place = np.unique(scenes, return_inverse=True)
    counts = np.bincount(place)
    own, other = np.bincount(place, values) / counts, np.bincount(place, anchors) / counts
    picks = np.random.default_rng(0).integers(0, len(names), (DRAWS, len(names)))
    return float(own[picks].mean(axis=1).std()), float((own - other)[picks].mean(axis=1).std())


if __name__ == "__main__":
    main()
