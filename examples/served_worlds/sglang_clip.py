"""One clip by SGLang's realtime endpoint: the whole camera path as keys per latent frame, the frames as they come.

python sglang_clip.py ws://HOST:30000 FIRST_FRAME.png POSES.npz OUT.mp4 FPS SEED PROMPT
"""

import math
import sys
from pathlib import Path

import av
import cv2
import msgpack
import numpy as np
from websockets.sync.client import connect

PATH = "/v1/realtime_video/generate"
LATENTS = 4  # latent frames of a chunk; each is 4 frames, the very first one is frame 0 alone
LEAST_DEG, LEAST_M = 0.2, 0.01  # of a latent frame; less is a held view


def keys(cameras):
    """Which keys each latent frame holds: w a s d walk, j l turn left and right, i k look up and down."""
    held = [[]]
    for start in range(0, len(cameras) - 1, 4):
        before, after = cameras[start], cameras[min(start + 4, len(cameras) - 1)]
        turn = before[:3, :3].T @ after[:3, :3]
        yaw, pitch = math.degrees(math.atan2(turn[0, 2], turn[2, 2])), math.degrees(math.asin(-turn[1, 2]))
        right, _, ahead = before[:3, :3].T @ (after[:3, 3] - before[:3, 3])
        moves = [("l", yaw, LEAST_DEG), ("j", -yaw, LEAST_DEG), ("i", pitch, LEAST_DEG), ("k", -pitch, LEAST_DEG)]
        moves += [("w", ahead, LEAST_M), ("s", -ahead, LEAST_M), ("d", right, LEAST_M), ("a", -right, LEAST_M)]
        held.append([key for key, size, least in moves if size > least])
    return held


def frames_of(socket, wanted):
    """RGB frames as they come, in batches with a header before or around them."""
    found = []
    while len(found) < wanted:
        told = msgpack.unpackb(socket.recv())
        if told["type"] == "error":
            raise SystemExit(f"the server says: {told.get('content')}")
        if told["type"] not in ("frame_batch", "frame_batch_header"):
            continue  # statistics of a chunk
        raw = told["payload"] if told["type"] == "frame_batch" else socket.recv()
        shape = (told["num_frames"], told["height"], told["width"], told["channels"])
        found += list(np.frombuffer(raw, np.uint8).reshape(shape)[..., :3])
    return found[:wanted]


def main():
    server, first_frame, poses, out, fps, seed, prompt = sys.argv[1:]
    with np.load(poses) as arrays:
        cameras = arrays["camera_to_world"]
    height, width = cv2.imread(first_frame).shape[:2]
    held = keys(cameras)
    chunks = math.ceil(len(held) / LATENTS)
    begin = {
        "type": "init",
        "prompt": prompt,
        "first_frame": Path(first_frame).read_bytes(),
        "size": f"{width}x{height}",
    }
    begin |= {
        "fps": round(float(fps)),
        "seed": int(seed),
        "num_frames": (2 * LATENTS - 1) * 4 + 1,
        "max_chunks": chunks,
    }
    begin |= {"realtime_output_format": "raw", "realtime_output_pacing": False}
    begin["condition_inputs"] = {"camera_actions": held + [[]] * (chunks * LATENTS - len(held))}
    with connect(server.rstrip("/") + PATH, max_size=None, ping_interval=None) as socket:
        socket.send(msgpack.packb(begin))
        frames = frames_of(socket, len(cameras))
    with av.open(out, "w") as container:
        stream = container.add_stream("libx264", rate=round(float(fps)), options={"crf": "12"})
        stream.width, stream.height, stream.pix_fmt = frames[0].shape[1], frames[0].shape[0], "yuv420p"
        for frame in frames:
            for packet in stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)


if __name__ == "__main__":
    main()
