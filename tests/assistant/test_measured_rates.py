"""A rate that was measured is judged against what the cards give: one request's, or all requests' together."""

import pytest

from assistant.ground.check import ground
from assistant.understand import understand
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("vLLM gives me 9 tokens/s for Llama-3.1-8B on an A100 80GB, one request. What's off?", "Slower than it"),
        ("RTX 4090 only 4 tok/s in sglang with a 7B in fp16, shouldn't it be faster?", "Slower than it should"),
        ("8xH100 Llama-3.1-70B fp8 total throughput 150 tok/s at 64 concurrent, expected?", "Less than these cards"),
        ("4090 用 vLLM 跑 Qwen2.5-7B FP16 只有 5 token/s，正常吗", "比应有的慢"),
    ],
)
def test_a_low_rate_is_called_low(text: str, opens: str) -> None:
    _, _, draft = turn(text)
    assert draft.answer.lstrip("*").startswith(opens), draft.answer.splitlines()[0]


def test_a_rate_of_all_requests_is_not_held_against_one_request() -> None:
    _, _, draft = turn("8xH100 Llama-3.1-70B fp8 total throughput 1500 tok/s at 64 concurrent, expected?")
    assert "That is not slow" not in draft.answer.splitlines()[0]


def test_weights_that_just_fit_are_not_said_not_to_fit() -> None:
    _, _, draft = turn("2x P40 with Qwen2.5-72B q4_k_m in ollama, 2 token/s. normal?")
    assert "do not fit" not in draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("does an RTX 4080 beat a 3090 for training segmentation networks?", "compare"),
        ("would a 5070 Ti outperform a 4090 in whisper?", "compare"),
        ("4xA100 at $1.8/gpu-hr or buying a $90k server, when does it pay off", "cloud_or_buy"),
        ("renting 8 H100 versus our own, where is the break-even", "cloud_or_buy"),
        ("RuntimeError: The NVIDIA driver on your system is too old (found version 11080), A10", "compatibility"),
    ],
)  # fmt: skip
def test_what_is_asked_is_seen(text: str, intent: str) -> None:
    assert understand(text).need.intent == intent


def test_slots_of_pasted_words() -> None:
    need = understand("vLLM: Maximum concurrency for 16384 tokens per request: 2.10x, Qwen2.5-14B on an A100 40").need
    assert need.context_tokens == 16384
    assert [card.gpu for card in need.gpus_owned] == ["a100-sxm-40gb"]
    assert understand("we train ViTs and detectors, which card?").need.task == "vision"


def test_each_kind_of_card_named_is_counted() -> None:
    _, _, draft = turn("how many A100 80GB to deploy Llama-3.1-405B? and how many H200")
    first = draft.answer.splitlines()[0]
    assert "A100" in first
    assert "H200" in first


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("QLoRA Llama-3.1-8B on 2 4090s, CUDA OOM: only GPU 0 fills up and GPU 1 sits idle", "The load lies on one"),
        ("QLoRA of a 7B on a 3090 runs 500 steps then CUDA OOM, batch 1", "Running for a while"),
        ("两张 4090 QLoRA 7B，只有第一张卡爆显存，另一张空着", "负载都压在一张卡上"),
    ],
)
def test_more_signs(text: str, opens: str) -> None:
    _, _, draft = turn(text)
    assert draft.answer.lstrip("*").startswith(opens), draft.answer.splitlines()[0]


def test_a_training_no_card_holds_alone_is_priced_on_as_many_as_hold_it() -> None:
    _, _, draft = turn("H200 or B200 for pretraining a 30B from scratch, which does more per dollar?")
    assert "cheaper" in draft.answer.splitlines()[0], draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("SDXL takes 100 s per image on a 4090, 30 steps 1024. normal?", "Slower than it should be"),
        ("why is fp8 no faster than bf16 on my A100 in vLLM, Qwen2.5-7B?", "only on cards with FP8 units"),
        ("do RTX 4090s support NVLink?", "does not have NVLink"),
        ("is my 650W PSU enough or upgrade it for a 4090", "650 W"),
        ("Q8_0 vs Q5_K_M for Qwen2.5-14B on a 4090, which should I pick?", "Take GGUF Q8_0"),
    ],
)
def test_the_first_line_answers(text: str, holds: str) -> None:
    _, _, draft = turn(text)
    assert holds in draft.answer.splitlines()[0], draft.answer.splitlines()[0]


def test_a_long_step_of_a_language_model_is_no_sign_of_a_full_card() -> None:
    _, _, draft = turn("LoRA of Llama-3.1-8B on an A6000, 16 s/it with grad accum 32. slow?")
    assert "driver has moved" not in draft.answer


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mixtral 8x7b q3_k_m in ollama on a P40, only 4 tok/s and the cpu is pegged. why so slow?", "in host memory"),
        ("ollama 跑 qwen2.5-32b q8_0，4090 只有 3 token/s，正常吗", "放不进显卡"),
    ],
)
def test_weights_that_spill_are_why_it_is_slow(text: str, why: str) -> None:
    _, records, draft = turn(text)
    assert why in draft.answer.splitlines()[0]
    assert "= 0 GiB" not in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded
