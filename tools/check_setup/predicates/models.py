"""What is trained or served, and what lies beside it."""

import re
from typing import TYPE_CHECKING, Any

from kb.base import AdvisorError
from kb.catalog import gpu as catalog_gpu
from tools.check_setup.predicates.programs import TRAINERS

if TYPE_CHECKING:
    from tools.check_setup.view import View

_MICRO = ("per_device_train_batch_size", "micro_batch_size")


def _trainer(view: "View") -> Any:
    return next((one for one in view.others if one.program in TRAINERS), None)


def _refusal(view: "View") -> Any:
    """What check_compatibility says against the card, the engine and the format together; None where nothing."""
    from tools.registry import tool

    card, form = view.machine.card, view.named.said_format if view.named else None
    engine = {"trtllm-serve": "tensorrt-llm"}.get(view.unit.program, view.unit.program)
    if card is None or not form or "gguf" in form:
        return None
    try:
        found = tool("check_compatibility").call({"gpu": card.id, "precision": form, "engine": engine})
    except AdvisorError:
        return None
    rows = getattr(found, "findings", ())
    return next((one for one in rows if one.verdict == "does_not"), None)


def host_experts(view: "View") -> bool:
    """Whether experts or tensors are left to the host's memory."""
    names = {"n_cpu_moe", "cpu_moe", "override_tensor", "cpu_offload_gb", "no_kv_offload", "n_cpu_ffn"}
    return bool(names & set(view.unit.given))


def rope_said(view: "View") -> bool:
    """Whether the set-up itself stretches the model's positions."""
    for one in view.unit.given.values():
        if one.name in {"rope_scaling", "rope_scale", "rope_freq_scale", "yarn_orig_ctx", "hf_overrides",
                        "json_model_override_args", "rope_freq_base"}:  # fmt: skip
            return True
        if "rope" in one.name:
            return True
    env = view.given("env.VLLM_ALLOW_LONG_MAX_MODEL_LEN") or view.given("env.SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN")
    return env is not None


def datasets_named(view: "View") -> bool:
    """Whether a list of datasets stands in the file."""
    return any(name.startswith(("datasets", "pretraining_dataset")) for name in view.unit.given)


def test_named(view: "View") -> bool:
    """Whether data for evaluation is named."""
    return any(name.startswith("test_datasets") for name in view.unit.given)


def remove_unused_columns_not_false(view: "View") -> bool:
    """Whether columns that the model does not take are dropped, which is what happens unsaid."""
    one = view.given("remove_unused_columns")
    return one is None or one.value is not False


def sharegpt_type(view: "View") -> str | None:
    """A dataset of the type that was removed."""
    for name, one in view.unit.given.items():
        if re.fullmatch(r"datasets_\d+_type", name) and str(one.value).startswith("sharegpt"):
            return name
    return None


def swift_trains(view: "View") -> bool:
    """Whether the command of ms-swift is one that trains."""
    return bool(view.unit.words) and str(view.unit.words[0].value) in {"sft", "pt", "rlhf"}


def trainer_beside(view: "View") -> bool:
    """Whether a training that uses the file lies beside it."""
    return _trainer(view) is not None


def trainer_micro(view: "View") -> Any:
    """Samples a card that the command beside it states."""
    found = _trainer(view)
    return next((found.given[name].value for name in _MICRO if name in found.given), None) if found else None


def trainer_bf16(view: "View") -> Any:
    """Whether the command beside it asks for bf16."""
    found = _trainer(view)
    return found.given["bf16"].value if found and "bf16" in found.given else None


def trainer_fp16(view: "View") -> Any:
    """Whether the command beside it asks for fp16."""
    found = _trainer(view)
    return found.given["fp16"].value if found and "fp16" in found.given else None


def model_beside_params(view: "View") -> int | None:
    """Parameters of the model that the command beside it trains, or that was stated."""
    from tools.check_setup.view import View as Viewed

    if view.model is not None:
        return view.model.params
    found = _trainer(view)
    if found is None:
        return None
    model = Viewed(view.setup, found, view.machine, view.others, view.stated_model).model
    return model.params if model else None


def section_fsdp(view: "View") -> bool:
    """Whether FSDP's own section stands in the file."""
    return any(name.startswith("fsdp") for name in view.unit.given)


def section_deepspeed(view: "View") -> bool:
    """Whether DeepSpeed's own section stands in the file."""
    return any(name.startswith("deepspeed") for name in view.unit.given)


def card_refuses(view: "View") -> str | None:
    """Why the card does not run the format with that engine."""
    found = _refusal(view)
    return str(found.reason) if found else None


def card_refuses_zh(view: "View") -> str | None:
    """The same in Chinese."""
    found = _refusal(view)
    return str(found.reason_zh or found.reason) if found else None


def stage_layers(view: "View") -> int | None:
    """Layers of the stage on the card with the least memory."""
    stages, model = view.value("pp"), view.model
    if not isinstance(stages, int) or model is None or not model.layers:
        return None
    said = view.given("env.VLLM_PP_LAYER_PARTITION")
    counts = [int(part) for part in str(said.value).split(",") if part.strip().isdigit()] if said else []
    if len(counts) != stages:
        return -(-model.layers // stages)
    memories = [one.memory_bytes or (catalog_gpu(one.gpu).memory_bytes if one.gpu else 0) for one in view.machine.cards
                for _ in range(one.count)]  # fmt: skip
    return counts[memories.index(min(memories))] if len(memories) == stages else min(counts)


NAMES = (
    "host_experts",
    "rope_said",
    "trainer_beside",
    "trainer_micro",
    "trainer_bf16",
    "trainer_fp16",
    "model_beside_params",
    "section_fsdp",
    "section_deepspeed",
    "datasets_named",
    "test_named",
    "remove_unused_columns_not_false",
    "sharegpt_type",
    "swift_trains",
    "stage_layers",
    "card_refuses",
    "card_refuses_zh",
)
"""Those that rules may use."""
