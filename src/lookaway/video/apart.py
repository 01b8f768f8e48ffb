"""A stranger's video is looked through once in a process of its own, which may take so much memory and time, no more.

Codecs are large programs in C: a crafted file may make one crash, loop or fill the memory. Then that process ends, the
file gets a reason, and whoever asked goes on. What came through whole here is safe to decode again.

The process serves one file after the other, by lines of JSON, as long as nothing happens to it.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lookaway.errors import MachineError, VideoError
from lookaway.limits import MB, TRIAL_BYTES, TRIAL_CPU_S, TRIAL_S
from lookaway.video.decode import decode
from lookaway.video.probe import VideoInfo, probe

_START = "import sys; sys.path[:] = sys.argv[1].split('\\n'); from lookaway.video.apart import serve; serve()"
_DONE = "copy or generate it again, or leave it out"
START_S = 300.0  # to import its libraries, on a busy machine


class LimitsOfTrial:
    """What one file may take; here, so that tests can be short."""

    memory_bytes: int = TRIAL_BYTES
    cpu_s: float = TRIAL_CPU_S
    wall_s: float = TRIAL_S


def looked_through(path: Path, folder_fps: float | None = None) -> VideoInfo:
    """What a video is, once every frame of it was decoded; VideoError says why it cannot be used.

    MachineError: this machine cannot look at any, and the video is not to blame.
    """
    with _lock:
        answer = _asked({"path": os.fspath(path.absolute()), "folder_fps": folder_fps, "cpu_s": LimitsOfTrial.cpu_s})
    if "machine" in answer:
        raise MachineError(str(answer["machine"]))
    if "error" in answer:
        raise VideoError(str(answer["error"]).replace(os.fspath(path.absolute()), str(path)))
    facts = answer["info"] | {"path": path, "notes": tuple(answer["info"]["notes"])}
    return VideoInfo(**facts)


# ---------------------------------------------------------------- the side that asks

_lock = threading.Lock()
_helper: subprocess.Popen[bytes] | None = None


def _asked(question: dict[str, Any]) -> dict[str, Any]:
    helper = _running()
    try:
        assert helper.stdin is not None
        helper.stdin.write(json.dumps(question).encode() + b"\n")
        helper.stdin.flush()
        line = _line(helper, LimitsOfTrial.wall_s)
    except BrokenPipeError:
        line = b""
    if line:
        answer: dict[str, Any] = json.loads(line)
        return answer
    return {"error": f"{question['path']}: {_end(helper, line)}; {_DONE}"}


def _running() -> subprocess.Popen[bytes]:
    """The process that looks; a new one where there is none, after a fork too."""
    global _helper
    if _helper is not None and (_helper.poll() is not None or _owner != os.getpid()):
        stop()
    _helper = _helper or _started()
    return _helper


_owner = 0


def _started() -> subprocess.Popen[bytes]:
    global _owner
    _owner = os.getpid()
    command = [sys.executable, "-c", _START, "\n".join(sys.path), str(LimitsOfTrial.memory_bytes)]
    why = (
        "the process that looks through videos does not start: {}; make room in memory, then run the same command again"
    )
    try:
        helper = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError as error:
        raise MachineError(why.format(error.strerror)) from error
    if not (line := _line(helper, START_S)):
        _close(helper)
        raise MachineError(why.format("it took too long" if line is None else f"it ended with {_code(helper)}"))
    return helper


def _line(helper: subprocess.Popen[bytes], wall_s: float) -> bytes | None:
    """What it answers; nothing where it died, None where it takes too long."""
    assert helper.stdout is not None
    found, until = b"", time.monotonic() + wall_s
    while not found.endswith(b"\n"):
        ready, _, _ = select.select([helper.stdout], [], [], max(until - time.monotonic(), 0))
        if not ready:
            return None
        piece = os.read(helper.stdout.fileno(), 1 << 16)
        if not piece:
            return b""
        found += piece
    return found


def _end(helper: subprocess.Popen[bytes], line: bytes | None) -> str:
    """Why it gave no answer; it is gone afterwards."""
    if line is None:
        stop()
        return f"its decoding takes more than {LimitsOfTrial.wall_s:g} s"
    code = helper.wait()
    stop()
    if code == -signal.SIGXCPU:
        return f"its decoding takes more than {LimitsOfTrial.cpu_s:g} s of the processor"
    return f"the decoder ended with {_code(helper)}"


def _code(helper: subprocess.Popen[bytes]) -> str:
    code = helper.wait()
    return signal.Signals(-code).name if code < 0 else f"code {code}"


def stop() -> None:
    """End the process that looks, if this one has one."""
    global _helper
    if _helper is not None and _owner == os.getpid():
        _close(_helper)
    _helper = None


def _close(helper: subprocess.Popen[bytes]) -> None:
    helper.kill()
    helper.wait()
    for pipe in (helper.stdin, helper.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


atexit.register(stop)

# ---------------------------------------------------------------- the side that looks


def serve() -> None:
    """Answer until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what libraries print is no answer
    memory = int(sys.argv[2])
    wanted = _address_space() + memory
    _, allowed = resource.getrlimit(resource.RLIMIT_AS)
    most = wanted if allowed == resource.RLIM_INFINITY else min(wanted, allowed)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers.write(b"ready\n")
    for line in sys.stdin.buffer:
        answers.write(json.dumps(_answer(json.loads(line), memory, most < wanted)).encode() + b"\n")


def _answer(question: dict[str, Any], memory: int, short: bool) -> dict[str, Any]:
    """`short`: somebody else's limit leaves less memory than a video may take."""
    path = Path(question["path"])
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + question["cpu_s"]) + 1, hard))
    try:
        for _ in decode(path, long_side=64, folder_fps=question["folder_fps"]):
            pass
        return {"info": asdict(probe(path, question["folder_fps"])) | {"path": ""}}
    except (MemoryError, VideoError, OSError) as error:
        if short:
            less = f"a limit leaves less than {memory // MB} MB to decode with; raise it (ulimit -v)"
            return {"machine": f"{path.name}: {less}, then run the same command again, or: {error}"}
        if isinstance(error, MemoryError):
            return {"error": f"{path}: its decoding takes more memory than it may; {_DONE}"}
        return {"error": str(error) + _perhaps_memory(memory)}


def _perhaps_memory(memory: int) -> str:
    """Some codecs call data wrong where they got no memory; said where much of it was used."""
    return f" (or its decoding needs more than {memory // MB} MB)" if _peak_bytes() > memory / 2 else ""


def _peak_bytes() -> int:
    """The most memory that this process had; ru_maxrss would carry over that of whoever started it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def _address_space() -> int:
    """Bytes that this process has mapped: libraries alone are a gigabyte."""
    with Path("/proc/self/statm").open() as file:
        return int(file.read().split()[0]) * resource.getpagesize()
