"""What leads: words, figures and arithmetic speak for, before what merely fits; what to measure where none do."""

from typing import Any

import pytest

from kb.observation import observation_facts
from tools.observation import explain_observation
from tools.observation.estimates.memory import spread_thin
from tools.observation.ranking import runs
from tools.observation.request import ObservationRequest
from tools.observation.result import Explanation
from tools.observation.said.words import in_words
from tools.observation.setup import Setup, bare
from tools.observation.telling import told

SERVED = {"model": "qwen3-8b", "cards": "RTX 4090", "engine": "llama.cpp", "weight_format": "q4_k_m"}


def explained(**fields: Any) -> Explanation:
    return explain_observation(ObservationRequest.model_validate(fields))


def ids(**fields: Any) -> list[str]:
    return [cause.id for cause in explained(**fields).causes]


def setup(**fields: Any) -> Setup:
    return Setup(bare(ObservationRequest.model_validate(fields), {}))


def test_what_fits_any_gap_yields_to_what_the_words_tell_of() -> None:
    slow = {"seen": {"tokens_per_s": 30}}
    alone, heard = ids(**SERVED, **slow), ids(**SERVED, **slow, symptom="it is slow when JSON schema output is on")
    assert alone[0] == "layers_on_cpu"
    assert heard[0] == "constrained_output"
    assert "layers_on_cpu" in heard


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [("under WSL2 on Windows 11", "platform", "wsl"), ("Ubuntu 24.04, systemctl restart", "platform", "linux"),
     ("任务管理器里共享显存在涨", "platform", "windows"), ("my MacBook", "platform", "macos"),
     ("loaded with load_in_4bit", "weight_format", "nf4"), ("load_in_8bit=True", "weight_format", "int8")],
)  # fmt: skip
def test_words_tell_of_the_system_and_the_format(words: str, field: str, value: str) -> None:
    assert in_words(words)[field] == value


def test_a_cause_of_another_system_drops_out() -> None:
    full = {**SERVED, "seen": {"tokens_per_s": 6}}
    assert "paged_to_host" in ids(**full)
    assert "paged_to_host" not in ids(**full, symptom="Ubuntu 24.04, far too few tokens")


def test_what_lets_nothing_run_explains_no_slowness() -> None:
    stopping = {one.id for one in observation_facts().causes.values() if one.stops}
    assert {"driver_half_updated", "extension_built_otherwise"} <= stopping
    assert stopping.isdisjoint(ids(engine="vllm", symptom="it is slow since the update"))
    assert stopping & set(ids(engine="vllm", symptom="it no longer starts since the update"))
    assert runs(ObservationRequest.model_validate({"seen": {"tokens_per_s": 1}}))


def test_only_a_mixture_waits_for_its_experts() -> None:
    stuck = {"cards": "8x H100", "task": "full_finetune", "sharding": "zero3", "symptom": "training hangs"}
    assert ids(**stuck, model="qwen3-30b-a3b")[0] == "experts_gathered_unevenly"
    assert "experts_gathered_unevenly" not in ids(**stuck, model="qwen3-8b")
    assert "experts_gathered_unevenly" not in ids(**stuck)


def test_memory_shared_with_the_system_is_judged_by_what_the_work_needs() -> None:
    words = {"engine": "ollama", "symptom": "so slow that the mouse freezes"}
    assert ids(**words, model="llama-3.1-8b", cards="M1 8GB")[0] == "unified_pages"
    assert "metal_working_set" not in ids(**words, model="llama-3.1-8b", cards="M2 Ultra 192GB")


def test_chips_that_share_their_hosts_memory_are_machines_by_themselves() -> None:
    assert setup(cards="2x M2 Ultra 192GB").nodes == 2
    assert setup(cards="2x RTX 3090").nodes == 1


@pytest.mark.parametrize(("ranks", "thin"), [(8, True), (2, False)])
def test_a_model_that_half_a_card_holds_is_spread_thin_over_many(ranks: int, thin: bool) -> None:
    asked = {"model": "llama-3.1-8b", "cards": f"{ranks}x A100 80GB", "engine": "vllm", "tensor_parallel": ranks}
    assert spread_thin(setup(**asked)) is thin


def test_two_measurements_are_told_where_nothing_speaks_for_a_cause() -> None:
    open_ = explained(**SERVED, seen={"tokens_per_s": 30})
    assert [one.split(":")[0] for one in open_.warnings[:2]] == [
        "Measure next",
        "A figure so far off is mostly, about 5",
    ]
    proved = explained(**SERVED, seen={"tokens_per_s": 6, "cpu_share_ratio": 0.4})
    assert not any(one.startswith("Measure next") for one in proved.warnings)
    normal = explained(**SERVED, seen={"tokens_per_s": 120})
    assert not any(one.startswith("Measure next") for one in normal.warnings)


def test_what_to_measure_is_asked_in_the_tools_of_the_cards_maker() -> None:
    ours, theirs = (
        explained(cards=card, engine="vllm", error_text="the numbers are just not what was promised to us")
        for card in ("RTX 4090", "RX 7900 XTX")
    )
    assert ours.warnings[0].startswith("Measure next: nvidia-smi")
    assert "nvidia-smi" not in theirs.warnings[0]


def test_every_setting_of_every_program_can_be_written() -> None:
    for fact in observation_facts().causes.values():
        for program in fact.settings or {"any": ""}:
            engine = program if program in ("vllm", "sglang", "llama.cpp", "ollama", "transformers") else None
            assert told(fact, setup(**({"engine": engine} if engine else {})), "known").fix


def test_a_rule_of_next_steps_is_short_enough_to_be_told_whole() -> None:
    settings = observation_facts().settings
    assert all(len(text) <= 145 for text in settings["measure_next"].values())
    assert {"serving", "training", "pictures", "other", "hang", "wrong", "fails"} == set(settings["measure_next"])
