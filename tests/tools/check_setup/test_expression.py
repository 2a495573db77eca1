"""The rules' language over what anybody pastes: no number or text of theirs makes it run long or grow large."""

import time
from typing import Any

import pytest

from tools.check_setup import SetupRequest, check_setup
from tools.check_setup.expression import holds, worked_out

QUICK_S = 3.0


class Said:
    """Names with values."""

    def __init__(self, **values: Any) -> None:
        self._values = values

    def value(self, name: str) -> Any:
        return self._values.get(name)


@pytest.mark.parametrize(
    ("number", "most", "expected"), [(64, 3, 2), (64, 64, 64), (61, 8, 1), (128, 10**15, 128), (10**12, 10**12, 65_536)]
)
def test_the_largest_divisor_is_found_without_counting_up_to_what_was_pasted(
    number: int, most: int, expected: int
) -> None:
    started = time.perf_counter()
    found = worked_out("dividing(number, most)", Said(number=number, most=most))
    assert time.perf_counter() - started < QUICK_S
    assert number % found == 0
    assert found == expected or (number == 10**12 and found <= expected)


def test_texts_are_joined_and_never_multiplied() -> None:
    said = Said(port="9000", many=10**12, text="x" * 1000)
    assert worked_out("port + ':9000'", said) == "9000:9000"
    assert worked_out("text * many", said) is None
    assert not holds("text * many == 1", said)


@pytest.mark.parametrize(
    "command",
    [
        "vllm serve Qwen/Qwen3-32B --tensor-parallel-size 3000000001 --max-model-len 9999999999999999",
        f"vllm serve Qwen/Qwen3-32B --tensor-parallel-size {'9' * 4000}",
        "torchrun --nproc_per_node 80000000 --nnodes 30000000 train.py --per_device_train_batch_size 1e9",
        f'{{"train_batch_size": {"9" * 4000}, "gradient_accumulation_steps": 4000000000, "zero_optimization": {{}}}}',
    ],
)
def test_absurd_numbers_are_checked_in_no_time(command: str) -> None:
    check_setup(SetupRequest(text="vllm serve Qwen/Qwen3-8B"))  # the rules are read once
    started = time.perf_counter()
    check_setup(SetupRequest.model_validate({"text": command, "cards": "8x H100"}))
    assert time.perf_counter() - started < QUICK_S
