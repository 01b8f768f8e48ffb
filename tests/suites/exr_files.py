"""OpenEXR files written by hand: one part, uncompressed scan lines, 32-bit floats."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import numpy as np

FLOAT = 2


def exr_bytes(channels: Mapping[str, np.ndarray]) -> bytes:
    """Channels of one size by their names, such as R, G, B, Y or Z."""
    names = sorted(channels)
    height, width = channels[names[0]].shape
    listed = b"".join(name.encode() + b"\0" + struct.pack("<iB3xii", FLOAT, 0, 1, 1) for name in names) + b"\0"
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    attributes = [
        ("channels", "chlist", listed),
        ("compression", "compression", b"\0"),
        ("dataWindow", "box2i", window),
        ("displayWindow", "box2i", window),
        ("lineOrder", "lineOrder", b"\0"),
        ("pixelAspectRatio", "float", struct.pack("<f", 1)),
        ("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0)),
        ("screenWindowWidth", "float", struct.pack("<f", 1)),
    ]
    header = struct.pack("<ii", 20000630, 2)
    for name, kind, value in attributes:
        header += name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(value)) + value
    header += b"\0"
    line = 4 * width * len(names)
    first = len(header) + 8 * height
    offsets = b"".join(struct.pack("<q", first + row * (8 + line)) for row in range(height))
    rows = (b"".join(channels[name][row].astype("<f4").tobytes() for name in names) for row in range(height))
    return header + offsets + b"".join(struct.pack("<ii", row, line) + row_bytes for row, row_bytes in enumerate(rows))
