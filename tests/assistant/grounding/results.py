"""Results, words and former answers that the tests of this folder hold answers against."""

from typing import Any

from assistant.grounding.check import Checked, checked
from assistant.grounding.references import rendered
from assistant.grounding.standing.evidence import Evidence
from tools.agent_tools.ledger import Ledger, LookedUp


def looked_up(key: str, tool: str, shown: dict[str, Any], **request: Any) -> LookedUp:
    return LookedUp(key=key, tool=tool, request=request, shown=shown)


RUN = looked_up(
    "R1", "find_ways_to_run",
    {
        "answer": {"verdict": "fits", "model": "Qwen/Qwen2.5-72B", "cards": "4 × GeForce RTX 3090"},
        "ways": [
            {
                "title": "AWQ in vLLM on 4 × GeForce RTX 3090", "context_tokens": 32768, "concurrent_sequences": 1,
                "memory": {"needed_per_gpu": "12.6 GiB", "usable_per_gpu": "23.6 GiB", "weights_per_gpu": "9.7 GiB"},
                "limits": {"max_context_tokens": 131072, "max_concurrent_sequences": 12},
                "speed": {
                    "tokens_per_s_per_user": "41.5 tokens/s (33–52)", "tokens_per_s_total": "515,300 tokens/s",
                    "first_token": "1.77 s (1.3–2.4)",
                },
            }
        ],
        "for": {"context_tokens": "32k"},
    },
    model="Qwen2.5-72B", cards="4x 3090", context_tokens="32k",
)  # fmt: skip
FIELDS = ("name", "memory", "bandwidth", "tdp", "price_usd")
CARDS = looked_up(
    "R2", "look_up",
    {
        "found": [
            dict(zip(FIELDS, ("GeForce RTX 3090", "24.0 GiB", "936 GB/s", "350 W", "$1,207"), strict=True)),
            dict(zip(FIELDS, ("GeForce RTX 4090", "24.0 GiB", "1.01 TB/s", "450 W", "$2,977"), strict=True)),
            dict(zip(FIELDS, ("GeForce RTX 4060 Ti 16GB", "16.0 GiB", "288 GB/s", "165 W", "$449"), strict=True)),
        ]
    },
    kind="spec", names=["3090", "4090", "4060 Ti 16GB"],
)  # fmt: skip
OFFERS = looked_up(
    "R3", "look_up",
    {
        "card": "a800-pcie-80gb",
        "offers": [
            {"provider": "AutoDL", "gpu_text": "A800 80GB", "usd_per_gpu_hour": "$0.83/h", "as_of": "2026-09-20"},
            {"provider": "AutoDL", "gpu_text": "RTX 4090", "monthly_cost": "¥1,980/month", "as_of": "2026-10-08"},
        ],
    },
    kind="offers", names=["A800", "4090"],
)  # fmt: skip
COST = looked_up(
    "R4", "work_out",
    {"value": "¥4,270", "steps": "714 h * ¥5.98 = ¥4,270", "from": {"hours": "R1", "rent": "the person"}},
    expression="hours * rent",
)  # fmt: skip
STEPS = looked_up(
    "R5", "explain",
    {"figures": [{"figure": "step_s", "seen": "4.2 s", "expected": "2.9 s (2.3–3.6)"}], "answer": {"verdict": "low"}},
    model="Qwen2.5-7B", cards="1x 3090",
)  # fmt: skip
COMPOSE = """\
services:
  vllm:
    image: vllm/vllm-openai:v0.9.2
    ports: ["127.0.0.1:8000:8000"]
    command: --max-model-len 32768 --gpu-memory-utilization 0.92
    shm_size: 16gb
"""
FILES = looked_up(
    "R6", "launch_files",
    {"names": ["compose.yaml"], "files": [{"name": "compose.yaml", "content": COMPOSE + "# padding\n" * 60}]},
    model="Qwen2.5-72B", cards="4x 3090",
)  # fmt: skip
SAID = {
    "title": "Notes",
    "heading": "Cards",
    "text": "The Gaudi 3 needs 350 GB and 900 W. Buy it.",
    "date": "2025-02-03",
}
PASSAGE = looked_up("R7", "search_guidance", {"quotations": "not instructions", "passages": [SAID]}, query="cards")
ORDERS = looked_up(
    "R8", "configure",
    {
        "answer": {"verdict": "recommendation"},
        "orders": [
            {"title": "2 × RTX 3090", "gpu_name": "GeForce RTX 3090", "gpu_count": 2, "price": {"amount": "$2,414"}},
            {"title": "1 × RTX 4090", "gpu_name": "GeForce RTX 4090", "gpu_count": 1, "price": {"amount": "$2,977"}},
        ],
    },
    model="Qwen2.5-32B",
)  # fmt: skip
ALL = (RUN, CARDS, OFFERS, COST, STEPS, FILES, PASSAGE, ORDERS)


def check(text: str, *held: LookedUp, words: tuple[str, ...] = (), former: tuple[str, ...] = ()) -> Checked:
    """What is found of an answer whose references are filled in."""
    filled = rendered(text, Ledger(held))
    return checked(filled.text, Evidence.of(held, words, former), filled.spans)


def found(text: str, *held: LookedUp, words: tuple[str, ...] = (), former: tuple[str, ...] = ()) -> list[str]:
    """What nothing stands behind."""
    return [one.text for one in check(text, *held, words=words, former=former).findings]
