"""Models beside each other, models dealt out over cards, sizes without a model."""

from typing import Any

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool


def run(**arguments: Any) -> dict[str, Any]:
    return agent_tool("find_ways_to_run").look_up(arguments, Ledger(), ()).shown


def test_each_has_a_card_of_its_own_where_there_are_enough() -> None:
    works = ["Qwen3-4B", "bge-large-en-v1.5", "whisper-medium"]
    apart = run(works=works, cards="3x 4060 Ti 16GB")["beside"]
    assert sorted(one["on_card"] for one in apart) == [2, 3]
    assert {one["on_card"] for one in run(works=works, cards="2x 4060 Ti 16GB")["beside"]} == {1}


def test_without_cards_several_models_are_summed() -> None:
    told = run(works=["Qwen3-4B", "whisper-medium"])
    assert [one["model"] for one in told["needs"]] == ["Qwen/Qwen3-4B", "openai/whisper-medium"]
    assert told["together"].endswith("GiB")


def test_a_model_too_large_for_one_card_is_judged_over_all() -> None:
    four = run(model="Evo 2 40B", cards="4x L4")["answer"]
    eight = run(model="Evo 2 40B", cards="8x L4")["answer"]
    assert "would hold" in four["over_all_cards"] or four["verdict"] == "weights_fit"
    assert eight["verdict"] == "weights_fit"


def test_a_large_size_alone_is_said_to_be_taken_as_dense() -> None:
    assert any("dense" in one for one in run(model="about 200B", cards="8x H100").get("read_as", ()))
    assert not any("dense" in one for one in run(model="200B-A20B", cards="8x H100").get("read_as", ()))
    assert not any("dense" in one for one in run(model="14B", cards="1x 4090").get("read_as", ()))


def test_many_at_once_are_served_by_a_server() -> None:
    told = run(model="Qwen2.5-72B", cards="2x H100", concurrent_sequences="300")
    assert told["answer"]["engine"] != "llama.cpp"
    assert told["answer"]["changed"]


def test_a_way_that_crawls_is_said_to_and_less_is_proposed() -> None:
    told = run(model="Llama 70B", cards="2x 4090", context_tokens="100k", concurrent_sequences="6", host_memory="512GB")
    assert "too slow to use" in told["warnings"][0]
    assert any("all on the cards" in str(one) for one in told["changes"])
