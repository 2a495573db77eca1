"""Networks that see: what size, batch and dimensions do to memory, and the recipes that fill in what is not said."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from published import runs, score

from kb.catalog import models
from kb.constants.pictures import pictures
from kb.units import GB
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest


def total(**fields: object) -> float:
    return estimate_memory(MemoryRequest.model_validate({"task": "full_finetune", **fields})).per_gpu.total_bytes


@pytest.mark.parametrize(
    ("fields", "low", "high"),
    [
        pytest.param({"model": "ultralytics/yolov8n"}, 2.5, 4.5, id="yolo-n-at-its-defaults"),
        pytest.param({"model": "ultralytics/yolov8x"}, 14, 20, id="yolo-x-at-its-defaults"),
        pytest.param({"model": "torchvision/resnet50", "micro_batch_size": 256}, 12, 20, id="resnet-imagenet"),
        pytest.param({"model": "MIC-DKFZ/nnUNet"}, 6.5, 9.5, id="nnunet-7.7-by-its-authors"),
        pytest.param({"model": "MIC-DKFZ/nnUNet-ResEncL"}, 19, 26, id="resenc-l-22.7"),
        pytest.param({"model": "google/vit-large-patch16-224", "micro_batch_size": 64}, 15, 30, id="vit-l"),
    ],
)
def test_is_what_such_a_run_takes(fields: dict[str, object], low: float, high: float) -> None:
    assert low * GB <= total(**fields) <= high * GB


def test_feature_maps_follow_the_area() -> None:
    one, four = (total(model="ultralytics/yolo11m", width_px=side) for side in (640, 1280))
    fixed = total(model="ultralytics/yolo11m", width_px=64, images_per_batch=1)
    assert 3.7 < (four - fixed) / (one - fixed) < 4.1


def test_a_side_of_a_volume_is_a_cube() -> None:
    small, large = (total(model="monai/3d-unet", width_px=side, images_per_batch=1) for side in (64, 128))
    assert large > 3 * small


def test_a_smaller_batch_is_the_way_onto_a_small_card() -> None:
    found = estimate_memory(MemoryRequest(task="full_finetune", model="ultralytics/yolov8l", gpu="rtx-3060-12gb"))
    assert found.fit is not None
    assert found.fit.verdict == "no"
    assert (found.fit.max_micro_batch_size or 0) >= 4
    assert any(change.change.startswith("images_per_batch") for change in found.changes)


def test_says_whose_recipe_it_took() -> None:
    told = " ".join(estimate_memory(MemoryRequest(task="full_finetune", model="ultralytics/yolov8s")).assumptions)
    assert "640 × 640 pixels, 16 a batch" in told
    assert "Ultralytics" in told


def test_every_counted_network_is_in_the_catalog() -> None:
    assert not [name for name in pictures().kept_bytes_per_pixel if name not in models()]


def test_published_runs_of_vision_lie_within_the_interval() -> None:
    scores = [score(run) for run in runs() if run.kind == "vision"]
    assert len(scores) >= 8
    assert sum(bool(one.covered) for one in scores) >= 0.8 * len(scores)
    assert sorted(abs(one.error) for one in scores)[len(scores) // 2] <= 0.2
