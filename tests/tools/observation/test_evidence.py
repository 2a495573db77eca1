"""What may lead: a cause with its own evidence or one that explains the figure, never one of another machine."""

from typing import Any

import pytest

from kb.observation import described, observation_facts
from kb.units import GIB
from tools.observation import explain_observation
from tools.observation.request import ObservationRequest
from tools.observation.result import Explanation


def explained(**fields: Any) -> Explanation:
    return explain_observation(ObservationRequest.model_validate(fields))


def ids(**fields: Any) -> list[str]:
    return [cause.id for cause in explained(**fields).causes]


SERVED = {"model": "llama-2-13b", "cards": "RTX 3090", "engine": "llama.cpp", "weight_format": "q4_0"}


def test_what_only_an_errors_text_tells_is_never_heard_in_words() -> None:
    assert {"kernel_shared_memory", "device_by_uuid", "sampler_warmup"}.isdisjoint(described())
    assert {"paged_to_host", "data_waits", "network_between_nodes"} <= described()


@pytest.mark.parametrize(
    "words",
    ["hardly anything comes out although the memory of the card is used", "just not what I paid for on this machine",
     "stuck at two tokens each second whatever backend"],
)  # fmt: skip
def test_words_that_come_near_to_a_cause_are_no_evidence_beside_a_figure(words: str) -> None:
    plain, worded = (explained(**SERVED, seen={"tokens_per_s": 2}, **more) for more in ({}, {"symptom": words}))
    assert [one.id for one in worded.causes][:2] == [one.id for one in plain.causes][:2]


def test_what_gives_tokens_does_not_hang() -> None:
    amd = {"model": "qwen3-8b", "cards": "RX 7900 XTX", "engine": "llama.cpp", "weight_format": "q4_k_m"}
    assert "gsp_timeout" not in ids(**amd, seen={"tokens_per_s": 60}, symptom="stuck at 60 t/s")
    assert "gsp_timeout" not in ids(**amd, symptom="it hangs")
    assert "gsp_timeout" in ids(cards="L40S", symptom="it hangs")


def test_a_training_is_no_server() -> None:
    assert ids(cards="RTX 4080", task="full_finetune", symptom="gpu usage goes up and down")[0] == "data_waits"
    assert "batch_in_turn" not in ids(cards="RTX 4080", task="full_finetune", symptom="gpu utilization is low")


def test_one_machine_has_no_network_between_machines() -> None:
    one = {"model": "qwen3-8b", "cards": "2x L40S", "engine": "vllm", "tensor_parallel": 2, "seen": {"tokens_per_s": 9}}
    assert "network_between_nodes" not in ids(**one)
    assert ids(**(one | {"nodes": 2}))[0] == "network_between_nodes"


def test_the_network_that_was_told_is_part_of_what_is_expected() -> None:
    asked = {"model": "llama-3.1-405b", "cards": "16x H100 SXM", "engine": "vllm", "weight_format": "fp8",
             "tensor_parallel": 16, "seen": {"tokens_per_s": 5}}  # fmt: skip
    rates = []
    for link in ("10GbE", "100GbE", "InfiniBand NDR"):
        expected = explained(**asked, link=link).answer.expected
        assert expected is not None
        rates.append(expected.value)
    assert rates[0] < rates[1] < rates[2]
    assert rates[0] < 0.7 * rates[2]


def test_chips_that_share_memory_page_nothing_out() -> None:
    found = ids(model="gpt-oss-20b", cards="DGX Spark", seen={"tokens_per_s": 9})
    assert found
    assert "paged_to_host" not in found


def test_a_full_card_speaks_for_paging() -> None:
    asked = {"model": "sdxl", "task": "lora", "cards": "RTX 4070", "micro_batch_size": 1, "platform": "windows"}
    assert ids(**asked, seen={"step_s": 60, "memory_bytes": int(11.9 * GIB)})[0] == "paged_to_host"


def test_memory_of_several_cards_is_read_as_that_of_each() -> None:
    found = explained(model="qwen3-8b", task="lora", cards="2x 3090", micro_batch_size=1, sequence_tokens=2048,
                      seen={"memory_bytes": 44 * GIB})  # fmt: skip
    assert found.answer.seen == 22 * GIB
    assert any("sum of 2 cards" in one for one in found.assumptions)
    assert "several_counted" not in [cause.id for cause in found.causes]


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({"cards": "2x 4090", "task": "lora", "symptom": "first card 99 %, the other 40 %, slower than alone"},
         "dataparallel_in_turn"),
        ({"cards": "3x A10", "task": "full_finetune", "symptom": "一张卡 98%，另一张 45%，比单卡还慢"},
         "dataparallel_in_turn"),
        ({"cards": "4x A10", "engine": "transformers", "flags": "model_worker --num-gpus 4", "symptom": "slow"},
         "layers_in_turn"),
        ({"model": "llama-2-13b", "cards": "A40", "engine": "llama.cpp", "weight_format": "q4_0",
          "seen": {"tokens_per_s": 0.05}, "symptom": "rented pod with 6 vCPUs"}, "threads_oversubscribed"),
        ({"cards": "4x 4090", "task": "full_finetune", "sharding": "fsdp",
          "symptom": "out of memory already in accelerator.prepare"}, "whole_model_first"),
        ({"model": "llama-3.1-8b", "cards": "RTX 3060 12GB", "engine": "ollama", "context_tokens": 131072,
          "seen": {"cpu_share_ratio": 1.0}}, "compute_buffer_grows"),
        ({"cards": "2x A10", "task": "lora", "sharding": "ddp", "symptom": "slow", "flags": "offload_optimizer: cpu"},
         "weights_offloaded"),
        ({"model": "sdxl", "cards": "RTX 4080", "task": "lora", "symptom": "caching latents is off and it is slow"},
         "latents_uncached"),
    ],
)  # fmt: skip
def test_kinds_of_trouble_lead_by_what_was_said(fields: dict[str, Any], cause: str) -> None:
    assert ids(**fields)[0] == cause


def test_sharded_training_is_none_of_one_process() -> None:
    told = "first card 99 %, the other 40 %"
    assert "dataparallel_in_turn" not in ids(cards="2x 4090", task="lora", sharding="zero2", symptom=told)


def test_what_did_not_start_holds_the_published_weights() -> None:
    asked = {"model": "qwen3-32b", "cards": "2x 3090", "engine": "vllm", "tensor_parallel": 2}
    found = explained(**asked, symptom="CUDA out of memory at start")
    assert found.causes[0].id == "oom_weights"
    assert not any("exceed the cards" in one for one in found.assumptions)


def test_memory_that_ran_out_of_a_set_up_that_fits_is_explained_by_one_change() -> None:
    asked = {"model": "llama-2-7b", "task": "lora", "cards": "RTX 3090", "micro_batch_size": 4, "sequence_tokens": 2048}
    found = explained(**asked, error_text="RuntimeError: CUDA out of memory.")
    assert found.causes[0].id != "oom_settings"
    assert found.causes[-1].id == "oom_settings"
    first = found.causes[0].expected
    assert first is not None
    assert first.high > 0.9 * 24 * GIB


def test_a_moment_that_only_the_person_tells_places_the_error() -> None:
    asked = {"model": "llama-2-7b", "task": "full_finetune", "cards": "4x V100 32GB", "sharding": "zero2"}
    found = ids(**asked, error_text="CUDA out of memory.", symptom="at the first optimizer step")
    assert found[0] == "oom_optimizer"


def test_a_shard_of_the_optimizer_is_known_by_its_size() -> None:
    text = "CUDA out of memory. Tried to allocate 6.28 GiB (GPU 1; 31.75 GiB total capacity)"
    asked = {"model": "llama-2-7b", "task": "full_finetune", "cards": "4x V100 32GB", "sharding": "zero2"}
    found = explained(**asked, error_text=text)
    assert found.causes[0].id == "oom_optimizer"
    assert found.error_read is not None
    assert "optimizer" in str(found.error_read.facts["tensor"])


def test_a_profile_of_the_whole_prompt_is_read_in_the_log() -> None:
    log = ("Memory profiling results: peak_torch_memory=19.10GiB kv_cache_size=1.20GiB\n"
           "The model's max seq len (24000) is larger than the maximum number of tokens that can be stored in KV cache "
           "(9600).")  # fmt: skip
    found = ids(model="llama-3.1-8b", cards="RTX 3090", engine="vllm", context_tokens=24000, error_text=log)
    assert found[:2] == ["oom_kv_too_small", "profiled_whole"]


def test_an_engine_that_was_assumed_is_said() -> None:
    found = explained(model="qwen3-8b", cards="RTX 4090", seen={"tokens_per_s": 40})
    assert any("engine not stated" in one for one in found.assumptions)


def test_words_name_causes_that_there_are() -> None:
    assert described() <= set(observation_facts().causes)
