"""Pictures, clips and voices as people ask about them: how long, for how many, whether at all."""

import re

import pytest

from assistant.understand import understand
from kb.catalog import models
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Is a P40 any good for stable diffusion?", "Time per image: about 2.2 minutes"),
        ("is an RX 6800 good for ComfyUI?", "Time per image"),
        ("3060 画图怎么样", "每卡约 27 秒一张图"),
        ("2080 Ti 跑语音识别够用吗", "实时倍速"),
        ("does SDXL run on a P40?", "Time per image: about 2.2 minutes"),
        ("Mac Studio M2 Ultra 跑 FLUX 怎么样", "每张用时约"),
    ],
)
def test_a_card_is_judged_by_what_it_holds_and_its_time(question: str, words: str) -> None:
    _, _, draft = turn(question)
    assert draft.verdict in ("fits", "fits_with_changes")
    assert words in draft.answer


@pytest.mark.parametrize(
    "question",
    ["how many people can use one 4090 for SDXL at once?", "一张 4090 能同时给几个人用 ComfyUI 出图"],
)
def test_people_who_share_a_card_are_told_what_comes_out_of_it(question: str) -> None:
    _, _, draft = turn(question)
    made = re.search(r"\d{3}", draft.answer.split("\n")[0].replace("60", "", 1))
    assert made is not None
    assert 800 <= int(made[0]) <= 900  # pictures of an hour, 4.2 to 4.3 seconds each
    assert "queue" in draft.answer or "队列" in draft.answer


@pytest.mark.parametrize(
    "question",
    [
        "XTTS v2 real-time on a 3050 8GB?",
        "sam2 video segmentation in real time on an Orin Nano?",
        "CosyVoice2 在 3060 上能实时吗",
    ],
)
def test_real_time_of_an_untimed_model_is_not_answered_with_yes(question: str) -> None:
    _, _, draft = turn(question)
    assert draft.answer.startswith(("**Whether", "**XTTS", "**CosyVoice2-0.5B 能不能做到实时没有把握"))
    assert draft.verdict == "estimate"


def test_real_time_of_a_timed_model_keeps_its_pace() -> None:
    _, _, draft = turn("whisper turbo real time on a 3050 8GB?")
    assert "Whether" not in draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Fine-tune Qwen2.5-VL-7B with LoRA on 10k images on a 4090, how long?", "**Training time: about 112 minutes"),
        ("LLaMA-Factory 微调 Qwen2.5-VL-7B，1 万张图，4090 要多久", "**训练时间约 112 分钟"),
        ("LoRA of Qwen3-VL-8B on 50k images with 4x A100 80GB, how many hours?", "**Training time: about"),
    ],
)
def test_a_training_on_pictures_has_its_time(question: str, words: str) -> None:
    _, _, draft = turn(question)
    assert draft.answer.startswith(words)
    assert "1,430" in draft.answer or "Qwen3-VL" in question


def test_more_pictures_in_a_follow_up_take_longer() -> None:
    _, _, draft = talk("LLaMA-Factory 微调 Qwen2.5-VL-7B，1 万张图，4090 要多久", "3 万张呢")
    assert "5.6 小时" in draft.answer


@pytest.mark.parametrize(
    ("model", "most_gib"),
    [
        ("stabilityai/stable-video-diffusion-img2vid", 16),
        ("guoyww/animatediff-motion-adapter-v1-5-2", 9),
        ("TMElyralab/MuseTalk", 5),
        ("ali-vilab/text-to-video-ms-1.7b", 7),
    ],
)
def test_old_makers_of_clips_are_sized_as_they_are_run(model: str, most_gib: float) -> None:
    _, records, _ = turn(f"how much VRAM does {models()[model].name} need?")
    totals = [one.result["per_gpu"]["total_bytes"] for one in records if one.tool == "estimate_memory"]
    assert totals[0] < most_gib * 2**30


def test_no_language_model_is_offered_in_the_place_of_a_maker_of_clips() -> None:
    _, _, draft = turn("SVD 图生视频 8G 显存能跑吗")
    assert "Qwen" not in draft.answer
    assert "gemma" not in draft.answer


def test_a_clip_proposed_is_timed_at_the_size_asked() -> None:
    _, records, _ = turn("I have a 3060 12GB, can I run Wan 2.2 i2v 14B at 480p in ComfyUI?")
    speeds = [one.result["time_per_clip_s"]["value"] for one in records if one.tool == "estimate_inference_speed"]
    proposed = [
        row["speed"]["time_per_clip_s"]
        for one in records
        if one.tool == "configure"
        for row in one.result["configurations"]
        if row.get("speed") and row["gpu"] == "rtx-3060-12gb"
    ]
    assert proposed
    assert all(one == pytest.approx(speeds[0], rel=0.5) for one in proposed)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("how long does a Wan 2.2 clip take on a 4090?", "40 denoising steps a clip"),
        ("出一张 FLUX 图 3060 12G 大概多少秒", "步算（该模型的常用步数）"),
    ],
)
def test_the_steps_of_a_time_are_said(question: str, words: str) -> None:
    _, _, draft = turn(question)
    assert words in draft.answer


def test_texts_with_a_word_between_are_counted() -> None:
    need = understand("embedding 20M arxiv abstracts with Qwen3-Embedding-8B on one H100, how long?", None).need
    assert need.amount == "20M arxiv abstracts"
    _, _, draft = turn("embedding 20M arxiv abstracts with Qwen3-Embedding-8B on one H100, how long?")
    assert draft.answer.startswith("**The whole job: about")


@pytest.mark.parametrize(
    ("question", "opening"),
    [
        (
            "my FLUX image takes 3 minutes on a 4060 8GB, is that normal?",
            "**Slower than it should be: 1.2 minutes – 2 m",
        ),
        ("Wan 2.2 720p clip takes 4 hours on my 4090, is this slow?", "**Slower than it should be"),
        ("3090 出一张 SDXL 图要 60 秒正常吗", "**比应有的慢"),
        ("4090 跑 Wan2.2 一段视频要 70 分钟，正常吗", "**这是正常的"),
    ],
)
def test_the_time_of_one_that_was_measured_is_judged(question: str, opening: str) -> None:
    _, _, draft = turn(question)
    assert draft.answer.startswith(opening)


@pytest.mark.parametrize(
    "question",
    ["train a YOLO11n on 5000 images, is an RTX 2060 enough?", "用 RTX 2060 训练 YOLO11n，5000 images，够吗"],
)
def test_the_number_of_pictures_is_not_their_size(question: str) -> None:
    understanding, _, draft = turn(question)
    assert understanding.need.width_px is None
    assert draft.verdict == "fits"


@pytest.mark.parametrize("question", ["SDXL 4060 8G 一张图要几秒", "how long does 1 SDXL image take on a 4060?"])
def test_one_picture_is_no_job(question: str) -> None:
    _, _, draft = turn(question)
    assert draft.answer.startswith(("**每张用时", "**Time per image"))


@pytest.mark.parametrize(
    ("question", "opening"),
    [
        ("re-embed 3 million docs every night with bge-large, is an L4 enough?", "**Most likely within “every night”"),
        ("每晚要转写 300 小时录音，4090 够吗", "**够，“每晚”（按 8 小时算）"),
        ("can a 4090 make 10,000 SDXL images every night?", "**No, not within “every night”"),
    ],
)  # fmt: skip
def test_work_of_every_night_has_a_night_to_be_done_in(question: str, opening: str) -> None:
    _, _, draft = turn(question)
    assert draft.answer.startswith(opening)


def test_all_tokens_by_a_month_are_no_tokens_a_month() -> None:
    need = understand("预训练一个 3B 模型需要多少张 H100 一个月跑完 500B token", None).need
    assert (need.dataset_tokens, need.tokens_per_month) == (500 * 10**9, None)
    assert need.deadline_s == 30 * 86400


def test_a_named_model_is_not_joined_by_the_usual_one_of_its_kind() -> None:
    understanding, _, draft = turn("embedding server: 500 queries per second with bge-small, what GPU do I need?")
    assert understanding.workloads == ()
    assert "bge-m3" not in draft.answer


@pytest.mark.parametrize("question", ["can I fine-tune bge-m3 on a 3060?", "full fine-tune whisper small on a 3060?"])
def test_who_trains_is_not_told_how_fast_it_runs(question: str) -> None:
    _, _, draft = turn(question)
    assert "tokens/s for one user" not in draft.answer
    assert "transcribed a second" not in draft.answer


@pytest.mark.parametrize(
    "question", ["双卡 3090 训练 SDXL LoRA 会快一倍吗", "train a LoRA of SDXL on two 3090s, possible?"]
)
def test_an_adapter_of_pictures_over_two_cards_is_a_copy_on_each(question: str) -> None:
    _, _, draft = turn(question)
    assert "数据并行" in draft.answer or "data parallel" in draft.answer
