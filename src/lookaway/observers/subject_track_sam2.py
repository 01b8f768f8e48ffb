"""The subject followed by SAM 2 from its box in the first frame: the same arrays as `subject_track` has.

`--set subject_track.by=subject_track_sam2` lets every metric of the subject read it. See docs/subject.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.observers import Flags, Floats, Look, observer
from lookaway.observers.learned import IMAGENET_MEAN, IMAGENET_STD, LearnedSettings, LoadedModel, learned_settings
from lookaway.observers.learned import loaded_model as loaded
from lookaway.observers.subject_track import LEAST_PX, SubjectTrack, described, subject_pictures
from lookaway.observers.tracking.given_masks import followed_masks
from lookaway.outcomes import Abstain
from lookaway.records import Box

NAME = "subject_track_sam2"
MODEL = "facebook/sam2.1-hiera-tiny"
SUBJECT = 1  # the only thing that is followed
CORNERS = (2, 3)  # labels of a box's upper left and lower right

Image = NDArray[np.uint8]


class Sam2Track(SubjectTrack):
    """The same, followed by SAM 2."""


class Sam2Settings(LearnedSettings):
    """What `--set subject_track_sam2.NAME=VALUE` may say; frames are looked at one by one, whatever `batch` says."""

    model: str = MODEL


@observer(version=1, saw=Sam2Track, extra="torch", weights=MODEL)
def subject_track_sam2(look: Look) -> Sam2Track | Abstain:
    """Per frame, from the box in the first one: where SAM 2 sees the subject, and what it looks like there."""
    begun = subject_pictures(look)
    if isinstance(begun, Abstain):
        return begun
    pictures, box = begun
    settings = learned_settings(Sam2Settings, NAME, look)
    seen = segmented(loaded(NAME, settings, _opened), look.frames.rgb, box, pictures.size)
    if seen.masks[0].sum() < LEAST_PX:
        return Abstain("the model finds no thing in the box")
    return described(pictures, followed_masks(pictures, seen.masks, seen.sureness), Sam2Track, precision=1.0)


class Segmented(NamedTuple):
    masks: Flags  # (N, height, width), empty where it is not seen
    sureness: Floats  # that it is seen, 0 to 1


def segmented(eyes: LoadedModel, rgb: Image, box: Box, size: tuple[int, int]) -> Segmented:
    """The thing in the box of the first frame through all frames, in masks of that width and height."""
    session = _session(eyes, rgb.shape[1:3], box)
    masks, sureness = [], []
    for i in range(len(rgb)):
        seen = eyes.model(inference_session=session, frame=_pixels(eyes, rgb[i]), frame_idx=i)
        odds = cv2.resize(seen.pred_masks[0, 0].float().cpu().numpy(), size, interpolation=cv2.INTER_LINEAR)
        score = float(seen.object_score_logits.float().cpu().reshape(-1)[0])
        masks.append((odds > 0) & (score > 0))
        sureness.append(1 / (1 + np.exp(-np.clip(score, -50, 50))))
        _forget(session, i, eyes.model.config)
    return Segmented(np.stack(masks), np.array(sureness))


def _session(eyes: LoadedModel, shape: tuple[int, ...], box: Box) -> Any:
    from transformers.models.sam2_video.modeling_sam2_video import Sam2VideoInferenceSession

    torch = eyes.torch
    places = dict.fromkeys(("inference_device", "inference_state_device", "video_storage_device"), eyes.device)
    dtype = getattr(torch, eyes.dtype)
    session = Sam2VideoInferenceSession(video_height=shape[0], video_width=shape[1], dtype=dtype, **places)
    corners = torch.tensor(box).reshape(1, 1, 2, 2) * _side(eyes)
    labels = torch.tensor(CORNERS, dtype=torch.int32).reshape(1, 1, 2)
    at = session.obj_id_to_idx(SUBJECT)
    session.add_point_inputs(at, 0, {"point_coords": corners, "point_labels": labels})
    session.obj_with_new_inputs = [SUBJECT]
    return session


def _forget(session: Any, i: int, config: Any) -> None:
    """A frame that was seen, and what is too long ago for the model to remember: a long clip takes no more room."""
    session.processed_frames.pop(i)
    reach = max(config.num_maskmem, config.max_object_pointers_in_encoder)
    for each in session.output_dict_per_obj.values():
        each["non_cond_frame_outputs"].pop(i - reach, None)


def _pixels(eyes: LoadedModel, rgb: Image) -> Any:
    side = _side(eyes)
    how = cv2.INTER_AREA if max(rgb.shape) > side else cv2.INTER_LINEAR
    sized = cv2.resize(rgb, (side, side), interpolation=how).astype(np.float32) / 255
    pixels = ((sized - IMAGENET_MEAN) / IMAGENET_STD).transpose(2, 0, 1)[None]
    return eyes.torch.from_numpy(pixels).to(eyes.device, getattr(eyes.torch, eyes.dtype))


def _side(eyes: LoadedModel) -> int:
    return int(np.max(eyes.model.config.image_size))


def _opened(folder: Path) -> Any:
    from transformers import Sam2VideoModel

    return Sam2VideoModel.from_pretrained(folder)
