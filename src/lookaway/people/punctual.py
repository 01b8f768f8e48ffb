"""Browsers that dawdle: a request that does not come whole in time, or an answer not taken, ends the connection.

uvicorn waits for both for ever: a few hundred half-sent requests would keep everybody else out.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from lookaway.limits import ANSWER_S, PAGE_REQUEST_S


class PunctualProtocol(H11Protocol):  # type: ignore[misc]
    """One connection, with one clock: it runs from the first byte of a request to its last, then to the answer's."""

    request_s: ClassVar[float] = PAGE_REQUEST_S
    answer_s: ClassVar[float] = ANSWER_S
    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._run(self.request_s)

    def data_received(self, data: bytes) -> None:
        if self._clock is None:
            self._run(self.request_s)
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE and self.conn.their_state is not h11.SEND_BODY:
            self._run(self.answer_s)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._stop()
        if self.transport.get_write_buffer_size():
            self._run(self.answer_s)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _run(self, seconds: float) -> None:
        self._stop()
        self._clock = self.loop.call_later(seconds, self.transport.abort)

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
