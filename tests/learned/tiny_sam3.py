"""A random SAM 3 in a folder, laid out as the published weights are: the part for words and the part for boxes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SIDE = 112
PATCH = 14
WIDTH = 128
LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]
VOCABULARY = ["!", *LETTERS, *(f"{letter}</w>" for letter in LETTERS), "<|startoftext|>", "<|endoftext|>"]


def build(folder: Path) -> Path:
    import torch
    import transformers

    torch.manual_seed(0)
    config = transformers.Sam3VideoConfig(
        detector_config=_detector(transformers), tracker_config=_tracker(transformers)
    )
    config.image_size = SIDE
    model = transformers.Sam3VideoModel(config)
    with torch.no_grad():
        model.tracker_model.mask_decoder.pred_obj_score_head.proj_out.bias += 1  # so that it sees something
    model.save_pretrained(folder)
    ends = {"bos_token": VOCABULARY[-2], "eos_token": VOCABULARY[-1], "pad_token": "!"}
    words = {word: number for number, word in enumerate(VOCABULARY)}
    transformers.CLIPTokenizer(vocab=words, merges=[], model_max_length=32, **ends).save_pretrained(folder)
    return folder


def _vision(transformers: Any) -> Any:
    size = {"hidden_size": 24, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    looks = {"image_size": SIDE, "pretrain_image_size": 56, "window_size": 4, "global_attn_indexes": [1]}
    backbone = transformers.Sam3ViTConfig(**size, **looks, patch_size=PATCH)
    grid = SIDE // PATCH
    sizes = [[4 * grid, 4 * grid], [2 * grid, 2 * grid], [grid, grid]]
    return transformers.Sam3VisionConfig(backbone_config=backbone, fpn_hidden_size=WIDTH, backbone_feature_sizes=sizes)


def _detector(transformers: Any) -> Any:
    part = {"hidden_size": WIDTH, "num_attention_heads": 4}
    layers = {**part, "num_layers": 1, "intermediate_size": 32}
    words = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    ends = {"bos_token_id": len(VOCABULARY) - 2, "eos_token_id": len(VOCABULARY) - 1, "pad_token_id": 0}
    told = {"model_type": "clip_text_model", "vocab_size": len(VOCABULARY), "max_position_embeddings": 32}
    return transformers.Sam3Config(
        vision_config=_vision(transformers),
        text_config={**words, **ends, **told, "projection_dim": 16},
        geometry_encoder_config=layers,
        detr_encoder_config=layers,
        detr_decoder_config={**layers, "num_queries": 20},
        mask_decoder_config=part,
    )


def _tracker(transformers: Any) -> Any:
    grid = SIDE // PATCH
    return transformers.Sam3TrackerVideoConfig(
        vision_config=_vision(transformers),
        prompt_encoder_config={"hidden_size": WIDTH, "image_size": SIDE, "mask_input_channels": 8},
        mask_decoder_config={"hidden_size": WIDTH, "mlp_dim": 64, "num_attention_heads": 4, "iou_head_hidden_dim": 32},
        image_size=SIDE,
        memory_attention_hidden_size=WIDTH,
        memory_attention_num_layers=2,
        memory_attention_feed_forward_hidden_size=64,
        memory_attention_rope_feat_sizes=[grid, grid],
        memory_encoder_hidden_size=WIDTH,
        memory_encoder_output_channels=64,
        mask_downsampler_embed_dim=WIDTH,
        memory_fuser_embed_dim=WIDTH,
        memory_fuser_intermediate_dim=64,
    )
