"""Cards that bridges join in small groups: what more of them are told where they exchange data."""

import pytest

from kb.catalog import gpus
from tools.configure import configure
from tools.configure.request import ConfigureRequest

TUNED = {"task": "full_finetune", "model": "Qwen/Qwen3-32B"}
SERVED = {"task": "inference", "model": "Qwen/Qwen2.5-72B-Instruct", "weight_format": "int4"}


@pytest.mark.parametrize(
    ("need", "card", "said"),
    [
        pytest.param(TUNED, "a100-pcie-80gb", True, id="weights-sharded-over-bridged-cards"),
        pytest.param(TUNED, "h100-nvl-94gb", True, id="over-pairs-to-buy"),
        pytest.param(TUNED, "a100-sxm-80gb", False, id="over-soldered-ones"),
        pytest.param(SERVED, "rtx-3090-24gb", True, id="layers-over-four-in-pairs"),
        pytest.param(SERVED | {"weight_format": "bf16"}, "a100-pcie-80gb", False, id="over-a-bridged-pair"),
        pytest.param(SERVED, "a40-48gb", True, id="layers-over-eight-to-rent"),
    ],
)
def test_that_more_cards_talk_over_pcie_is_said_where_they_exchange_data(
    need: dict[str, object], card: str, said: bool
) -> None:
    found = configure(ConfigureRequest.model_validate({"gpus_asked": (card,), **need})).configurations
    assert found
    told = []
    for one in found:
        together = (
            one.gpu_count if one.sharding else max(one.tensor_parallel * one.pipeline_parallel, one.expert_parallel)
        )
        bridged = one.gpu == card and together > (gpus()[card].link_cards or together)
        told.append(any(reason.code == "bridged_groups" for reason in one.reasons))
        assert told[-1] is bridged, one.title
    assert any(told) is said
