"""What the asker tells of how it went wrong leads to the cause that goes with it."""

import pytest

from assistant.ground.check import ground
from assistant.phrases import phrases
from kb.oom import oom_facts
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("Training DINO-DETR on two 3090s, CUDA OOM only after about 300 iterations, batch 1", "Running for a while"),
        ("LoRA of Mistral 7B on a 4090, OOM at random after several hours", "Running for a while"),
        ("3090 训 YOLOv8x，跑了几百步才爆显存", "先正常"),
        ("Trainer: QLoRA of Llama-3.1-8B on an A6000 trains fine but OOM during evaluation", "It fails in evaluation"),
        ("A100 80G 上 LoRA 微调 Qwen2.5-7B，验证的时候爆显存", "在评估时爆"),
        ("ZeRO-3 full fine-tune of a 7B on 8x A100 80GB, CUDA OOM when saving the model", "It fails on saving"),
        ("embedding 30 million sentences with bge-m3 on an A10, CUDA out of memory after a while", "The model is not"),
    ],
)
def test_when_it_fails_tells_why_where_no_figure_proves_more(text: str, opens: str) -> None:
    _, _, draft = turn(text)
    assert draft.verdict == "diagnosis"
    assert draft.answer.lstrip("*").startswith(opens), draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("ResNet-50 training on a 4090, GPU utilization jumps from 0 to 90%, how to speed it up?", "A GPU that keeps"),
        ("4090 训 YOLOv8m，GPU 利用率忽高忽低，怎么提速", "GPU 一直在等"),
    ],
)  # fmt: skip
def test_a_gpu_that_waits_lacks_data(text: str, opens: str) -> None:
    _, _, draft = turn(text)
    assert draft.answer.lstrip("*").startswith(opens), draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("SD 1.5 LoRA on a 2060 6GB takes 45 s/it at batch 6, is it normal?", "That slow means that the card is full"),
        ("Flux LoRA training on a 4070 Ti 12GB, 3 minutes per iteration, what's wrong?", "That slow means"),
        ("3060 训 SDXL LoRA，80 秒一步，正常吗", "这么慢说明显存已满"),
        ("Qwen2.5-7B in bitsandbytes 4-bit on a 4090 is slower than fp16, why?", "That is how it is: bitsandbytes"),
    ],
)
def test_slowness_with_a_known_sign_is_explained_and_nothing_sold(text: str, opens: str) -> None:
    _, _, draft = turn(text)
    assert draft.answer.lstrip("*").startswith(opens), draft.answer.splitlines()[0]
    assert "Buy**" not in draft.answer


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("Flux LoRA in kohya on a 3090: system RAM climbs until it dies, VRAM is at 15GB, OOM", "It is the machine's"),
        (
            "GRPO of Qwen2.5-7B with vllm_gpu_memory_utilization=0.9 on 2x A100 80GB: CUDA out of memory",
            "vLLM takes that",
        ),
        ("TGI: Not enough memory to handle 8000 total tokens, Llama-2-13B on 2x A10G", "Cause: what is left after"),
        (
            "AlphaFold 3 on a 3090: Out of memory while trying to allocate 38654705664 bytes",
            "A single allocation of 36.00",
        ),
    ],
)
def test_what_fails_is_told_apart_from_what_the_card_holds(text: str, opens: str) -> None:
    _, _, draft = turn(text)
    assert draft.verdict == "diagnosis"
    assert draft.answer.lstrip("*").startswith(opens), draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ollama qwen2.5:32b on 2x 3090 puts some layers on the CPU, how fast should it be?", True),
        ("ollama llama3.1:70b on a 4090 puts half the layers on the CPU, can I avoid it?", False),
    ],
)
def test_layers_on_the_cpu_are_explained_where_the_model_would_fit(text: str, told: bool) -> None:
    _, _, draft = turn(text)
    assert ("OLLAMA_NUM_PARALLEL" in draft.answer) is told


def test_a_proven_cause_stays_first() -> None:
    text = (
        "After about 200 steps: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB"
        " of which 1.12 GiB is free. Of the allocated memory 14.90 GiB is allocated by PyTorch, and 7.02 GiB is"
        " reserved by PyTorch but unallocated. LoRA of Qwen2-7B"
    )
    _, _, draft = turn(text)
    assert "fragmentation" in draft.answer.splitlines()[0]
    assert "Running for a while" in draft.answer


@pytest.mark.parametrize("text", ["Can Wan 2.2 14B make longer videos on a 4090? it OOMs with 64 GB RAM free"])
def test_clips_are_shortened_before_anything_is_bought(text: str) -> None:
    _, records, draft = turn(text)
    assert "fewer frames" in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_every_sign_has_its_words_in_both_languages_and_a_source() -> None:
    for one in oom_facts().signs:
        assert oom_facts().sources[one.source].url
        assert all(phrases(language).get(f"sign.{one.id}") for language in ("en", "zh")), one.id
