"""What a personal machine runs: files of llama.cpp, and examples that are read as fast as they are written."""

import pytest

from kb.catalog import gpus, models
from tools.need import GpuCount
from tools.what_fits import what_fits
from tools.what_fits_examples import EVERYDAY, FLUENT_TOKENS_PER_S, READS, REPLACES, SMALL, everyday, everyday_series
from tools.what_fits_request import WhatFitsRequest

PERSONAL = ["m4-pro", "m3-ultra", "ryzen-ai-max", "rtx-4060-laptop", "rtx-5090-laptop"]
DESKTOP = ["rtx-3060-12gb", "rtx-4060-ti-16gb", "rtx-3090-24gb", "rtx-5090"]
SERVED = ["l40s-48gb", "h100-sxm-80gb", "rtx-a6000-48gb"]


def _id(start: str) -> str:
    return next(key for key in gpus() if start in key)


@pytest.mark.parametrize("start", PERSONAL + DESKTOP)
def test_personal_machines_serve_files_of_llama_cpp(start: str) -> None:
    result = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu=_id(start), count=1),)))
    served = [row.weight_format for row in result.rows if row.task == "inference"]
    assert served == ["bf16", "gguf:Q8_0", "gguf:Q4_K_M"]


@pytest.mark.parametrize("card", SERVED)
def test_cards_of_servers_keep_the_formats_of_engines(card: str) -> None:
    result = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu=card, count=1),)))
    assert "awq" in {row.weight_format for row in result.rows}


@pytest.mark.parametrize("count", [4, 8])
def test_many_consumer_cards_are_a_server(count: int) -> None:
    result = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu="rtx-4090-24gb", count=count),)))
    assert "awq" in {row.weight_format for row in result.rows}
    assert not result.candidates


def test_a_desktop_that_serves_many_at_once_is_a_server() -> None:
    result = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu="rtx-4090-24gb", count=1),), concurrent_sequences=16))
    assert "awq" in {row.weight_format for row in result.rows}


@pytest.mark.parametrize("start", PERSONAL + DESKTOP)
def test_what_is_proposed_for_every_day_fits_writes_fluently_and_is_no_makers_former_model(start: str) -> None:
    card = gpus()[_id(start)]
    result = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu=card.id, count=1),)))
    assert 2 <= len(result.candidates) <= EVERYDAY
    most = max(one.params for one in result.candidates)
    assert len({one.model for one in result.candidates}) == len(result.candidates)
    for one in result.candidates:
        known = models()[one.model]
        assert one.needed_bytes_per_gpu <= card.usable_bytes, one.name
        assert one.params * SMALL > most, one.name
        rate = READS * (card.bandwidth_bytes_per_s or 0) / ((known.active_params or known.params) * 5 / 8)
        assert rate >= 0.9 * FLUENT_TOKENS_PER_S, one.name


def test_a_newer_model_of_a_maker_takes_the_place_of_an_older_one_of_its_size() -> None:
    proposed = everyday(lambda one: one.params < 40e9, 0, 4.9)
    order = {one.id: place for place, members in enumerate(everyday_series()) for one in members}
    for one in proposed:
        maker = one.id.partition("/")[0]
        newer = [other for other in proposed if other.id.partition("/")[0] == maker and order[other.id] < order[one.id]]
        assert all(other.params < REPLACES * one.params for other in newer), one.name


def test_slow_memory_gets_smaller_mixtures_instead_of_large_dense_models() -> None:
    slow, fast = everyday(lambda one: True, 250e9, 4.9), everyday(lambda one: True, 8e12, 4.9)
    assert max(one.active_params or one.params for one in slow) < max(one.active_params or one.params for one in fast)


@pytest.mark.parametrize("start", PERSONAL)
def test_the_first_examples_in_four_bits_write_fluently(start: str) -> None:
    card = gpus()[_id(start)]
    result = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu=card.id, count=1),)))
    row = next(one for one in result.rows if one.weight_format == "gguf:Q4_K_M")
    for example in row.examples:
        known = models()[example.model]
        if example.verdict == "yes":
            rate = READS * (card.bandwidth_bytes_per_s or 0) / ((known.active_params or known.params) * 5 / 8)
            assert rate >= 0.9 * FLUENT_TOKENS_PER_S, example.name


@pytest.mark.parametrize(
    ("gib", "fields", "files"),
    [
        (8, {}, True), (16, {}, True), (24, {}, True), (32, {"gpu_count": 2}, True),
        (48, {}, False), (80, {}, False), (24, {"gpu_count": 8}, False), (24, {"concurrent_sequences": 16}, False),
    ],
)  # fmt: skip
def test_a_card_without_a_name_is_one_of_a_desktop_up_to_the_largest_of_those(
    gib: int, fields: dict[str, int], files: bool
) -> None:
    result = what_fits(WhatFitsRequest.model_validate({"memory_bytes_per_gpu": gib * 2**30, **fields}))
    served = {str(row.weight_format) for row in result.rows if row.task == "inference"}
    assert any(form.startswith("gguf:") for form in served) is files
    assert bool(result.candidates) is files


@pytest.mark.parametrize(
    ("card", "served"),
    [
        ("p40-24gb", ["fp16", "gguf:Q8_0", "gguf:Q4_K_M"]), ("v100-sxm2-32gb", ["fp16", "int8", "gptq"]),
        ("ascend-910b4-32gb", ["bf16", "int8", "int4"]), ("atlas-300i-duo-96gb", ["fp16", "int8"]),
    ],
)  # fmt: skip
def test_cards_that_engines_leave_out_are_told_in_what_runs_there(card: str, served: list[str]) -> None:
    result = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu=card, count=1),)))
    assert [row.weight_format for row in result.rows if row.task == "inference"] == served
