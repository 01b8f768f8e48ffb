"""The Python door: evaluate a model from inside a training loop."""

from __future__ import annotations

import tempfile
import uuid
import warnings
from collections.abc import Sequence
from pathlib import Path

from pydantic import PrivateAttr

from lookaway.errors import UsageError
from lookaway.generators.python import Model, lend
from lookaway.models import system as known_system
from lookaway.pipeline import counted_scores, make_board, plans, walk, write_reports
from lookaway.pipeline.arms import ArmPart, ComparedRun, parts_of
from lookaway.pipeline.comparing import compare
from lookaway.pipeline.stage import Options, Outcome, StageReport
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import UNNAMED, Board, ModelCard, Plan, System, SystemComparison
from lookaway.store import Run, make_run


class Silent:
    """No progress shown."""

    def say(self, text: str) -> None:
        """Nothing."""

    def start(self, stage: str, total: int, skipped: int) -> None:
        """Nothing."""

    def advance(self, outcomes: Sequence[Outcome]) -> None:
        """Nothing."""

    def finish(self, report: StageReport) -> None:
        """Nothing."""


class EvaluatedBoard(Board):
    """The board of a model that was evaluated here, which remembers every score and so can be compared."""

    _arm: ArmPart | None = PrivateAttr(None)

    @property
    def arm(self) -> ArmPart:
        """The system that was evaluated, with its scores."""
        if self._arm is None:
            raise UsageError("a board that was read from a file holds no scores; compare the run folders instead")
        return self._arm

    def compare(self, other: EvaluatedBoard | str) -> SystemComparison:
        """The model of this board against that of another one, or against a system of the same run folder by its label.

        `.sentences` say what a paper could print, `.contrasts` hold the differences with intervals and tests.
        """
        against = parts_of(self.arm.run, other)[0] if isinstance(other, str) else other.arm
        return compare([against, self.arm], apart=True).record


def evaluate(
    model: Model | str,
    suite: str = "diorama-mini",
    protocols: Sequence[str] = ("diorama",),
    *,
    name: str | None = None,
    checkpoint: str | None = None,
    out: str | Path | None = None,
    only: str | None = None,
    limit: int | None = None,
) -> EvaluatedBoard:
    """Run a model on a suite and return the Board, which `board.compare(earlier)` compares.

    `model` is a callable from a VideoRequest to frames (arrays of RGB) or a video path, or the name of a known model.
    With `out`, the run folder and reports are kept there, and clips are made again unless `checkpoint` names the
    weights they came from; without it nothing stays on disk.
    """
    if out is None:
        with tempfile.TemporaryDirectory(prefix="lookaway-") as folder:
            return evaluate(
                model, suite, protocols, name=name, checkpoint=checkpoint, out=folder, only=only, limit=limit
            )
    if isinstance(protocols, str):
        raise UsageError(f"protocols is a list of names: give [{protocols!r}]")
    if limit is not None and limit < 1:
        raise UsageError(f"limit must be at least 1, not {limit}")
    if name is not None and (not name.strip() or "/" in name):
        raise UsageError(f"name {name!r} must be a word without slashes")
    run = make_run(out)
    system = known_system(model) if isinstance(model, str) else _lent(model, name, checkpoint)
    plan = plans.extend(run, suite, [system], chosen=protocols)
    own = tuple(known for known in plan.systems if known.key == system.key)
    mine = plan.model_copy(update={"systems": own})  # other callables in this folder are none of our business
    reports = walk(run, mine, Options(only=only, limit=limit), Silent())
    _warn_of_failures(reports, system.name)
    board = make_board(run, plan)
    write_reports(run, plan, board)
    made = EvaluatedBoard.model_construct(**dict(board))
    made._arm = _arm(run, plan, own[0])
    return made


def _arm(run: Run, plan: Plan, system: System) -> ArmPart:
    known = ComparedRun(run.root.resolve().name, run, plan, counted_scores(run, plan), built_tasks(run, plan))
    return parts_of(known, system.label)[0]


def _lent(model: Model, name: str | None, checkpoint: str | None) -> System:
    """A callable as a system; weights without a name are new every time, so that no old clip stands in for them."""
    called = name or getattr(model, "__name__", type(model).__name__).replace("<lambda>", "model")
    lend(called, model)
    card = ModelCard(name=called, summary="a Python callable", control="poses", generator="python")
    return System(name=called, card=card, checkpoint=checkpoint or f"{UNNAMED} {uuid.uuid4().hex}")


def _warn_of_failures(reports: Sequence[StageReport], name: str) -> None:
    made = next(report for report in reports if report.stage == "generate")
    if made.failures:
        warnings.warn(
            f"{len(made.failures)} of {made.total} clips of '{name}' failed, such as {made.failures[0].name}: "
            f"{made.failures[0].reason}",
            stacklevel=3,
        )
