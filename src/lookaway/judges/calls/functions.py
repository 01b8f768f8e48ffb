"""A judge that is a plain function, as a backend: asked once, and never out of a cache, because it reads files."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType

from pydantic import TypeAdapter

from lookaway.judges import Backend, Judge, Probe, Said, ask
from lookaway.judges.calls.asking import Received
from lookaway.judges.calls.budget import Cost
from lookaway.judges.calls.pacing import Limits
from lookaway.records import Setting

AS_LONG_AS_IT_TAKES_S = 1e6
_SAID = TypeAdapter(Said)


class Functions:
    """What a function judge says, kept as JSON like any service's reply."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        patience_s = AS_LONG_AS_IT_TAKES_S
        self.limits = Limits(judge.concurrency, attempts=1, attempt_s=patience_s, call_s=patience_s)
        self.identity = f"{judge.name}@{judge.version}"

    def estimate(self, probe: Probe) -> Cost:
        return Cost(1)

    async def send(self, probe: Probe) -> Received:
        said = await ask(self._judge, probe)
        tokens = (said.usage.prompt_tokens or 0) + (said.usage.reply_tokens or 0)
        return Received(_SAID.dump_json(said).decode(), Cost(1, tokens, said.usage.cost_usd or 0.0))

    def read(self, raw: str, probe: Probe) -> Said:
        return _SAID.validate_json(raw)

    async def __aenter__(self) -> Functions:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Nothing to close."""


def backend_of(judge: Judge, source: str, settings: Mapping[str, Setting]) -> Backend:
    """The judge's own backend, not yet entered, or its function as one."""
    if judge.opens is not None:
        return judge.opens(source, settings)
    judge.check(source, settings)
    return Functions(judge)
