"""Every card is offered models in formats that an engine reads there: no AWQ on Volta or Ascend, files on Pascal."""

import pytest

from kb.catalog import gpus
from kb.programs.software import features
from tools.configure import configure
from tools.configure.load.workload import workload
from tools.configure.market.suitable import reads_files
from tools.configure.request import ConfigureRequest
from tools.memory.formats import held_in
from tools.need import GpuCount
from tools.ways_to_run.space.formats import Readable, readable

ASCEND = ["ascend-910b3-64gb", "ascend-910b4-32gb", "ascend-910c-128gb"]
EIGHT_ONLY = ["atlas-300i-duo-96gb", "ascend-310p3-24gb"]


def _need(card: str, **fields: object) -> ConfigureRequest:
    return ConfigureRequest.model_validate(
        {"task": "inference", "model": "Qwen/Qwen3-14B", "gpus_owned": [{"gpu": card, "count": 1}], **fields}
    )


def _formats(card: str, **fields: object) -> set[str | None]:
    named = gpus()[card]
    load = workload(_need(card, **fields), [named], others=False)
    return {variant.weight_format for variant in load.offered(named)}


TOLD_APART = sorted(key for key, one in gpus().items() if one.vendor in {"NVIDIA", "Huawei"} and not reads_files(one))
"""Cards of the makers whose formats are told apart by what engines read."""


@pytest.mark.parametrize("card", TOLD_APART)
def test_no_card_is_offered_a_format_that_no_engine_reads_there(card: str) -> None:
    named = gpus()[card]
    for form in _formats(card) & {"awq", "gptq", "int8"}:
        rule = features()[str(form)].rule(named, "vllm")
        assert rule is None or rule.verdict != "does_not", (form, rule)


def test_each_family_of_cards_has_its_formats() -> None:
    """For several at once; one person may be given a file of four bits where a server finds no room."""
    many = {"concurrent_sequences": 4}
    assert _formats("rtx-4090-24gb", **many) == {"bf16", "fp8", "awq"}
    assert _formats("rtx-4090-24gb") == {"bf16", "fp8", "awq", "gguf:Q4_K_M"}
    assert _formats("a100-pcie-80gb", **many) == {"bf16", "int8", "awq"}
    assert {"bf16", "gptq"} <= _formats("v100-sxm2-32gb", **many)
    assert all(str(form).startswith("gguf:") for form in _formats("p40-24gb", **many))
    for card in (*ASCEND, *EIGHT_ONLY):
        assert {"bf16", "int8"} <= _formats(card, **many)


def test_unlike_cards_each_keep_their_own_formats() -> None:
    named = [gpus()[key] for key in ("p40-24gb", "v100-sxm2-32gb", "rtx-3090-24gb", "ascend-910b3-64gb")]
    load = workload(_need("p40-24gb"), named, others=False)
    for card in named:
        forms = {variant.weight_format for variant in load.offered(card)}
        alone = workload(_need(card.id), [card], others=False)
        assert forms == {variant.weight_format for variant in alone.offered(card)}


@pytest.mark.parametrize("card", ["rtx-4090-24gb", "a100-pcie-80gb", "v100-sxm2-32gb", "p40-24gb", *ASCEND])
def test_every_format_is_one_that_the_solver_of_ways_reads_there(card: str) -> None:
    named = gpus()[card]
    load = workload(_need(card), [named], others=False)
    assert load.serving is not None
    for variant in load.offered(named):
        assert variant.form is not None
        read = readable(load.serving.load, variant.form.engine, named)
        names = {one.name for one in read if isinstance(one, Readable)}
        assert held_in(str(variant.weight_format), named) in names


def test_a_format_that_no_engine_reads_on_a_card_is_not_offered_there() -> None:
    assert _formats("rtx-4090-24gb", weight_format="awq") == {"awq"}
    assert _formats("v100-sxm2-32gb", weight_format="awq") == set()


@pytest.mark.parametrize("card", ["v100-sxm2-32gb", "p40-24gb", "ascend-910b4-32gb", "atlas-300i-duo-96gb"])
def test_what_is_configured_is_in_a_format_of_the_card(card: str) -> None:
    found = configure(_need(card, gpus_owned=(GpuCount(gpu=card, count=2),))).configurations
    own = [one for one in found if one.gpu == card]
    assert own
    assert {one.weight_format for one in own} <= {held_in(str(form), gpus()[card]) for form in _formats(card)}
