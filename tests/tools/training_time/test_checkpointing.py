"""Pre-training recomputes no more than its cards' memory needs, wherever it is asked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.catalog import gpu as card
from tools.configure.pace.bound import Each, bound_of_training
from tools.memory.estimate import memory_per_gpu
from tools.memory.request import MemoryRequest
from tools.training_time.checkpointing import WAYS, recomputing
from tools.training_time.job import job_of
from tools.training_time.request import TrainingTimeRequest
from tools.training_time.step import token_time


def asked(**fields: object) -> TrainingTimeRequest:
    return TrainingTimeRequest.model_validate({"task": "pretrain", "gpu": "h100-sxm-80gb", "gpu_count": 8, **fields})


@pytest.mark.parametrize("params", [1_000_000_000, 7_000_000_000, 30_000_000_000, 70_000_000_000])
@pytest.mark.parametrize("gpu", ["rtx-4090-24gb", "a100-sxm-40gb", "h200-sxm-141gb"])
def test_the_least_recomputing_that_fits_is_taken(params: int, gpu: str) -> None:
    request = asked(params=params, gpu=gpu)
    way = recomputing(request, 8, 4096)
    needed = {
        one: memory_per_gpu(MemoryRequest(params=params, task="pretrain", sharding="fsdp", data_parallel=8,
                                          sequence_tokens=4096, gradient_checkpointing=one))[0].total_bytes
        for one in WAYS
    }  # fmt: skip
    fitting = [one for one in WAYS if needed[one] <= card(gpu).usable_bytes]
    assert way == (fitting[0] if fitting else "full")


@settings(deadline=None, max_examples=20)
@given(params=st.integers(10**9, 10**11), cards=st.sampled_from([8, 16, 64, 256]))
def test_more_cards_never_recompute_more(params: int, cards: int) -> None:
    few, many = (WAYS.index(recomputing(asked(params=params), count, 4096)) for count in (cards, 2 * cards))
    assert many <= few


def test_what_was_asked_and_fine_tuning_stay_as_they_were() -> None:
    for way, share in (("none", 0.0), ("full", 1.0)):
        assert job_of(asked(params=70_000_000_000, gradient_checkpointing=way))[0].recompute == share
    assert job_of(asked(params=1_000_000_000, task="full_finetune"))[0].recompute == 1.0
    assert job_of(asked(params=1_000_000_000, task="lora"))[0].recompute == 1.0


@pytest.mark.parametrize("params", [3_000_000_000, 13_000_000_000, 70_000_000_000])
def test_the_bound_of_a_card_is_no_slower_than_any_number_of_it(params: int) -> None:
    given = {"task": "pretrain", "params": params, "gpu": "a100-sxm-40gb"}
    bound = bound_of_training(tuple((given | {"gpu_count": 1}).items()))
    assert isinstance(bound, Each)
    rates = [1 / token_time(job_of(TrainingTimeRequest.model_validate(given | {"gpu_count": count}))[0]).total_s
             for count in (1, 8, 64, 512)]  # fmt: skip
    assert max(rates) <= bound.rate * (1 + 1e-9)
