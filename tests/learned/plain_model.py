"""The tiny model asked in the plainest way: the whole prompt each time, nothing shared, nothing remembered."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from lookaway.judges.frames import SentFrame


class PlainModel:
    def __init__(self, folder: Path) -> None:
        from transformers import AutoModelForImageTextToText, AutoProcessor

        self.processor = AutoProcessor.from_pretrained(folder)
        self.model = AutoModelForImageTextToText.from_pretrained(folder, dtype="float32").eval()

    @property
    def tokenizer(self) -> Any:
        return self.processor.tokenizer

    def of_messages(self, messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Inputs from messages of the chat-completions protocol, pictures as data URLs."""
        images = [
            Image.open(io.BytesIO(base64.b64decode(part["image_url"]["url"].partition(",")[2]))).convert("RGB")
            for message in messages
            for part in message["content"]
            if isinstance(part, dict) and part["type"] == "image_url"
        ]
        text = self.processor.apply_chat_template(list(messages), add_generation_prompt=True, tokenize=False)
        return dict(self.processor(text=[text], images=images, return_tensors="pt"))

    def of_pictures(self, prompt: str, frames: Sequence[SentFrame]) -> dict[str, Any]:
        """Inputs from frames as pictures, each after its time."""
        content: list[dict[str, str]] = []
        for frame in frames:
            content += [{"type": "text", "text": f"Frame at {frame.seconds:.2f} s:"}, {"type": "image"}]
        content.append({"type": "text", "text": prompt})
        told = [{"role": "user", "content": content}]
        text = self.processor.apply_chat_template(told, add_generation_prompt=True, tokenize=False)
        images = [Image.fromarray(frame.rgb) for frame in frames]
        return dict(self.processor(text=[text], images=images, return_tensors="pt"))

    def of_video(self, prompt: str, frames: Sequence[SentFrame], fps: float, ending: str = "") -> dict[str, Any]:
        """Inputs from frames at a steady rate, the first at 0 s; `ending` goes after the whole prompt."""
        from transformers.video_utils import VideoMetadata

        content = [{"type": "video"}, {"type": "text", "text": prompt}]
        told = [{"role": "user", "content": content}]
        text = self.processor.apply_chat_template(told, add_generation_prompt=True, tokenize=False) + ending
        count = len(frames)
        when = VideoMetadata(total_num_frames=count, fps=fps, frames_indices=list(range(count)), duration=count / fps)
        made = self.processor(
            text=[text],
            videos=[np.stack([frame.rgb for frame in frames])],
            video_metadata=[when],
            do_sample_frames=False,
            cap_pixels_per_frame=True,
            return_tensors="pt",
        )
        made.pop("video_metadata", None)
        return dict(made)

    def logprobs(self, inputs: dict[str, Any]) -> Any:
        """Of every token that could come next."""
        import torch

        with torch.inference_mode():
            return torch.log_softmax(self.model(**inputs).logits[0, -1].double(), dim=-1)

    def tokens(self, inputs: dict[str, Any], most: int) -> list[int]:
        """The likeliest reply."""
        import torch

        with torch.inference_mode():
            made = self.model.generate(**inputs, max_new_tokens=most, do_sample=False)
        return list(made[0, inputs["input_ids"].shape[1] :].tolist())
