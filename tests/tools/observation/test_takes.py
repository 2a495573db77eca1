"""What a set-up as told takes of a card, by its parts."""

import pytest

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool
from tools.observation.explain import explain_observation
from tools.observation.request import ObservationRequest

GIB = 2**30


def taken(**fields: object):  # type: ignore[no-untyped-def]
    return explain_observation(ObservationRequest.model_validate({"symptom": "slow", **fields})).takes


def test_the_parts_sum_to_what_is_needed() -> None:
    found = taken(model="Qwen2.5-32B", cards="8x A800", task="full_finetune", sharding="zero3")
    assert sum(found.parts.values()) == pytest.approx(found.needed_bytes_per_gpu, rel=0.001)
    assert max(found.parts, key=lambda name: found.parts[name]) == "optimizer"


def test_a_pool_is_what_the_share_leaves() -> None:
    found = taken(model="Llama-3.1-8B", cards="1x 3090", engine="vllm", context_tokens=29_000)
    assert found.reserved_ratio == pytest.approx(0.9)
    assert found.cache_bytes_per_token == pytest.approx(128 * 1024, rel=0.01)
    assert found.pool_bytes_per_gpu == pytest.approx(4.0 * GIB, rel=0.15)
    assert found.pool_tokens.low < 23_648 < found.pool_tokens.high


def test_nothing_is_reckoned_without_a_model() -> None:
    assert taken(cards="1x 3090") is None


def test_preference_training_is_told_by_its_method() -> None:
    asked = {
        "model": "Qwen2.5-0.5B",
        "cards": "A100 80G",
        "micro_batch": "8",
        "sequence_tokens": "2048",
        "symptom": "OOM",
    }
    plain, pairs = (agent_tool("explain").look_up({**asked, "task": task}, Ledger([])) for task in ("full", "dpo"))
    logits = [float(one.shown["takes"]["parts"]["logits"].split()[0]) for one in (plain, pairs)]
    assert logits[1] > 1.8 * logits[0]


def test_compatibility_is_looked_up_by_words() -> None:
    tool = agent_tool("look_up")
    asked = {"kind": "compatibility", "names": ["A30"]}
    found = tool.look_up({**asked, "words": "最新的 vllm 驱动 535"}, Ledger([]))
    assert found.shown["verdict"] == "works_with"  # a data-centre card, through cuda-compat
    assert "cuda-compat" in found.shown["instead"]
    assert tool.look_up({**asked, "words": "is that fine"}, Ledger([])).failed
