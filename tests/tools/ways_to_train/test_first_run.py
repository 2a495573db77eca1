"""The duration told is that of practice: a tuned run at its quick end, a first attempt in its middle."""

from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import yaml

from kb.constants.first_runs import first_runs
from kb.units import GIB
from tests.tools.ways_to_train.problems import found
from tools.ways_to_train.first_run import as_first_set_up
from tools.ways_to_train.pace import pace_of
from tools.ways_to_train.problem import problem_of
from tools.ways_to_train.request import WaysToTrainRequest
from tools.ways_to_train.search import search

REPORTS = yaml.safe_load((Path(__file__).parents[2] / "cases" / "training_runs.yaml").read_text())
RUNS = REPORTS["runs"]
DATA = {"samples": 10_000, "sample_tokens": 400}


def paces(fields: dict[str, Any]) -> tuple[Any, Any]:
    """(tuned, as first set up) of the best way."""
    problem = problem_of(WaysToTrainRequest.model_validate(fields))
    one = search(problem).ways[0].weighed
    tuned = pace_of(problem, one)
    return tuned, as_first_set_up(problem, one, tuned)


def reported(split: str) -> list[tuple[float, bool]]:
    """(hours measured over hours told, whether the range told holds them) of the reports of a split that have a way."""
    rows = []
    for run in RUNS:
        ways = found(run["asked"]).ways if run["split"] == split else ()
        if ways and ways[0].speed is not None and ways[0].speed.time_s is not None:
            time, measured = ways[0].speed.time_s, 3600 * run["hours"]
            rows.append((measured / time.value, time.low <= measured <= time.high))
    return rows


@pytest.mark.parametrize(("split", "least", "most"), [("fit", 0.7, 1.5), ("left", 0.85, 1.6), ("after", 0.7, 2.0)])
def test_reports_lie_within_the_range_told(split: str, least: float, most: float) -> None:
    rows = reported(split)

    assert len(rows) >= 10
    assert sum(held for _, held in rows) / len(rows) >= least
    assert median(max(ratio, 1 / ratio) for ratio, _ in rows) <= most


def test_reports_name_where_they_were_read() -> None:
    assert {run["source"] for run in RUNS} == set(REPORTS["sources"])
    assert len({run["id"] for run in RUNS}) == len(RUNS)


@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
@pytest.mark.parametrize(("gpu", "count"), [("a100-sxm-80gb", 2), ("h100-sxm-80gb", 8), ("rtx-4090-24gb", 4)])
def test_a_tuned_run_is_the_quick_end(method: str, gpu: str, count: int) -> None:
    tuned, told = paces({"model": "Qwen/Qwen3-8B", "method": method, "cards": [{"gpu": gpu, "count": count}], **DATA})

    assert told.rate.low < told.rate.value <= tuned.rate.value <= told.rate.high
    assert told.busy >= tuned.rate.value
    assert told.utilisation <= tuned.utilisation
    assert told.time.low <= tuned.time.value <= told.time.value


@pytest.mark.parametrize("gpu", ["a100-sxm-80gb", "h200-sxm-141gb"])
def test_all_weights_are_not_told_much_faster_than_adapters_on_the_same_cards(gpu: str) -> None:
    """Adapters compute two thirds of what all weights do, in more and smaller kernels: 3.2 to 3.3 samples a second."""
    fields = {"model": "Qwen/Qwen3-8B", "cards": [{"gpu": gpu, "count": 8}], "samples": 10_000, "sample_tokens": 1500}
    times = {way: paces({**fields, "method": way})[1].time.value for way in ("full", "lora")}

    assert times["lora"] <= 1.25 * times["full"]


def test_a_mixture_whose_experts_run_in_turn_is_the_slow_end() -> None:
    fields = {"method": "lora", "cards": [{"gpu": "h100-sxm-80gb", "count": 8}], **DATA}
    dense = paces({**fields, "model": "Qwen/Qwen3-32B"})[1].time
    mixture = paces({**fields, "model": "Qwen/Qwen3-30B-A3B"})[1].time

    assert mixture.value < 2 * dense.value  # a tenth of the work, in as many kernels
    assert 2 * dense.value < mixture.high < 25 * dense.value  # measured 1.6 to 17 times as long
    assert mixture.high / mixture.value > first_runs().up_ratio.value


def test_longer_samples_are_padded_no_less_and_lone_ones_not_at_all() -> None:
    facts = first_runs()

    assert facts.padded(1) == 1
    assert [facts.padded(n) for n in (1, 2, 4, 8, 16)] == sorted(facts.padded(n) for n in (1, 2, 4, 8, 16))
    assert facts.padded(3) == facts.padded(2)
    assert facts.padded(64) == facts.padded(16)


def test_a_stated_micro_batch_is_that_of_the_first_attempt() -> None:
    fields = {"model": "Qwen/Qwen3-4B", "method": "lora", "cards": [{"gpu": "h100-sxm-80gb", "count": 1}], **DATA}

    assert (
        paces({**fields, "micro_batch_size": 8})[1].rate.value > paces({**fields, "micro_batch_size": 1})[1].rate.value
    )


def test_pretraining_by_a_named_program_stays_as_it_is() -> None:
    fields = {"model": "1B", "method": "pretrain", "cards": [{"gpu": "h100-sxm-80gb", "count": 8}], "engine": "fsdp"}
    tuned, told = paces(fields)

    assert told == tuned
    opened = paces({name: value for name, value in fields.items() if name != "engine"})[1]
    assert opened.busy is None
    assert opened.rate.high >= replace(tuned).rate.value * 0.9


def test_pictures_stay_as_they_are() -> None:
    tuned, told = paces({"model": "SDXL", "method": "lora", "cards": [{"gpu": "rtx-3090-24gb", "count": 1}]})

    assert told == tuned


@pytest.mark.parametrize(("method", "batch", "steps"), [("qlora", 16, 1875), ("full", 32, 938)])
def test_the_steps_of_a_run_are_told(method: str, batch: int, steps: int) -> None:
    speed = found({"model": "Qwen/Qwen3-4B", "method": method, "cards": "1x H200", "global_batch": batch,
                   "samples": 10_000, "epochs": 3}).ways[0].speed  # fmt: skip

    assert speed is not None
    assert any(f"{steps:,} steps of {batch} samples" in one for one in speed.reckoned)


def test_what_the_allocator_holds_of_samples_of_varied_length_is_told_where_it_is_more_than_the_interval() -> None:
    fields = {"model": "Qwen/Qwen3-8B", "cards": "1x 4090", "sequence_tokens": 2048, "gradient_checkpointing": "full"}
    adapters = found({**fields, "method": "qlora"})
    (said,) = [one for one in adapters.warnings if "nvidia-smi" in one]
    shown = float(said.split(" GiB")[0].rsplit(" ", 1)[1]) * GIB

    assert adapters.ways[0].memory.high_bytes_per_gpu < shown <= adapters.ways[0].memory.usable_bytes_per_gpu
    assert not any("nvidia-smi" in one for one in found({**fields, "method": "full", "cards": "1x H200"}).warnings)


def test_a_named_program_with_recipes_narrows_the_duration() -> None:
    fields = {"model": "Qwen/Qwen3-8B", "method": "lora", "cards": [{"gpu": "a100-sxm-80gb", "count": 1}], **DATA}
    spans = {}
    for engine in (None, "deepspeed", "axolotl", "torchtune"):
        answer = found({**fields, "engine": engine} if engine else fields)
        time = answer.ways[0].speed.time_s
        spans[engine] = time.high / time.value
        assert answer.assumptions[0].startswith("Time: quick with")
        assert ("narrower once the program" in answer.assumptions[0]) == (engine is None)

    assert spans["axolotl"] == pytest.approx(first_runs().up_ratio_recipe.value)
    assert spans["axolotl"] == spans["torchtune"] < spans["deepspeed"] <= spans[None] * 1.01


def test_reports_of_programs_with_recipes_lie_below_the_narrower_end() -> None:
    programs = {"litgpt": "litgpt", "lit-llama": "litgpt", "torchtune": "torchtune", "unsloth": "unsloth",
                "swift": "ms-swift", "sky-t1": "llama-factory", "llama3-8b-5090": "llama-factory"}  # fmt: skip
    ratios = []
    for run in RUNS:
        engine = next((name for start, name in programs.items() if run["id"].startswith(start)), None)
        ways = found({**run["asked"], "engine": engine}).ways if engine else ()
        ratios += [3600 * run["hours"] / ways[0].speed.time_s.value] if ways else []

    assert len(ratios) >= 20
    assert sum(one <= first_runs().up_ratio_recipe.value for one in ratios) / len(ratios) >= 0.9


def test_samples_that_are_cut_are_not_padded_beyond_the_cut() -> None:
    facts = first_runs()

    assert facts.padded(4, most=1.0) == 1
    assert facts.padded(4, most=1.2) == 1.2
    assert facts.padded(4, most=9) == facts.padded(4)
    whole = {"model": "Qwen/Qwen3-8B", "method": "lora", "cards": [{"gpu": "a100-sxm-80gb", "count": 1}]}
    each = [paces({**whole, "samples": 10_000, "sample_tokens": tokens, "sequence_tokens": 1024,
                   "micro_batch_size": 4})[1] for tokens in (512, 1024)]  # fmt: skip
    assert each[1].rate.value > 1.3 * each[0].rate.value  # tokens a second, none of them padding
