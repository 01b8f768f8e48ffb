"""Random checkpoints of the true architectures, small, made offline; each test that needs one makes it once."""

from __future__ import annotations

from pathlib import Path

import pytest


def dinov2(folder: Path) -> Path:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.Dinov2Config(
        hidden_size=48, num_hidden_layers=2, num_attention_heads=4, patch_size=14, image_size=518
    )
    transformers.Dinov2Model(config).save_pretrained(folder)
    return folder


def depth_anything(folder: Path) -> Path:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    torch.manual_seed(1)
    backbone = transformers.Dinov2Config(
        hidden_size=48,
        num_hidden_layers=4,
        num_attention_heads=4,
        patch_size=14,
        image_size=518,
        out_features=["stage1", "stage2", "stage3", "stage4"],
        reshape_hidden_states=False,
    )
    config = transformers.DepthAnythingConfig(
        backbone_config=backbone,
        reassemble_hidden_size=48,
        patch_size=14,
        neck_hidden_sizes=[8, 16, 16, 16],
        fusion_hidden_size=8,
        head_hidden_size=8,
        initializer_range=0.3,  # else its depths differ by less than float32 can tell
    )
    model = transformers.DepthAnythingForDepthEstimation(config)
    model.head.conv3.bias.data += 500.0  # so that nothing is at depth 0, and the lowest depth counts
    model.save_pretrained(folder)
    return folder


def clip(folder: Path) -> Path:
    """Both halves, as the hub has it."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    torch.manual_seed(2)
    half = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = transformers.CLIPConfig(
        text_config={**half, "vocab_size": 99, "max_position_embeddings": 16},
        vision_config={**half, "image_size": 224, "patch_size": 32},
        projection_dim=24,
    )
    transformers.CLIPModel(config).save_pretrained(folder)
    return folder


def aesthetic_head(file: Path, size: int = 24) -> Path:
    """Five linear layers with dropout in between, as the publisher's file has them."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)
    nn = torch.nn
    layers = nn.Sequential(
        nn.Linear(size, 16), nn.Dropout(0.2), nn.Linear(16, 8), nn.Dropout(0.2), nn.Linear(8, 4), nn.Dropout(0.1)
    )
    layers.append(nn.Linear(4, 2)).append(nn.Linear(2, 1))
    torch.save({f"layers.{name}": tensor for name, tensor in layers.state_dict().items()}, file)
    return file
