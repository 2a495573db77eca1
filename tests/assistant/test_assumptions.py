"""What is taken for granted is told only where it concerns the question, is true of the verdict, and is news."""

import pytest

from tests.assistant.planning import turn


def _taken(text: str) -> str:
    """The line of assumptions of an answer; empty where there is none."""
    lines = turn(text)[2].answer.split("\n")
    return next((one for one in lines if one.startswith(("**Assumed**", "**前提**"))), "")


@pytest.mark.parametrize(
    "text",
    [
        "Which Llama fits my 3090?",
        "Which Qwen3 can my 24 GB card run?",
        "What can I run on a 4090?",
        "我的 4060 Ti 16G 能跑哪个 Qwen3？",
        "24G 显卡能跑多大的模型？",
    ],
)
def test_of_training_nothing_is_told_to_who_runs_a_model(text: str) -> None:
    taken = _taken(text)
    assert taken
    assert not any(word in taken for word in ("training", "checkpointing", "batch", "训练", "检查点"))


@pytest.mark.parametrize("text", ["What can I fine-tune on a 3090?", "3090 能微调多大的模型？"])
def test_each_way_to_fine_tune_is_told_where_none_was_said(text: str) -> None:
    _, records, draft = turn(text)
    rows = next(one for one in records if one.tool == "what_fits").result["rows"]
    assert {"qlora", "lora", "full_finetune"} <= {row["task"] for row in rows}
    first = draft.answer.split("\n")[0]
    assert first.index("QLoRA") < first.index("LoRA", first.index("QLoRA") + 5)
    assert not any(word in draft.answer for word in ("inference", "推理", "GGUF"))
    assert any(word in _taken(text) for word in ("checkpointing on", "开梯度检查点"))


@pytest.mark.parametrize(
    "text", ["4090 能训练 LoRA 吗，多大的模型？", "what's the biggest model I can QLoRA on 2x3090?"]
)
def test_only_the_way_that_was_named_is_told(text: str) -> None:
    rows = next(one for one in turn(text)[1] if one.tool == "what_fits").result["rows"]
    assert {row["task"] for row in rows} == {"qlora" if "QLoRA" in text else "lora"}


@pytest.mark.parametrize(
    "text",
    [
        "Stable Diffusion XL on 8 GB?",
        "8G 显存能跑 SDXL 吗？",
        "Wan2.1 14B 视频生成要多少显存？",
        "DeepSeek-V3 需要几张 H20？",
        "Compare A100 and H100 for serving Llama 3.3 70B",
    ],
)
def test_no_format_is_assumed_where_others_are_the_verdict(text: str) -> None:
    assert not any(word in _taken(text) for word in ("Weights", "权重"))


@pytest.mark.parametrize(
    "text", ["How much VRAM does Qwen3-32B in BF16 with 10 users take?", "Which GPU for FLUX.1 dev?"]
)
def test_a_format_taken_is_told_where_it_is_the_verdict(text: str) -> None:
    stated = "BF16 with" in text
    assert any(word in _taken(text) for word in ("Weights in BF16", "Weights quantised")) is not stated


@pytest.mark.parametrize(
    "text",
    ["How many users can an L40S serve with Llama 3.1 8B?", "一张 L40S 跑 Llama 3.1 8B 能同时服务多少人？"],
)
def test_a_number_of_requests_is_not_assumed_where_it_is_asked(text: str) -> None:
    assert not any(word in _taken(text) for word in ("One request", "一路请求"))


@pytest.mark.parametrize("text", ["5090 上 Qwen3-32B 能开多长上下文？", "What context can a 5090 hold with Qwen3-32B?"])
def test_no_line_is_told_twice(text: str) -> None:
    lines = [one for one in turn(text)[2].answer.split("\n") if one.startswith("- ")]
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize(
    ("text", "trained"),
    [
        ("How much VRAM does a LoRA of SDXL take?", True),
        ("VRAM needed for an SDXL LoRA?", True),
        ("FLUX LoRA 需要多少显存？", True),
        ("How much VRAM does SDXL with a LoRA take?", False),
        ("SDXL 加 LoRA 出图要多少显存？", False),
    ],
)
def test_the_memory_of_an_adapter_is_that_of_its_training(text: str, trained: bool) -> None:
    assert (turn(text)[0].need.trained == "lora") is trained
