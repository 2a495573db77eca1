"""What the cards in hand can do: sure fits fit, more cards never do less, nonsense is refused."""

import pytest

from kb.base import BadInput, UnknownName
from kb.catalog import gpu as find_gpu
from kb.units import GIB
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.need import GpuCount
from tools.registry import tool
from tools.what_fits import what_fits
from tools.what_fits_request import WhatFitsRequest
from tools.what_fits_result import WhatFits

ORDER = ("full_finetune", "lora", "qlora")


def sizes(result: WhatFits) -> dict[tuple[str, str, str | None], int]:
    return {(row.task, row.weight_format, row.optimizer): row.max_params or 0 for row in result.rows}


@pytest.fixture(scope="module")
def one_card() -> WhatFits:
    return what_fits(WhatFitsRequest(memory_bytes_per_gpu=24 * GIB))


def test_lighter_methods_reach_larger_models(one_card: WhatFits) -> None:
    best = {task: max(row.max_params or 0 for row in one_card.rows if row.task == task) for task in ORDER}
    assert best["full_finetune"] < best["lora"] < best["qlora"]


def test_a_24_gb_card_reaches_what_practice_knows(one_card: WhatFits) -> None:
    best = {task: max(row.max_params or 0 for row in one_card.rows if row.task == task) for task in ORDER}
    assert 1e9 <= best["full_finetune"] <= 3e9
    assert 7e9 <= best["lora"] <= 14e9
    assert 13e9 <= best["qlora"] <= 35e9


def test_every_sure_example_fits_by_the_calculator(one_card: WhatFits) -> None:
    checked = 0
    for row in one_card.rows:
        for example in row.examples:
            request = MemoryRequest.model_validate(
                {"task": row.task, "weight_format": row.weight_format, "model": example.model}
                | ({"engine": "llama.cpp"} if str(row.weight_format).startswith("gguf:") else {})
                | ({"optimizer": row.optimizer, "gradient_checkpointing": "full"} if row.optimizer else {})
            )
            per_gpu = estimate_memory(request).per_gpu
            assert per_gpu.total_bytes <= one_card.usable_bytes_per_gpu
            assert (per_gpu.high_bytes <= one_card.usable_bytes_per_gpu) == (example.verdict == "yes")
            checked += 1
    assert checked >= len(one_card.rows)


@pytest.mark.parametrize(
    ("gpu", "some", "more"), [("rtx-4090-24gb", 1, 2), ("l40s-48gb", 1, 4), ("h100-sxm-80gb", 1, 4)]
)
def test_more_cards_never_reach_less(gpu: str, some: int, more: int) -> None:
    few = sizes(what_fits(WhatFitsRequest(gpus=(GpuCount(gpu=gpu, count=some),))))
    many = sizes(what_fits(WhatFitsRequest(gpus=(GpuCount(gpu=gpu, count=more),))))
    assert all(many[way] >= few[way] for way in few)


def test_longer_context_never_reaches_more() -> None:
    short = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu="4090"),), task="inference", context_tokens=4096))
    long = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu="4090"),), task="inference", context_tokens=65536))
    assert all(sizes(long)[way] <= size for way, size in sizes(short).items())


def test_mixed_cards_serve_by_layers_and_train_as_the_smallest() -> None:
    pair = (GpuCount(gpu="4090", count=1), GpuCount(gpu="a6000", count=1))
    result, alike = (what_fits(WhatFitsRequest(gpus=cards)) for cards in (pair, (GpuCount(gpu="4090", count=2),)))
    assert result.gpu == "rtx-4090-24gb"
    assert result.count == 2
    assert [card.gpu for card in result.cards] == ["rtx-a6000-48gb", "rtx-4090-24gb"]
    assert any("Mixed" in said for said in result.assumptions)
    training = {way: size for way, size in sizes(alike).items() if way[0] != "inference"}
    assert training.items() <= sizes(result).items()


@pytest.mark.parametrize(("card", "other"), [("4090", "a6000"), ("3090", "4060 ti 16gb"), ("5090", "p40")])
def test_unlike_cards_hold_what_the_configurator_says_they_hold(card: str, other: str) -> None:
    owned = (GpuCount(gpu=card, count=1), GpuCount(gpu=other, count=1))
    result = what_fits(WhatFitsRequest(gpus=owned, task="inference"))
    assert result.together_usable_bytes == sum(find_gpu(one.gpu).usable_bytes for one in owned)
    checked = 0
    for row in result.rows:
        assert row.weight_format.startswith("gguf:")
        for example in row.examples[:2]:
            request = ConfigureRequest.model_validate(
                {
                    "task": "inference", "model": example.model, "gpus_owned": owned, "acquisition": "buy",
                    "weight_format": row.weight_format, "with_frontier": False,
                }
            )  # fmt: skip
            held = [one for one in configure(request).configurations if one.owned_count >= one.gpu_count]
            assert example.verdict in {one.memory.verdict for one in held}
            checked += 1
    assert checked >= len(result.rows)


def test_a_card_more_of_another_kind_never_reaches_less() -> None:
    few = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu="3090"), GpuCount(gpu="4060 ti 16gb")), task="inference"))
    many = what_fits(
        WhatFitsRequest(
            gpus=(GpuCount(gpu="3090"), GpuCount(gpu="4060 ti 16gb"), GpuCount(gpu="p40")), task="inference"
        )
    )
    assert all(sizes(many)[way] >= size for way, size in sizes(few).items())


def test_unknown_card_names_the_closest() -> None:
    with pytest.raises(UnknownName) as refusal:
        what_fits(WhatFitsRequest(gpus=(GpuCount(gpu="rtx 7090"),)))
    assert refusal.value.close


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "request"),
        ({"gpus": [{"gpu": "4090", "count": 0}]}, "gpus.0.count"),
        ({"memory_bytes_per_gpu": -1}, "memory_bytes_per_gpu"),
    ],
)
def test_nonsense_is_refused_with_its_field(arguments: dict[str, object], field: str) -> None:
    with pytest.raises(BadInput) as refusal:
        tool("what_fits").call(arguments)
    assert refusal.value.field == field


def test_cards_that_do_not_divide_into_machines_are_refused() -> None:
    with pytest.raises(BadInput):
        what_fits(WhatFitsRequest(gpus=(GpuCount(gpu="4090", count=13),)))


def test_models_for_a_purpose_come_largest_first_each_in_the_fullest_format_that_fits() -> None:
    found = what_fits(WhatFitsRequest.model_validate({"gpus": [{"gpu": "rtx-3090-24gb"}], "purpose": "coding"}))
    assert [one.params for one in found.candidates] == sorted((one.params for one in found.candidates), reverse=True)
    assert all(one.needed_bytes_per_gpu <= found.usable_bytes_per_gpu for one in found.candidates)
    small = next(one for one in found.candidates if one.params < 4e9)
    assert small.weight_format == "gguf:Q8_0"
    assert found.candidates[0].weight_format == "gguf:Q4_K_M"


def test_without_a_purpose_a_servers_card_is_proposed_no_model() -> None:
    assert what_fits(WhatFitsRequest.model_validate({"gpus": [{"gpu": "l40s-48gb"}]})).candidates == ()


def test_members_of_a_family_are_tried_largest_first_in_the_first_format_that_fits() -> None:
    family = ("Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-32B", "Qwen/Qwen2.5-72B")
    result = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu="l40s-48gb", count=1),), models=family))
    assert [(one.model, one.weight_format) for one in result.candidates] == [
        ("Qwen/Qwen2.5-72B", "awq"),
        ("Qwen/Qwen2.5-32B", "int8"),
        ("Qwen/Qwen2.5-7B", "bf16"),
    ]


def test_members_of_a_family_are_tried_in_the_way_they_are_to_be_tuned() -> None:
    request = WhatFitsRequest(gpus=(GpuCount(gpu="rtx-4090", count=1),), models=("Qwen/Qwen2.5-14B",), task="qlora")
    assert [one.weight_format for one in what_fits(request).candidates] == ["nf4"]


@pytest.mark.parametrize(("written", "count", "gib"), [
    (["3090 + 3060 12GB"], 2, 36), (["2x 3090, 1x 4090"], 3, 72), ("3090 and a 4060 Ti 16GB", 2, 40),
    (["3090", "3090"], 2, 48), (["7x 1g.10gb on A100 80GB"], 1, 10),
])  # fmt: skip
def test_cards_are_read_as_they_are_pasted(written: object, count: int, gib: int) -> None:
    """Several in one text are all there; of instances, which nothing joins, one holds the model."""
    found = what_fits(WhatFitsRequest.model_validate({"gpus": written, "task": "inference"}))
    assert found.count == count
    assert 0.9 * gib <= found.together_usable_bytes / GIB <= gib
