"""What MemoBench's metrics are about: looks, consistency with oneself, truth, steering, remembering, and a judge."""

from __future__ import annotations

from lookaway.analyses.named_metrics import NamedMetric
from lookaway.analyses.sides import Side

QUALITY = Side("quality", "perceptual quality", (NamedMetric("visual_quality"),))
NO_REFERENCE = Side(
    "quality", "no-reference quality", (NamedMetric("visual_quality"), NamedMetric("motion_smoothness"))
)
CONSISTENCY = Side(
    "consistency",
    "self-consistency",
    (NamedMetric("object_identity"), NamedMetric("geometric_consistency"), NamedMetric("motion_smoothness")),
)
TRUTH = Side("truth", "truth", (NamedMetric("psnr_all"), NamedMetric("ssim_all"), NamedMetric("lpips_all", "lower")))
RETURNED_TRUTH = Side(
    "truth",
    "truth after the return",
    (NamedMetric("psnr_returned"), NamedMetric("ssim_returned"), NamedMetric("lpips_returned", "lower")),
)
STEERING = Side("steering", "steering", (NamedMetric("camera_controllability"),))
MEMORY = Side("memory", "remembering", (NamedMetric("object_reappearance"), NamedMetric("vqa_memory")))
ANSWERS = ("vqa_instruction", "vqa_things", "vqa_memory", "vqa_physics")
INFLATED = ("motion_smoothness", "object_identity", "geometric_consistency", "object_reappearance")
