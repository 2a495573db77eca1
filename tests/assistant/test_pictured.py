"""What training a network that sees takes: told with the size, the batch and the variant it rests on."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "size", "batches"),
    [
        ("how much VRAM to train yolov8m?", "640 × 640", ("batch 16", "batch 4")),
        ("ResNet-50 training VRAM?", "224 × 224", ("batch 32", "batch 8")),
        ("训练 rt-detr 显存要求", "640 × 640", ("batch 16", "batch 4")),
    ],
)
def test_memory_is_told_with_size_and_batch(text: str, size: str, batches: tuple[str, ...]) -> None:
    _, records, draft = turn(text)
    line = draft.answer.split("\n")[0]
    assert size in line
    assert all(batch in line for batch in batches)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("text", ["yolov8 训练要多大显存？", "how much VRAM to train yolov8?"])
def test_a_name_of_several_sizes_is_told_from_largest_to_smallest(text: str) -> None:
    line = turn(text)[2].answer.split("\n")[0]
    assert "yolov8x batch 16" in line
    assert "yolov8n batch 16" in line


def test_a_stated_batch_is_kept_and_no_other_is_told() -> None:
    line = turn("yolo11m training with batch 32, how much VRAM?")[2].answer.split("\n")[0]
    assert "batch 32" in line
    assert "batch 8" not in line


def test_stated_size_and_batch_make_it_one_figure() -> None:
    draft = turn("yolov8s 1280 分辨率 batch 8 训练显存")[2]
    assert "取决于" not in draft.answer
    assert "常用设置" not in draft.answer


def test_the_premise_of_a_fit_names_size_and_batch() -> None:
    assert "Pictures of 640 × 640, 16 in a batch" in turn("Can I train yolov8m on an RTX 3060 12GB?")[2].answer
