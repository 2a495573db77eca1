"""Every card is offered models in formats that an engine reads there: no AWQ on Volta or Ascend, files on Pascal."""

import pytest

from kb.catalog import gpus
from kb.software import features
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.configure.suitable import reads_files, served_in
from tools.configure.workload import SERVED, workload
from tools.need import GpuCount

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
    assert _formats("rtx-4090-24gb") == {None, "fp8", "awq"}
    assert _formats("v100-sxm2-32gb") == {None, "gptq"}
    assert all(str(form).startswith("gguf:") for form in _formats("p40-24gb"))
    for card in ASCEND:
        assert _formats(card) == {None, "int8", "int4"}
    for card in EIGHT_ONLY:
        assert _formats(card) == {None, "int8"}


def test_unlike_cards_each_keep_their_own_formats() -> None:
    named = [gpus()[key] for key in ("p40-24gb", "v100-sxm2-32gb", "rtx-3090-24gb", "ascend-910b3-64gb")]
    load = workload(_need("p40-24gb"), named, others=False)
    for card in named:
        forms = {variant.weight_format for variant in load.offered(card)}
        alone = workload(_need(card.id), [card], others=False)
        assert forms == {variant.weight_format for variant in alone.offered(card)}


def test_chinese_cards_are_proposed_in_china_in_formats_of_their_own() -> None:
    load = workload(ConfigureRequest(task="inference", model="Qwen/Qwen3-32B", country="CN"))
    assert {one.weight_format for one in load.offered(gpus()["ascend-910b3-64gb"])} == set(dict(SERVED["ascend"]))
    assert {one.weight_format for one in load.offered(gpus()["rtx-4090-24gb"])} == set(dict(SERVED["usual"]))


@pytest.mark.parametrize("card", ["v100-sxm2-32gb", "p40-24gb", *ASCEND, *EIGHT_ONLY])
def test_a_format_that_is_stated_is_kept(card: str) -> None:
    assert _formats(card, weight_format="awq") == {"awq"}


@pytest.mark.parametrize("card", ["v100-sxm2-32gb", "p40-24gb", "ascend-910b4-32gb", "atlas-300i-duo-96gb"])
def test_what_is_configured_is_in_a_format_of_the_card(card: str) -> None:
    found = configure(_need(card, gpus_owned=(GpuCount(gpu=card, count=2),))).configurations
    own = [one for one in found if one.gpu == card]
    assert own
    kind = served_in(gpus()[card])
    for one in own:
        native = one.weight_format in {"bf16", "fp16"}
        named = {form for form, _ in SERVED[kind]} if kind in SERVED else set()
        assert native or one.weight_format in named or (kind == "files" and str(one.weight_format).startswith("gguf:"))
