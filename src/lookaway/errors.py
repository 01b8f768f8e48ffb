"""Every error lookaway raises on purpose.

LookawayError            says what, where, and what to do next
├── UsageError           the request itself is wrong; the command exits with 2
│   ├── UnknownName      no plugin, suite, task or model of that name
│   ├── SuiteError       a suite that cannot be trusted: duplicate id, unknown field, missing asset
│   └── MissingExtra     needs an optional dependency; carries its install line
├── VideoError           a file that is not the video it should be
├── MachineError         this machine has no memory or process left for it, which says nothing of what was asked
├── StoreError           a run folder that cannot be read or written
│   └── PluginChanged    same plugin version, other source code
├── BlobError            media that a record names and the run folder cannot give; costs its row, not the run
│   ├── MissingBlob      it is not there
│   └── DamagedBlob      its content is not what its name says
├── SealError            a sealed run that cannot be trusted: changed, incomplete, too large
├── GenerationError      a generator gave no usable video
├── ObserveError         an observer or judge could not look
│   ├── MissingWeights   the weights it looks with are not here; carries the line that gets them
│   ├── MissingPackage   a worker runs where its model's package is not installed
│   └── CallFailed       a judge's service gave no usable reply; says whether asking again may help
└── ReadingError         a metric or gate reads what it did not ask for, or what is not there
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Literal

Undone = Literal["failed", "refused", "filtered", "timed_out"]


class LookawayError(Exception):
    """Base of the tree; its text is written for the person at the keyboard."""


class UsageError(LookawayError):
    """The request itself is wrong; nothing was run."""


class UnknownName(UsageError):
    """No such name; the message offers the nearest ones, by their letters where nobody says which."""

    def __init__(self, kind: str, name: str, known: Iterable[str], near: Iterable[str] = ()) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        self.near = near = list(near) or difflib.get_close_matches(name, self.known, n=3, cutoff=0.55)
        hint = (
            f"did you mean {' or '.join(near)}?"
            if near
            else f"known: {', '.join(self.known[:12])}{', …' if len(self.known) > 12 else ''}"
            if self.known
            else f"no {kind} is registered"
        )
        super().__init__(f"no {kind} named '{name}'; {hint}")

    def __reduce__(self) -> tuple[type, tuple[str, str, list[str], list[str]]]:
        return UnknownName, (self.kind, self.name, self.known, self.near)


class SuiteError(UsageError):
    """A suite that cannot be trusted."""


class MissingExtra(UsageError):
    """An optional dependency is not installed."""

    def __init__(self, extra: str, what: str, instead: str = "") -> None:
        self.extra, self.what, self.instead = extra, what, instead
        super().__init__(f"{what} needs the '{extra}' extra: pip install 'lookaway[{extra}]'{instead}")

    def __reduce__(self) -> tuple[type, tuple[str, str, str]]:
        return MissingExtra, (self.extra, self.what, self.instead)


class VideoError(LookawayError):
    """A file that is not the video it should be."""


class MachineError(LookawayError):
    """This machine has no memory or process left for it; no row may be blamed."""


class StoreError(LookawayError):
    """A run folder that cannot be read or written."""


class PluginChanged(StoreError):
    """A plugin kept its version but not its source: its old rows cannot be trusted as its own."""


class BlobError(LookawayError):
    """Media that a record names and the run folder cannot give; costs its row, not the run."""


class MissingBlob(BlobError):
    """Media that the run folder no longer holds."""


class DamagedBlob(BlobError):
    """Media whose content is not what its name says."""


class SealError(LookawayError):
    """A sealed run that cannot be trusted."""


class GenerationError(LookawayError):
    """A generator gave no usable video; `status` says in what way, `log` what it printed."""

    def __init__(self, message: str, status: Undone = "failed", log: str = "") -> None:
        self.status, self.log = status, log
        super().__init__(message)

    def __reduce__(self) -> tuple[type, tuple[str, str, str]]:
        return GenerationError, (str(self), self.status, self.log)


class ObserveError(LookawayError):
    """An observer or a judge could not look."""


class MissingWeights(ObserveError):
    """Weights that are not on this machine; an observer abstains, and looks as soon as they are there."""

    def __init__(self, name: str, command: str) -> None:
        self.name, self.command = name, command
        super().__init__(f"weights {name} are not here; get them: {command}")

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return MissingWeights, (self.name, self.command)


class MissingPackage(ObserveError):
    """A package is not installed where a worker runs; an observer abstains, and looks as soon as it is there."""


CallProblem = Literal[
    "unreachable",  # no connection
    "network",  # the connection broke
    "timed_out",
    "server",  # the service's own error
    "rate_limited",
    "truncated",  # the reply stops in the middle
    "malformed",  # the reply is whole, but not what the protocol says
    "too_large",  # the reply is larger than anything that was asked for
    "incomplete",  # the reply lacks what was asked for, such as token scores
    "rejected",  # the service does not take this request
    "refused",  # the model does not answer this question
    "barred",  # the service takes no request of ours: key or account
    "unavailable",  # so many calls failed before that this one was not made
    "over_budget",  # not made either
]
ASK_AGAIN = frozenset({"unreachable", "network", "timed_out", "server", "rate_limited", "truncated", "malformed"})
NEVER_PUT = frozenset({"unreachable", "barred", "unavailable", "over_budget"})
MAY_HAVE_COST = frozenset({"network", "timed_out", "truncated", "malformed", "too_large", "incomplete", "refused"})


class CallFailed(ObserveError):
    """A judge's service gave no usable reply; `problem` says in what way."""

    def __init__(self, problem: CallProblem, message: str, retry_after_s: float | None = None) -> None:
        self.problem, self.message, self.retry_after_s = problem, message, retry_after_s
        super().__init__(f"{problem.replace('_', ' ')}: {message}")

    @property
    def again(self) -> bool:
        """Whether the same request may succeed later."""
        return self.problem in ASK_AGAIN

    @property
    def never_put(self) -> bool:
        """Whether the failure says nothing about the question: the service never had it."""
        return self.problem in NEVER_PUT

    @property
    def may_have_cost(self) -> bool:
        """Whether the service may have done the work, and so may charge for it."""
        return self.problem in MAY_HAVE_COST

    def __reduce__(self) -> tuple[type, tuple[CallProblem, str, float | None]]:
        return CallFailed, (self.problem, self.message, self.retry_after_s)


class ReadingError(LookawayError):
    """A metric or gate reads what it did not ask for, or what is not there."""


def problems(error: Exception) -> str:
    """A validation error in one line: `field: what is wrong`, and no more."""
    listed = getattr(error, "errors", None)
    if listed is None:
        return str(error)
    return "; ".join(f"{'.'.join(map(str, e['loc'])) or 'all of it'}: {e['msg']}" for e in listed())
