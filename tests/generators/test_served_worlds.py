"""The examples in front of serving engines, against stand-ins that speak the engines' own messages."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import msgpack
import numpy as np
import pytest
from websockets.sync.server import ServerConnection, serve

from lookaway import models
from lookaway.errors import GenerationError
from lookaway.generators.command import command
from lookaway.video import decode
from tests.generators.commissions import FRAMES, SIZE, commission
from tests.generators.test_session import asking, made

FOLDER = Path(__file__).parents[2] / "examples" / "served_worlds"


@contextmanager
def engine(talk: Callable[[ServerConnection], None]) -> Iterator[str]:
    """A WebSocket server that talks so with every client."""
    with serve(talk, "127.0.0.1", 0, max_size=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            server.shutdown()
            thread.join()


def array(told: dict[Any, Any]) -> np.ndarray:
    return np.frombuffer(told[b"data"], told[b"dtype"]).reshape(told[b"shape"])


class Omni:
    """As vLLM-Omni: greets, takes one request a connection, repeats four frames of a session that goes on."""

    def __init__(self, fails: bool = False) -> None:
        self.requests: list[dict[str, Any]] = []
        self.fails = fails

    def __call__(self, socket: ServerConnection) -> None:
        socket.send(msgpack.packb({"model_name": "m", "image_width": SIZE[0], "image_height": SIZE[1]}))
        asked = msgpack.unpackb(socket.recv(), strict_map_key=False)
        self.requests.append(asked)
        if self.fails:
            socket.send(msgpack.packb({"type": "error", "message": "Internal inference error"}))
            return
        count = asked["extra_body"]["num_frames"]
        assert array(asked["camera"]["poses"]).shape == (count, 4, 4)
        assert array(asked["camera"]["intrinsics"]).shape == (count, 4)
        level = 40 * len(self.requests)
        frames = np.full((count, asked["extra_body"]["height"], asked["extra_body"]["width"], 3), level, np.uint8)
        repeated = 1 if "image" in asked else 4
        frames[:repeated] = 255
        parts = np.array_split(frames, 2)
        for index, part in enumerate(parts):
            video = {b"__ndarray__": True, b"data": part.tobytes(), b"dtype": "|u1", b"shape": part.shape}
            socket.send(msgpack.packb({"type": "frame", "index": index, "total": len(parts), "video": video}))


@contextmanager
def bridge(server: str) -> Iterator[str]:
    command_line = [sys.executable, str(FOLDER / "vllm_omni.py"), "0", server]
    with subprocess.Popen(command_line, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL) as running:
        try:
            assert running.stdout is not None
            yield running.stdout.readline().split()[-1]
        finally:
            running.kill()


def test_a_session_behind_vllm_omni_makes_the_clip(tmp_path: Path) -> None:
    card, omni = models.load(str(FOLDER / "vllm-omni.toml")), Omni()
    with engine(omni) as server, bridge(server) as found:
        movie = made(asking(tmp_path, found, control=card.control, chunk_frames=4))
    frames = [frame.rgb.mean() for frame in decode(movie.video)]
    assert len(frames) == FRAMES
    assert [round(level / 40) for level in frames[1:9]] == [1] * 4 + [2] * 4, "no repeated frame is shown"
    first, second = omni.requests[:2]
    assert array(first["image"]).shape == (SIZE[1], SIZE[0], 3)
    assert "image" not in second
    assert first["session_id"] == second["session_id"]
    assert (array(second["camera"]["poses"])[:4] == array(first["camera"]["poses"])[1:]).all()


def test_what_vllm_omni_cannot_do_is_a_reason(tmp_path: Path) -> None:
    card = models.load(str(FOLDER / "vllm-omni.toml"))
    with (
        engine(Omni(fails=True)) as server,
        bridge(server) as found,
        pytest.raises(GenerationError, match="Internal inference error"),
    ):
        made(asking(tmp_path, found, control=card.control, chunk_frames=4))


class Lang:
    """As SGLang: takes an init, sends chunks of 13 and then 16 frames, small ones inline, statistics after each."""

    def __init__(self) -> None:
        self.begun: dict[str, Any] = {}

    def __call__(self, socket: ServerConnection) -> None:
        self.begun = asked = msgpack.unpackb(socket.recv())
        width, height = map(int, asked["size"].split("x"))
        for chunk in range(asked["max_chunks"]):
            count = 16 if chunk else 13
            head = {"num_frames": count, "height": height, "width": width, "channels": 3, "chunk_index": chunk}
            raw = np.full((count, height, width, 3), 60 * (chunk + 1), np.uint8).tobytes()
            if chunk:
                socket.send(msgpack.packb({"type": "frame_batch_header"} | head))
                socket.send(raw)
            else:
                socket.send(msgpack.packb({"type": "frame_batch", "payload": raw} | head))
            socket.send(msgpack.packb({"type": "chunk_stats", "chunk_index": chunk}))


def test_a_clip_by_sglang_follows_the_camera_by_keys(tmp_path: Path) -> None:
    lang, settings = Lang(), dict(models.load(str(FOLDER / "sglang.toml")).settings)
    line = str(settings["command"]).replace("python ", f"{sys.executable} ", 1)
    with engine(lang) as server:
        line = line.replace("ws://127.0.0.1:30000", server).replace("examples/served_worlds", str(FOLDER))
        movie = command(commission(tmp_path, "command", settings | {"command": line}))
    frames = [frame.rgb.mean() for frame in decode(movie.video)]
    assert len(frames) == FRAMES
    assert frames[0] == pytest.approx(60, abs=3)
    picture = cv2.imdecode(np.frombuffer(lang.begun["first_frame"], np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape == (SIZE[1], SIZE[0], 3)
    held = [key for keys in lang.begun["condition_inputs"]["camera_actions"] for key in keys]
    assert held
    assert set(held) == {"j"}, "the commission turns to the left"
