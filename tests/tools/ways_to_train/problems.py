"""Random problems of training, and how good what was found is."""

from typing import Any

from hypothesis import strategies as st

from tools.ways_to_train import find_ways_to_train
from tools.ways_to_train.pace import pace_of
from tools.ways_to_train.problem import problem_of
from tools.ways_to_train.request import WaysToTrainRequest
from tools.ways_to_train.result import WaysToTrain
from tools.ways_to_train.search import search

MODELS = ("Qwen/Qwen3-0.6B", "Qwen/Qwen3-8B", "meta-llama/Meta-Llama-3.1-8B", "google/gemma-3-27b-it",
          "Qwen/Qwen3-32B", "meta-llama/Meta-Llama-3.1-70B", "openai/gpt-oss-20b")  # fmt: skip
KINDS = ("rtx-3090-24gb", "rtx-4090-24gb", "a100-sxm-80gb", "h100-sxm-80gb", "l40s-48gb", "v100-sxm2-16gb")
HOST = 3
SURE = {"yes": 0, "tight": 1}


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    """Fields of a request, most of them open."""
    fields: dict[str, Any] = {
        "model": draw(st.sampled_from(MODELS)),
        "method": draw(st.sampled_from(["full", "lora", "qlora", "dpo lora", "full dpo"])),
        "cards": [{"gpu": draw(st.sampled_from(KINDS)), "count": draw(st.sampled_from([1, 2, 4, 8]))}],
        "sequence_tokens": draw(st.sampled_from([512, 2048, 8192])),
        "dataset_tokens": 10_000_000,
    }
    optional = {
        "gradient_checkpointing": st.sampled_from(["none", "full"]),
        "sharding": st.sampled_from(["ddp", "zero3", "fsdp"]),
        "host_memory_bytes": st.sampled_from([64 << 30, 512 << 30, 4 << 40]),
        "global_batch": st.sampled_from([8, 64]),
    }
    for name, values in optional.items():
        if draw(st.booleans()) and draw(st.booleans()):
            fields[name] = draw(values)
    return fields


def found(fields: dict[str, Any]) -> WaysToTrain:
    """What the solver finds."""
    return find_ways_to_train(WaysToTrainRequest.model_validate(fields))


def concession(way: Any) -> int:
    """What a way gives up, as told in its fields."""
    if way.offload == "all":
        return 4
    if way.offload == "optimizer" or way.optimizer == "paged_adamw_8bit":
        return HOST
    if way.precision == "bf16_pure" or way.optimizer == "adafactor":
        return 2
    return 1 if way.optimizer == "adamw_8bit" else 0


def worth(answer: WaysToTrain) -> tuple[float, ...]:
    """How good the best way is: smaller is better; nothing that fits is worst."""
    if not answer.ways:
        return (9.0,)
    way = answer.ways[0]
    given_up = concession(way)
    return (SURE[way.memory.surety], way.meets_deadline is False, given_up >= HOST, given_up)


def rate(fields: dict[str, Any]) -> float:
    """Tokens a second of the best way as it is searched by: tuned, before what a first run takes longer."""
    problem = problem_of(WaysToTrainRequest.model_validate(fields))
    ways = search(problem).ways
    pace = pace_of(problem, ways[0].weighed) if ways else None
    return pace.rate.value if pace else 0.0
