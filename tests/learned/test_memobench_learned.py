"""MemoBench's learned metrics through the real transformers path, with tiny random checkpoints made here.

Each is held against a straight implementation: one picture at a time, by the publisher's own processor and model,
in double precision where numbers are compared.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway import protocols
from lookaway.errors import MissingWeights, ObserveError
from lookaway.gates import GATES
from lookaway.geometry.phase_frames import Keyframes, mapped_phases
from lookaway.metrics import METRICS, Case
from lookaway.metrics.geometric_consistency import SAMPLE_COUNTS, consistency
from lookaway.metrics.object_identity import TOP_SHARES, identity
from lookaway.observers import OBSERVERS, Look, ObservedArrays, learned
from lookaway.observers.aesthetics import linear_head
from lookaway.observers.classical import classical
from lookaway.observers.picture_sizes import CLIP, IMAGENET, depth_view, middle_square
from lookaway.observers.subject_patches import patches_showing
from lookaway.outcomes import Abstain, Gated
from tests.learned import checkpoints
from tests.learned.look_aways import BACK, GONE, looked_away, seen, stays, with_truth
from tests.observers.panorama import away_and_back, filmed, look_at

pytestmark = pytest.mark.torch

SAME = 1e-5
KEYS = Keyframes(GONE, BACK, 64)


@pytest.fixture(scope="module")
def dinov2(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(checkpoints.dinov2(tmp_path_factory.mktemp("dinov2")))


@pytest.fixture(scope="module")
def depth_anything(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(checkpoints.depth_anything(tmp_path_factory.mktemp("depth")))


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(checkpoints.clip(tmp_path_factory.mktemp("clip")))


@pytest.fixture(scope="module")
def head(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(checkpoints.aesthetic_head(tmp_path_factory.mktemp("head") / "head.pth"))


@pytest.fixture(scope="module")
def look(tmp_path_factory: pytest.TempPathFactory) -> Look:
    return looked_away(folder=tmp_path_factory.mktemp("truth"))


@pytest.fixture(scope="module")
def still(look: Look) -> Look:
    """A camera that never moves, beside the same truth."""
    return with_truth(look_at(filmed([0.0] * 64, stays)))


def found(name: str, look: Look, **settings: Any) -> Any:
    made = seen(name, look, device="cpu", **settings)
    assert isinstance(made, ObservedArrays), made
    return made


def scored(metric: str, look: Look, *observed: ObservedArrays) -> float:
    case = Case(look.task, look.truth, {each.observer: each.arrays() for each in observed}, {})
    value = METRICS.get(metric).function(case)
    assert isinstance(value, float), value
    return value


def evenly(first: int, last: int, count: int) -> list[int]:
    return sorted({first + round((last - first) * k / (count - 1)) for k in range(count)})


def straight_patches(rgb: np.ndarray, folder: str, shown: Any) -> Any:
    import torch
    from transformers import Dinov2Model

    model = Dinov2Model.from_pretrained(folder).double().eval()
    with torch.inference_mode():
        tokens = model(shown(rgb).double()).last_hidden_state[0, 1:]
    return torch.nn.functional.normalize(tokens, dim=1)


def as_processed(processor: Any) -> Any:
    from PIL import Image

    return lambda rgb: processor(Image.fromarray(rgb), return_tensors="pt")["pixel_values"]


def squeezed(rgb: np.ndarray) -> Any:
    """160 x 90 and the like to sixteen patches of fourteen on the shorter side, by Pillow and torch alone."""
    import torch
    from PIL import Image

    height, width = rgb.shape[:2]
    columns = round(16 * width / height)
    small = np.array(Image.fromarray(rgb).resize((14 * columns, 224), Image.Resampling.BICUBIC))
    tones = torch.tensor([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]])
    return ((torch.from_numpy(small) / 255 - tones[0]) / tones[1]).permute(2, 0, 1)[None]


def straight_identity(look: Look, frames: list[int], folder: str, shown: Any, share: float) -> float:
    first, means, lowest = straight_patches(look.frames.rgb[0], folder, shown), [], []
    for index in frames:
        cosines = (straight_patches(look.frames.rgb[index], folder, shown) * first).sum(1)
        top = cosines.sort(descending=True).values[: int(share * len(cosines))]
        means.append(float(top.mean()))
        lowest.append(float(top.min()))
    return 0.7 * sum(means) / len(means) + 0.3 * min(lowest)


def processors() -> Any:
    from transformers.models.bit import BitImageProcessorPil
    from transformers.models.clip import CLIPImageProcessorPil
    from transformers.models.dpt import DPTImageProcessorPil

    toned = {"image_mean": IMAGENET.mean.tolist(), "image_std": IMAGENET.deviation.tolist()}
    return {
        "dinov2": BitImageProcessorPil(
            size={"shortest_edge": 256}, crop_size={"height": 224, "width": 224}, resample=3, **toned
        ),
        "clip": CLIPImageProcessorPil(),
        "depth": DPTImageProcessorPil(
            size={"height": 518, "width": 518}, keep_aspect_ratio=True, ensure_multiple_of=14, resample=3, **toned
        ),
    }


@pytest.mark.parametrize("size", [(480, 832), (832, 480), (180, 320), (336, 592), (1080, 1920), (224, 224), (93, 161)])
def test_pictures_are_shown_as_the_publishers_processors_show_them(size: tuple[int, int]) -> None:
    pytest.importorskip("transformers")
    rgb = np.random.default_rng(0).integers(0, 255, (*size, 3), np.uint8)
    ours = {
        "dinov2": middle_square(rgb, 256, 224, IMAGENET),
        "clip": middle_square(rgb, 224, 224, CLIP),
        "depth": depth_view(rgb, 518, 14, IMAGENET),
    }
    for name, processor in processors().items():
        theirs = as_processed(processor)(rgb)[0].numpy()
        assert ours[name].shape == theirs.shape, name
        assert np.abs(ours[name] - theirs).max() < SAME, name


@pytest.mark.parametrize("share", TOP_SHARES)
def test_identity_and_its_sweep_are_those_of_a_straight_implementation(look: Look, dinov2: str, share: float) -> None:
    paper, released = (found(name, look, model=dinov2) for name in ("returned_patches", "returned_patches_released"))
    frames = evenly(BACK, 63, 9)
    expected = straight_identity(look, frames, dinov2, squeezed, share)
    assert identity(paper.same_place, share) == pytest.approx(expected, abs=SAME)
    expected = straight_identity(look, frames, dinov2, as_processed(processors()["dinov2"]), share)
    assert identity(released.same_place, share) == pytest.approx(expected, abs=SAME)
    assert paper.same_place.dtype == released.same_place.dtype == np.float32


def test_as_released_nine_frames_of_256_patches_are_looked_at_and_102_count(look: Look, dinov2: str) -> None:
    released = found("returned_patches_released", look, model=dinov2)
    assert released.same_place.shape == (9, 256)
    assert scored("object_identity:released", look, released) == identity(released.same_place, 102 / 256)


def test_sound_identity_compares_the_subject_alone_with_itself(look: Look, dinov2: str) -> None:
    ours = found("subject_patches", look, model=dinov2)
    track = seen("subject_track", look)
    assert (ours.frames >= BACK - 8).all()  # by the track it is back a little before it is whole
    first = straight_patches(look.frames.rgb[0], dinov2, squeezed).numpy()
    for row, index in enumerate(ours.frames):
        there = straight_patches(look.frames.rgb[index], dinov2, squeezed).numpy()
        masks = [np.asarray(mask, float) for mask in track.unpacked(np.array([0, index]))]
        rows, columns = (side // cells for side, cells in zip(masks[0].shape, (16, 28), strict=True))
        centres = [mask[rows // 2 :: rows, columns // 2 :: columns][:16, :28].ravel() > 0 for mask in masks]
        shown = ours.shows_it[row]
        assert (shown & centres[1]).sum() >= 0.6 * max(shown.sum(), centres[1].sum())  # a patch at the edge may differ
        every = (there @ first.T)[shown]
        assert (ours.best_match[row][shown] <= every.max(axis=1) + SAME).all()
        assert (ours.best_match[row][~shown] == 0).all()
        inside = every[:, centres[0]].max(axis=1)
        assert (ours.best_match[row][shown] >= inside - SAME).mean() > 0.9
    assert scored("object_identity:sound", look, ours) > scored(
        "object_identity:paper", look, found("returned_patches", look, model=dinov2)
    )


def with_masks(look: Look) -> Look:
    """Beside the same truth, which knows where the disc is: what differs from the film of an empty room."""
    empty = filmed(away_and_back(), lambda i: [])
    masks = (filmed(away_and_back(), stays) != empty).any(axis=3)
    assert look.truth is not None
    return replace(look, truth=replace(look.truth, arrays={"masks": masks}))


def test_exact_identity_compares_what_stands_where_the_subject_must_be(look: Look, dinov2: str) -> None:
    here = with_masks(look)
    ours = found("target_patches", here, model=dinov2)
    assert ours.frames.tolist() == evenly(BACK, 63, 9)
    first = straight_patches(look.frames.rgb[0], dinov2, squeezed).numpy()
    masks = here.truth.masks  # type: ignore[union-attr]
    own = first[patches_showing(masks[0], 16, 28)]
    for row, index in enumerate(ours.frames):
        shown = patches_showing(masks[index], 16, 28)
        assert (ours.shows_it[row] == shown).all()
        there = straight_patches(look.frames.rgb[index], dinov2, squeezed).numpy()[shown]
        assert ours.best_match[row][shown] == pytest.approx((there @ own.T).max(axis=1), abs=SAME)
    gone = look_at(filmed(away_and_back(), lambda i: stays(i) if i < GONE else []))
    vanished = with_masks(replace(gone, truth=look.truth))
    missing = found("target_patches", vanished, model=dinov2)
    assert scored("object_identity:exact", vanished, missing) < scored("object_identity:exact", here, ours) - 0.02
    assert isinstance(seen("subject_patches", vanished, model=dinov2), Abstain), "the track says that it is not found"


def test_without_true_masks_there_is_no_exact_identity(look: Look, dinov2: str) -> None:
    told = seen("target_patches", look, model=dinov2)
    assert isinstance(told, Abstain)
    assert "no true masks" in told.reason


def test_a_still_camera_gets_a_high_identity_and_stands_beside_the_inactivity_flag(
    look: Look, still: Look, dinov2: str
) -> None:
    for name, metric in (("returned_patches", "paper"), ("returned_patches_released", "released")):
        moved, rested = (
            scored(f"object_identity:{metric}", each, found(name, each, model=dinov2)) for each in (look, still)
        )
        assert rested > moved + 0.02
        assert rested > 0.95
    track = seen("subject_track", still)
    case = Case(still.task, still.truth, {"subject_track": track.arrays()}, {})
    assert isinstance(GATES.get("subject_left")(case), Gated), "sound has no number for it"
    assert isinstance(seen("subject_patches", still, model=dinov2), Abstain)
    turned = classical(still)
    assert isinstance(turned, ObservedArrays)
    flagged = METRICS.get("camera_inactivity:sound").function(
        Case(still.task, still.truth, {"classical": turned.arrays()}, {})
    )
    assert flagged == 1.0
    for protocol in ("memobench", "memobench_paper", "memobench_released"):
        assert "camera_inactivity" in {metric.name for metric in protocols.load(protocol).metrics}


def straight_depth(rgb: np.ndarray, folder: str) -> np.ndarray:
    import torch
    from transformers import DepthAnythingForDepthEstimation

    model = DepthAnythingForDepthEstimation.from_pretrained(folder).double().eval()
    with torch.inference_mode():
        depth = model(as_processed(processors()["depth"])(rgb).double()).predicted_depth[0].numpy()
    flat = ((depth - depth.min()) / (depth.max() - depth.min())).ravel()
    return np.asarray(flat / np.sqrt((flat**2).sum()))


@pytest.mark.parametrize("samples", SAMPLE_COUNTS)
def test_depth_consistency_and_its_sweep_are_those_of_a_straight_implementation(
    look: Look, depth_anything: str, samples: int
) -> None:
    ours = found("phase_depths", look, model=depth_anything, samples="2,3,5,7")
    phases = []
    for first, last in ((0, GONE - 1), (BACK, 63)):
        maps = [straight_depth(look.frames.rgb[i], depth_anything) for i in evenly(first, last, samples)]
        phases.append([float(here @ there) for here, there in pairwise(maps)])
    typical = sum(sum(each) / len(each) for each in phases) / 2
    expected = 0.7 * typical + 0.3 * min(min(each) for each in phases)
    assert consistency(ours, samples) == pytest.approx(expected, abs=SAME)
    if samples == 3:
        assert scored("geometric_consistency:paper", look, ours) == pytest.approx(expected, abs=SAME)


def test_a_sweep_needs_frames_that_were_looked_at(look: Look, depth_anything: str) -> None:
    three = found("phase_depths_released", look, model=depth_anything)
    assert len(three.frames) == 6
    assert isinstance(consistency(three, 3), float)
    told = consistency(three, 7)
    assert isinstance(told, Abstain)
    assert "phase_depths_released.samples=2,3,5,7" in told.reason


def straight_clip(rgb: np.ndarray, folder: str) -> np.ndarray:
    import torch
    from transformers import CLIPModel

    model = CLIPModel.from_pretrained(folder).double().eval()
    with torch.inference_mode():
        pixels = as_processed(processors()["clip"])(rgb).double()
        vector = model.visual_projection(model.vision_model(pixels).pooler_output)[0].numpy()
    return np.asarray(vector / np.linalg.norm(vector))


def test_aesthetic_scores_are_those_of_the_layers_one_after_the_other(look: Look, clip: str, head: str) -> None:
    import torch

    ours = found("aesthetics", look, model=clip, head=head)
    assert ours.frames.tolist() == list(range(0, 64, 4))
    layers = torch.load(head, weights_only=True)
    for frame, score in list(zip(ours.frames, ours.score, strict=True))[::5]:
        value = torch.from_numpy(straight_clip(look.frames.rgb[frame], clip))
        for number in (0, 2, 4, 6, 7):
            value = layers[f"layers.{number}.weight"].double() @ value + layers[f"layers.{number}.bias"].double()
        assert score == pytest.approx(value.item(), abs=SAME)


def test_a_head_may_be_one_layer_and_a_file_of_safetensors(tmp_path: Path) -> None:
    torch, safetensors = pytest.importorskip("torch"), pytest.importorskip("safetensors.torch")
    layer = torch.nn.Linear(24, 1)
    torch.save(layer.state_dict(), tmp_path / "one.pth")
    safetensors.save_file(layer.state_dict(), tmp_path / "one.safetensors")
    for file in ("one.pth", "one.safetensors"):
        read = linear_head(tmp_path / file)
        assert np.allclose(read.weight, layer.weight.detach().numpy()[0])
        assert read.bias == pytest.approx(layer.bias.item())


def test_what_is_no_head_is_refused_with_its_name(tmp_path: Path, look: Look, clip: str) -> None:
    torch = pytest.importorskip("torch")
    (tmp_path / "text.pth").write_text("no tensors")
    torch.save({"layer.weight": torch.zeros(1, 24)}, tmp_path / "unbiased.pth")
    torch.save(torch.nn.Linear(24, 3).state_dict(), tmp_path / "three.pth")
    torch.save(torch.nn.Linear(7, 1).state_dict(), tmp_path / "seven.pth")
    reasons = {
        "text": "cannot be read as a head",
        "unbiased": "no 'layer.bias'",
        "three": "ends in one number",
        "seven": "the head wants 7 numbers a picture, the model gives 24",
    }
    for name, reason in reasons.items():
        with pytest.raises(ObserveError, match=reason):
            seen("aesthetics", look, model=clip, head=str(tmp_path / f"{name}.pth"))


def test_revisit_similarity_is_that_of_a_straight_implementation(look: Look, clip: str) -> None:
    ours = found("returned_views", look, model=clip)
    returned = mapped_phases(64, KEYS, "released").returned
    frames = evenly(int(returned[0]), 63, 3)
    true = look.truth.frames().rgb
    expected = np.mean([straight_clip(look.frames.rgb[i], clip) @ straight_clip(true[i], clip) for i in frames])
    assert ours.frames.tolist() == ours.true_frames.tolist() == frames
    assert scored("revisit_similarity:released", look, ours) == pytest.approx(float(expected), abs=SAME)


def test_a_checkpoint_without_the_half_that_sees_is_refused(tmp_path: Path, look: Look, clip: str, head: str) -> None:
    import shutil

    safetensors = pytest.importorskip("safetensors.torch")
    shutil.copytree(clip, tmp_path / "half")
    tensors = safetensors.load_file(Path(clip) / "model.safetensors")
    kept = {name: tensor for name, tensor in tensors.items() if not name.startswith("vision_model.encoder")}
    safetensors.save_file(kept, tmp_path / "half" / "model.safetensors", {"format": "pt"})
    with pytest.raises(ObserveError, match="of its weights are not in the file"):
        seen("returned_views", look, model=str(tmp_path / "half"), device="cpu")


LOOKS = (
    ("returned_patches", "dinov2", 10),
    ("returned_patches_released", "dinov2", 10),
    ("subject_patches", "dinov2", 10),
    ("phase_depths", "depth_anything", 8),
    ("phase_depths_released", "depth_anything", 8),
    ("aesthetics", "clip", 21),
    ("returned_views", "clip", 6),
)


@pytest.mark.parametrize(("name", "weights", "most"), LOOKS)
def test_no_more_pictures_are_looked_at_than_the_release_looks_at(
    name: str, weights: str, most: int, look: Look, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """The release's counts are of 81 frames; these clips have 64, and of strides only aesthetics has one."""
    counts: list[int] = []
    plain = learned._batches

    def counted(pixels: Any, batch: int) -> Any:
        for together in plain(pixels, batch):
            counts.append(len(together))
            yield together

    monkeypatch.setattr(learned, "_batches", counted)
    more = {"head": request.getfixturevalue("head")} if name == "aesthetics" else {}
    found(name, look, model=request.getfixturevalue(weights), batch=8, **more)
    assert 0 < sum(counts) <= most
    assert max(counts) <= 8
    assert len(counts) == -(-sum(counts) // 8), "whole batches but for the last"


@pytest.mark.parametrize(("name", "weights", "most"), LOOKS)
def test_what_is_seen_is_the_same_one_by_one_and_eight_at_a_time(
    name: str, weights: str, most: int, look: Look, request: pytest.FixtureRequest
) -> None:
    more = {"head": request.getfixturevalue("head")} if name == "aesthetics" else {}
    one, eight = (found(name, look, model=request.getfixturevalue(weights), batch=n, **more) for n in (1, 8))
    for array, other in zip(one.arrays().values(), eight.arrays().values(), strict=True):
        if array.dtype == np.float32:
            assert np.abs(array - other).max() <= learned.SAME_FEATURES


@pytest.mark.parametrize(("name", "weights", "most"), LOOKS)
def test_weights_that_are_not_here_are_told_with_the_line_that_gets_them(
    name: str, weights: str, most: int, look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("LOOKAWAY_WEIGHTS", str(tmp_path / "weights"))
    with pytest.raises(MissingWeights, match=f"get them: lookaway weights get {OBSERVERS.get(name).weights}"):
        seen(name, look)


def test_a_head_that_is_not_here_is_told_too(
    look: Look, clip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("LOOKAWAY_WEIGHTS", str(tmp_path / "weights"))
    with pytest.raises(MissingWeights, match="lookaway weights get trl-lib/ddpo-aesthetic-predictor"):
        seen("aesthetics", look, model=clip)


@pytest.mark.parametrize("name", [name for name, *_ in LOOKS if name not in ("subject_patches", "aesthetics")])
def test_without_keyframes_there_is_no_phase_to_look_at(name: str) -> None:
    bare = look_at(filmed([0.0] * 8, stays))
    told = seen(name, bare)
    assert isinstance(told, Abstain)
    assert "keyframes" in told.reason


def test_observers_of_the_same_weights_share_one_model(look: Look, dinov2: str) -> None:
    for name in ("returned_patches", "returned_patches_released", "subject_patches"):
        found(name, look, model=dinov2)
    held = [key for key in learned._loaded if str(key[1]) == dinov2]
    assert len(held) == 1
