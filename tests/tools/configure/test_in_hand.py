"""Cards one has are all put to use, and cards that are proposed are priced in just that number."""

from decimal import Decimal
from typing import Any

import pytest

from kb.catalog import gpus
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.configure.result import ConfigureResult
from tools.need import GpuCount

RUN: dict[str, Any] = {"dataset_tokens": 10**8, "with_frontier": False}


def ask(**fields: Any) -> ConfigureResult:
    return configure(ConfigureRequest.model_validate({"with_frontier": False, **fields}))


def cards(gpu: str, count: int) -> tuple[GpuCount, ...]:
    return (GpuCount(gpu=gpu, count=count),)


@pytest.mark.parametrize(
    ("task", "model", "gpu", "count"),
    [
        pytest.param("full_finetune", "Llama-3.1-8B", "h100-sxm-80gb", 32, id="full-on-four-nodes"),
        pytest.param("lora", "Llama-3.1-70B", "h200-sxm-141gb", 16, id="lora-on-two-nodes"),
        pytest.param("qlora", "Qwen2.5-7B-Instruct", "rtx-3090-24gb", 3, id="qlora-on-three"),
        pytest.param("lora", "Qwen2.5-7B-Instruct", "rtx-4090-24gb", 4, id="lora-on-four"),
    ],
)
def test_a_training_is_given_every_card_that_makes_it_faster(task: str, model: str, gpu: str, count: int) -> None:
    first = ask(task=task, model=model, gpus_owned=cards(gpu, count), **RUN).configurations[0]
    fewer = ask(task=task, model=model, gpus_owned=cards(gpu, count), intent="how_many_gpus", **RUN).configurations[0]
    assert (first.gpu, first.gpu_count, first.owned_count, first.price.amount) == (gpu, count, count, 0)
    assert fewer.gpu_count <= count
    assert (first.speed or {})["time_s"] <= (fewer.speed or {})["time_s"]
    running = first.running_cost or {}
    at_the_wall = running["sustained_w"] / 1000 * (first.speed or {})["time_s"] / 3600
    assert at_the_wall <= running["run_kwh"] <= 2 * at_the_wall  # a site adds its PUE
    assert running["run_energy_cost"] > 0


def test_cards_that_stay_free_are_told_and_none_is_bought_beside_them() -> None:
    found = ask(task="inference", model="Llama-3.1-8B", users=200, gpus_owned=cards("rtx-3090-24gb", 4)).configurations
    owned = [one for one in found if one.owned_count]
    assert len(owned) == 1
    spare = next(one for one in owned[0].reasons if one.code == "spare")
    assert spare.values == {"spare": 4 - owned[0].gpu_count, "count": 4}


def test_cards_are_added_to_those_that_hold_it_only_by_the_estimate() -> None:
    found = ask(task="qlora", model="Qwen2.5-32B", gpus_owned=cards("rtx-3090-24gb", 2), **RUN).configurations
    assert (found[0].memory.verdict, found[0].price.amount) == ("tight", 0)
    assert (found[1].memory.verdict, found[1].owned_count) == ("yes", 2)
    assert found[1].gpu_count > 2


@pytest.mark.parametrize(
    ("gpu", "count"), [("l40s-48gb", 4), ("rtx-5090-32gb", 5), ("h100-sxm-80gb", 8), ("h200-sxm-141gb", 16)]
)
def test_a_number_of_cards_that_is_proposed_is_priced_first(gpu: str, count: int) -> None:
    found = ask(task="inference", model="Qwen2.5-14B-Instruct", users=100, gpus_proposed=cards(gpu, count))
    for way in ("buy", "rent"):
        lead = next((one for one in found.configurations if one.acquisition == way), None)
        if lead is not None and (way == "buy" or gpu != "rtx-5090-32gb"):
            assert (lead.gpu, lead.gpu_count) == (gpu, count)
    bought = next(one for one in found.configurations if one.acquisition == "buy")
    assert bought.price.amount == sum((item.subtotal or Decimal(0) for item in bought.items), Decimal(0))
    titles = [one.title for one in found.configurations]
    assert len(titles) == len(set(titles))


def test_a_proposal_that_does_not_hold_the_model_is_told_with_what_does() -> None:
    found = ask(task="inference", model="Llama-3.1-70B", gpus_proposed=cards("rtx-4090-24gb", 1))
    miss = next(one for one in found.rejected if one.gpu == "rtx-4090-24gb")
    assert (miss.gpu_count, miss.reasons[0].code, miss.reasons[1].code) == (1, "too_small", "use_more")
    assert miss.needed_bytes_per_gpu is not None
    assert miss.needed_bytes_per_gpu > gpus()["rtx-4090-24gb"].usable_bytes
    more = miss.reasons[1].values["count"]
    assert any(one.gpu == "rtx-4090-24gb" and one.gpu_count == more for one in found.configurations)


@pytest.mark.parametrize(("model", "users"), [("Qwen2.5-72B", 60), ("Llama-3.3-70B-Instruct", 60)])
def test_as_many_of_the_cards_are_used_as_make_it_fast_enough(model: str, users: int) -> None:
    """Fewer would hold it, too slowly; the rest lie there and cost nothing."""
    found = ask(task="inference", model=model, users=users, gpus_owned=cards("l40s-48gb", 8)).configurations
    owned = [one for one in found if one.owned_count]
    assert len(owned) == 1
    assert (owned[0].owned_count, owned[0].price.amount) == (owned[0].gpu_count, 0)
    assert (owned[0].speed or {})["tokens_per_s_per_user"] >= 10


def test_cards_that_are_too_slow_in_any_number_are_told_at_their_fastest() -> None:
    asked = {"task": "inference", "model": "Llama-3.3-70B-Instruct", "target_tokens_per_s": 150.0}
    first = ask(**asked, gpus_owned=cards("l40s-48gb", 8)).configurations[0]
    slower = ask(**asked, gpus_owned=cards("l40s-48gb", 4)).configurations[0]
    assert (first.gpu, first.price.amount) == ("l40s-48gb", 0)
    assert (first.speed or {})["tokens_per_s_per_user"] > (slower.speed or {})["tokens_per_s_per_user"]
