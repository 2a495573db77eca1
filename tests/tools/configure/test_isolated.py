"""Parts of cards for those who must not disturb each other: instances (MIG), whole cards, and when to say so."""

import pytest

from kb.catalog import gpus
from kb.machines.mig import cuts
from tools.configuration import Configuration
from tools.configure import configure
from tools.configure.request import ConfigureRequest

SMALL = {"task": "inference", "model": "Llama-3.2-3B"}


def parts(**need: object) -> list[Configuration]:
    return list(configure(ConfigureRequest.model_validate({**SMALL, **need})).configurations)


@pytest.mark.parametrize(
    ("card", "wanted"), [("a100-sxm-80gb", 7), ("h100-pcie-80gb", 5), ("a30-24gb", 2), ("h200-sxm-141gb", 7)]
)
def test_one_card_in_hand_is_cut_for_all_of_them(card: str, wanted: int) -> None:
    first = parts(instances=wanted, gpus_owned=[{"gpu": card, "count": 1}])[0]
    assert (first.gpu, first.gpu_count, first.owned_count, first.price.amount) == (card, 1, 1, 0)
    assert first.divided is not None
    assert first.divided.instances >= first.divided.wanted == wanted
    profile = next(one for one in cuts()[card].profiles if one.name == first.divided.profile)
    assert profile.most == first.divided.instances_per_gpu
    assert first.memory.needed_bytes_per_gpu <= first.memory.usable_bytes_per_gpu == profile.usable_bytes
    assert {"cut_into", "parts_apart"} <= {one.code for one in first.reasons}


@pytest.mark.parametrize(
    ("model", "card", "wanted"),
    [("Llama-3.2-3B", "rtx-4090-24gb", 3), ("Llama-3.1-70B", "h200-sxm-141gb", 2), ("Llama-3.2-3B", "l40s-48gb", 7)],
)
def test_who_cannot_have_an_instance_has_a_card(model: str, card: str, wanted: int) -> None:
    found = parts(model=model, gpus_asked=[card], instances=wanted, weight_format="bf16")
    assert found
    for one in found:
        assert one.divided is not None
        assert one.divided.profile is None
        assert one.gpu_count >= wanted
        assert one.memory.usable_bytes_per_gpu == gpus()[card].usable_bytes


@pytest.mark.parametrize("way", ["buy", "rent"])
def test_more_of_them_never_take_fewer_cards_or_less_money(way: str) -> None:
    found = [parts(instances=n, gpus_asked=["a100-pcie-80gb"], acquisition=way)[0] for n in (1, 3, 4, 5, 8, 15, 28)]
    assert [one.gpu_count for one in found] == sorted(one.gpu_count for one in found)
    amounts = [one.price.amount or 0 for one in found]
    assert amounts == sorted(amounts)
    assert all(one.divided is not None and one.divided.instances >= one.divided.wanted for one in found)


def test_a_part_is_slower_than_the_card_and_fast_enough() -> None:
    whole = parts(gpus_asked=["a100-pcie-80gb"])[0].speed or {}
    part = parts(gpus_asked=["a100-pcie-80gb"], instances=4)[0].speed or {}
    assert 5.0 <= float(part["tokens_per_s_per_user"] or 0) < float(whole["tokens_per_s_per_user"] or 0)
    assert float(part["time_to_first_token_s"] or 0) > float(whole["time_to_first_token_s"] or 0)
    assert not parts(gpus_asked=["a100-pcie-80gb"], instances=4, target_tokens_per_s=5000.0)


def test_a_coarser_precision_is_shown_where_it_takes_fewer_cards() -> None:
    found = parts(gpus_asked=["a100-pcie-80gb"], instances=7, acquisition="buy")
    assert [(one.gpu_count, one.weight_format) for one in found] == [(2, "bf16"), (1, "int8")]


def test_parts_stay_within_money_and_numbers() -> None:
    budget = {"amount": 60_000, "currency": "USD", "mode": "buy"}
    found = parts(instances=14, budget=budget, max_gpus=4)
    assert found
    assert all((one.price.amount or 0) <= 60_000 and one.gpu_count <= 4 for one in found)
    assert not parts(instances=100, gpus_asked=["a100-pcie-80gb"], max_gpus=2)


@pytest.mark.parametrize(
    ("model", "card", "said"),
    [("Llama-3.2-3B", "h100-sxm-80gb", True), ("Qwen2.5-7B", "h200-sxm-141gb", True),
     ("Llama-3.2-3B", "rtx-4090-24gb", False), ("Qwen2.5-32B", "h100-sxm-80gb", False)],
)  # fmt: skip
def test_a_card_that_could_be_shared_is_said_to_be(model: str, card: str, said: bool) -> None:
    found = [one for one in parts(model=model, gpus_asked=[card]) if one.gpu_count == 1 and one.weight_format == "bf16"]
    assert found
    assert all(any(reason.code == "mostly_empty" for reason in one.reasons) is said for one in found)
