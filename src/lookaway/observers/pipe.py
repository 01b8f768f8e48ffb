"""Programs that keep running in environments of their own and answer every JSON line with one."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from queue import Empty, SimpleQueue
from tempfile import TemporaryFile
from typing import Any

from lookaway.errors import ObserveError
from lookaway.secrets import last_words

TAIL = 400  # characters of its log that a reason quotes

Message = dict[str, Any]


class Worker:
    """One running program. It ends with this process: its standard input closes, and nobody hears its answers."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.name = words[0]
        self._log = TemporaryFile()  # noqa: SIM115
        try:
            self._program = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, start_new_session=True
            )
        except OSError as error:
            self._log.close()
            raise ObserveError(f"cannot start '{self.name}': {error.strerror}") from error
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def pid(self) -> int:
        return self._program.pid

    def ask(self, request: Message, timeout_s: float) -> Message:
        """The answer with the request's `clip` number; whatever else is printed is passed over."""
        until = time.monotonic() + timeout_s
        assert self._program.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # its end is read below
            self._program.stdin.write(json.dumps(request).encode() + b"\n")
            self._program.stdin.flush()
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
            except Empty:
                raise ObserveError(f"no answer within {timeout_s:g} s{self._last_words()}") from None
            if not line:
                code = self._program.wait()
                raise ObserveError(f"'{self.name}' ended with exit code {code} and no answer{self._last_words()}")
            answer = _message(line)
            if answer.get("clip") == request["clip"]:
                return answer

    def close(self) -> None:
        """Ends it and what it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._program.pid, signal.SIGKILL)
        self._program.wait()
        self._listener.join()
        for stream in (self._program.stdin, self._program.stdout, self._log):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    def _listen(self) -> None:
        assert self._program.stdout is not None
        for line in self._program.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _last_words(self) -> str:
        self._log.seek(0)
        said = last_words(self._log.read().decode(errors="replace"), TAIL)
        return f"; its last words: {said}" if said else ""


def _message(line: bytes) -> Message:
    """A JSON object, or an empty one for anything else that a library may print."""
    try:
        read = json.loads(line)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


_running: dict[tuple[str, ...], Worker] = {}


def running(words: tuple[str, ...]) -> Worker:
    """The program with that command line, started unless it runs already."""
    if words not in _running:
        _running[words] = Worker(words)
    return _running[words]


def asked(words: tuple[str, ...], request: Message, timeout_s: float) -> Message:
    """The answer of the program with that command line; one that fails is ended."""
    worker = running(words)
    try:
        return worker.ask(request, timeout_s)
    except BaseException:
        _running.pop(words).close()
        raise


@atexit.register
def end_all() -> None:
    while _running:
        _running.popitem()[1].close()
