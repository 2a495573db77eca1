"""How much there is to do stands after the turn that said it: later turns change card, model or question."""

import pytest

from assistant.understand import understand
from assistant.understand.correction import corrected
from assistant.understanding import Asked
from tests.assistant.planning import turn


def asked_of_tools(*texts: str) -> tuple[Asked, list[dict[str, object]]]:
    """The last turn's need, and what its tools that time or price work were asked."""
    previous: Asked | None = None
    requests: list[dict[str, object]] = []
    for text in texts:
        understanding, records, draft = turn(text, previous)
        previous = understanding.need.model_copy(update={"shown": draft.shown})
        timed = ("estimate_inference_speed", "estimate_training_time", "estimate_cost")
        requests = [one.request for one in records if one.tool in timed]
    assert previous is not None
    return previous, requests


HEARD = "Transcribe 2000 hours of audio with whisper large-v3 on a 3090, how long?"
EMBEDDED = "Embed 20M documents of 400 tokens with bge-m3 on an L4, how long?"


@pytest.mark.parametrize(
    ("texts", "field", "value"),
    [
        (("What does it cost to generate 2M images with SDXL on an H100?", "and how long?"), "images", 2_000_000),
        (("用SDXL在4090上出5万张图要多久", "换成 L40S 呢"), "images", 50_000),
        (("用SDXL在4090上出5万张图要多久", "那 SD3.5 呢"), "images", 50_000),
        ((HEARD, "a 4090?"), "audio_s", 7_200_000),
        ((HEARD, "what would it cost in the cloud?"), "audio_s", 7_200_000),
        ((EMBEDDED, "on an A100 80GB"), "documents", 20_000_000),
        ((EMBEDDED, "50M documents?"), "documents", 50_000_000),
        (("Train an SDXL LoRA on 40 images for 1500 steps on a 4070, does it fit?", "how long?"), "steps", 1500),
        (("Generate 400M tokens with Qwen2.5-7B on a 4090, how long?", "and on a 5090?"), "tokens", 400_000_000),
    ],
)  # fmt: skip
def test_the_amount_of_work_stays_said(texts: tuple[str, ...], field: str, value: int) -> None:
    _, requests = asked_of_tools(*texts)
    assert value in [request.get(field) for request in requests]


def test_a_length_or_steps_of_before_stay_beside_another_amount() -> None:
    need, requests = asked_of_tools(EMBEDDED, "and for 50M documents?")
    assert {request.get("input_tokens") for request in requests} == {400}
    assert "20M" not in (need.amount or "")


def test_an_amount_does_not_outlive_its_kind_of_work() -> None:
    first = understand("用SDXL在4090上出5万张图要多久").need
    assert first.amount
    assert understand("那 Qwen2.5-7B 呢", first).need.amount is None
    assert understand("给我的客服系统部署 Qwen2.5-72B，200 人用，需要买几张 H100?", first).need.amount is None


def test_a_model_after_pictures_to_make_is_not_taken_to_be_trained() -> None:
    _, requests = asked_of_tools("用SDXL在4090上出5万张图要多久", "那 FLUX 呢")
    assert requests
    assert all("dataset_samples" not in request or request.get("images") for request in requests)


def test_what_was_understood_of_the_amount_can_be_corrected() -> None:
    first = understand("用SDXL在4090上出5万张图要多久").need
    need = corrected("…", first, {"amount": "8万张图"}).need
    assert need.amount == "8万张图"
    assert "8万张图" in corrected("…", first, {"amount": "8万张图"}).text


@pytest.mark.parametrize(
    ("more", "field", "value"),
    [
        ("那 300 张呢", "images", 300),
        ("10 万呢", "images", 100_000),
        ("and 2M?", "images", 2_000_000),
        ("what about 5k images?", "images", 5000),
    ],
)
def test_a_bare_number_is_another_amount_of_the_same(more: str, field: str, value: int) -> None:
    need, requests = asked_of_tools("用SDXL在4090上出5万张图要多久", more)
    assert value in [request.get(field) for request in requests]
    assert [(card.gpu, card.count) for card in need.gpus_owned] == [("rtx-4090-24gb", 1)]


def test_another_number_of_what_comes_every_day_still_comes_every_day() -> None:
    first = understand("每天转写 500 小时录音，whisper large-v3，用什么卡").need
    need = understand("2000 小时呢", first).need
    assert need.amount is not None
    assert "2000" in need.amount
    assert "每天" in need.amount


@pytest.mark.parametrize("more", ["两张卡呢", "on two of them", "with 4 cards"])
def test_a_few_cards_are_cards_beside_pictures_to_make(more: str) -> None:
    need, _ = asked_of_tools("用SDXL在4090上出5万张图要多久", more)
    assert (need.gpus_owned[0].count or 1) > 1
    assert need.amount == "5万张图"


def test_renting_for_a_training_of_pictures_is_priced_for_its_time() -> None:
    _, requests = asked_of_tools("训练 SDXL LoRA，500 张图，跑 3000 步，4090 要多久", "要是租呢，多少钱")
    timed = [request for request in requests if request.get("steps") == 3000]
    assert timed
    assert [request["term_s"] for request in requests if "term_s" in request]


def test_which_fact_of_a_card_was_asked_is_asked_of_the_next() -> None:
    first, _, _ = turn("what's the memory bandwidth of an H100?")
    _, _, draft = turn("how about H200?", first.need)
    assert "4.8 TB/s" in draft.answer.split("\n")[0]
    another, _, _ = turn("H100 功耗多少")
    _, _, draft = turn("H200 呢", another.need)
    assert "700 W" in draft.answer.split("\n")[0]


def test_what_a_job_costs_stays_asked_of_another_model_and_another_amount() -> None:
    texts = ("每月生成 10 万张 SDXL 图，租什么卡划算", "改成 FLUX 呢", "只要 1 万张")
    need, requests = asked_of_tools(*texts[:2])
    assert need.model == "black-forest-labs/FLUX.1-dev"
    assert {request["images"] for request in requests} == {100_000}
    need, requests = asked_of_tools(*texts)
    assert {request["images"] for request in requests} == {10_000}
    assert need.amount is not None
    assert "每月" in need.amount


def test_another_deadline_takes_the_place_of_the_one_before() -> None:
    first, _, draft = turn("We have 10k hours of podcasts to transcribe with whisper large-v3 in a week. What GPUs?")
    assert "10,000 hours" in draft.answer.split("\n")[0]
    second, records, _ = turn("and in three days?", first.need)
    rates = [one.request["audio_s_per_s"] for one in records if one.request.get("audio_s_per_s")]
    assert rates
    assert all(rate == pytest.approx(10_000 * 3600 / (3 * 86400)) for rate in rates)
    _, records, _ = turn("what would that cost in the cloud?", second.need)
    assert {one.request.get("audio_s") for one in records if one.tool == "estimate_cost"} == {36_000_000}


def test_a_bare_number_after_a_rate_is_another_rate() -> None:
    first = understand("What GPU for serving bge-m3 at 200 queries per second?").need
    need, records, _ = turn("500?", first)
    assert {one.request.get("documents_per_s") for one in records if "documents_per_s" in one.request} == {500.0}
    assert need.need.amount == "500 queries per second"
