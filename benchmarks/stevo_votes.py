"""StEvo-Bench's five verifiers with a judge that knows the truth and errs as it is told to: what does a vote mend?

    python benchmarks/stevo_votes.py [--out FOLDER]      writes benchmarks/stevo_votes.md

Clips are true and faulty ones of `diorama-mini`. Every ask of the three protocols is put in all its wordings and
samples; replies are read and counted as the runner does.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from oracle import FAULTS, SEAT, TRUTH, made, must_be
from scipy.stats import binomtest

from lookaway.judges.estimators import structured
from lookaway.judges.estimators.votes import votes
from lookaway.judges.oracle import found_in, replying
from lookaway.judges.oracle.dials import Dials
from lookaway.judges.oracle.known_answers import KnownAnswer
from lookaway.judges.prompting import load
from lookaway.pipeline.answers import Asked, asked_of
from lookaway.pipeline.footage import Footage, reel_of
from lookaway.pipeline.items import Item
from lookaway.pipeline.sheets import Sheet
from lookaway.protocols import load as protocol
from lookaway.records import Ask
from lookaway.store import Run

PROTOCOLS = ("stevo", "stevo_paper", "stevo_released")
VERIFIERS = ("hidden", "started", "progress", "plausible", "coherent")
EVERY_FRAME = "uniform:96"
ERROR, SEEDS, REPLIES = 0.1, range(20), 3
DIALS = {
    "independent": [Dials(ERROR, seed=seed) for seed in SEEDS],
    "half shared": [Dials(ERROR, per_clip=0.5, seed=seed) for seed in SEEDS],
    "shared by a clip": [Dials(ERROR, per_clip=1.0, seed=seed) for seed in SEEDS],
}
RULES = ("single", "majority", "unanimous_true")
EXPECTED = {  # with independent errors of 0.1: false yes, false no
    "single": (0.1, 0.1),
    "majority": (0.028, 0.028),
    "unanimous_true": (0.001, 0.271),
}
OUT = Path(__file__).with_suffix(".md")


@dataclass(frozen=True)
class Verified:
    """One ask about one clip: what is right, what is right by the fault's meaning, and every reply by dial and seed."""

    ask: str
    right: bool
    must: bool | None
    plain: bool  # as all three reply at dial 0
    replies: dict[str, list[list[bool]]]


def asks() -> dict[str, Ask]:
    found = {f"{name}/{ask}": told for name in PROTOCOLS for ask, told in protocol(name).asks.items()}
    shown = {"frames": EVERY_FRAME}  # few frames do not show the edges of a look-away
    return {
        name: ask.model_copy(update=shown)
        for name, ask in found.items()
        if name.split("/")[1].split(":")[0] in VERIFIERS
    }


def verified(run: Run, sheet: Sheet) -> Iterator[Verified]:
    assert sheet.clip.video is not None
    items = {name: _item(ask, sheet) for name, ask in asks().items()}
    reels = {sheet.clip.video: reel_of(run.blobs.path(sheet.clip.video), still=False)}
    footage = Footage().add(reels, list(items.values()))
    for name, item in items.items():
        put = asked_of(item, sheet.task, footage, run.root)
        found = found_in(put[0].probe(0))
        assert isinstance(found, KnownAnswer)
        if found.says is None:
            continue
        replies = {dial: [_said(put, found, one) for one in each] for dial, each in DIALS.items()}
        must = must_be(item.prompt, "", sheet.clip.case.system, sheet.task)
        plain = _said(put, found, Dials())
        yield Verified(name, found.says, must, all(said == found.says for said in plain), replies)


def _item(ask: Ask, sheet: Sheet) -> Item:
    assert sheet.clip.video is not None
    prompt = load(ask.prompt.partition("@")[0], ask.variant)
    given = {"expected_change": "what follows from it"}
    return Item(prompt.name, ask, prompt, SEAT, sheet.clip.video, sheet.task.instance, given=given)


def _said(put: Sequence[Asked], found: KnownAnswer, dials: Dials) -> list[bool]:
    probes = [asked.probe(number) for asked in put for number in range(asked.item.ask.samples or 1)]
    texts = [(probe, replying(probe, dials).text(found)) for probe in probes]
    return [structured([(text, "complete")], probe.form).choice == "yes" for probe, text in texts]


def voted(said: Sequence[bool], rule: str) -> bool:
    if rule == "single":
        return said[0]
    return votes(["yes" if each else "no" for each in said], rule).choice == "yes"


def errors(cases: Sequence[Verified], dial: str, rule: str, right: bool) -> str:
    """`0.029 [0.026, 0.032] of 11200`: how often it is wrong where that is right."""
    wrong = [voted(said, rule) != right for case in cases if case.right == right for said in case.replies[dial]]
    ends = binomtest(sum(wrong), len(wrong)).proportion_ci(method="exact")
    return f"{sum(wrong) / len(wrong):.4f} [{ends.low:.4f}, {ends.high:.4f}] of {len(wrong)}"


ABOUT = """# What a vote of StEvo-Bench's verifiers mends

Made by `python benchmarks/stevo_votes.py`: {clips} clips of `diorama-mini`, true and of {faults} faults, with all
frames shown. Every ask of `stevo`, `stevo_paper` and `stevo_released` that has an exact answer: {asked} in all.

## At dial 0

| ask | answerable | right | labelled by the fault's meaning | right |
|---|---|---|---|---|
{plain}

## With an error of 10 % per reply

{seeds} seeds. *Independent*: each reply errs by itself, and the vote mends as the binomial says: majority 2.8 %,
`unanimous_true` 0.1 % false yes and 27.1 % false no. *Shared by a clip*: what makes one reply err makes all of them
err; three replies cost three times as much and mend nothing. Exact 95 % binomial intervals over verdicts, which shared
errors make too narrow: there the clips count, not the verdicts.

| errors | rule | false yes | false no | independent errors give |
|---|---|---|---|---|
{rates}
"""


def page(cases: Sequence[Verified], clips: int) -> str:
    plain = []
    for ask in asks():
        mine = [case for case in cases if case.ask == ask]
        by_hand = [case for case in mine if case.must is not None]
        right = sum(case.right == case.must for case in by_hand)
        plain.append(f"| `{ask}` | {len(mine)} | {sum(case.plain for case in mine)} | {len(by_hand)} | {right} |")
    three = [case for case in cases if len(next(iter(case.replies.values()))[0]) == REPLIES]
    rates = [
        f"| {dial} | `{rule}` | {errors(three, dial, rule, False)} | {errors(three, dial, rule, True)} | "
        f"{EXPECTED[rule][0]:.3f}, {EXPECTED[rule][1]:.3f} |"
        for dial in DIALS
        for rule in RULES
    ]
    return ABOUT.format(
        clips=clips,
        faults=len(FAULTS),
        asked=len(cases),
        plain="\n".join(plain),
        seeds=len(SEEDS),
        rates="\n".join(rates),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="where clips are kept")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run, sheets = made((given.out or Path(folder)) / "mini", "diorama-mini", (TRUTH, *FAULTS), [None])
        cases = [case for sheet in sheets for case in verified(run, sheet)]
        OUT.write_text(page(cases, len(sheets)))
    sys.stdout.write(OUT.read_text())


if __name__ == "__main__":
    main()
