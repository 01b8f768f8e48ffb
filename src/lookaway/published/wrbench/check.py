"""Every check of WRBench's printed numbers, and what is left that nothing can be compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from lookaway.published.lines import CheckLine, counted
from lookaway.published.paper import Paper
from lookaway.published.wrbench import figures, profile, slices, suite
from lookaway.published.wrbench.claims import claims
from lookaway.published.wrbench.profile import Models
from lookaway.published.wrbench.release import FAMILIES, RESULTS, VARIANTS, ReleaseFiles, read_release

ON_RESULTS: tuple[tuple[str, str, Callable[[Paper, Models], list[CheckLine]]], ...] = (
    ("Table 2", "cells against the results file", profile.cells),
    ("Table 2", "Avg by unrounded columns", profile.averages),
    ("Table 2", "daggers, by their rule and in the file", profile.daggers),
    ("Table 2", "condition types", profile.condition_types),
    ("Totals", "models and rows behind each column", profile.totals),
    ("Fig. 3 right", "best value of each condition type", figures.frontier),
    ("Fig. 4", "correlations", figures.correlations),
    ("Fig. 5", "pooled means within what its bars allow", slices.cameras),
    ("Fig. 6b", "support of a group, averaged over events", slices.groups),
    ("Fig. 7a", "changes with size", figures.scale_pairs),
    ("Fig. 7b", "support and re-observed state", figures.carriers),
    ("Table 8", "averaged over its rows", slices.events),
)
INPUTS = {"spatia": "TI2V", "versecrafter": "TI2V"}  # as the text on the access ladder has it
RETURNED = {"lingbot_world": 30, "lingbot_world_act": 32}


def check_lines(paper: Paper, folder: Path | None) -> list[CheckLine]:
    """All lines, by the order of the paper; without a folder, what needs a file says so."""
    release = ReleaseFiles() if folder is None else read_release(folder)
    lines = profile.printed_averages(paper)
    for label, what, check in ON_RESULTS:
        lines += [_needs(label, what, RESULTS)] if release.models is None else check(paper, release.models)
    lines += [*_of_actions(paper, release), *_of_suite(paper, release), *_of_text(release), *claims(paper)]
    return [*lines, *_uncompared(paper, lines)]


def _needs(label: str, what: str, file: str) -> CheckLine:
    return CheckLine(label, what, "needs a file", remark=f"needs {file} of the release")


def _of_actions(paper: Paper, release: ReleaseFiles) -> list[CheckLine]:
    if release.models is None or release.families is None:
        return [_needs("Table 9", "averaged over its rows", RESULTS if release.models is None else FAMILIES)]
    return slices.actions(paper, release.models, release.families)


def _of_suite(paper: Paper, release: ReleaseFiles) -> list[CheckLine]:
    lines = []
    if release.families is None:
        lines += [_needs("Suite", "families and venues", FAMILIES)]
        lines += [_needs("Fig. 3 left", "shares of families", FAMILIES)]
    else:
        lines += suite.families(paper, release.families)
    if release.variants is None:
        return [*lines, _needs("Suite", "400 variants", VARIANTS)]
    return [*lines, *suite.variants(paper, release.variants)]


def _of_text(release: ReleaseFiles) -> list[CheckLine]:
    """Claims that Table 2 does not show."""
    inputs, returned = "Spatia and VerseCrafter take text and a picture", "LingBot's re-observed rows: 30 and 32"
    if release.models is None:
        return [_needs("Text", what, RESULTS) for what in (inputs, returned)]
    known = release.models
    wrong = [
        f"{name}: the file says {_input(known, name)}" for name, said in INPUTS.items() if _input(known, name) != said
    ]
    few = [
        f"{name}: the file has {_returned(known, name)}" for name, n in RETURNED.items() if _returned(known, name) != n
    ]
    return [counted("Text", inputs, wrong, len(INPUTS)), counted("Text", returned, few, len(RETURNED))]


def _input(models: Models, name: str) -> str:
    return models[name].input if name in models else "no such row"


def _returned(models: Models, name: str) -> int | None:
    return models[name].counts["ReobsState"] if name in models else None


def _uncompared(paper: Paper, lines: Sequence[CheckLine]) -> list[CheckLine]:
    """What is printed and has no check, and what is not printed at all."""
    checked = {line.label for line in lines}
    derived = [("Table 3", "rows by support"), ("Table 7", "rows with high support"), ("Table 10", "condition types")]
    remark = "made of Table 2; which rows the paper shows is not known"
    only = [(t.label, t.title) for t in paper.layouts.printed if t.label not in checked]
    return [
        *(CheckLine(label, what, "layout only", remark=remark) for label, what in derived),
        *(CheckLine(label, what, "printed only") for label, what in only),
        *(CheckLine(absent.label, absent.title, "layout only", remark=absent.why) for absent in paper.layouts.absent),
    ]
