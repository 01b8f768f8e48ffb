"""A model that is a program: it turns the first frame with the asked camera, and remembers nothing else.

python sample.py FIRST_FRAME.png POSES.npz OUT.mp4 FPS
"""

import sys

import av
import cv2
import numpy as np

first_frame, poses, out, fps = sys.argv[1:]
picture = cv2.imread(first_frame)
with np.load(poses) as arrays:
    cameras, intrinsics = arrays["camera_to_world"], arrays["intrinsics"]

height, width = picture.shape[:2]
with av.open(out, "w") as container:
    stream = container.add_stream("libx264", rate=round(float(fps)), options={"crf": "18"})
    stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
    for camera, (fx, fy, cx, cy) in zip(cameras, intrinsics, strict=True):
        lens = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])
        turned = cv2.warpPerspective(picture, lens @ camera[:3, :3].T @ np.linalg.inv(lens), (width, height))
        for packet in stream.encode(av.VideoFrame.from_ndarray(turned, format="bgr24")):
            container.mux(packet)
    for packet in stream.encode():
        container.mux(packet)
