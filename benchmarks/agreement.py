"""Do intervals of agreement with people hold what they promise, and what does a judge save?

    python benchmarks/agreement.py

Raters with a known error answer items in scenes; the truth of a coefficient is its value over 400,000 items of the
same kind. Every row is 1,000 simulated studies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from lookaway.outcomes import Abstain
from lookaway.stats.coefficients import cohen, gwet, krippendorff, percent_agreement
from lookaway.stats.intervals import Estimate
from lookaway.stats.prediction_powered import PredictionPowered, prediction_powered

DRAWS, MANY = 1000, 400_000
RATERS, SCENES, EACH = 3, 40, 4
KINDS = np.array([-1.0, 0.0, 1.0])

Floats = NDArray[np.float64]
Coefficient = Callable[[Floats, NDArray[np.int64]], Estimate | Abstain]
COEFFICIENTS: dict[str, Coefficient] = {
    "share": percent_agreement,
    "Cohen": lambda said, scenes: cohen(said[0], said[1], scenes),
    "Cohen, quadratic": lambda said, scenes: cohen(said[0], said[1], scenes, "quadratic"),
    "AC1": gwet,
    "AC2, linear": lambda said, scenes: gwet(said, scenes, "linear"),
    "alpha, nominal": krippendorff,
    "alpha, ordinal": lambda said, scenes: krippendorff(said, scenes, "ordinal"),
    "alpha, interval": lambda said, scenes: krippendorff(said, scenes, "interval"),
}


def main() -> None:
    print("| raters right | skewed | missing | " + " | ".join(COEFFICIENTS) + " |")
    print("|---|---|---|" + "---|" * len(COEFFICIENTS))
    for right, skewed, missing in ((0.8, False, 0.0), (0.8, True, 0.2), (0.6, False, 0.3)):
        covered = " | ".join(f"{share:.3f}" for share in coverage(right, skewed, missing))
        print(f"| {right} | {'yes' if skewed else 'no'} | {missing} | {covered} |")
    print("\n| judge right | labelled scenes | held, helped | held, labels alone | length, of labels alone | lean |")
    print("|---|---|---|---|---|---|")
    for right, labelled in ((0.95, 30), (0.8, 30), (0.8, 60), (0.5, 30), (0.0, 30)):
        print(helped(right, labelled))


def coverage(right: float, skewed: bool, missing: float) -> Iterator[float]:
    rng = np.random.default_rng(0)
    large = study(rng, right, skewed, missing, MANY // EACH)
    small = [study(rng, right, skewed, missing, SCENES) for _ in range(DRAWS)]
    for coefficient in COEFFICIENTS.values():
        truth = coefficient(large[0], large[1] % 20)  # a few blocks: its interval is not read
        assert isinstance(truth, Estimate)
        found = [coefficient(*one) for one in small]
        yield float(np.mean([_holds(one, truth.value) for one in found]))


def study(
    rng: np.random.Generator, right: float, skewed: bool, missing: float, scenes: int
) -> tuple[Floats, NDArray[np.int64]]:
    """Scenes lean to one of the answers, and are easy or hard for all raters."""
    places = np.repeat(np.arange(scenes), EACH)
    leaning = rng.dirichlet((6, 1, 1) if skewed else (2, 2, 2), scenes)[places]
    truth = KINDS[(rng.random(len(places))[:, None] > leaning.cumsum(axis=1)).sum(axis=1)]
    ease = np.clip(right + rng.uniform(-0.2, 0.2, scenes), 0, 1)[places]
    guess = KINDS[rng.integers(0, 3, (RATERS, len(places)))]
    said = np.where(rng.random((RATERS, len(places))) < ease, truth, guess)
    said[rng.random(said.shape) < missing] = np.nan
    return said, places


def _holds(found: Estimate | Abstain, truth: float) -> bool:
    return (
        isinstance(found, Estimate)
        and found.low is not None
        and found.high is not None
        and (found.low <= truth <= found.high)
    )


def helped(right: float, labelled: int, others: int = 300, rate: float = 0.6) -> str:
    rng = np.random.default_rng(1)
    found = []
    for _ in range(DRAWS):
        scenes = np.repeat(np.arange(labelled + others), EACH)
        rates = np.clip(rate + rng.uniform(-0.3, 0.3, labelled + others), 0, 1)[scenes]
        people = (rng.random(len(scenes)) < rates).astype(float)
        judge = np.where(rng.random(len(scenes)) < right, people, rng.random(len(scenes)) < 0.5).astype(float)
        cut = labelled * EACH
        one = prediction_powered(people[:cut], judge[:cut], scenes[:cut], judge[cut:], scenes[cut:])
        assert isinstance(one, PredictionPowered)
        found.append(one)
    held = [
        np.mean([_holds(each, rate) for each in parts])
        for parts in zip(*((one[0], one[1]) for one in found), strict=True)
    ]
    lengths = np.mean(
        [(one.helped.high - one.helped.low) / (one.labels_alone.high - one.labels_alone.low) for one in found]
    )
    lean = np.mean([one.lean for one in found])
    return f"| {right} | {labelled} | {held[0]:.3f} | {held[1]:.3f} | {lengths:.2f} | {lean:.2f} |"


if __name__ == "__main__":
    main()
