"""Every check of MemoBench's printed numbers, and what is left that nothing can be compared with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lookaway.published.lines import CheckLine, place
from lookaway.published.memobench import banks, suite
from lookaway.published.memobench.arithmetic import arithmetic
from lookaway.published.memobench.cameras import cameras
from lookaway.published.memobench.claims import claims
from lookaway.published.memobench.leaders import leaders
from lookaway.published.memobench.release import BANKS, FAILURES, REAL, SYNTHETIC, CountedFiles, read_release
from lookaway.published.memobench.sizes import sizes
from lookaway.published.paper import Paper


def check_lines(paper: Paper, folder: Path | None) -> list[CheckLine]:
    """All lines, by the order of the paper; without a folder, what needs a file says so."""
    release = CountedFiles() if folder is None else read_release(folder)
    lines = [
        *leaders(paper),
        *arithmetic(paper),
        *sizes(paper),
        *cameras(paper),
        *claims(paper),
        suite.printed_sizes(paper),
        *_of_release(paper, release),
    ]
    return sorted([*lines, *_uncompared(paper, lines)], key=lambda line: place(line.label))


def _of_release(paper: Paper, release: CountedFiles) -> list[CheckLine]:
    lines = []
    if release.real is None:
        lines += [_needs("Suite", "164 clips, real-world", REAL), _needs("Table S2", "clips by path, real-world", REAL)]
    else:
        lines += suite.of_real(paper, release.real)
    if release.synthetic is None:
        lines += [_needs("Suite", "196 clips, synthetic", SYNTHETIC), _needs("Fig. S1a", "14 scenes", SYNTHETIC)]
        lines += [_needs("Table S2", "clips by path, synthetic", SYNTHETIC)]
    else:
        lines += suite.of_synthetic(paper, release.synthetic)
    lines += [_needs("Table 3", "pass rates over all 360 clips", FAILURES)] if release.failures is None else []
    lines += [] if release.failures is None else banks.coverage(release.failures)
    if release.banks is None:
        return [
            *lines,
            _needs("Fig. 3", "questions left at each stage", BANKS),
            _needs(banks.LABEL, "its filters", BANKS),
        ]
    return [*lines, *banks.of_banks(release.banks)]


def _needs(label: str, what: str, file: str) -> CheckLine:
    return CheckLine(label, what, "needs a file", remark=f"needs {file} of the release")


def _uncompared(paper: Paper, lines: Sequence[CheckLine]) -> list[CheckLine]:
    """What is printed and has no check, and what is not printed at all."""
    checked = {line.label for line in lines}
    radars = [("Fig. S17a", "radar of Table 2"), ("Fig. S17b", "radar of Table 3")]
    only = [(t.label, t.title) for t in paper.layouts.printed if t.label not in checked]
    absent = [one for one in paper.layouts.absent if not one.why.startswith("needs")]  # others have a line
    return [
        *(
            CheckLine(label, what, "layout only", remark="made of that table; its axes are not known")
            for label, what in radars
        ),
        *(CheckLine(label, what, "printed only") for label, what in only),
        *(CheckLine(one.label, one.title, "layout only", remark=one.why) for one in absent),
    ]
