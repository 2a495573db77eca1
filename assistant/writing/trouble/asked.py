"""What was seen of a setup, as the arguments of `explain`."""

from collections.abc import Mapping
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation, Thing
from assistant.writing.arguments import RUNNING, TRAINING, machine, model_of, said_of, seconds, without_pages
from assistant.writing.setups import THOUGHT_OF, Setup

SEEN_AS_SAID = {"memory": "memory", "capacity": "cache_tokens", "temperature": "temperature", "watts": "power"}
"""Slots of what was seen → the figure of `explain`, passed in the person's words."""
NOT_ASKED = ("users", "adapters", "output_tokens", "shared_prefix_tokens", "nodes", "memory_taken")
"""Arguments of a run that `explain` does not take."""
TRAINED = ("sequence_tokens", "micro_batch", "optimizer", "gradient_checkpointing", "sharding")
SHARDED = "zero3"
"""What is taken where several cards train and nobody said how they share it: what does not fit one card is sharded."""
PREFERENCES = ("dpo", "grpo", "ppo")
COMMANDS = {"vllm": "vllm serve", "sglang": "python -m sglang.launch_server", "llama.cpp": "llama-server"}
"""How programs are started whose options are told by name."""
OPTIONS = {
    "util": "gpu-memory-utilization",
    "gpu_util": "gpu-memory-utilization",
    "mem_fraction": "mem-fraction-static",
}
"""Short names of options that people use, and their own."""
OF_VLLM = frozenset({"gpu-memory-utilization", "max-model-len", "max-num-seqs", "max-num-batched-tokens"})
WORDS_MAX = 400
TELLING = ("error", "symptom", "phase", "fix_tried")
"""Slots whose words tell what went wrong."""
LOGS = ("torch", "vllm", "sglang", "llama.cpp", "ollama", "comfyui", "system", "training", "benchmark", "nvidia", "npu",
        "amd", "topology")  # fmt: skip
"""How kinds of pasted texts begin that state what was observed, and not what was set up."""


def explaining(setup: Setup, situation: Situation, ask: Ask | None = None) -> dict[str, Any]:
    """Arguments of `explain`: the setup, and what was seen of it; the words of an ask stand in for a symptom."""
    said: dict[str, Any] = said_of(setup, RUNNING) | machine(setup) | model_of(setup)
    for name in NOT_ASKED:
        said.pop(name, None)
    if form := said.pop("weight_format", None):
        said["model"] = f"{said['model']} {form.removeprefix('gguf:')}" if "model" in said else form
    if "concurrent_sequences" not in said and not setup.trains and (batch := setup.one("batch", *THOUGHT_OF)):
        said["concurrent_sequences"] = batch.quote if not isinstance(batch.value, int | float) else f"{batch.value:.0f}"
    if (size := setup.one("size", *THOUGHT_OF)) is not None:
        frames = setup.one("frames", *THOUGHT_OF)
        said["size"] = " ".join(one.quote for one in (size, frames) if one is not None)
    if "context_tokens" not in said and (length := setup.one("context", "seen")) is not None and length.case:
        said["context_tokens"] = _plain(length)
    if setup.trains:
        said |= _trained(setup)
    elif "context_tokens" not in said and (longest := _option(setup, "max_model_len", "num_ctx", "ctx_size")):
        said["context_tokens"] = longest
    if (engine := setup.one("engine", *THOUGHT_OF)) is not None:
        said["engine"] = str(engine.value)
    said["seen"] = _figures(setup, "seen") or _figures(_unclaimed(setup), "claimed")
    said["expected"] = _figures(setup, "expected")
    if errors := setup.every("error"):
        said["error_text"] = "\n".join(dict.fromkeys(one.quote for one in errors))
    if any(one.kind.startswith(LOGS) for one in situation.stated):
        said["error_text"] = "pasted"
    if flags := _flags(setup, said.get("engine")):
        said["flags"] = flags
    if words := _words(setup, situation, ask, said):
        said["symptom"] = words
    return {name: value for name, value in without_pages(said).items() if value}


def _plain(one: Known) -> str:
    """Tokens as a plain number."""
    return str(one.value["tokens"]) if isinstance(one.value, Mapping) and "tokens" in one.value else one.quote


def _unclaimed(setup: Setup) -> Setup:
    """The same without what stands inside a claim: that is what somebody says, and nothing that was read."""
    spans = [(one.turn, one.start, one.start + len(one.quote)) for one in setup.every("claim")]

    def kept(thing: Thing) -> Thing:
        known = [one for one in thing.known if not any(t == one.turn and a <= one.start < b for t, a, b in spans)]
        return thing.model_copy(update={"known": tuple(known)})

    return setup._replace(work=kept(setup.work) if setup.work else None)


def _trained(setup: Setup) -> dict[str, str]:
    """How it is trained: "dpo lora", with lengths, batches and sharding."""
    methods = [str(one.value) for one in setup.every("method", *THOUGHT_OF)]
    adapters = next((one for one in methods if one in ("lora", "qlora")), "full")
    aims = [one for one in methods if one in PREFERENCES]
    said = {name: value for name, value in said_of(setup, TRAINING).items() if name in TRAINED}
    if (away := setup.one("offload", *THOUGHT_OF)) is not None and "sharding" in said:
        said["sharding"] += f" {away.quote}"
    if "sequence_tokens" not in said and (length := _option(setup, "max_length", "max_seq_length", "cutoff_len")):
        said["sequence_tokens"] = length
    if "sharding" not in said and _several(setup):
        said["sharding"] = SHARDED
    return {**said, "task": " ".join((*aims[:1], adapters))}


def _several(setup: Setup) -> bool:
    """Whether it is trained on more than one card."""
    counts = [one.value for slot in ("card_count", "nodes") for one in setup.every(slot, *THOUGHT_OF)]
    rows = [row for one in setup.every("cards", *THOUGHT_OF) for row in one.value or ()]
    return sum(row.get("count", 1) for row in rows) > 1 or any(
        isinstance(one, int | float) and one > 1 for one in counts
    )


def _option(setup: Setup, *names: str) -> str:
    """The value of an option that was told by its name."""
    for one in setup.every("setting", *THOUGHT_OF):
        if isinstance(one.value, Mapping) and one.value.get("name") in names and one.value.get("value"):
            return str(one.value["value"])
    return ""


def _flags(setup: Setup, engine: Any) -> str:
    """Options that are in force, as a command line of the program; without a program in the person's words."""
    told = [one for one in setup.every("setting", "have", "seen") if isinstance(one.value, Mapping)]
    rows = [
        (OPTIONS.get(str(one.value["name"]), str(one.value["name"]).replace("_", "-")), one.value.get("value"))
        for one in told
    ]
    named = engine or ("vllm" if any(name in OF_VLLM for name, _ in rows) else None)
    if layout := setup.one("parallel", *THOUGHT_OF):
        sizes = {"tp": "tensor-parallel-size", "pp": "pipeline-parallel-size"}
        values = layout.value if isinstance(layout.value, Mapping) else {}
        rows += [(sizes[kind], str(number)) for kind, number in values.items() if kind in sizes]
    if not rows:
        return ""
    line = " ".join(f"--{name} {value}" if value else f"--{name}" for name, value in rows)
    return f"{COMMANDS[named]} {line}" if named in COMMANDS else " ".join(one.quote for one in told)


def _words(setup: Setup, situation: Situation, ask: Ask | None, said: Mapping[str, Any]) -> str:
    """What went wrong in the person's words; those of the ask where nothing else was said or seen."""
    told: list[Known] = [one for slot in TELLING for one in setup.every(slot)]
    told += [one for one in situation.known if one.slot in TELLING]
    told += [one for one in setup.every("claim") if one.stance in ("expected", "seen")]
    words = list(dict.fromkeys(one.quote for one in sorted(told, key=lambda one: (one.turn, one.start))))
    seen = said.get("seen") or said.get("error_text")  # figures and logs alone are no reason to read the question
    if ask is not None and (words or not seen) and not any(ask.quote in one for one in words):
        words.append(ask.quote)
    return "; ".join(words)[:WORDS_MAX]


def _figures(setup: Setup, stance: Any) -> dict[str, str]:
    """What was seen, or expected, under the names that `explain` takes; figures of a part are none of the whole."""
    told: dict[str, str] = {}
    for one in setup.every("speed", stance):
        rate, of = one.value["per_s"], one.value.get("of")
        if of in (None, "tokens"):
            told["prefill_tokens_per_s" if one.part == "prefill" else "tokens_per_s"] = f"{rate:g}"
        elif of == "steps" and rate:
            told["step"] = f"{1 / rate:g} s"
    whole = "item" if setup.every("size") else "wall"
    for slot, name in (("step_time", "step"), ("first_token", "first_token"), ("duration", whole)):
        if (one_ := setup.one(slot, stance)) is not None and isinstance(one_.value, int | float):
            told[name] = seconds(one_)
    for slot, name in SEEN_AS_SAID.items():
        found = [one for one in setup.every(slot, stance) if one.part in (None, "total")]
        if found and isinstance(found[-1].value, int | float | Mapping):
            told[name] = found[-1].quote if slot != "capacity" else f"{found[-1].value:.0f}"
    if (busy := setup.one("utilisation", stance)) is not None and isinstance(busy.value, int | float):
        told["utilisation"] = f"{busy.value * 100:g}%"
    return told
