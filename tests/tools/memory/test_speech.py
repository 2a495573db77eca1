"""Training voices and recognisers: batches by recipe, what a sample keeps."""

import pytest

from kb.units import GB
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest


@pytest.mark.parametrize(
    ("model", "batch", "low", "high"),
    [
        pytest.param("kakao-enterprise/vits-ljs", None, 10, 14, id="vits-12-to-13-at-its-batch"),
        pytest.param("kakao-enterprise/vits-ljs", 32, 18, 26, id="vits-20-of-32-in-espnet"),
        pytest.param("lj1995/GPT-SoVITS", 2, 5, 9, id="gpt-sovits-two-on-8"),
        pytest.param("openai/whisper-small", 16, 7, 14, id="whisper-small-on-a-16-gb-card"),
        pytest.param("openai/whisper-large-v3", 8, 30, 45, id="whisper-large"),
    ],
)
def test_is_what_such_a_training_takes(model: str, batch: int | None, low: float, high: float) -> None:
    found = estimate_memory(MemoryRequest(task="full_finetune", model=model, micro_batch_size=batch))
    assert low * GB <= found.per_gpu.total_bytes <= high * GB


def test_a_smaller_batch_is_offered() -> None:
    found = estimate_memory(MemoryRequest(task="full_finetune", model="kakao-enterprise/vits-ljs", gpu="rtx-3070-8gb"))
    assert found.fit is not None
    assert found.fit.verdict == "no"
    assert (found.fit.max_micro_batch_size or 0) >= 6
    assert any(change.change == "images_per_batch = 8" for change in found.changes)
