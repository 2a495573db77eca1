"""What the memory solvers say of a set-up, as rules may ask: `room.verdict`, `room.needed`, `room.most_context` …"""

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from kb.base import AdvisorError
from kb.programs.launch import launch_facts
from tools.check_setup.expression import tokens
from tools.registry import tool

if TYPE_CHECKING:
    from tools.check_setup.view import View

SERVED_AS = {
    "vllm": "vllm", "sglang": "sglang", "tgi": "vllm", "trtllm-serve": "tensorrt-llm", "llama-server": "llama.cpp",
    "llama-cli": "llama.cpp", "modelfile": "llama.cpp",
}  # fmt: skip
TRAINED_AS = {"trainer": None, "trl": None, "llamafactory": "llama-factory", "swift": None, "axolotl": "axolotl"}
CACHES = {
    "fp8": "fp8", "fp8_e4m3": "fp8", "fp8_e5m2": "fp8", "q8_0": "q8_0", "q4_0": "q4_0", "int8": "int8", "f16": "fp16",
    "bf16": "bf16", "bfloat16": "bf16", "auto": "auto",
}  # fmt: skip
WRITTEN = {
    "awq": "awq",
    "awq_marlin": "awq",
    "gptq": "gptq",
    "gptq_marlin": "gptq",
    "fp8": "fp8",
    "bitsandbytes": "nf4",
}
"""What `--quantization` names; what a server makes while loading is in the facts."""


@lru_cache(maxsize=1)
def _made() -> dict[str, str]:
    """Formats that servers make while loading, by what they call them."""
    return {made: form for rows in launch_facts().made_on_load.values() for form, made in rows.items()}


class Room:
    """Memory of one unit; everything is null where the model or the card is not known."""

    def __init__(self, view: "View") -> None:
        self.view = view

    def value(self, name: str) -> Any:
        """What rules may ask."""
        found = self._estimate
        if found is None or found.fit is None:
            return None
        fit, per = found.fit, found.per_gpu
        parts = {one.name: one.bytes for one in per.parts}
        known = {
            "verdict": fit.verdict, "needed": per.total_bytes, "low": per.low_bytes, "usable": fit.usable_bytes,
            "most_context": fit.max_context_tokens, "cache": parts.get("kv_cache", 0),
            "weights": parts.get("weights", 0),
            "most_sequence": fit.max_sequence_tokens, "most_micro": fit.max_micro_batch_size,
        }  # fmt: skip
        return known.get(name)

    @cached_property
    def _estimate(self) -> Any:
        view = self.view
        card, program = view.machine.card, view.unit.program
        if card is None or (view.named is None and view.shape is None) or view.machine.mixed:
            return None
        try:
            asked = self._served() if program in SERVED_AS else self._trained() if program in TRAINED_AS else None
            if asked is None:
                return None
            return tool("estimate_memory").call({k: v for k, v in (asked | {"gpu": card.id}).items() if v is not None})
        except (AdvisorError, ValueError, TypeError):
            return None

    def _served(self) -> dict[str, Any] | None:
        view = self.view
        if view.named is None:
            return None
        context = view.value("context")
        native = view.model.max_context_tokens if view.model else None
        try:
            asked = tokens(context) if context else native
        except Exception:  # a variable
            return None
        local = SERVED_AS[view.unit.program] == "llama.cpp"
        layers = view.value("layers_on_card")
        if local and (view.value("host_experts") or (isinstance(layers, int) and view.model and view.model.layers
                      and layers < view.model.layers)):  # fmt: skip
            return None  # part of the weights lies in the host's memory by choice
        if local and not context:
            return None
        named = str(view.value("quantization") or "")
        quantised = WRITTEN.get(named) or _made().get(named)
        form = view.named.weight_format or quantised
        cards = view.value("cards")
        tp = cards if local else view.value("tp")
        return {
            "model": view.named.model, "engine": SERVED_AS[view.unit.program], "weight_format": form,
            "kv_format": CACHES.get(str(view.value("kv") or "auto"), "auto"), "context_tokens": asked,
            "concurrent_sequences": 1, "max_num_sequences": view.value("sequences") if not local else None,
            "tensor_parallel": tp if isinstance(tp, int) and tp > 1 else None, "pipeline_parallel": view.value("pp"),
        }  # fmt: skip

    def _trained(self) -> dict[str, Any] | None:
        view = self.view
        micro, sequence = view.value("micro"), view.value("sequence")
        if view.named is None or not isinstance(micro, int) or not isinstance(sequence, int):
            return None
        method = _method(view)
        if method is None:
            return None
        ranks = view.value("ranks")
        stage = view.value("ds.zero_optimization_stage")
        file = str(view.value("ds_file") or "")
        shard = {1: "zero1", 2: "zero2", 3: "zero3"}.get(stage) if isinstance(stage, int) else None
        if shard is None and file and "$" not in file:
            shard = "zero3" if "3" in file else "zero2" if "2" in file else None
            if shard is None:
                return None
        shard = shard or ("fsdp" if view.value("fsdp") or view.value("accel.fsdp_config") else None)
        whole = str(view.value("ds.zero_optimization_offload_param_device") or "none") != "none"
        offloads = view.value("ds.zero_optimization_offload_optimizer_device") or "offload" in file
        return {
            "model": view.named.model, "task": method, "micro_batch_size": micro, "sequence_tokens": sequence,
            "gradient_checkpointing": "full" if view.value("checkpointing") or view.unit.program == "llamafactory" else
            None, "sharding": shard if isinstance(ranks, int) and ranks > 1 else None,
            "data_parallel": ranks if isinstance(ranks, int) and ranks > 1 and shard else None,
            "lora_rank": view.value("lora_rank") if method != "full_finetune" else None,
            "offload": "all" if whole else "optimizer" if offloads and str(offloads) != "none" else None,
        }  # fmt: skip


def _method(view: "View") -> str | None:
    """How it trains: full, LoRA or QLoRA."""
    lora = str(view.value("lora") or "").lower()
    four = view.value("in_four") or view.value("quantization_bit") == 4 or view.value("quant_bits") == 4
    if lora == "qlora" or (four and lora not in {"", "full", "false"}):
        return "qlora"
    if lora in {"lora", "true"} or (view.unit.program in {"trainer", "trl"} and lora not in {"", "false", "none"}):
        return "lora"
    if lora in {"full", ""} or view.unit.program in {"trainer", "trl"}:
        return "full_finetune"
    return None
