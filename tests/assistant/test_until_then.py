"""Deadlines that are said without a figure, and how much comes out by then."""

import pytest

from assistant.finish import counted
from assistant.ground.check import ground
from assistant.understand import understand
from kb.units import HOUR_S
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("words", "hours"),
    [
        ("can I transcribe 300 hours overnight on a 3060", 8),
        ("500 SDXL images by tomorrow morning on a 3090", 12),
        ("LoRA of llama 3 8B on 50M tokens over the weekend with a 4090", 48),
        ("2000 images with FLUX dev by Monday on a 4070, possible?", 60),
        ("finish a QLoRA of Qwen2.5-32B on 20M tokens by Friday", 72),
        ("embed 2 million chunks with bge-m3 by tomorrow on a T4", 24),
        ("明早之前要转 200 小时录音", 12),
        ("QLoRA 微调 Qwen2.5-14B，1 万条数据，3090 一晚上跑得完吗", 8),
        ("周末两天能在 4090 上微调完 Qwen2.5 7B 吗", 48),
        ("下周一之前要给 800 万条文本做 embedding", 60),
        ("周五之前要训完 Qwen2.5-7B 的 LoRA", 72),
        ("明天之前要出 300 张 SDXL 图", 24),
    ],
)
def test_words_without_a_figure_set_a_deadline(words: str, hours: int) -> None:
    assert understand(words, None).need.deadline_s == hours * HOUR_S


@pytest.mark.parametrize(
    "words",
    ["my 3090 runs every night", "每天晚上跑一次 Qwen 7B", "which card is the best today", "今天的 4090 多少钱"],
)
def test_what_comes_back_or_only_dates_the_question_sets_none(words: str) -> None:
    assert understand(words, None).need.deadline_s is None


@pytest.mark.parametrize(
    ("question", "opening"),
    [
        ("Can my 3090 do 500 SDXL images by tomorrow morning?", "**Yes, within “by tomorrow morning” (taken as 12 h"),
        ("embed 5 million chunks with bge-m3 overnight on a 3060, doable?", "**No, not within “overnight” (taken as 8"),
        ("can I transcribe 300 hours overnight on a 3060 with whisper large-v3?", "**Probably not within “overnight”"),
        (
            "can I LoRA llama 3 8B on 50M tokens over the weekend with a 4090?",
            "**Yes, within “over the weekend” (taken as 2 days)",
        ),
        ("can one 4090 generate 300 Wan 2.2 clips over the weekend?", "**No, not within “over the weekend”"),
        ("I have 2000 images to generate with FLUX dev by Monday on a 4070, possible?", "**Yes, within “by Monday”"),
        ("QLoRA 微调 Qwen2.5-14B，1 万条数据，3090 一晚上跑得完吗", "**够，“一晚上”（按 8 小时算）内跑得完"),
        ("周末两天能在 4090 上微调完 Qwen2.5 7B 吗，数据 2000 万 token", "**够，“周末两天”（按 2 天算）"),
        ("下周一之前要用 bge-m3 给 200 万条文本做 embedding，一张 T4 够吗", "**够，“下周一之前”（按 2.5 天算）"),
        ("明早之前要转 200 小时录音，用 3060 来得及吗", "**够，“明早之前”（按 12 小时算）"),
    ],
)
def test_the_verdict_comes_first_with_the_hours_that_were_taken(question: str, opening: str) -> None:
    _, _, draft = turn(question)
    assert draft.answer.startswith(opening)


def test_a_follow_up_with_another_amount_keeps_the_deadline() -> None:
    _, _, draft = talk("can I LoRA llama 3 8B on 50M tokens over the weekend with a 4090?", "and 900M tokens?")
    assert draft.answer.startswith("**No, not within")


def test_tokens_to_train_on_are_no_price_of_tokens() -> None:
    _, records, _ = turn("can I LoRA llama 3 8B on 50M tokens with a 4090?")
    assert "estimate_cost" not in {one.tool for one in records}


def test_a_count_of_pictures_is_no_size_of_them() -> None:
    need = understand("I have 2000 images to generate with FLUX dev on a 4070", None).need
    assert (need.width_px, need.amount) == (None, "2000 images")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("how many SDXL images can a 3090 make overnight?", "In “overnight” (taken as 8 hours): about 2,940 pictures"),
        ("how many documents can a T4 embed in a day with bge-m3?", "In 24 hours: about 3,760,000 texts"),
        ("how many hours of audio can a 4090 transcribe overnight with whisper large-v3?", "about 572 hours of speech"),
        ("3090 一天能出多少张 SDXL 图", "24 小时约出 8,830 张图"),
        ("4090 一小时能出几张 flux dev 的图", "60 分钟约出 215 张图"),
        ("一张 4090 一晚上能出多少条 Wan2.2 视频", "“一晚上”（按 8 小时算）约出"),
    ],
)
def test_what_comes_out_in_a_time_is_counted(question: str, words: str) -> None:
    _, _, draft = turn(question)
    assert words in draft.answer.split("\n")[0]


def test_a_follow_up_counts_for_the_other_model() -> None:
    _, _, draft = talk("3090 一天能出多少张 SDXL 图", "FLUX 呢")
    assert "24 小时约出 2,040 张图" in draft.answer


@pytest.mark.parametrize(
    ("question", "time", "other"),
    [
        (
            "how long to transcribe 5000 hours of audio with whisper large-v3 on a 3090?",
            "3.5 days (2.1 days – 5.9 days)",
            "one after another it takes 11 days to 28 days",
        ),
        ("5000 小时录音用 whisper large-v3 在 4090 上要转几天", "2.9 天（41 小时 – 5.0 天）", "要 9.6 天到 23 天"),
        (
            "how long to transcribe 5000 hours of audio with openai-whisper large-v3 on a 3090?",
            "18 days (11 days – 28 days)",
            "in batches (WhisperX, faster-whisper) it takes 2.1 days to 5.9 days",
        ),
        ("原版 whisper large-v3 在 3090 上转 1000 小时要多久", "3.6 天（2.3 天 – 5.5 天）", "只要 9.9 小时到 28 小时"),
    ],
)  # fmt: skip
def test_the_time_of_speech_says_what_its_width_hangs_on(question: str, time: str, other: str) -> None:
    _, _, draft = turn(question)
    headline = draft.answer.split("\n")[0]
    assert time in headline
    assert other in headline


@pytest.mark.parametrize(
    "question",
    [
        "Can my 3090 do 500 SDXL images by tomorrow morning?",
        "can I LoRA llama 3 8B on 50M tokens over the weekend with a 4090?",
        "how many SDXL images can a 3090 make overnight?",
        "how many documents can a T4 embed in a day with bge-m3?",
        "下周一之前要用 bge-m3 给 200 万条文本做 embedding，一张 T4 够吗",
        "每晚要转写 300 小时录音，4090 够吗",
        "4090 一小时能出几张 flux dev 的图",
    ],
)
def test_the_hours_taken_and_what_comes_out_are_traced(question: str) -> None:
    understanding, records, draft = turn(question)
    assert not ground(draft.answer, records, (question, counted(understanding)), draft.citations).ungrounded
