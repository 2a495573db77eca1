"""Live speech: every update hears the window anew, so few streams are kept up with where much recorded speech is."""

import pytest

from kb.constants.item_work import item_work
from tools.speed.estimate import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import InferenceSpeed, Live


def speed(**fields: object) -> InferenceSpeed:
    return estimate_inference_speed(InferenceSpeedRequest.model_validate({"model": "whisper-large-v3", **fields}))


def live(**fields: object) -> Live:
    found = speed(**fields).live
    assert found is not None
    return found


def test_a_stream_costs_nearly_a_window_every_update() -> None:
    """Between ten seconds of a window, if all of its work were writing down, and a whole one, if all were hearing."""
    found, rate = live(gpu="L20"), speed(gpu="L20").windows
    assert rate is not None
    window = item_work().speech.window_s
    assert rate.batched.value / window < found.streams_batched.value < rate.batched.value / window * 3
    assert found.streams_batched.value * found.recorded_ratio == pytest.approx(rate.batched.value)


def test_one_stream_in_turn_fills_a_small_card() -> None:
    """One live call with whisper-large-v3 was seen to hold an RTX A4000 at full use, far as it is beyond real time."""
    found, recorded = live(gpu="RTX A4000"), speed(gpu="RTX A4000").audio_s_per_s
    assert recorded is not None
    assert recorded.value > 20
    assert found.streams_in_turn.low < 1 < found.streams_in_turn.high


def test_rarer_updates_keep_up_with_more_and_answer_later() -> None:
    often, seldom = live(gpu="4090", live_chunk_s=0.5), live(gpu="4090", live_chunk_s=2)
    assert seldom.streams_in_turn.value == pytest.approx(4 * often.streams_in_turn.value)
    assert seldom.first_words_s.value - often.first_words_s.value == pytest.approx(1.5)


def test_more_cards_take_more_streams_and_answer_none_sooner() -> None:
    one, two = live(gpu="4090"), live(gpu="4090", gpu_count=2)
    assert two.streams_batched.value == pytest.approx(2 * one.streams_batched.value)
    assert two.first_words_s == one.first_words_s


def test_models_that_go_on_from_what_they_heard_are_left_out() -> None:
    assert speed(model="SenseVoiceSmall", gpu="4090").live is None
    assert speed(model="yolov8n", gpu="4090").live is None


def test_what_it_does_not_say_is_said_where_it_was_asked_for() -> None:
    assert any("Live speech" in line for line in speed(gpu="4090", live_chunk_s=1).warnings)
    assert not any("Live speech" in line for line in speed(gpu="4090").warnings)
