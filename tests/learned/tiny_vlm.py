"""A tiny vision-language model with random weights, made here in seconds and read back like any checkpoint.

It is a whole Qwen3-VL: tokenizer, chat template, image and video processors, model. Its yes and no rows are scaled up,
so that it does answer yes or no; which of them depends on pixels and words, but means nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>")
SPECIAL += ("<|vision_pad|>", "<|image_pad|>", "<|video_pad|>")
WORDS = ["Yes", "No", "yes", "no", " Yes", " No", " yes", " no", "YES", "NO", " YES", " NO"] * 200
WORDS += ["Is the object still there when the camera returns? Answer with a single word, Yes or No."] * 20
WORDS += ['{"answer": "Yes", "reason": "the object is there"} <0.5 seconds> Frame at 0.50 s:'] * 20

CONTENT = """\
{%- for message in messages -%}
<|im_start|>{{ message['role'] }}
{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for part in message['content'] -%}
{% if part['type'] in ('image', 'image_url') %}<|vision_start|><|image_pad|><|vision_end|>
{%- elif part['type'] in ('video', 'video_url') %}<|vision_start|><|video_pad|><|vision_end|>
{%- else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>
{% endfor %}"""
PLAIN = CONTENT + "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
MAY_THINK = PLAIN + "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}"
MUST_THINK = PLAIN + "{% if add_generation_prompt %}<think>\n{% endif %}"

CELL = {"patch_size": 16, "temporal_patch_size": 2, "merge_size": 2, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
EYES = {
    "depth": 2, "hidden_size": 32, "intermediate_size": 64, "num_heads": 2, "patch_size": 16, "spatial_merge_size": 2,
    "temporal_patch_size": 2, "out_hidden_size": 64, "num_position_embeddings": 64, "deepstack_visual_indexes": [0, 1],
}  # fmt: skip
SPEECH = {
    "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 32, "max_position_embeddings": 32768,
    "rope_parameters": {
        "rope_type": "default", "rope_theta": 1e6, "mrope_section": [6, 5, 5], "mrope_interleaved": True,
    },
}  # fmt: skip


def build(folder: Path, louder: float = 40.0, seed: int = 0) -> Path:
    """Write the checkpoint, for a seed the same weights every time; its yes and no rows are scaled by `louder`."""
    import torch
    from transformers import Qwen3VLForConditionalGeneration

    torch.manual_seed(seed)
    tokenizer = _tokenizer()
    model = Qwen3VLForConditionalGeneration(_config(tokenizer)).eval()
    answers = [tokenizer.convert_tokens_to_ids(tokenizer.tokenize(word))[0] for word in set(WORDS[:12])]
    with torch.no_grad():
        model.lm_head.weight[answers] *= louder
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(folder)
    _processor(tokenizer).save_pretrained(folder)
    return folder


def _tokenizer() -> Any:
    """Byte-level BPE trained on a few words, so that each spelling of yes and no is one token."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=600, initial_alphabet=letters, special_tokens=list(SPECIAL), show_progress=False
    )
    pieces.train_from_iterator(WORDS, trainer)
    names = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
    names |= {"vision_start_token": "<|vision_start|>", "vision_end_token": "<|vision_end|>"}
    return PreTrainedTokenizerFast(
        tokenizer_object=pieces, eos_token="<|im_end|>", pad_token="<|endoftext|>", extra_special_tokens=names
    )


def _config(tokenizer: Any) -> Any:
    from transformers import Qwen3VLConfig

    whole = -(-len(tokenizer) // 64) * 64
    ends = {"pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id}
    tokens = ("image_pad", "video_pad", "vision_start", "vision_end")
    fields = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
    ids = {field: tokenizer.convert_tokens_to_ids(f"<|{token}|>") for field, token in zip(fields, tokens, strict=True)}
    speech = {"vocab_size": whole, **SPEECH, **ends}
    return Qwen3VLConfig(text_config=speech, vision_config=dict(EYES), tie_word_embeddings=False, **ids)


def _processor(tokenizer: Any) -> Any:
    from transformers import Qwen2VLImageProcessor, Qwen3VLProcessor, Qwen3VLVideoProcessor

    least = 4 * 32 * 32
    image = Qwen2VLImageProcessor(size={"shortest_edge": least, "longest_edge": 64 * 32 * 32}, **CELL)
    video = Qwen3VLVideoProcessor(size={"shortest_edge": least, "longest_edge": 256 * 32 * 32}, fps=2, **CELL)
    tokenizer.chat_template = PLAIN
    return Qwen3VLProcessor(image_processor=image, tokenizer=tokenizer, video_processor=video, chat_template=PLAIN)
