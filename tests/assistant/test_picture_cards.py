"""Several cards for pictures and clips, and the card for a time that one is to take."""

import pytest

from assistant.ground.check import ground
from assistant.plan import particular
from assistant.understand.aims import find_aim
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("question", "cards"),
    [
        ("I have a 4090, does a second one make FLUX faster?", "2×RTX 4090"),
        ("I have two 3090s, will SDXL generate twice as fast?", "2×RTX 3090"),
        ("is it worth getting a second 3060 for stable diffusion?", "2×RTX 3060 12GB"),
        ("is it worth adding a second 3090 for Wan 2.2 video?", "2×RTX 3090"),
        ("2x 5090 for video generation, does it speed up one clip?", "2×RTX 5090"),
        ("两张 3090 跑 ComfyUI 出图能翻倍吗", "2×RTX 3090"),
        ("我有一张 4090，再买一张出 SDXL 图能快多少", "2×RTX 4090"),
        ("再加一张 3090 跑 Wan2.2 会快一倍吗", "2×RTX 3090"),
    ],
)
def test_a_second_card_makes_no_picture_sooner_but_twice_as_many(question: str, cards: str) -> None:
    understanding, records, draft = turn(question)
    headline = draft.answer.split("\n")[0]
    assert particular.shape(understanding) == "picture_cards"
    assert headline.startswith(("**No, a picture", "**No, a clip", "**单张图不会更快", "**单段视频不会更快"))
    assert cards in headline
    assert "ComfyUI" in draft.answer
    assert not draft.clarifying_questions
    times = [
        one.result["time_per_clip_s"] or one.result["time_per_image_s"]
        for one in records
        if one.tool == "estimate_inference_speed"
    ]
    assert times[0]["value"] == pytest.approx(times[1]["value"])


@pytest.mark.parametrize(
    "question",
    [
        "Does ComfyUI use both my 3090s for one image?",
        "can I combine two 3060 12GB to run FLUX dev?",
        "两张 12G 的 3060 显存能叠加跑 FLUX 吗",
        "双 3090 能不能合并显存跑 Wan2.2 14B",
    ],
)
def test_the_memory_of_two_cards_is_not_added_up(question: str) -> None:
    _, _, draft = turn(question)
    assert draft.answer.startswith(("**No, their memory is not added up", "**不能，显存不会相加"))


@pytest.mark.parametrize(
    ("question", "model"), [("can I run FLUX dev on two 3060 12GB?", "FLUX"), ("两张 3060 能跑 Wan2.2 吗", "Wan")]
)
def test_each_card_holds_the_whole_model(question: str, model: str) -> None:
    _, records, draft = turn(question)
    asked = [one.request for one in records if one.tool == "estimate_memory"]
    assert asked
    assert all((one.get("data_parallel"), one.get("tensor_parallel")) == (2, 1) for one in asked)
    assert "NVLink" not in draft.answer


@pytest.mark.parametrize(
    ("words", "wanted", "measured"),
    [
        ("my 2080 Ti takes 20 s for an SDXL picture, which card gets to 5 s?", 5, 20),
        ("FLUX takes 2 minutes per image, what GPU do I need to get under 15 seconds?", 15, 120),
        ("我的 3060 出一张 SDXL 要 40 秒，换什么卡能到 10 秒", 10, 40),
        ("3090 跑一段 5 秒视频要 50 分钟，换什么卡能到 15 分钟", 900, 3000),
        ("a 5s clip takes 40 minutes, what card gets it to 10 minutes?", 600, 2400),
        ("which GPU makes a FLUX dev image in under 10 seconds?", 10, None),
        ("想 5 秒内出一张 SDXL 图，买什么卡", 5, None),
        ("SD 1.5 takes 15 seconds per image, which card would do it in 2?", 2, 15),
    ],
)
def test_the_time_wished_for_is_told_from_the_one_measured(words: str, wanted: float, measured: float | None) -> None:
    found = find_aim(words)
    assert found is not None
    assert (found.wanted_s, found.measured_s) == (wanted, measured)


@pytest.mark.parametrize("words", ["SDXL takes 20 s on my 3060, is that normal?", "which card for a 5 s clip?"])
def test_no_time_is_wished_for(words: str) -> None:
    assert find_aim(words) is None


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("question", "first", "most_s"),
    [
        ("my 2080 Ti takes 20 s for an SDXL picture, which card gets to 5 s?", "RTX 4090", 5),
        ("我的 3060 出一张 SDXL 要 40 秒，换什么卡能到 10 秒", "RTX 4080", 10),
        ("FLUX on my 3060 12GB takes 2 minutes per image, what GPU do I need to get under 15 seconds?", "RTX 5090", 15),
        ("SD 1.5 on my GTX 1080 takes 15 seconds per image, which card would do it in 2?", "RTX 3080", 2),
        ("Wan 2.2 5s clip takes 40 minutes on my 3090, what card gets it to 10 minutes?", "RTX PRO 6000", 600),
    ],
)
def test_the_cheapest_card_that_reaches_the_time_comes_first_by_what_was_measured(
    question: str, first: str, most_s: float
) -> None:
    understanding, records, draft = turn(question)
    assert particular.shape(understanding) == "aimed"
    assert draft.answer.startswith(f"**{first}")
    scaled = [one.result["time_as_measured_s"] for one in records if one.request.get("measured_s")]
    assert scaled
    assert all(one["value"] <= most_s for one in scaled)
    assert ground(draft.answer, records, [question], draft.citations).ungrounded == ()


@pytest.mark.usefixtures("fresh_prices")
def test_a_time_that_no_card_reaches_is_said_to_be_out_of_reach() -> None:
    _, _, draft = turn("my 4090 takes 4 s per SDXL image, which card gets to 1 s?")
    assert draft.answer.startswith("**No single card reaches 1 s")
    assert draft.verdict == "does_not_fit"


@pytest.mark.usefixtures("fresh_prices")
def test_a_card_slower_than_usual_is_looked_at_first() -> None:
    _, _, draft = turn("my 3060 takes 4 minutes for an SDXL picture, which card gets to 10 s?")
    assert "First look at the card you have" in draft.answer


@pytest.mark.usefixtures("fresh_prices")
def test_a_follow_up_with_another_time_is_answered_anew() -> None:
    _, _, draft = talk(
        "which GPU makes an SDXL image in under 10 seconds?", "and which card does it in under 5 seconds?"
    )
    assert draft.answer.startswith("**RTX 4090")
