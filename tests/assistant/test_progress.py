"""A run counted in steps is timed at the pace it shows; a stated rate or utilisation of training is judged."""

import pytest

from assistant.understand import understand
from assistant.understand.progress import Progress, find_progress, find_rate, find_utilisation, find_whole
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I'm at 18 s/it with 12,000 steps to go", Progress(step_s=18, steps=12000)),
        ("tqdm 显示一步 18 秒，一共 9600 步", Progress(step_s=18, steps=9600)),
        ("1234/10000 [6:10:01<43:48:33, 18.02s/it]", Progress(step_s=18.02, steps=8766, all_steps=10000)),
        ("after 500 of 8000 steps at 7.5 s/it", Progress(step_s=7.5, steps=7500, all_steps=8000)),
        ("每个step 4.5秒，总步数 2 万", Progress(step_s=4.5, steps=20000)),
        ("50k examples, grad accumulation 8, 5 s/step", Progress(step_s=5, samples=50000, accumulation=8)),
        ("5 万条数据训 3 轮", Progress(samples=50000)),
    ],
)
def test_what_a_run_tells_of_itself(text: str, found: Progress) -> None:
    assert find_progress(text) == found


@pytest.mark.parametrize(
    ("text", "ratio", "rate"),
    [
        ("My MFU is 28%", 0.28, None),
        ("mfu 0.35 only", 0.35, None),
        ("3.5k tokens/s per GPU", None, (3500, True)),
        ("每秒 12000 tokens 总吞吐", None, (12000, False)),
    ],
)
def test_rates_reached(text: str, ratio: float | None, rate: tuple[float, bool] | None) -> None:
    assert (find_utilisation(text), find_rate(text)) == (ratio, rate)


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("Llama-3-8B QLoRA on one 3090, 18 s/it, 12,000 steps to go. how long?", "About 2.5 days (60 hours)"),
        ("微调 Qwen2.5-14B，一步 18 秒，一共 9600 步，还要跑多久？", "约 2.0 天（48 小时）"),
        ("3750 steps at 2.3 it/s on a 4090, how many hours", "About 27 minutes"),
        ("50k examples, batch 4, grad accumulation 8, 3 epochs, 5 s/step on 2x4090: how long", "About 3.3 hours"),
        ("how many steps is 52k samples at batch 4, grad accumulation 4 on 8 gpus, 3 epochs?", "1,221 optimizer steps"),
        ("7B full fine-tune on 8 H100, seq 4096, MFU 28%. Is that low?", "No, 28% MFU is within"),
        ("7B full fine-tune on 8 H100, seq 4096, MFU 12%. Is that low?", "Yes, 12% MFU is low"),
        ("Qwen2.5-7B 全参微调，8 张 H100，每秒 12000 tokens 总吞吐，正常吗", "偏慢"),
    ],
)
def test_the_first_sentence_is_the_time_or_the_verdict(text: str, opens: str) -> None:
    _, _, draft = turn(text)
    assert draft.answer.lstrip("*").startswith(opens), draft.answer.splitlines()[0]


def test_samples_and_their_length_are_the_data() -> None:
    assert understand("5 万条 2k 长度的数据，Qwen2.5-7B LoRA 3 个 epoch 要多久").need.dataset_tokens == 10**8


def test_samples_without_a_length_are_timed_at_a_usual_one() -> None:
    _, _, draft = turn("10 万条指令数据，Qwen2.5-14B QLoRA，一张 A100 80G 训 2 轮要几个小时")
    assert draft.answer.lstrip("*").startswith("训练时间约")
    assert "512" in draft.answer


def test_a_detector_is_timed_by_its_images() -> None:
    _, _, draft = turn("YOLOv8m, 120k images 640px, 300 epochs on one RTX 4070 Ti — how many days?")
    assert draft.answer.lstrip("*").startswith("Training time: about"), draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        (
            "two servers with 8xA100 80GB SXM each joined by 10GbE, ZeRO-3 full finetune of a 70B is super slow. Why?",
            "The network is why",
        ),
        ("两台 8 卡 4090 服务器，万兆网连，FSDP 训 13B，速度比单机还慢，正常吗？", "慢在网络"),
        (
            "2 nodes of 8xH100, 400G InfiniBand, 70B full fine-tune with ZeRO-3. is the network slow?",
            "The network is not",
        ),
    ],
)
def test_a_stated_network_between_machines_is_reckoned_with(text: str, opens: str) -> None:
    _, _, draft = turn(text)
    assert draft.answer.lstrip("*").startswith(opens), draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("DeepSpeed ZeRO-2 or ZeRO-3 for full finetuning 13B on 4x A100 SXM 80GB?", "ZeRO-3: about"),
        ("8 卡 A100 80G 全参微调 Llama-3.1-8B 要用 ZeRO-2 还是 ZeRO-3", "用 ZeRO-2"),
        ("4x3090 full fine-tune Qwen2.5-7B zero 2 vs 3, which?", "Neither fits 4×RTX 3090: ZeRO-2 needs"),
    ],
)
def test_of_two_ways_to_shard_the_one_that_exchanges_less_is_taken_where_it_fits(text: str, opens: str) -> None:
    _, _, draft = turn(text)
    assert draft.answer.lstrip("*").startswith(opens), draft.answer.splitlines()[0]


def test_sharded_states_are_those_of_a_training() -> None:
    understanding, _, draft = turn("FSDP full_shard on 4x RTX 6000 Ada with llama 13B, seq 4096: fits? tokens/s?")
    assert understanding.need.task == "full_finetune"
    assert "tokens/s" in draft.answer.splitlines()[0]


def test_a_pace_asked_about_without_its_batch_is_given_something_to_compare_with() -> None:
    _, _, draft = turn("1800/12000 [9:00:00<51:00:00, 18.00s/it] 8B lora on A6000, why so slow")
    assert draft.answer.lstrip("*").startswith("About 2.1 days (51 hours) more")
    assert "should train" in draft.answer


def test_a_bare_progress_bar_is_the_advisors_business() -> None:
    _, _, draft = turn("日志 312/3000 [2:05:40<18:03:11, 24.18s/it] 还得几天")
    assert draft.answer.lstrip("*").startswith("还要约 18 小时")


def test_tokens_of_data_are_no_size_of_a_model() -> None:
    need = understand("Pretrain GPT-2 small 10B tokens on 8xA100, how long?").need
    assert (need.dataset_tokens, need.params) != (10**10, 10**10)


def test_pairs_are_no_context() -> None:
    assert understand("fine-tune e5-large on 300k pairs with one T4, time?").need.context_tokens is None


def test_the_time_of_known_data_stands_in_the_first_line() -> None:
    _, _, draft = turn("pretrain a 1.3B from scratch on 30B tokens with 4x4090, realistic?")
    assert "Training takes about" in draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("lora 微调显示要 5 个小时，为啥这么久", ("5", "hour", 18000)),
        ("the progress bar shows 25 days. is something wrong?", ("25", "day", 2160000)),
        ("8 张 A800 预计 400 小时，正常吗", ("400", "hour", 1440000)),
        ("每步要 4 秒，一共 5000 步", None),
        ("my card takes 24 GB", None),
    ],
)
def test_time_that_a_whole_run_is_said_to_take(text: str, whole: tuple[str, str, float] | None) -> None:
    assert find_whole(text) == whole


JOB = "one epoch of 2B tokens, pretraining a 13B on 8 A800 takes {hours} hours, is that normal?"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_stated_time_is_judged_by_what_the_cards_should_need(language: str) -> None:
    job = JOB if language == "en" else "2B token 做 13B 预训练，一个 epoch，8 张 A800 要 {hours} 小时，正常吗"
    _, records, _ = turn(job.format(hours=1))
    expected = next(one.result["time_s"] for one in records if one.tool == "estimate_training_time")
    opened = []
    for seconds in (0.3 * expected["low"], expected["value"], 3 * expected["high"]):
        _, _, draft = turn(job.format(hours=round(seconds / 3600)))
        opened.append(draft.answer.lstrip("*").replace("：", ": ").split()[2 if language == "en" else 0])
    assert opened == (["fast:", "normal:", "it"] if language == "en" else ["偏快:", "正常:", "偏慢:"])


def test_a_time_that_several_passes_explain_is_not_called_slow() -> None:
    job = JOB.replace("one epoch of ", "")
    _, records, _ = turn(job.format(hours=1))
    high = next(one.result["time_s"]["high"] for one in records if one.tool == "estimate_training_time")
    _, _, draft = turn(job.format(hours=round(3 * high / 3600)))
    assert draft.answer.lstrip("*").startswith("Normal for several epochs")


def test_an_amount_that_is_doubted_is_corrected_first() -> None:
    _, _, draft = turn("whisper large-v2 takes 20GB on an L4, is that right?")
    assert draft.answer.lstrip("*").startswith("It does not take 20 GB")
    _, _, plain = turn("whisper large-v2 on an L4, does it fit?")
    assert plain.answer.lstrip("*").startswith("Yes")


def test_who_asks_what_it_takes_if_not_is_first_told_whether() -> None:
    _, _, draft = turn("llama2-70b 微调，4 张 80G 的 A100 行不行，不行要几张")
    assert draft.answer.startswith(("**能", "**行"))
    assert draft.verdict == "fits"


def test_a_service_to_be_bought_for_is_asked_how_many_it_serves() -> None:
    open_size, _, told = turn("公司长期跑一个 32B 的客服模型，7×24，租 H20 还是买两张 4090？")
    assert open_size.need.users is None
    assert any("多少人" in question for question in told.clarifying_questions)
    _, _, sized = turn("公司长期跑一个 32B 的客服模型，20 路并发，租 H20 还是买两张 4090？")
    assert not any("多少人用" in question for question in sized.clarifying_questions)


def test_every_one_of_three_machines_is_tried_in_a_smaller_format() -> None:
    _, records, _ = turn("M4 Mac mini 16GB vs 24GB vs a PC with a 3060 12GB for a 14b, which one?")
    held = {
        one.request["gpu"]
        for one in records
        if one.tool == "estimate_memory" and (one.result.get("fit") or {}).get("verdict") == "yes"
    }
    assert held == {"apple-m4-16gb", "apple-m4-24gb", "rtx-3060-12gb"}
