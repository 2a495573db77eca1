"""Rules that Chinese askers rely on: the first word answers the question put, and later turns stand on earlier ones."""

import pytest

from assistant.compose.leading import fewer_each
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("question", "opens"),
    [
        ("单卡3090 lora微调qwen2.5-7b 会不会爆显存", "**不会**"),
        ("4090 全参微调qwen2.5-7b会爆吗", "**会爆**"),
        ("yolov8m 训练 3060 12g batch 16 够不够", "**够**"),
        ("一张4090跑qwen2.5-72b够吗", "**不够**"),
        ("4090跑qwen2.5-7b行不行", "**行**"),
        ("4090跑qwen2.5-7b可以吗", "**可以**"),
        ("4090能跑qwen2.5-7b吗", "**能**"),
    ],
)
def test_the_first_word_answers_the_words_of_the_question(question: str, opens: str) -> None:
    assert turn(question)[2].answer.startswith(opens)


def test_a_cache_in_eight_bits_is_no_way_where_the_weights_fit_without() -> None:
    answer = turn("4060ti 16g 能跑 qwen3 14b 吗")[2].answer
    assert "INT4" in answer
    assert "KV 缓存（" not in answer.split("\n\n")[0]
    assert "INT4 加" not in answer


def test_where_no_format_fits_one_card_the_fewest_that_hold_it_are_told() -> None:
    _understanding, calls, draft = turn("4090能跑70b吗")
    fewest = min(
        row["count"]
        for call in calls
        if call.tool == "estimate_memory" and not call.request.get("kv_format")
        for row in call.result["minimum_gpus"]
        if row["gpu"] == "rtx-4090-24gb"
    )
    assert f"{fewest}×RTX 4090 用 GGUF Q4_K_M 就放得下" in draft.answer


def test_a_narrower_format_is_counted_only_where_it_saves_cards() -> None:
    class Row:
        def __init__(self, count: int, verdict: str = "yes") -> None:
            self.count, self.verdict = count, verdict

    class One:
        def __init__(self, weight_format: str) -> None:
            self.task, self.request = "inference", {}
            self.result = type("R", (), {"weight_format": weight_format})

    pairs = [(One("bf16"), Row(8)), (One("int4"), Row(8)), (One("fp8"), Row(4)), (One("awq"), Row(4))]
    kept = [(one.result.weight_format, row.count) for one, row in fewer_each(pairs)]  # type: ignore[arg-type]
    assert kept == [("bf16", 8), ("fp8", 4)]


def test_cards_are_counted_in_the_layout_that_holds_them() -> None:
    _, calls, _ = turn("部署deepseek r1 50人用 要几张H20 96G")
    counted = [call for call in calls if call.tool == "estimate_memory" and call.request.get("tensor_parallel", 1) > 1]
    assert counted
    assert all(call.result["fit"]["verdict"] != "no" for call in counted)


def test_made_in_china_stands_until_it_is_taken_back() -> None:
    understanding, _, draft = talk("100人用的知识库问答，模型qwen3-32b，推荐啥卡", "必须国产", "大概多少钱")
    assert understanding.need.conditions == ("chinese",)
    assert "Ascend" in draft.answer
    assert "RTX" not in draft.answer


def test_cards_of_other_makers_give_way_to_chinese_ones() -> None:
    understanding, _, draft = talk("8张H20跑qwen2.5-72b够不够", "换成国产卡呢")
    assert not understanding.need.gpus_owned
    assert "Ascend" in draft.answer
    assert "H20" not in draft.answer


@pytest.mark.parametrize(
    "text", ["不要国产卡，跑qwen3-32b推荐啥", "国产大模型qwen3-32b 推荐啥卡", "4090和国产卡比跑32b哪个好"]
)
def test_other_mentions_of_china_limit_nothing(text: str) -> None:
    assert "chinese" not in turn(text)[0].need.conditions


def test_a_price_of_a_kilowatt_hour_is_no_card_and_stands() -> None:
    understanding, calls, _ = talk("8张H100一台机器功耗多大", "电费一年多少，1块一度", "两台呢")
    plan = next(call for call in calls if call.tool == "plan_power")
    assert understanding.need.gpus_owned[0].count == 16
    assert plan.request["tariff_per_kwh"] == 1.0
    assert plan.request["currency"] == "CNY"


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("8卡4090服务器 机房要多少电 普通插座行吗", "**不能"),
        ("双3090家用插座带得动吗", "**能"),
        ("机房放两台8卡A100要多少电", "**16×A100 SXM4 80GB（2 台）：供电按"),
        ("4卡4090一个月用多少电", "**4×RTX 4090 加整机每月约用"),
    ],
)
def test_feeding_a_machine_is_answered_in_watts_and_circuits(text: str, opens: str) -> None:
    assert turn(text)[2].answer.startswith(opens)


def test_a_diagnosis_begins_with_what_to_do() -> None:
    answer = turn("cuda out of memory，4090微调qwen2.5-7b，batch 4 seq 2048，咋整")[2].answer
    assert answer.startswith("**最省事的改法：微批降到 1")
    assert " with gradient" not in answer


def test_more_cards_are_the_last_thing_to_advise() -> None:
    answer = turn("qwen2.5-32b 用vllm在两张4090上跑爆显存了 怎么解决")[2].answer
    assert answer.startswith("**最省事的改法：权重用 FP8")
    assert "a checkpoint" not in answer


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("vllm 起 qwen2.5-32b-awq 单卡4090 报 max seq len larger than KV cache 咋办", None),
        (
            (
                "ValueError: The model's max seq len (131072) is larger than the maximum number of tokens that can be "
                "stored in KV cache (21456). 单张A100 40G跑 qwen2.5-14b"
            ),
            "21,456",
        ),
    ],
)
def test_a_cache_too_short_is_answered_with_the_context_it_holds(text: str, tokens: str | None) -> None:
    answer = turn(text)[2].answer
    assert answer.startswith(f"**把上下文限制在约 {tokens or ''}")
    assert "--max-model-len" in answer.split("\n")[0]


def test_why_is_answered_with_the_reason() -> None:
    assert talk("4090能跑qwen3-32b吗", "为什么")[2].answer.startswith("**因为 BF16 光权重就要每卡")
    assert talk("4090能跑qwen2.5-7b吗", "为什么")[2].answer.startswith("**因为各项加起来")


def test_the_arithmetic_is_written_with_its_figures() -> None:
    answer = talk("4090能跑qwen3-32b吗", "算给我看")[2].answer
    assert "params · bits / 8 = 31,206,298,624 · 4.82 / 8 = 19 GB" in answer
    assert "readable" not in answer
    assert answer.count("1. 各层权重矩阵") == 1


def test_every_setting_in_words_is_said_in_chinese() -> None:
    import re

    from assistant.compose.step_labels import step_setting
    from kb.oom import oom_facts

    spoken = re.compile(r"\b(?:a|with|over|in|and|on|or|of)\b (?!=)")
    english = [
        text.format(value="int8", times=4)
        for ways in oom_facts().settings.values()
        for text in ways.values()
        if not text.startswith("-") and spoken.search(text.format(value="int8", times=4))
    ]
    assert english
    assert [text for text in english if spoken.search(step_setting(text, "zh"))] == []


def test_what_is_joined_under_one_verb_is_trained_alike_and_stays_so() -> None:
    texts = ("想在家炼丹，预算1.5万，主要lora sdxl和7b", "再便宜点", "那训练flux lora呢")
    for count in range(1, len(texts) + 1):
        understanding = talk(*texts[:count])[0]
        assert [work.task for work in understanding.workloads] == ["lora", "lora"]


def test_a_picture_one_waits_for_is_told_in_seconds_first() -> None:
    answer = turn("4090 comfyui 跑flux dev 多久一张")[2].answer
    assert answer.startswith("**每张用时约")
    assert "3.4 GiB" not in answer.split("\n")[0]


def test_pictures_are_no_cards() -> None:
    need = turn("微调qwen2.5-vl-7b，图片1000张，24g够吗")[0].need
    assert need.gpu_count in (None, 1)
    assert turn("1000张4090，图片很多，跑qwen2.5-vl-7b")[0].need.gpus_owned[0].count == 1000


def test_cameras_are_counted_in_frames_and_cards() -> None:
    _, calls, draft = turn("1000路摄像头 yolov8s 5fps 检测要几张T4")
    paced = next(call for call in calls if call.tool == "estimate_inference_speed")
    assert paced.request["images_per_s"] == 5000
    assert f"要 {round(paced.result['gpus_needed']['value'])}×T4" in draft.answer.split("\n")[0]


def test_a_question_by_the_way_is_another_one() -> None:
    understanding = talk("whisper实时转写100路，一张L40S够不够", "顺便问下bge-m3向量化一亿条要多久")[0]
    assert not understanding.follow_up
    assert understanding.need.model == "BAAI/bge-m3"
    beside = talk("4090部署qwen2.5-7b", "顺便再跑个bge-m3行吗")[0]
    assert beside.need.model == "Qwen/Qwen2.5-7B"


@pytest.mark.parametrize("text", ["用llama.cpp还是vllm", "vllm和sglang哪个快", "ollama or vllm, which is better"])
def test_two_engines_set_against_each_other_are_none_that_is_used(text: str) -> None:
    need = talk("2080ti 22g跑qwen2.5-32b int4行吗", text)[0].need
    assert need.engine is None
    assert need.intent == "guidance"
    assert turn("用vllm跑qwen2.5-7b，没用ollama")[0].need.engine == "vllm"


def test_machines_are_counted_where_machines_are_asked() -> None:
    answer = talk("8卡A800 80G 部署qwen3-235b，并发50、上下文16k行吗", "那不量化要几台")[2].answer
    assert "16×A800 SXM4 80GB（2 台服务器）" in answer.split("\n")[0]


def test_a_training_without_a_card_is_timed_on_the_fewest_that_hold_it() -> None:
    _, calls, draft = talk("qwen2.5-7b lora要多少显存", "要多久，5万条数据")
    timed = next(call for call in calls if call.tool == "estimate_training_time")
    memory = next(call for call in calls if call.tool == "estimate_memory")
    fits = [row for row in memory.result["minimum_gpus"] if row["verdict"] == "yes"]
    assert timed.request["gpu_count"] == min(row["count"] for row in fits)
    assert draft.answer.startswith("**没说用什么卡，先按 1×")


def test_pictures_that_run_out_are_reckoned_with_the_usual_model() -> None:
    answer = turn("sd webui 显存8G 出图1024老是爆")[2].answer
    assert "KV" not in answer
    assert "stable-diffusion-xl" in answer


def test_a_cloud_that_was_named_is_searched_and_its_want_is_said() -> None:
    there = turn("阿里云上租卡跑wan2.1视频生成，租啥")[2].answer
    assert "Alibaba Cloud" in there.split("\n")[0]
    assert "视频生成" in there.split("\n")[0]
    absent = turn("腾讯云租什么卡跑qwen3-32b便宜")[2].answer
    assert absent.startswith("**腾讯云没有查到")
    assert "**购买**" not in absent


def test_clips_of_a_day_are_held_against_the_day() -> None:
    _, calls, draft = turn("A100 80G跑wan2.1视频生成，一天出200条够吗")
    paced = next(call for call in calls if call.tool == "estimate_inference_speed")
    assert paced.request["images"] == 200
    assert draft.answer.startswith("**不够，一天的量一天做不完")


def test_rather_buying_ends_the_renting() -> None:
    understanding, _, bought = talk("阿里云上租卡跑wan2.1视频生成，租啥", "那干脆买卡呢")
    assert understanding.need.acquisition == "buy"
    assert "**购买**" in bought.answer


def test_more_memory_in_all_is_set_against_the_faster_card() -> None:
    assert turn("2080ti 22g魔改 两张 vs 一张3090 跑大模型选哪个")[2].answer.startswith("**选 2×RTX 2080 Ti 22GB")
    assert turn("两张4060ti 16g和一张3090哪个好，跑大模型")[2].answer.startswith("**选 1×RTX 3090")


def test_no_rent_read_says_nothing_of_buying() -> None:
    assert "购置价" not in turn("云上租H800一个月多少钱")[2].answer


def test_no_data_are_assumed_where_nothing_is_trained() -> None:
    assert "数据量" not in turn("4090能跑qwen2.5-7b吗")[2].answer


def test_machines_on_a_circuit_are_counted() -> None:
    _, calls, draft = turn("实验室机柜32A 220V 能放几台4卡4090")
    plan = next(call for call in calls if call.tool == "plan_power").result
    held = int(plan["circuits"][0]["continuous_w"] // plan["wall_max_w"])
    assert draft.answer.startswith(f"**一路 220 V 32 A 最多放 {held} 台")


def test_a_card_that_supports_a_model_runs_it() -> None:
    assert turn("摩尔线程S4000跑qwen2.5-7b支持吗")[2].verdict == "fits"
    assert turn("4090支持fp8吗，跑qwen2.5-7b")[2].verdict != "fits"


def test_fine_tuning_of_any_kind_is_compared_by_adapters() -> None:
    answer = turn("A100 40G和4090 微调13B选哪个")[2].answer
    assert not answer.startswith("**都放不下")
    assert "LoRA" in answer


def test_samples_that_were_stated_stay_stated() -> None:
    understanding, calls, draft = talk("lora微调llama3-8b，一万条数据，3090要多久", "换成两张呢")
    timed = next(call for call in calls if call.tool == "estimate_training_time")
    assert understanding.need.samples == 10_000
    assert timed.request["gpu_count"] == 2
    assert timed.result["time_s"]
    assert "训练时间" in draft.answer.split("\n")[0]


def test_how_the_speed_is_asks_for_the_speed() -> None:
    assert talk("3080 10G能跑8b的q4不", "速度咋样")[2].answer.startswith("**1×RTX 3080 10GB（GGUF Q4_K_M）单路生成约")


@pytest.mark.parametrize("network", ["千兆网", "万兆网", "普通以太网，两台机器"])
def test_tensor_parallelism_over_an_ordinary_network_is_refused_first(network: str) -> None:
    draft = turn(f"两台机器各一张 3090，{network}连着，能不能张量并行跑 Qwen3-14B")[2]
    assert draft.answer.startswith("**不建议：张量并行")
    assert draft.answer.count("流水线并行") == 1
    apart = turn("两台机器各一张 3090，千兆网连着，能跑 Qwen3-14B 吗")[2].answer
    assert not apart.startswith("**不建议")


@pytest.mark.parametrize("model", ["DeepSeek R1 满血版", "Qwen3-235B-A22B", "GLM-4.5-Air"])
def test_the_least_for_a_model_and_its_price_is_answered_by_a_price(model: str) -> None:
    assert "¥" in turn(f"本地部署 {model}，最低配置要多少钱？")[2].answer.split("\n\n")[0]
    least = turn(f"本地部署 {model} 最低要多少显存")[2].answer.split("\n\n")[0]
    assert "GiB" in least
    assert "¥" not in least


def test_an_engine_asked_about_besides_is_told_of() -> None:
    told = turn("V100 32G 能跑 gemma-3-27b 吗，vllm 支持不")[2].answer
    assert told.startswith("**能")
    assert "支持 vLLM" in told
    assert "支持 vLLM" not in turn("V100 32G 用 vllm 能跑 gemma-3-27b 吗")[2].answer


def test_which_format_is_answered_for_every_usual_one() -> None:
    told = turn("昇腾 910B3 跑 Qwen2.5-72B 该用什么格式")[2].answer
    assert all(name in told for name in ("W8A8", "AWQ", "GGUF", "不支持 FP8"))


def test_what_stands_in_for_a_refused_format_is_no_yes_to_it() -> None:
    told = turn("P40 24G 跑 Qwen3-14B，AWQ 行不行")[2].answer
    first, second = told.split("\n\n")[:2]
    assert "不支持 AWQ" in first
    assert second.startswith("换了就放得下")


def test_a_cut_sample_is_not_set_against_the_same_way() -> None:
    told = turn("3060 12g 能 qlora 微调 qwen3-8b 吗")[2].answer.split("\n\n")[0]
    assert "QLoRA 不行" not in told


@pytest.mark.parametrize(("model", "card"), [("Qwen3-8B", "4070 ti super 16g"), ("Qwen2.5-3B", "3060 12g")])
def test_adapters_that_just_miss_a_card_are_told_of_the_fused_loss(model: str, card: str) -> None:
    head = turn(f"{card} 能 lora 微调 {model} 吗，样本 4096 长度")[2].answer.split("\n\n")[0]
    assert head.startswith("**能，用 ")
    assert "融合损失" in head
    assert "；LoRA 不行" not in head


@pytest.mark.parametrize(
    ("written", "amount"), [("1 万 5 以内", 15000), ("1万5以内", 15000), ("2 万 8 左右", 28000), ("3万以内", 30000)]
)
def test_a_sum_of_ten_thousands_and_thousands_is_a_budget(written: str, amount: float) -> None:
    need = turn(f"想组台 {written} 的机器跑 30B 左右的量化模型")[0].need
    assert need.budget is not None
    assert need.budget.amount == amount


def test_cards_after_a_sum_are_none_of_it() -> None:
    need = turn("预算 3 万 4 张卡能跑 70B 吗")[0].need
    assert need.budget is not None
    assert need.budget.amount == 30000


def test_the_length_of_a_sample_is_no_number_of_answers() -> None:
    assert turn("微调 Qwen2.5-14B，2 万条数据，每条 1000 token，一张 A100 要多久")[0].need.generations is None
    assert turn("grpo 训练 7B，每题采样 8 个回答，要几张 A100")[0].need.generations == 8


def test_an_old_card_of_amd_is_served_by_files() -> None:
    told = turn("MI50 32G 能跑 qwen3 32b 吗")[2].answer
    assert "GGUF Q4_K_M" in told
    assert "vLLM" not in told
    assert "AWQ" not in told
