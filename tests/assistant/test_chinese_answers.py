"""Answers to what Chinese threads ask: why so much is used, whether it had to run out, how many cards of a size."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("vllm 起 qwen2.5-7b 占了 22G，权重才 15G，多出来的去哪了", "多出来的不是模型要用的"),
        ("两张 L20 起 14B，为啥每张都占 40G，不是一人一半吗", "多出来的不是模型要用的"),
        ("sglang 部署 8B 吃满了 80G，正常吗", "多出来的不是模型要用的"),
        ("why does vllm take 70 GB for an 8B model on one H100", "The rest is not what the model needs"),
        ("chatglm3-6b 加载占了 25G，为什么", "像是按 FP32 加载的"),
        ("loading Mistral 7B uses 29 GB, why?", "It looks loaded in FP32"),
        (
            "|  0%  38C  P0  56W / 150W |  20714MiB / 23028MiB |\nvllm with Qwen2-7B takes 20G, why",
            "The rest is not what the model needs",
        ),
        ("vllm 起 qwen2.5-72b-awq 用了 43G，怎么这么多", "这就是模型要用的量"),
    ],
)
def test_why_more_is_used_than_the_model_takes(text: str, starts: str) -> None:
    _, records, draft = turn(text)
    assert draft.answer.lstrip("*").startswith(starts)
    assert draft.verdict == "diagnosis"
    assert "configure" not in {one.tool for one in records}
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "vllm 起 32B 占了 46G 之后 OOM 了，怎么办",
        "7B 全参训练占了 70G，正常吗",
        "3090 能用满 24G 显存跑 32B 吗",
        "qwen2.5-7b 要多少显存",
    ],
)
def test_other_questions_about_memory_stay_what_they_are(text: str) -> None:
    assert "多出来的" not in turn(text)[2].answer


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("4 张 3090 zero3 全参 7B，长度 2048 OOM，正常吗", "正常："),
        ("一张 A100 80G lora 7B 长度 1024 爆显存了，合理么", "不正常："),
        ("full fine-tuning Llama 3 8B OOMs on 4x 3090 with zero3, is that expected?", "Expected: "),
        ("4 张 3090 zero3 全参 7B，长度 2048 OOM", ""),
    ],
)
def test_whether_it_had_to_run_out(text: str, starts: str) -> None:
    answer = turn(text)[2].answer.lstrip("*")
    words = ("正常：", "不正常：", "Expected: ", "Not expected: ")
    assert next((word for word in words if answer.startswith(word)), "") == starts


@pytest.mark.parametrize(
    ("text", "card", "most"),
    [
        ("120B bf16 部署，80G 的卡要几张", "A100 SXM4 80GB", 8),
        ("几张 24G 的卡才能跑 70B int4", "RTX 3090", 4),
        ("72B 的 lora 最少得几张 80G", "A100 SXM4 80GB", 8),
    ],
)
def test_nameless_cards_are_counted_as_a_common_one(text: str, card: str, most: int) -> None:
    draft = turn(text)[2]
    first = draft.answer.split("\n")[0]
    assert card in first
    assert any(f"{count}×{card}" in first for count in range(1, most + 1))
    assert f"按 {card} 计算" in draft.answer


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("一张 A10 跑 whisper large-v3，每天 60 小时录音够不够", "够"),
        ("一张 A10 跑 whisper large-v3，每天 400 小时录音够不够", ("够", "多半够")),
        ("一张 T4 跑 whisper large-v3，每天 5000 小时通话录音来得及吗", "不够"),
        ("whisper large-v3 on one 4090, 60 hours of calls a day, enough?", "Yes"),
    ],
)
def test_a_load_of_every_day_is_held_against_the_day(text: str, starts: str | tuple[str, ...]) -> None:
    assert turn(text)[2].answer.lstrip("*").startswith(starts)


@pytest.mark.parametrize(
    ("text", "card", "fits"),
    [
        ("两张 3090 lora 13B 2048 长度爆显存，换成 A100 40G 行吗", "1×A100 SXM4 40GB", "放得下"),
        ("3060 12G 上 7B lora 爆了，升级到 4060 ti 16G 能解决吗", "1×RTX 4060 Ti 16GB", "放不下"),
    ],
)
def test_a_card_thought_of_instead_is_judged_too(text: str, card: str, fits: str) -> None:
    understanding, _, draft = turn(text)
    assert len(understanding.need.gpus_owned) == 1
    assert f"- {card}：{fits}" in draft.answer


@pytest.mark.parametrize(
    "text",
    [
        "qwen2.5-14b 推理和微调分别要多少显存",
        "报内存不够，InternVL2-8B 训练和推理各要多少显存",
        "how much vram for serving and fine-tuning Llama 3.1 8B?",
    ],
)
def test_running_and_training_each_get_a_figure(text: str) -> None:
    _, records, draft = turn(text)
    tasks = {one.request.get("task", "inference") for one in records if one.tool == "estimate_memory"}
    assert {"inference", "full_finetune", "lora", "qlora"} <= tasks
    first = draft.answer.split("\n")[0]
    assert "推理 BF16" in first or "inference" in first
    assert "全参微调" in first or "full fine-tuning" in first


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("24G 的卡加 128G 内存跑 Qwen3-235B-A22B 的 Q4,能有几个 token/s", "RTX 3090"),
        ("一张 24G 卡 64G 内存,llama3.3 70b q4_k_m 跑多快", "RTX 3090"),
    ],
)
def test_a_model_split_with_host_memory_tells_what_lies_there(text: str, card: str) -> None:
    draft = turn(text)[2]
    first = draft.answer.split("\n")[0]
    assert "加上内存可以跑" in first
    assert "GiB 放进内存" in first
    assert "tokens/s" in first
    assert f"按 {card} 计算" in draft.answer


@pytest.mark.parametrize(
    "text", ["单张 4090 用 llama.cpp 跑 llama3.3 70b q4_k_m 有几个 token/s", "how fast is a 70B Q4_K_M on one 3090?"]
)
def test_host_memory_that_is_needed_is_said_where_none_was_stated(text: str) -> None:
    _, records, draft = turn(text)
    assert "内存至少要空出" in draft.answer or "of its memory free" in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_companions_of_a_model_on_nameless_cards_share_all_of_them() -> None:
    answer = turn("四张32G的卡，想同时起一个32B和一个9B，放得下吗")[2].answer
    assert "4×RTX 5090" in answer.split("\n")[0]
    assert "32 GB 的卡按 RTX 5090 计算" in answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A100 能用 FP8 KV cache 吗，会变快吗", "单路不会变快"),
        ("3090 能开 kv cache fp8 吗", "占用减半"),
        ("does the L40S support an FP8 KV cache?", "half the space"),
        ("P40 能用 fp8 kv 缓存吗", ""),
    ],
)
def test_a_cache_in_eight_bits_is_not_arithmetic_in_eight_bits(text: str, said: str) -> None:
    first = turn(text)[2].answer.split("\n")[0]
    assert said in first
    assert "FP8 计算单元从" not in first


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [
        (
            "vllm 起 qwen2.5-7b 佔了 22G,多出來的去哪了",
            "vllm 起 qwen2.5-7b 占了 22G,权重才 15G,多出来的去哪了",
        ),
        ("4 張 3090 zero3 全參 7B 還是 OOM,正常嗎", "4 张 3090 zero3 全参 7B 还是 OOM,正常吗"),
        ("兩張 3090 訓練 ChatGLM 比一張還慢,為什麼", "两张 3090 训练 ChatGLM 比一张还慢,为什么"),
        ("租 4090 還是買划算,每天用八小時,跑 14B", "租 4090 还是买划算,每天用八小时,跑 14B"),
    ],
)
def test_traditional_writing_is_answered_like_simplified(traditional: str, simplified: str) -> None:
    assert turn(traditional)[2].answer == turn(simplified)[2].answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("qwen 14b 用 device_map=auto 两张 3090 比单卡慢很多，为什么", "只是把层分到各卡"),
        ("fastchat 起 32B，四张 A10 反而比两张慢", "只是把层分到各卡"),
        ("with transformers two 3090s give the same speed as one for Llama 2 7B, why?", "deals the layers out"),
        ("vllm tp 2 两张 3090 跑 14B 比单卡还慢", "不正常"),
    ],
)
def test_layers_dealt_out_are_no_parallel_work(text: str, said: str) -> None:
    assert said in turn(text)[2].answer.split("\n")[0]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("yolov8m 训练 640，数据 20 万张，一张 4090 跑 100 个 epoch 多久", None),
        ("yolov8m 训练一张 4090 要多久", "多少张图"),
        ("7B lora 一张 4090 要训多久", "多少 tokens"),
    ],
)
def test_what_there_is_to_train_on_is_counted_in_its_own_units(text: str, asked: str | None) -> None:
    draft = turn(text)[2]
    questions = " ".join(draft.clarifying_questions)
    assert (asked in questions) if asked else "训练时间" in draft.answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("一亿条文本做向量化，每条 200 字，用 bge-m3，8 张 3090 几天", "全部做完"),
        ("sd1.5 lora 用 6G 的 2060 能炼吗", "LoRA"),
        ("epyc 加 768G 内存，配一张 4090，跑 R1 q4 能到多少 t/s", "加上内存可以跑"),
    ],
)
def test_amounts_and_verbs_of_the_trade(text: str, said: str) -> None:
    assert said in turn(text)[2].answer.split("\n")[0]


@pytest.mark.parametrize(
    "text",
    [
        "qwen2.5-7b lora 8 张 A40，显存会一直涨到 out of memory",
        "7B lora 训着训着内存会爆，4 张 3090，OOM 了",
    ],
)
def test_memory_that_grows_is_no_checkpoint_being_saved(text: str) -> None:
    assert "在保存时爆" not in turn(text)[2].answer


def test_one_card_against_two_is_about_both() -> None:
    assert "Sysmem" not in turn("3090 单卡微调 7B 42s/it，双卡 97s/it，双卡图啥")[2].answer


def test_whether_a_rate_is_normal_comes_before_a_better_card() -> None:
    text = "一张 3090 加 128G 内存跑 llama3.3 70b q4，才 2 token/s，正常吗，换更好的卡有用？"
    assert turn(text)[2].answer.lstrip("*").startswith(("正常", "偏慢", "单靠"))


@pytest.mark.parametrize("words", ["不能上云", "不让上云", "禁止上公有云", "没法用云"])
def test_no_cloud_is_no_rent(words: str) -> None:
    draft = turn(f"预算三十万，给五十个研发配代码助手，{words}，要什么配置")[2]
    assert {one.acquisition for one in draft.configurations[:1]} <= {"buy"}
    assert "/小时" not in draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("一天两百万次 embedding 请求，bge-small-zh-v1.5，每次 300 字，一张 T4 够不够", "够"),
        ("qwen2.5-72b-instruct-gptq-int4 两张 A40 起服务，显存显示每张 43G，是不是哪里配错了", "多出来的不是"),
    ],
)
def test_verdicts_on_loads_and_on_what_is_shown(text: str, starts: str) -> None:
    assert turn(text)[2].answer.lstrip("*").startswith(starts)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("两块 P40 lora 微调 7B 行吗", "FP16 多半比 FP32 还慢"),
        ("T4 16G 跑 7B 够吗", "请用 FP16"),
        ("DeepSeek-V4-Flash 放到 8×910B4 能跑吗", "厂商转换好的 INT8 或 BF16"),
        ("does a 7B LoRA fit two GTX 1080 Ti?", "neither BF16 nor tensor cores"),
    ],
)
def test_what_a_card_cannot_compute_is_told_with_what_to_take(text: str, said: str) -> None:
    assert said in turn(text)[2].answer
