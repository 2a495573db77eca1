"""Images, clips, speech and documents: published runs, laws that must hold, and refusals."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import BadInput
from kb.catalog import gpus, models
from kb.constants.item_work import dataset_samples, item_work
from kb.constants.measured_speed import MeasuredSpeed, measured_speeds
from tools.named import read_card
from tools.speed import estimate_inference_speed
from tools.speed.item_estimate import item_pace
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import InferenceSpeed

SDXL = "stabilityai/stable-diffusion-xl-base-1.0"
FLUX = "black-forest-labs/FLUX.1-dev"
WHISPER = "openai/whisper-large-v3"
ROWS = [row for row in measured_speeds() if row.kind in ("images", "audio")]


def estimate(**fields: object) -> InferenceSpeed:
    return estimate_inference_speed(InferenceSpeedRequest.model_validate({"gpu": "rtx-4090-24gb", **fields}))


def formula(row: MeasuredSpeed) -> float:
    request = InferenceSpeedRequest.model_validate(json.loads(row.request))
    found = item_pace(request, read_card(request.gpu)[0])
    if row.measure == "images_per_s":
        return found.rate * request.gpu_count
    return (1 / found.rate) if row.measure == "realtime_factor" else found.items / found.rate


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_the_formula_alone_is_near_every_published_run(row: MeasuredSpeed) -> None:
    assert formula(row) == pytest.approx(row.estimate, rel=1e-3)
    assert abs(math.log(row.estimate / row.value)) < math.log(1.45)


def test_steps_and_pixels_cost_in_proportion() -> None:
    few, many = (estimate(model=FLUX, gpu="h100-pcie-80gb", steps=n).time_per_image_s for n in (10, 40))
    assert few is not None
    assert many is not None
    assert 3.5 < many.value / few.value < 4.1
    small, large = (estimate(model=FLUX, gpu="h100-pcie-80gb", width_px=n, height_px=n) for n in (1024, 2048))
    assert small.time_per_image_s is not None
    assert large.time_per_image_s is not None
    assert 4 < large.time_per_image_s.value / small.time_per_image_s.value < 16


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([SDXL, "torchvision/resnet50", WHISPER]), st.integers(1, 16))
def test_cards_add_up_and_intervals_hold_their_value(model: str, cards: int) -> None:
    one, many = (estimate(model=model, gpu_count=n, concurrent_sequences=8) for n in (1, cards))
    for name in ("images_per_s", "audio_s_per_s"):
        single, all_of_them = getattr(one, name), getattr(many, name)
        if single is not None:
            assert all_of_them.value == pytest.approx(cards * single.value)
            assert 0 < all_of_them.low < all_of_them.value < all_of_them.high


def test_each_kind_answers_in_its_own_unit_and_leaves_the_rest_null() -> None:
    picture, clip = estimate(model=SDXL), estimate(model="Wan-AI/Wan2.1-T2V-1.3B")
    speech, look = estimate(model=WHISPER), estimate(model="ultralytics/yolov8n")
    assert picture.images_per_s is not None
    assert clip.time_per_clip_s is not None
    assert clip.images_per_s is None
    assert speech.realtime_factor is not None
    assert look.images_per_s is not None
    for found in (picture, clip, speech, look):
        assert found.tokens_per_s_total is None
        assert found.derivation
        assert found.assumptions


def test_the_time_of_everything_asked_follows_from_the_rate() -> None:
    found = estimate(model=SDXL, images=10_000)
    assert found.time_s is not None
    assert found.images_per_s is not None
    assert found.time_s.value == pytest.approx(10_000 / found.images_per_s.value)
    assert found.time_s.low == pytest.approx(10_000 / found.images_per_s.high)
    speech = estimate(model=WHISPER, audio_s=3.6e6)
    assert speech.time_s is not None
    assert speech.realtime_factor is not None
    assert speech.time_s.value == pytest.approx(3.6e6 * speech.realtime_factor.value)
    read = estimate(model="BAAI/bge-m3", documents=10**7, gpu_count=4)
    assert read.replicas == 4
    assert read.documents_per_s is not None
    assert read.time_s is not None
    assert read.time_s.value == pytest.approx(1e7 / read.documents_per_s.value)


def test_nothing_runs_above_the_peak_of_its_card() -> None:
    for name, card in gpus().items():
        try:
            found = estimate(model=SDXL, gpu=name, steps=30)
        except BadInput:
            continue
        assert found.time_per_image_s is not None
        flops = 30 * 2 * 5.98e12
        peak = card.bf16_flops or card.fp16_flops or card.fp32_flops or math.inf
        assert found.time_per_image_s.value >= flops / peak, name


def test_every_generator_and_detector_of_the_tables_is_in_the_catalog_and_answers() -> None:
    tables = item_work()
    for model in (*tables.pictures, *tables.images, *tables.patches):
        assert model in models()
        found = estimate(model=model, gpu="a100-sxm-80gb")
        assert found.images_per_s or found.time_per_clip_s, model


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        pytest.param({"model": "FunAudioLLM/CosyVoice2-0.5B"}, "model", id="speaks-instead-of-listening"),
        pytest.param({"model": "stabilityai/stable-video-diffusion-img2vid-xt"}, "model", id="work-unknown"),
        pytest.param({"model": SDXL, "engine": "vllm"}, "engine", id="engine-makes-no-pictures"),
    ],
)
def test_what_no_source_states_is_refused(fields: dict[str, object], field: str) -> None:
    with pytest.raises(BadInput) as refusal:
        estimate(**fields)
    assert refusal.value.field == field


def test_known_data_sets_are_read_from_words() -> None:
    assert dataset_samples("ResNet-50 训练 ImageNet 90 epochs") == 1281167
    assert dataset_samples("train yolo on COCO2017") == 118287
    assert dataset_samples("a cocoa plantation") is None


@pytest.mark.parametrize("model", [SDXL, FLUX, "stable-diffusion-v1-5/stable-diffusion-v1-5"])
@pytest.mark.parametrize(
    ("slower", "faster"),
    [
        pytest.param("rtx-4080-16gb", "rtx-4090-24gb", id="ada"),
        pytest.param("rtx-4090-24gb", "rtx-5090-32gb", id="generations"),
        pytest.param("t4-16gb", "rtx-2080-ti-11gb", id="power-limit-turing"),
        pytest.param("a10-24gb", "a100-sxm-80gb", id="server-ampere"),
    ],
)
def test_a_faster_card_makes_more_pictures(model: str, slower: str, faster: str) -> None:
    rates = [estimate(model=model, gpu=gpu, steps=30, concurrent_sequences=4).images_per_s for gpu in (slower, faster)]
    assert rates[0] is not None
    assert rates[1] is not None
    assert rates[1].value > 1.1 * rates[0].value


@pytest.mark.parametrize("model", [SDXL, FLUX])
def test_chips_alike_differ_little_whatever_their_stated_rate_sums_in(model: str) -> None:
    """An RTX 4090 and an RTX 6000 Ada are one chip: 1.7 and 1.74 steps of FLUX a second were measured."""
    consumer, workstation = (
        estimate(model=model, gpu=gpu, steps=30).images_per_s for gpu in ("rtx-4090-24gb", "rtx-6000-ada-48gb")
    )
    assert consumer is not None
    assert workstation is not None
    assert 0.7 < workstation.value / consumer.value < 1.4


@pytest.mark.parametrize("model", [WHISPER, "openai/whisper-large-v3-turbo"])
@pytest.mark.parametrize("gpu", ["rtx-2080-ti-11gb", "rtx-4090-24gb", "a100-sxm-80gb"])
def test_where_no_batch_is_stated_programs_that_hear_window_after_window_are_within_the_interval(
    model: str, gpu: str
) -> None:
    asked = {"model": model, "gpu": gpu}
    unstated, stated = (
        estimate_inference_speed(InferenceSpeedRequest.model_validate({**asked, "concurrent_sequences": count}))
        for count in (1, 16)
    )
    assert unstated.realtime_factor is not None
    assert stated.realtime_factor is not None
    assert unstated.realtime_factor.value == pytest.approx(stated.realtime_factor.value)
    assert unstated.realtime_factor.high > 4 * unstated.realtime_factor.value
    assert stated.realtime_factor.high < 2 * stated.realtime_factor.value


@pytest.mark.parametrize(
    ("model", "gpu", "factor"),
    [
        pytest.param(WHISPER, "rtx-2080-ti-11gb", 52.0 / 780, id="faster-whisper-issue-1030"),
        pytest.param("openai/whisper-large-v3-turbo", "rtx-2080-ti-11gb", 19.2 / 780, id="faster-whisper-turbo"),
        pytest.param("openai/whisper-large-v3-turbo", "rtx-3090-24gb", 179 / 6000, id="transformers-turbo"),
        pytest.param("openai/whisper-large-v2", "rtx-3090-24gb", 112 / 950.5, id="openai-whisper-3090"),
        pytest.param("openai/whisper-medium", "rtx-4090-24gb", 43 / 950.5, id="openai-whisper-medium-4090"),
    ],
)
def test_published_runs_of_window_after_window_are_covered(model: str, gpu: str, factor: float) -> None:
    found = estimate_inference_speed(InferenceSpeedRequest(model=model, gpu=gpu))
    assert found.realtime_factor is not None
    assert found.windows is not None
    assert found.realtime_factor.low < factor < found.realtime_factor.high * 1.02
    assert found.windows.in_turn.low * 0.98 < 1 / factor < found.windows.in_turn.high * 1.02


def test_what_comes_out_in_a_time_is_the_rate_times_it() -> None:
    found = estimate(model=SDXL, gpu="rtx-3090-24gb", within_s=3600)
    assert found.items_within is not None
    assert found.images_per_s is not None
    assert found.items_within.value == pytest.approx(3600 * found.images_per_s.value)


@pytest.mark.parametrize("model", ["lj1995/GPT-SoVITS", "SWivid/F5-TTS", "coqui/XTTS-v2", "facebook/mms-tts-eng"])
def test_models_that_speak_have_no_speed_of_listening(model: str) -> None:
    with pytest.raises(BadInput, match="generates speech"):
        estimate(model=model)


@pytest.mark.parametrize(
    ("model", "seconds"),
    [(SDXL, 15.16), ("runwayml/stable-diffusion-v1-5", 2.42)],  # ComfyUI issue 7332, an RX 6900 XT
)
def test_cards_that_pack_two_halves_into_a_word_are_timed_by_that(model: str, seconds: float) -> None:
    found = estimate(gpu="rx-6900-xt-16gb", model=model, steps=20).time_per_image_s

    assert found is not None
    assert found.low <= seconds <= found.high
