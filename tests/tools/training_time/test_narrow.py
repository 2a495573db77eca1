"""Models of some ten or hundred million parameters: the host feeds the card, and the range is wide."""

import pytest

from tools.training_time.estimate import estimate_token_training
from tools.training_time.request import TrainingTimeRequest
from tools.training_time.result import TokenTraining

MINIMIND = {"layers": 8, "vocab_size": 6400, "task": "pretrain", "gpu_count": 1}
GPT2 = {"params": 124_000_000, "layers": 12, "hidden_size": 768, "heads": 12, "vocab_size": 50304, "task": "pretrain"}


def trained(**fields: object) -> TokenTraining:
    return estimate_token_training(TrainingTimeRequest.model_validate(fields))


@pytest.mark.parametrize(
    ("measured", "fields"),
    [
        # github.com/jingyaogong/minimind/issues/60: 111,769 batches of 48 an epoch of seven hours
        (109_000, MINIMIND | {"gpu": "rtx-2080-ti-11gb", "params": 26_878_000, "hidden_size": 512, "heads": 16,
                              "kv_heads": 8, "sequence_tokens": 512, "micro_batch_size": 48, "precision": "fp16"}),
        # its README: 1,270,238 samples of 340 tokens in 1.21 hours
        (99_150, MINIMIND | {"gpu": "rtx-3090-24gb", "params": 63_912_192, "hidden_size": 768, "heads": 8,
                             "kv_heads": 4, "sequence_tokens": 340, "micro_batch_size": 32}),
        # github.com/karpathy/nanoGPT/issues/182: 29 % of 312 TFLOPS
        (105_500, GPT2 | {"gpu": "rtx-4090-24gb", "gpu_count": 1, "sequence_tokens": 1024, "micro_batch_size": 12}),
        # github.com/karpathy/nanoGPT/issues/110: 562 ms for five batches of twelve
        (109_300, GPT2 | {"gpu": "a100-sxm-40gb", "gpu_count": 8, "sequence_tokens": 1024, "micro_batch_size": 12}),
    ],
)  # fmt: skip
def test_what_was_left_out_of_the_fit_lies_in_the_range(measured: float, fields: dict[str, object]) -> None:
    rate = trained(**fields).tokens_per_s_per_gpu
    assert rate.low < measured < rate.high


def test_feeding_holds_a_fast_card_back_more_than_a_slow_one() -> None:
    small = MINIMIND | {"params": 26_878_000, "hidden_size": 512, "heads": 16, "kv_heads": 8, "sequence_tokens": 512}
    slow, fast = (trained(gpu=gpu, micro_batch_size=32, **small) for gpu in ("rtx-3060-12gb", "rtx-4090-24gb"))
    assert fast.model_flops_utilisation < slow.model_flops_utilisation


def test_models_of_billions_do_not_notice_it() -> None:
    fields = {"model": "meta-llama/Llama-3.1-8B", "gpu": "h100-sxm-80gb", "gpu_count": 8, "task": "pretrain"}
    rate = trained(**fields).tokens_per_s_per_gpu
    assert rate.value / rate.low < 1.3
