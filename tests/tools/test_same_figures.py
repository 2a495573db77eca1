"""One question, one figure: the same work on the same cards is told alike by every tool that tells it."""

from typing import Any

import pytest

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool
from tools.configure.result import ConfigureResult
from tools.power.result import PowerPlan
from tools.registry import tool
from tools.speed.result import InferenceSpeed
from tools.ways_to_run.result import WaysToRun

TRAININGS = [
    ("Qwen/Qwen3-8B", "full", "h100-sxm-80gb", 8),
    ("Qwen/Qwen3-8B", "pretrain", "h200-sxm-141gb", 4),
    ("Qwen/Qwen2.5-7B", "lora", "a100-sxm-80gb", 1),
    ("meta-llama/Meta-Llama-3.1-70B", "qlora", "a100-sxm-80gb", 4),
    ("Qwen/Qwen3-1.7B", "full", "rtx-3090-24gb", 2),
    ("google/gemma-3-4b-it", "lora", "l40s-48gb", 2),
    ("Qwen/Qwen3-30B-A3B", "lora", "h100-sxm-80gb", 2),
]


def shown(name: str, **fields: str) -> dict[str, Any]:
    """What a model that drives is shown."""
    return dict(agent_tool(name).look_up(fields, Ledger()).shown)


def asked(name: str, result: type, **fields: Any) -> Any:
    found = tool(name).call(fields)
    assert isinstance(found, result)
    return found


@pytest.mark.parametrize(("model", "task", "gpu", "count"), TRAININGS)
@pytest.mark.parametrize("sequence", ["1024", "4096"])
def test_an_order_tells_a_training_as_the_solver_of_trainings_does(
    model: str, task: str, gpu: str, count: int, sequence: str
) -> None:
    data = {"model": model, "dataset_tokens": "300M", "sequence_tokens": sequence}
    cards = f"{count}x {gpu}"
    orders = shown("configure", **data, task=task, cards=gpu, owned=cards, max_cards=str(count)).get("orders", [])
    ways = shown("find_ways_to_train", **data, method=task, cards=cards).get("ways", [])
    order = next((one for one in orders if one["gpu_count"] == count), None)
    held = [one for one in ways if isinstance(one, dict) and f"on {count} × " in one["title"]]
    if order is None or not held:
        pytest.skip("does not fit there")
    assert held[0]["speed"]["time"].startswith(order["speed"]["time"])
    assert held[0]["memory"]["needed_per_gpu"].startswith(order["memory_per_gpu"]["needed"])


@pytest.mark.parametrize(
    ("model", "gpu", "count", "load"),
    [
        ("Qwen/Qwen3-8B", "rtx-4090-24gb", 1, {}),
        ("Qwen/Qwen3-32B", "rtx-3090-24gb", 2, {"concurrent_sequences": 8, "context_tokens": 8192}),
        ("Qwen/Qwen3-30B-A3B", "rtx-5090-32gb", 1, {"concurrent_sequences": 4}),
        ("meta-llama/Llama-3.3-70B-Instruct", "h100-sxm-80gb", 2, {"concurrent_sequences": 32}),
    ],
)
def test_an_order_tells_serving_as_the_solver_of_ways_does(
    model: str, gpu: str, count: int, load: dict[str, int]
) -> None:
    had = [{"gpu": gpu, "count": count}]
    orders = asked(
        "configure",
        ConfigureResult,
        model=model,
        task="inference",
        gpus_asked=[gpu],
        gpus_owned=had,
        max_gpus=count,
        **load,
    ).configurations
    assert orders
    order = orders[0]
    same = {
        "weight_format": order.weight_format, "engine": order.engine, "kv_format": order.kv_format,
        "parallel": {"tp": order.tensor_parallel, "pp": order.pipeline_parallel, "dp": order.data_parallel},
    }  # fmt: skip
    if order.engine == "llama.cpp":
        same.pop("parallel")
    cards = [{"gpu": order.gpu, "count": order.gpu_count}]
    ways = asked("find_ways_to_run", WaysToRun, model=model, cards=cards, **load, **same).ways
    assert ways
    assert ways[0].speed is not None
    assert order.speed is not None
    told = ways[0].speed.tokens_per_s_per_user.value
    assert order.speed["tokens_per_s_per_user"] == pytest.approx(told, rel=0.02)


@pytest.mark.parametrize(
    ("gpu", "form"), [("rtx-4090-24gb", "awq"), ("h100-sxm-80gb", "fp8"), ("apple-m4-max-64gb", "gguf:Q4_K_M")]
)
def test_the_estimator_and_the_solver_tell_one_speed(gpu: str, form: str) -> None:
    engine = "llama.cpp" if form.startswith("gguf") else "vllm"
    load = {
        "model": "Qwen/Qwen3-14B",
        "weight_format": form,
        "engine": engine,
        "input_tokens": 512,
        "output_tokens": 256,
    }
    ways = asked("find_ways_to_run", WaysToRun, **load, cards=[{"gpu": gpu}], kv_format="bf16").ways
    alone = asked("estimate_inference_speed", InferenceSpeed, **load, gpu=gpu)
    assert ways[0].speed is not None
    assert ways[0].speed.tokens_per_s_per_user.value == pytest.approx(alone.tokens_per_s_per_user.value, rel=0.02)
    assert ways[0].speed.first_token_s.value == pytest.approx(alone.time_to_first_token_s.value, rel=0.02)


@pytest.mark.parametrize("gpu", ["rtx-4090-24gb", "l40s-48gb", "apple-m4-max-64gb"])
def test_a_machine_draws_as_much_in_an_order_as_by_itself(gpu: str) -> None:
    order = next(
        (
            one
            for one in asked(
                "configure", ConfigureResult, model="Qwen/Qwen3-8B", gpus_asked=[gpu], acquisition="buy"
            ).configurations
            if one.power_w and one.running_cost
        ),
        None,
    )
    if order is None:
        pytest.skip("not sold whole")
    plan = asked("plan_power", PowerPlan, gpu=gpu, gpu_count=order.gpu_count)
    assert order.running_cost["wall_max_w"] == pytest.approx(plan.wall_max_w, rel=0.01)
