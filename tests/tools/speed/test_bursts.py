"""First tokens alone, in turn and in a burst, and answers an hour with their prompts in them."""

import pytest

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool
from tools.speed.estimate import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import InferenceSpeed
from tools.ways_to_run import find_ways_to_run
from tools.ways_to_run.request import WaysToRunRequest
from tools.ways_to_run.result import WaySpeed

CASES = (
    pytest.param("qwen/qwen3-32b", "rtx-3090-24gb", 2, id="32b-on-two-3090"),
    pytest.param("meta-llama/Meta-Llama-3.1-8B", "l40s-48gb", 1, id="8b-on-l40s"),
    pytest.param("Qwen/Qwen3-30B-A3B", "rtx-5090-32gb", 1, id="mixture-on-5090"),
)


def speed_of(model: str, gpu: str, count: int, sequences: int, prompt: int = 3000, answer: int = 400) -> WaySpeed:
    request = WaysToRunRequest.model_validate(
        {
            "model": model, "cards": [{"gpu": gpu, "count": count}], "concurrent_sequences": sequences,
            "input_tokens": prompt, "output_tokens": answer,
        }
    )  # fmt: skip
    speed = find_ways_to_run(request).ways[0].speed
    assert speed is not None
    return speed


@pytest.mark.parametrize(("model", "gpu", "count"), CASES)
def test_last_of_a_burst_waits_for_every_prompt(model: str, gpu: str, count: int) -> None:
    speed = speed_of(model, gpu, count, 8)
    assert speed.first_token_s
    assert speed.first_token_alone_s
    assert speed.first_token_burst_s
    alone, last = speed.first_token_alone_s.value, speed.first_token_burst_s.value
    assert alone <= speed.first_token_s.value <= last
    assert 4 * alone < last < 9 * alone


@pytest.mark.parametrize(("model", "gpu", "count"), CASES)
def test_answers_an_hour_hold_the_reading_of_prompts(model: str, gpu: str, count: int) -> None:
    for sequences in (1, 8):
        speed = speed_of(model, gpu, count, sequences)
        assert speed.requests_per_hour
        assert speed.answer_s
        assert speed.requests_per_hour.value == pytest.approx(sequences * 3600 / speed.answer_s.value)
        without = 3600 * speed.tokens_per_s_total.value / 400
        assert speed.requests_per_hour.value < without


def test_longer_prompts_make_fewer_answers_an_hour() -> None:
    found = [speed_of("Qwen/Qwen3-8B", "rtx-4090-24gb", 1, 4, prompt).requests_per_hour for prompt in (500, 4000)]
    assert found[0]
    assert found[1]
    assert found[1].value < found[0].value


def test_one_sequence_has_neither_burst_nor_others() -> None:
    speed = speed_of("Qwen/Qwen3-8B", "rtx-4090-24gb", 1, 1)
    assert speed.first_token_alone_s is None
    assert speed.first_token_burst_s is None


def of(**fields: object) -> InferenceSpeed:
    base = {"model": "Qwen/Qwen3-8B", "gpu": "rtx-4090-24gb", "input_tokens": 4000, "output_tokens": 500}
    return estimate_inference_speed(InferenceSpeedRequest.model_validate({**base, **fields}))


def test_what_memory_does_not_hold_waits_for_whole_answers() -> None:
    """A burst of ten times what fits: at least nine rounds of answers pass before the last one's prompt is read."""
    room = of().max_concurrent_sequences
    assert room
    held, beyond = of(concurrent_sequences=room), of(concurrent_sequences=10 * room)
    assert held.time_to_first_token_burst_s
    assert beyond.time_to_first_token_burst_s
    assert beyond.time_per_output_token_s
    rounds = 8 * 500 * beyond.time_per_output_token_s.low
    assert beyond.time_to_first_token_burst_s.value > held.time_to_first_token_burst_s.value + rounds


def test_a_shared_prefix_shortens_the_burst() -> None:
    whole, shared = of(concurrent_sequences=8), of(concurrent_sequences=8, cached_tokens=3000)
    assert whole.time_to_first_token_burst_s
    assert shared.time_to_first_token_burst_s
    assert shared.time_to_first_token_burst_s.value < whole.time_to_first_token_burst_s.value / 2


def test_a_model_that_asks_for_waits_sees_all_three() -> None:
    asked = {
        "model": "Qwen3-14B AWQ", "cards": "2x RTX 3090", "concurrent_sequences": "12", "input_tokens": "3000",
        "output_tokens": "300", "target_first_token": "5 s",
    }  # fmt: skip
    shown = agent_tool("find_ways_to_run").look_up(asked, Ledger()).shown["ways"][0]["speed"]
    assert {"first_token", "first_token_alone", "first_token_burst", "requests_per_hour"} <= shown.keys()
