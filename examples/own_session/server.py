"""An interactive model behind HTTP: it turns the first frame with the asked camera, and remembers nothing else.

python server.py PORT
"""

import base64
import json
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np

sessions = {}  # by name: first frame, steps made, frames shown


def answer(asked):
    if asked["do"] == "open":
        name = uuid.uuid4().hex
        png = np.frombuffer(base64.b64decode(asked["first_frame"]), np.uint8)
        sessions[name] = (cv2.imdecode(png, cv2.IMREAD_COLOR), 0, 1)
        return {"session": name}
    picture, steps, shown = sessions[asked["session"]]
    if asked["do"] == "fork":
        name = uuid.uuid4().hex
        sessions[name] = (picture, steps, shown)
        return {"session": name}
    if asked["do"] == "close":
        del sessions[asked["session"]]
        return {"session": asked["session"]}
    action = asked["action"]
    frames = [turned(picture, *pose) for pose in zip(action["camera_to_world"], action["intrinsics"], strict=True)]
    sessions[asked["session"]] = (picture, steps + 1, shown + len(frames))
    return {"session": asked["session"], "step": steps, "first": shown, "frames": frames}


def turned(picture, camera, lens):
    turn = np.array(lens) @ np.array(camera)[:3, :3].T @ np.linalg.inv(lens)
    return base64.b64encode(cv2.imencode(".png", cv2.warpPerspective(picture, turn, picture.shape[1::-1]))[1]).decode()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            code, said = 200, answer(asked)
        except KeyError as error:
            code, said = 404, {"error": f"no such thing: {error}"}
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(said).encode())


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print(f"serving at http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
