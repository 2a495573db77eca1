"""Hold `find_ways_to_train` to trying everything, on random problems: the suite tries 25, this as many as asked for.

    python tests/bench/train_oracle.py        200 problems
    python tests/bench/train_oracle.py 500

Each problem is a seed of its own, so that one that fails is found again by its number.
"""

import random
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "bench")]
# An installed package may be called `tests` too, and would be found before this folder, which is none.
sys.modules["tests"] = ModuleType("tests")
sys.modules["tests"].__path__ = [str(ROOT / "tests")]

from kb.base import AdvisorError  # noqa: E402 - found through the path above
from tests.tools.ways_to_train.problems import HOST, concession, found, rate, worth  # noqa: E402
from tests.tools.ways_to_train.test_oracle import brute  # noqa: E402

MODELS = ("Qwen/Qwen3-0.6B", "Qwen/Qwen3-4B", "Qwen/Qwen3-8B", "Qwen/Qwen3-14B", "meta-llama/Llama-3.1-8B",
          "Qwen/Qwen3-32B", "google/gemma-3-4b-it")  # fmt: skip
CARDS = ("a100-sxm-80gb", "h100-sxm-80gb", "l40s-48gb", "rtx-4090-24gb", "v100-sxm2-16gb", "rtx-3090-24gb")
NEARLY = 0.93
"""Speeds this close are alike: the search ends when no plan left can be much faster."""


def problem(seed: int) -> dict[str, object]:
    """One training on cards of one kind."""
    draw = random.Random(seed)
    fields: dict[str, object] = {
        "model": draw.choice(MODELS), "method": draw.choice(("full", "lora", "qlora")),
        "cards": [{"gpu": draw.choice(CARDS), "count": draw.choice((1, 2, 4, 8))}],
        "sequence_tokens": draw.choice((512, 2048, 8192)), "dataset_tokens": draw.choice((10**6, 10**8)),
    }  # fmt: skip
    if draw.random() < 0.2:
        fields["sharding"] = draw.choice(("ddp", "zero3", "fsdp"))
    if draw.random() < 0.2:
        fields["gradient_checkpointing"] = draw.choice(("none", "full"))
    return fields


def verdict(fields: dict[str, object]) -> str:
    """alike, refused by both, or what is wrong with the search's answer."""
    try:
        expected = brute(fields)
    except AdvisorError:
        return "refused"
    answer = found(fields)
    if expected is None:
        spared = not answer.ways or answer.ways[0].sharding == "layers" or concession(answer.ways[0]) >= HOST
        return "alike" if spared else "fits, though nothing fits by force"
    if worth(answer) > expected[0]:
        return f"worse: {worth(answer)} for {expected[0]}"
    same = worth(answer) == expected[0] and answer.ways[0].sharding != "layers"
    if same and rate(fields) < NEARLY * expected[1]:
        return f"slower: {rate(fields):.4g} for {expected[1]:.4g} tokens a second"
    return "alike"


def main(most: int) -> int:
    """Print what differs; the number of those."""
    tally: dict[str, int] = {}
    for seed in range(most):
        fields = problem(seed)
        said = verdict(fields)
        tally[said.split(":")[0]] = tally.get(said.split(":")[0], 0) + 1
        if said not in {"alike", "refused"}:
            print(f"problem {seed}: {said}: {fields}", flush=True)
    print(f"{most} problems: {', '.join(f'{count} {name}' for name, count in sorted(tally.items()))}")
    return sum(count for name, count in tally.items() if name not in {"alike", "refused"})


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
