"""What a personal machine runs: files of llama.cpp, and examples that are read as fast as they are written."""

import pytest

from kb.catalog import gpus, models
from tools.need import GpuCount
from tools.what_fits import WhatFitsRequest, what_fits
from tools.what_fits_examples import FLUENT_TOKENS_PER_S, READS

PERSONAL = ["m4-pro", "m3-ultra", "ryzen-ai-max", "rtx-4060-laptop", "rtx-5090-laptop"]
SERVED = ["rtx-3090-24gb", "rtx-4090-24gb", "l40s-48gb", "h100-sxm-80gb"]


def _id(start: str) -> str:
    return next(key for key in gpus() if start in key)


@pytest.mark.parametrize("start", PERSONAL)
def test_personal_machines_serve_files_of_llama_cpp(start: str) -> None:
    result = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu=_id(start), count=1),)))
    served = [row.weight_format for row in result.rows if row.task == "inference"]
    assert served == ["bf16", "gguf:Q8_0", "gguf:Q4_K_M"]


@pytest.mark.parametrize("card", SERVED)
def test_cards_of_servers_and_desktops_keep_the_formats_of_engines(card: str) -> None:
    result = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu=card, count=1),)))
    assert "awq" in {row.weight_format for row in result.rows}


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
