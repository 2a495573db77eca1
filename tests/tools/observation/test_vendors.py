"""What an explanation says of cards of other makers, of formats that cannot be, and of programs nobody knows."""

from typing import Any

import pytest

from tools.observation.explain import explain_observation
from tools.observation.request import ObservationRequest
from tools.observation.result import Explanation
from tools.registry import tool


def explained(**fields: Any) -> Explanation:
    return explain_observation(ObservationRequest.model_validate(fields))


@pytest.mark.parametrize(
    ("cards", "own"), [("2x MI300X", "rocm-smi"), ("8x 910B3", "npu-smi"), ("4x H100", "nvidia-smi")]
)
def test_checks_are_commands_of_the_cards_maker(cards: str, own: str) -> None:
    found = explained(
        model="Qwen2.5-32B", cards=cards, engine="vllm", seen={"tokens_per_s": 4}, symptom="one_card_idle"
    )
    commands = " ".join(one.check.command for one in found.causes)
    assert own in commands
    assert not {"rocm-smi", "npu-smi", "nvidia-smi"} - {own} & set(commands.split())


def test_a_format_that_the_cards_cannot_hold_is_no_cause() -> None:
    """27 billion weights of 16 bits are 54 GB, two cards have 22; four L40S have 192 and hold 70 billion's 141."""
    small = explained(params=27_000_000_000, cards="2x 2080 Ti", weight_format="int4", engine="vllm",
                      seen={"tokens_per_s": 8})  # fmt: skip
    roomy = explained(model="Llama-3.3-70B", cards="4x L40S", weight_format="awq", engine="vllm", parallel="tp4",
                      seen={"tokens_per_s": 12})  # fmt: skip
    assert "wider_weights" not in [one.id for one in small.causes]
    assert "wider_weights" in [one.id for one in roomy.causes]


def test_a_format_left_open_is_one_that_ran() -> None:
    """40 tokens a second of 27 billion 16-bit weights would take 2.2 TB/s of cards that do not even hold them."""
    found = explained(params=27_000_000_000, cards="2x 2080 Ti", seen={"tokens_per_s": 40})
    assert found.answer.verdict == "normal"
    assert any("exceed the cards" in line for line in found.assumptions)
    whole = explained(model="Qwen3-8B", cards="4090", engine="vllm", seen={"tokens_per_s": 50})
    assert not any("exceed the cards" in line for line in whole.assumptions)


@pytest.mark.parametrize(
    ("engine", "taken"), [("foobar", "the usual engines"), ("vlm", "vllm"), ("lama.cpp", "llama.cpp")]
)
def test_a_program_nobody_knows_is_told_and_answered(engine: str, taken: str) -> None:
    found = explained(model="Qwen3-8B", cards="4090", engine=engine, seen={"tokens_per_s": 20})
    assert any(engine in line and taken in line for line in found.assumptions)
    ways = tool("find_ways_to_run").call({"model": "Qwen3-8B", "cards": "4090", "engine": engine})
    assert any(engine in line and taken in line for line in ways.model_dump()["assumptions"])


def test_switches_that_send_messages_up_are_a_cause_of_slow_cards() -> None:
    found = explained(model="Llama-3.3-70B", cards="8x RTX PRO 6000 Server", weight_format="fp8", engine="vllm",
                      parallel="tp8", link="PIX", seen={"link_bytes_per_s": 9e9})  # fmt: skip
    (cause,) = [one for one in found.causes if one.id == "acs_redirects"]
    assert "acsctl" in cause.check.command
    alone = explained(model="Qwen3-8B", cards="4090", engine="vllm", seen={"tokens_per_s": 20})
    assert "acs_redirects" not in [one.id for one in alone.causes]


def test_pictures_that_are_prepared_for_take_from_the_cache() -> None:
    """A pool of 9,000 tokens where 63,000 are expected: some gigabytes are kept for something, pictures or another."""
    seen = {"engine": "vllm", "cards": "4090", "seen": {"kv_pool_tokens": 9000}}
    of_pictures = explained(model="Qwen2.5-VL-7B", **seen)
    assert of_pictures.answer.verdict == "low"
    causes = {one.id: one for one in of_pictures.causes}
    assert {"vision_profile", "other_process"} <= set(causes)
    assert "--limit-mm-per-prompt" in (causes["vision_profile"].setting or "")
    of_text = explained(model="Qwen3-8B", engine="vllm", cards="4090", seen={"kv_pool_tokens": 3000})
    assert "vision_profile" not in [one.id for one in of_text.causes]
    assert "other_process" in [one.id for one in of_text.causes]


def test_the_log_of_that_profile_is_read() -> None:
    found = explained(
        model="Qwen2.5-VL-7B", cards="4090", engine="vllm", gpu_memory_utilization=1.0,
        error_text="Encoder cache will be initialized with a budget of 98304 tokens, and profiled with 1 video items "
        "of the maximum feature size.",
    )  # fmt: skip
    assert found.causes[0].id == "vision_profile"


@pytest.mark.parametrize(("host", "short"), [("1TB", True), ("3TB", False)])
def test_copies_of_every_rank_are_held_against_the_hosts_memory(host: str, short: bool) -> None:
    """Sixteen ranks a machine, each with 140 GB of a 70B model: 2.24 TB."""
    found = explained(params=70_000_000_000, task="lora", cards="64x 32G V100", nodes=4, host_memory=host,
                      error_text="out of memory")  # fmt: skip
    assert ("copy_each_rank" in [one.id for one in found.causes]) is short


@pytest.mark.parametrize(("cards", "met"), [("4090", True), ("Ascend 910B3", False), ("M3 Ultra 512GB", False)])
def test_paging_to_the_host_is_a_cause_where_the_card_has_such_a_driver(cards: str, met: bool) -> None:
    found = explained(model="Qwen3-14B", cards=cards, engine="transformers", seen={"tokens_per_s": 0.5})

    assert any(cause.id == "paged_to_host" for cause in found.causes) is met
