"""A session server in front of vLLM-Omni: one request of poses for every step, one session of theirs for each of ours.

python vllm_omni.py PORT ws://HOST:8091
"""

import base64
import json
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import msgpack
import numpy as np
from websockets.sync.client import connect

PATH = "/v1/realtime/world/camera"
OVERLAP = 4  # frames that a continued session repeats first: it is conditioned on them
sessions = {}  # by name: what it was opened with, its steps and frames so far, the poses that were sent


def packed(thing):
    return msgpack.packb(thing, default=_array)


def _array(thing):
    """Arrays as their server reads them: bytes, type and shape under byte-string names."""
    return {b"__ndarray__": True, b"data": thing.tobytes(), b"dtype": thing.dtype.str, b"shape": thing.shape}


def unpacked(data):
    return msgpack.unpackb(data, object_hook=_no_array, strict_map_key=False)


def _no_array(found):
    if b"__ndarray__" in found or "__ndarray__" in found:
        told = {name.decode() if isinstance(name, bytes) else name: value for name, value in found.items()}
        return np.frombuffer(told["data"], np.dtype(told["dtype"])).reshape(told["shape"])
    return found


def video(server, request):
    """What the server answers to one request: frames, in as many messages as it likes."""
    with connect(server + PATH, max_size=None) as socket:
        unpacked(socket.recv())  # what it says of itself
        socket.send(packed(request))
        chunks, total = {}, 1
        while len(chunks) < total:
            told = unpacked(socket.recv())
            if told.get("type") == "error":
                raise RuntimeError(told.get("message", "no reason given"))
            total, chunks[told["index"]] = told["total"], told["video"]
    return np.concatenate([chunks[index] for index in sorted(chunks)])


def answer(asked, server):
    if asked["do"] == "open":
        name = uuid.uuid4().hex
        png = np.frombuffer(base64.b64decode(asked["first_frame"]), np.uint8)
        picture = cv2.cvtColor(cv2.imdecode(png, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
        sessions[name] = {"asked": asked, "picture": picture, "steps": 0, "shown": 1, "poses": [], "lenses": []}
        return {"session": name}
    own = sessions[asked["session"]]
    if asked["do"] == "fork":
        raise RuntimeError("this server cannot fork a session")
    if asked["do"] == "close":
        del sessions[asked["session"]]
        return {"session": asked["session"]}
    frames = stepped(own, asked, server)
    own["steps"], own["shown"] = own["steps"] + 1, own["shown"] + len(frames)
    pictures = [cv2.imencode(".png", cv2.cvtColor(frame, cv2.COLOR_RGB2BGR))[1] for frame in frames]
    shown = [base64.b64encode(picture).decode() for picture in pictures]
    return {"session": asked["session"], "step": asked["step"], "first": asked["first"], "frames": shown}


def stepped(own, asked, server):
    """The frames of a step: the first one begins with frame 0, a later one with what it is conditioned on."""
    begun = own["steps"] > 0
    poses = np.array(asked["action"]["camera_to_world"], np.float32)
    lenses = np.array(
        [[lens[0][0], lens[1][1], lens[0][2], lens[1][2]] for lens in asked["action"]["intrinsics"]], np.float32
    )
    before = (
        (own["poses"][-OVERLAP:], own["lenses"][-OVERLAP:]) if begun else ([np.eye(4, dtype=np.float32)], [lenses[0]])
    )
    repeated = len(before[0])
    opened = own["asked"]
    extra = {"height": opened["height"], "width": opened["width"], "num_frames": len(poses) + repeated}
    extra |= {"fps": opened["fps"], "seed": opened["seed"], "session_id": asked["session"]}
    camera = {"poses": np.concatenate([before[0], poses]), "intrinsics": np.concatenate([before[1], lenses])}
    request = {"prompt": opened["prompt"], "camera": camera, "session_id": asked["session"], "extra_body": extra}
    made = video(server, request if begun else request | {"image": own["picture"]})
    if len(made) != len(poses) + repeated:
        raise RuntimeError(f"asked for {len(poses) + repeated} frames, got {len(made)}")
    own["poses"], own["lenses"] = [*own["poses"], *poses], [*own["lenses"], *lenses]
    return np.asarray(made[repeated:] if made.dtype == np.uint8 else np.clip(made[repeated:] * 255, 0, 255), np.uint8)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            code, said = 200, answer(asked, sys.argv[2].rstrip("/"))
        except KeyError as error:
            code, said = 404, {"error": f"no such thing: {error}"}
        except (RuntimeError, OSError) as error:
            code, said = 502, {"error": str(error)}
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(said).encode())

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    bridge = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print(f"serving at http://127.0.0.1:{bridge.server_address[1]}", flush=True)
    bridge.serve_forever()
