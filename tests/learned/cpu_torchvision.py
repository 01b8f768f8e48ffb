"""torchvision's public wheel is linked to CUDA; beside a CPU build of torch its import misses two operators.

Nothing here uses them, so naming them is enough. A build that fits its torch is left alone.
"""

from __future__ import annotations

MISSING = ("nms", "qnms")
_named: list[object] = []  # a library's operators last as long as it does


def import_torchvision() -> None:
    import torch

    try:
        import torchvision
    except RuntimeError:
        library = torch.library.Library("torchvision", "FRAGMENT")
        for name in MISSING:
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        _named.append(library)
        import torchvision  # noqa: F401
