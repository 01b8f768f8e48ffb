"""SAM 2 through the real transformers path, with a tiny random checkpoint made here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from lookaway.observers import OBSERVERS
from lookaway.observers import subject_track_sam2 as sam2
from lookaway.observers.elsewhere import seen_with
from lookaway.observers.learned import LoadedModel, loaded_model
from lookaway.observers.subject_track_sam2 import Sam2Settings, Sam2Track, segmented
from tests.observers.panorama import PLACE, RED, Disc, box_of, filmed, look_at

pytestmark = pytest.mark.torch

SIDE = 128
YAWS = [float(yaw) for yaw in np.linspace(0, 20, 24)]
SIZE = (320, 180)


def stays(i: int) -> list[Disc]:
    return [(*PLACE, RED)]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    grid = SIDE // 16
    backbone = {
        "hidden_size": 12,
        "image_size": [SIDE, SIDE],
        "blocks_per_stage": [1, 2, 2, 1],
        "embed_dim_per_stage": [12, 24, 48, 96],
        "num_attention_heads_per_stage": [1, 1, 2, 2],
        "global_attention_blocks": [4],
        "window_positional_embedding_background_size": [2, 2],
    }
    vision = {
        "backbone_config": transformers.Sam2HieraDetConfig(**backbone),
        "backbone_channel_list": [96, 48, 24, 12],
        "backbone_feature_sizes": [[4 * grid, 4 * grid], [2 * grid, 2 * grid], [grid, grid]],
        "fpn_hidden_size": 128,
    }
    config = transformers.Sam2VideoConfig(
        vision_config=transformers.Sam2VisionConfig(**vision),
        prompt_encoder_config={"hidden_size": 128, "image_size": SIDE, "mask_input_channels": 8},
        mask_decoder_config={"hidden_size": 128, "mlp_dim": 64, "num_attention_heads": 4, "iou_head_hidden_dim": 32},
        image_size=SIDE,
        memory_attention_hidden_size=128,
        memory_attention_num_layers=2,
        memory_attention_feed_forward_hidden_size=64,
        memory_attention_rope_feat_sizes=[grid, grid],
        memory_encoder_hidden_size=128,
        memory_encoder_output_channels=64,
        mask_downsampler_embed_dim=128,
        memory_fuser_embed_dim=128,
        memory_fuser_intermediate_dim=64,
    )
    folder = tmp_path_factory.mktemp("sam2")
    model = transformers.Sam2VideoModel(config)
    with torch.no_grad():
        model.mask_decoder.pred_obj_score_head.proj_out.bias += 1  # so that it sees something
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def eyes(checkpoint: Path) -> LoadedModel:
    return loaded_model("test", Sam2Settings(model=str(checkpoint), device="cpu"), sam2._opened)


def own_way(eyes: LoadedModel, rgb: np.ndarray, box: tuple[float, ...]) -> tuple[list[Any], list[float]]:
    """All frames at once, nothing forgotten: as the library itself goes through a video."""
    import torch
    from transformers.models.sam2_video.modeling_sam2_video import Sam2VideoInferenceSession

    frames = torch.cat([sam2._pixels(eyes, frame) for frame in rgb])
    session = Sam2VideoInferenceSession(frames, SIZE[1], SIZE[0], dtype=torch.float32)
    at = session.obj_id_to_idx(1)
    points = {"point_coords": torch.tensor(box).reshape(1, 1, 2, 2) * SIDE, "point_labels": torch.tensor([[[2, 3]]])}
    session.add_point_inputs(at, 0, points)
    session.obj_with_new_inputs = [1]
    eyes.model(inference_session=session, frame_idx=0)
    told = list(eyes.model.propagate_in_video_iterator(session, start_frame_idx=0))
    return [each.pred_masks[0, 0].numpy() for each in told], [float(each.object_score_logits) for each in told]


def test_frame_by_frame_and_forgetting_it_sees_what_it_sees_with_all_frames_at_hand(eyes: LoadedModel) -> None:
    rgb, box = filmed(YAWS, stays), box_of(*PLACE)
    mine = segmented(eyes, rgb, box, SIZE)
    assert mine.masks.any((1, 2)).all()
    odds, scores = own_way(eyes, rgb, box)
    assert len(scores) == len(rgb) > 16, "more frames than the model remembers"
    assert mine.sureness == pytest.approx(1 / (1 + np.exp(-np.array(scores))), abs=1e-4)
    for mask, logits, score in zip(mine.masks, odds, scores, strict=True):
        theirs = (cv2.resize(logits, SIZE, interpolation=cv2.INTER_LINEAR) > 0) & (score > 0)
        assert (mask == theirs).mean() > 0.999, "but for rounding at the edge"


def test_the_box_reaches_the_model(eyes: LoadedModel) -> None:
    rgb = filmed(YAWS[:2], stays)
    one, other = (segmented(eyes, rgb, box, SIZE) for box in (box_of(*PLACE), (0.6, 0.1, 0.9, 0.4)))
    assert not np.array_equal(one.masks, other.masks) or not np.array_equal(one.sureness, other.sureness)


def test_room_does_not_grow_with_the_clip(eyes: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[int] = []
    forget = sam2._forget

    def counted(session: Any, i: int, config: Any) -> None:
        forget(session, i, config)
        kept = session.output_dict_per_obj[0]
        held.append(len(kept["non_cond_frame_outputs"]) + len(session.processed_frames))

    monkeypatch.setattr(sam2, "_forget", counted)
    segmented(eyes, filmed([0.0] * 40, stays), box_of(*PLACE), SIZE)
    assert max(held) <= 16


def test_it_stands_in_for_the_weight_free_tracker(checkpoint: Path) -> None:
    look = look_at(filmed(YAWS, stays))
    given = {"by": "subject_track_sam2", "model": str(checkpoint), "device": "cpu"}
    seen = seen_with(OBSERVERS.get("subject_track"), replace(look, settings=given))
    assert isinstance(seen, Sam2Track)
    assert seen.visible.all()
    assert len(seen.arrays()["visible"]) == len(YAWS)
