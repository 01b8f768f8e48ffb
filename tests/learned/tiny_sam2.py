"""A random SAM 2 in a folder."""

from __future__ import annotations

from pathlib import Path

SIDE = 128


def build(folder: Path) -> Path:
    import torch
    import transformers

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
    model = transformers.Sam2VideoModel(config)
    with torch.no_grad():
        model.mask_decoder.pred_obj_score_head.proj_out.bias += 1  # so that it sees something
    model.save_pretrained(folder)
    return folder
