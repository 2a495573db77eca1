"""A tight fit that costs much less stands behind the sure ones, with what its tightness means."""

import pytest

from tools.configuration import Configuration
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.configure.search import WORTH_SAYING

CHEAPER = (
    {"task": "inference", "params": 70_000_000_000, "users": 30},
    {"task": "lora", "model": "Qwen3-8B"},
)
OTHERS = (
    {"task": "inference", "model": "Llama-3.1-70B"},
    {"task": "inference", "model": "Qwen2.5-72B", "context_tokens": 8192},
    {"task": "inference", "model": "Llama-3.1-8B"},
    {"task": "inference", "model": "Mixtral-8x7B-v0.1", "users": 30},
    {"task": "qlora", "model": "Llama-3.1-70B"},
    {"task": "lora", "model": "Qwen2.5-14B-Instruct"},
    {"task": "diffusion"},
)


def bought(need: dict[str, object]) -> list[Configuration]:
    return [one for one in configure(ConfigureRequest.model_validate(need)).configurations if one.acquisition == "buy"]


@pytest.mark.parametrize("need", CHEAPER, ids=str)
def test_a_tight_purchase_for_much_less_is_shown(need: dict[str, object]) -> None:
    assert any(one.memory.verdict == "tight" for one in bought(need))


@pytest.mark.parametrize("need", [*CHEAPER, *OTHERS], ids=str)
@pytest.mark.parametrize("way", [None, "buy"])
def test_tight_ones_come_last_cost_much_less_and_say_what_they_lack(need: dict[str, object], way: str | None) -> None:
    found = bought({**need, "acquisition": way} if way else need)
    sure = [one.price.amount for one in found if one.memory.verdict == "yes" and one.price.complete]
    assert sure
    verdicts = [one.memory.verdict for one in found]
    assert verdicts == sorted(verdicts, reverse=True)
    for one in found:
        lacking = [reason.values for reason in one.reasons if reason.code == "tightness"]
        assert bool(lacking) is (one.memory.verdict == "tight")
        if lacking:
            assert one.price.complete
            assert (one.price.amount or 0) <= WORTH_SAYING * min(amount for amount in sure if amount is not None)


def test_adapters_on_a_card_that_only_just_holds_them_need_no_eight_cards() -> None:
    request = ConfigureRequest.model_validate(
        {"task": "lora", "params": 7_000_000_000, "acquisition": "rent", "gpus_asked": ("rtx-4090-24gb",)}
    )
    assert any(one.gpu_count == 1 and one.memory.verdict == "tight" for one in configure(request).configurations)
