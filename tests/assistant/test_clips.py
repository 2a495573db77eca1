"""Clips: the program that people make them with on cards of their own, how long one takes, and what is no number."""

import pytest

from assistant.ground.check import ground
from assistant.plan.amounts import amounts
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Can I run Wan2.2 14B text-to-video on a 5090?", "Yes, in FP8"),
        ("5090 能跑 Wan2.2 14B 文生视频吗", "能，但要用 FP8"),
        ("HunyuanVideo on a 4090, possible?", "Yes, in FP8"),
        ("Wan2.1 14B on a 3090 24GB?", "Yes, in INT4"),
    ],
)
def test_a_card_of_ones_own_holds_one_expert_at_a_time(text: str, said: str) -> None:
    _, records, draft = turn(text)
    assert said in draft.answer.splitlines()[0]
    assert "ComfyUI" in draft.answer
    assert "1,280 × 720" in draft.answer.replace("1280", "1,280")
    assert "minutes" in draft.answer or "分钟" in draft.answer or "hours" in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_cards_of_a_server_keep_the_published_script() -> None:
    _, _, draft = turn("Wan2.2 14B on an A100 80GB?")
    assert "ComfyUI" not in draft.answer


def test_several_cards_make_a_clip_each() -> None:
    _, records, _ = turn("两张 5090 跑 Wan2.2 14B 文生视频")
    weights = [one.result["per_gpu"]["total_bytes"] for one in records if one.tool == "estimate_memory"]
    _, alone, _ = turn("一张 5090 跑 Wan2.2 14B 文生视频")
    assert weights[0] == next(one.result["per_gpu"]["total_bytes"] for one in alone if one.tool == "estimate_memory")


@pytest.mark.parametrize(
    ("text", "images"),
    [
        ("How long does a Wan2.2 clip take on a 5090?", None),
        ("how long for a Wan 2.1 video on a 4090", None),
        ("How long do 40 Wan2.2 clips take on a 5090?", 40),
        ("5090 生成200条视频要多久，Wan2.2", 200),
    ],
)
def test_the_version_of_a_model_is_no_number_of_clips(text: str, images: int | None) -> None:
    understanding, _, _ = turn(text)
    assert amounts(understanding.need, text).get("images") == images
