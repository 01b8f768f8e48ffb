"""What trackers share that are given a box in the first frame and remember what was in it: SAM 2, SAM 3."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.errors import ObserveError
from lookaway.observers import Flags, Floats, Look
from lookaway.observers.learned import LearnedSettings, LoadedModel, Opens
from lookaway.observers.learned import loaded_model as loaded
from lookaway.observers.subject_track import LEAST_PX, SubjectTrack, described, subject_pictures
from lookaway.observers.tracking.given_masks import followed_masks
from lookaway.outcomes import Abstain
from lookaway.records import Box

SUBJECT = 1  # the only thing that is followed
CORNERS = (2, 3)  # labels of a box's upper left and lower right

Image = NDArray[np.uint8]
Tones = NDArray[np.float32]


@dataclass(frozen=True)
class BoxTracker:
    """A kind of model that follows a box."""

    name: str  # of the observer
    opens: Opens
    session: str  # module and class of what it remembers, as in `transformers.models.….Session`
    mean: Tones  # what is subtracted from RGB of 0 to 1
    std: Tones  # what it is divided by


class Segmented(NamedTuple):
    masks: Flags  # (N, height, width), empty where it is not seen
    sureness: Floats  # that it is seen, 0 to 1


T = TypeVar("T", bound=SubjectTrack)


def followed_box(look: Look, tracker: BoxTracker, settings: LearnedSettings, kind: type[T]) -> T | Abstain:
    """The subject's box through all frames, described as `subject_track` describes it."""
    begun = subject_pictures(look)
    if isinstance(begun, Abstain):
        return begun
    pictures, box = begun
    eyes = loaded(tracker.name, settings, tracker.opens)
    seen = segmented(eyes, tracker, look.frames.rgb, box, pictures.size)
    if seen.masks[0].sum() < LEAST_PX:
        return Abstain("the model finds no thing in the box")
    return described(pictures, followed_masks(pictures, seen.masks, seen.sureness), kind, precision=1.0)


def segmented(eyes: LoadedModel, tracker: BoxTracker, rgb: Image, box: Box, size: tuple[int, int]) -> Segmented:
    """The thing in the box of the first frame through all frames, in masks of that width and height."""
    session = _session(eyes, tracker, rgb.shape[1:3], box)
    masks, sureness = [], []
    for i in range(len(rgb)):
        seen = eyes.model(inference_session=session, frame=pixels(eyes, tracker, rgb[i]), frame_idx=i)
        odds = cv2.resize(seen.pred_masks[0, 0].float().cpu().numpy(), size, interpolation=cv2.INTER_LINEAR)
        score = float(seen.object_score_logits.float().cpu().reshape(-1)[0])
        masks.append((odds > 0) & (score > 0))
        sureness.append(1 / (1 + np.exp(-np.clip(score, -50, 50))))
        _forget(session, i, eyes.model.config)
    return Segmented(np.stack(masks), np.array(sureness))


def _session(eyes: LoadedModel, tracker: BoxTracker, shape: tuple[int, ...], box: Box) -> Any:
    torch = eyes.torch
    places = dict.fromkeys(("inference_device", "inference_state_device", "video_storage_device"), eyes.device)
    dtype = getattr(torch, eyes.dtype)
    session = session_class(tracker)(video_height=shape[0], video_width=shape[1], dtype=dtype, **places)
    corners = torch.tensor(box).reshape(1, 1, 2, 2) * side_of(eyes)
    labels = torch.tensor(CORNERS, dtype=torch.int32).reshape(1, 1, 2)
    at = session.obj_id_to_idx(SUBJECT)
    session.add_point_inputs(at, 0, {"point_coords": corners, "point_labels": labels})
    session.obj_with_new_inputs = [SUBJECT]
    return session


def session_class(tracker: BoxTracker) -> Any:
    from importlib import import_module

    module, _, name = tracker.session.rpartition(".")
    return getattr(import_module(module), name)


def _forget(session: Any, i: int, config: Any) -> None:
    """A frame that was seen, and what is too long ago for the model to remember: a long clip takes no more room."""
    session.processed_frames.pop(i)
    reach = max(config.num_maskmem, config.max_object_pointers_in_encoder)
    for each in session.output_dict_per_obj.values():
        each["non_cond_frame_outputs"].pop(i - reach, None)


def pixels(eyes: LoadedModel, tracker: BoxTracker, rgb: Image) -> Any:
    """A frame as the model takes it: (1, 3, side, side)."""
    toned = squeezed(rgb, side_of(eyes), tracker.mean, tracker.std)[None]
    return eyes.torch.from_numpy(toned).to(eyes.device, getattr(eyes.torch, eyes.dtype))


def squeezed(rgb: Image, side: int, mean: Tones, std: Tones) -> NDArray[np.float32]:
    """The whole picture as a square of that side, whatever its shape was, and normalised: (3, side, side)."""
    how = cv2.INTER_AREA if max(rgb.shape) > side else cv2.INTER_LINEAR
    sized = cv2.resize(rgb, (side, side), interpolation=how).astype(np.float32) / 255
    return np.asarray(((sized - mean) / std).transpose(2, 0, 1), np.float32)


def side_of(eyes: LoadedModel) -> int:
    return int(np.max(eyes.model.config.image_size))


def whole_model(name: str, folder: Path) -> Any:
    """A model of transformers with the weights in a folder.

    Refused where some are missing, which the library would draw at random.
    """
    import transformers

    try:
        kind = getattr(transformers, name)
    except (ImportError, AttributeError) as error:
        needs = "transformers 5, and builds of torch and torchvision that belong together"
        raise ObserveError(f"{name} cannot be loaded: {error}; it needs {needs}") from error
    model, told = kind.from_pretrained(folder, output_loading_info=True)
    if told["missing_keys"]:
        first, count = min(told["missing_keys"]), len(told["missing_keys"])
        raise ObserveError(f"{count} weights of {name} are missing from '{folder.name}', {first} among them")
    return model
