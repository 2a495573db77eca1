"""Data to train on, from the number of samples and the length said of them somewhere beside."""

import pytest

from assistant.understand import understand
from assistant.understand.progress import find_samples
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("用 10万条 长度128 的数据微调 Qwen2.5-7B，需要多少卡多久", 12_800_000),
        ("8 万条，长度都是 256，LoRA 微调 GLM-4-9B，一张 3090 多久", 20_480_000),
        ("100k examples with seq len 256, full fine-tune Llama 3.2 3B on an A100, training time?", 25_600_000),
        ("30k rows, length 1000, LoRA Mistral 7B, how long on a 4090", 30_000_000),
        ("20 万条数据每条 500 token，QLoRA 微调 Qwen2.5-14B，4090 多久", 100_000_000),
    ],
)
def test_samples_of_a_length_are_so_many_tokens(text: str, tokens: int) -> None:
    assert understand(text).need.dataset_tokens == tokens


def test_the_longest_allowed_is_no_average() -> None:
    need = understand("5 万条样本，max_length 2048，全参微调 Qwen3-8B，8×A100 多久").need
    assert (need.dataset_tokens, need.sequence_tokens) == (None, 2048)


def test_no_sample_is_longer_than_the_longest_allowed() -> None:
    assert understand("50k samples, max_seq_length 256, QLoRA Llama 3.1 8B on a 3090").need.dataset_tokens == 12_800_000


def test_a_length_that_was_said_is_not_called_unsaid() -> None:
    _, _, draft = turn("60k samples, sequence length 200, LoRA Qwen3-8B on a 4090, how long does it take?")
    assert not any("512" in one for one in draft.assumptions)


@pytest.mark.parametrize(
    ("text", "samples"),
    [
        pytest.param("白天给80人做Qwen3-32B问答", None, id="a-model-and-its-work"),
        pytest.param("用 5 万条对话微调 Qwen3-32B", 50_000, id="counted"),
        pytest.param("fine-tune on 50k instructions", 50_000, id="en"),
    ],
)
def test_size_of_a_model_is_no_number_of_samples(text: str, samples: int | None) -> None:
    assert find_samples(text) == samples
