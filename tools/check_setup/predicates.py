"""Conditions that no expression can hold, because they look at how a set-up is written or at several units."""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.artifacts.mask import HIDDEN
from kb.artifacts.setups.options import OPEN, options
from kb.base import AdvisorError
from kb.catalog import gpu as catalog_gpu
from kb.catalog import load_yaml

if TYPE_CHECKING:
    from tools.check_setup.view import View

ALIKE = 0.82
"""How alike an unknown option must be to one that is known to be a slip."""
SERVERS = ("vllm", "sglang", "tgi", "llama-server", "trtllm-serve")
LONGEST_VALUE = 200
"""Longer values are texts, which may hold anything."""
_SPACED = re.compile(r"\\[ \t]+\r?\n")
_BROKEN = re.compile(r"[^\\\s][ \t]*\n[ \t]*--?[A-Za-z]")
_DASHES = re.compile(r"(?:^|\s)[–—]{1,2}[A-Za-z][\w-]+")
_HOLDER = re.compile(
    r"<[\w \-]*(?:your|token|model|path|name|key|dir|host|addr|port|user)[\w \-]*>|\bYOUR[_A-Z]+\b|\byour[-_](?:token|key|hf|model)\b|/path/to\b|\bxxx+\b",
    re.IGNORECASE,
)


def _command(view: "View") -> str:
    return view.setup.text[view.unit.start : view.unit.end]


def spaced_continuation(view: "View") -> bool:
    """Blanks after a backslash: the shell joins nothing, and runs the next line by itself."""
    return view.unit.hand == "flag" and _SPACED.search(view.setup.text[view.unit.start : view.unit.end + 8]) is not None


def broken_continuation(view: "View") -> bool:
    """A line that begins with an option after one that does not end with a backslash."""
    if view.unit.hand != "flag" or view.unit.within is not None and view.unit.within.program in {"pod", "compose"}:
        return False
    if view.setup.text[: view.unit.end].rstrip().endswith(("...", "…")):
        return False
    tail = view.setup.text[max(view.unit.end - 1, 0) : view.unit.end + 120]
    return _BROKEN.match(tail) is not None


def commented_continuation(view: "View") -> bool:
    """A comment between lines that are continued: what follows is not part of the command."""
    if view.unit.hand != "flag":
        return False
    after = view.setup.text[view.unit.end : view.unit.end + 400]
    return re.match(r"[ \t]*(?:\\[ \t]*\n)?[ \t]*#[^\n]*\n[ \t]*--?[A-Za-z]", after) is not None


def typographic_dash(view: "View") -> bool:
    """An option that begins with a dash of print."""
    return view.unit.hand == "flag" and _DASHES.search(_command(view)) is not None


def joined_argument(view: "View") -> str | None:
    """An entry of a manifest's list that holds an option and its value with a blank between."""
    if view.unit.hand != "list" and view.unit.within is None:
        return None
    found = [name for name in view.unit.given if " " in name]
    return found[0] if found else None


def _read_release(view: "View") -> bool:
    """Whether the options are those of the release that was read: the one named, or the newest where none is."""
    said = view.value("release")
    return said is None or _newest(str(said), view.unit.program)


def misspelt(view: "View") -> str | None:
    """The option that an unknown one was meant to be."""
    if not _read_release(view):
        return None
    table = options(view.unit.program)
    for one in view.unit.unknown:
        if one.name in _removed().get(view.unit.program, {}) or " " in one.name:
            continue
        near = get_close_matches(one.name, list(table), n=1, cutoff=ALIKE)
        if near and not one.quote.startswith("-Xm"):
            return table[near[0]].name
    return None


def stranger(view: "View") -> str | None:
    """An option that the release does not have, and that no other is like."""
    if misspelt(view) or not view.unit.unknown or not _read_release(view):
        return None
    return view.unit.unknown[0].name


def not_a_choice(view: "View") -> str | None:
    """An option whose value is none of those it takes."""
    if view.unit.program in OPEN or not _read_release(view):
        return None
    table = options(view.unit.program)
    for one in view.unit.given.values():
        option = table.get(one.name)
        if option is None or not option.choices or not isinstance(one.value, str | int | float):
            continue
        said = str(one.value)
        if "$" in said or "{" in said or not said or any(said.lower() == choice.lower() for choice in option.choices):
            continue
        if isinstance(one.value, bool) or "," in said:
            continue
        return one.name
    return None


def choices(view: "View") -> str | None:
    """What that option takes."""
    name = not_a_choice(view)
    return ", ".join(options(view.unit.program)[name].choices[:12]) if name else None


def placeholder(view: "View") -> str | None:
    """A setting whose value was never filled in."""
    for one in (*view.unit.given.values(), *view.unit.env.values(), *view.unit.words):
        if (
            isinstance(one.value, str)
            and len(one.value) < LONGEST_VALUE
            and _HOLDER.search(one.value)
            and (one.name not in {"template", "system", "chat_template"})
        ):
            return one.name or "@0"
    return None


def repeated_option(view: "View") -> str | None:
    """A setting written twice with two values, of which the first counts for nothing."""
    for one in view.unit.repeated:
        later = view.unit.given.get(one.name)
        if later is not None and later.value != one.value and one.name not in _SEVERAL:
            return one.name
    return None


_SEVERAL = {
    "env", "volume", "publish", "mount", "lora_modules", "stop", "message", "device", "group_add", "ulimit", "cap_add",
    "x", "mca", "model", "allowed_origins", "override_tensor", "lora", "lora_scaled", "datasets", "limit_mm_per_prompt",
    "security_opt", "label", "add_host", "override_kv", "middleware", "served_model_name", "control_vector",
}  # fmt: skip


def port_taken(view: "View") -> bool:
    """Another server of the same machine on the same port."""
    mine = view.value("port")
    if mine is None or view.unit.within is not None:
        return False
    return any(
        other is not view.unit and other.program in SERVERS and other.within is None and other.start < view.unit.start
        and _background(view, other) and (other.given.get("port") and other.given["port"].value == mine)
        for other in view.others
    )  # fmt: skip


def _background(view: "View", other: Any) -> bool:
    """Whether a command is left running while the next one starts."""
    after = view.setup.text[other.end : other.end + 200].split("\n", 1)[0]
    return re.search(r"&\s*$", after.split("#")[0]) is not None and "&&" not in after


def shared_share(view: "View") -> float | None:
    """Shares of memory that servers on the same cards take together."""
    if view.unit.within is not None or view.unit.program not in {"vllm", "sglang"}:
        return None
    mine = view.given("env.CUDA_VISIBLE_DEVICES")
    total, several = 0.0, False
    for other in view.others:
        if other.program != view.unit.program or other.within is not None:
            continue
        theirs = other.env.get("CUDA_VISIBLE_DEVICES")
        if (mine.value if mine else None) != (theirs.value if theirs else None):
            continue
        if other is not view.unit and not _background(view, other) and other.start < view.unit.start:
            continue
        several = several or other is not view.unit
        name = "gpu_memory_utilization" if other.program == "vllm" else "mem_fraction_static"
        one = other.given.get(name)
        total += float(one.value) if one is not None and isinstance(one.value, int | float) else 0.92
    return round(total, 2) if several else None


def last_server(view: "View") -> bool:
    """Whether no server of the kind comes after it."""
    return not any(one.program == view.unit.program and one.start > view.unit.start for one in view.others)


def mounts_cache(view: "View") -> bool:
    """Whether something is mounted where weights are kept, or they are named by a path that is mounted."""
    box = next((one for one in view.unit.chain() if one.program in {"docker", "compose", "pod"}), None)
    if box is None:
        return True
    volumes = [
        str(one.value) for one in (*box.repeated, *box.given.values()) if one.name in {"volume", "volumes", "mount"}
    ]
    return bool(volumes)


def gpu_seen(view: "View") -> bool:
    """Whether the container is given cards at all, by any of the ways there are."""
    box = next((one for one in view.unit.chain() if one.program in {"docker", "compose", "pod"}), None)
    if box is None:
        return True
    keys = set(box.given)
    runtime = str(box.given["runtime"].value) if "runtime" in keys else ""
    devices = ",".join(
        str(one.value) for one in (*box.repeated, *box.given.values()) if one.name in {"device", "devices"}
    )
    return (
        bool({"gpus", "privileged"} & keys)
        or "nvidia" in runtime
        or "kfd" in devices or "nvidia" in devices or "dri" in devices or "davinci" in devices
    )  # fmt: skip


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


def late_directive(view: "View") -> str | None:
    """A #SBATCH line after the first command."""
    return next((name.removeprefix("late_") for name in view.unit.given if name.startswith("late_")), None)


def keyed(view: "View") -> str | None:
    """A key or token written out where anybody who reads the file sees it."""
    for one in view.unit.env.values():
        if one.name in {
            "HF_TOKEN",
            "HUGGING_FACE_HUB_TOKEN",
            "HUGGINGFACE_HUB_TOKEN",
            "WANDB_API_KEY",
            "OPENAI_API_KEY",
        }:
            value = str(one.value)
            if HIDDEN in value or HIDDEN in one.quote:
                return f"env.{one.name}"
    return None


def image_entry(view: "View") -> bool:
    """Whether the image itself starts the program, with the arguments alone written."""
    from kb.artifacts.setups.programs import of_image

    box = view.unit.within
    image = box.given.get("image") if box else None
    return image is not None and of_image(str(image.value)) == view.unit.program


def flash_bare(view: "View") -> bool:
    """`-fa` without a value, as releases before September 2025 took it."""
    one = view.given("flash")
    return one is not None and one.value is True and re.fullmatch(r"-fa|--flash-attn", one.quote.strip()) is not None


def volumes_hold_ollama(view: "View") -> bool:
    """Whether something is mounted where Ollama keeps its models."""
    said = [str(one.value) for one in (*view.unit.repeated, *view.unit.given.values())]
    return any(".ollama" in one for one in said) or "OLLAMA_MODELS" in view.unit.env


_PARAMETERS = {
    "from", "template", "system", "adapter", "license", "message", "requires", "num_ctx", "num_gpu", "num_predict",
    "num_thread", "num_batch", "num_keep", "main_gpu", "use_mmap", "use_mlock", "low_vram", "numa", "f16_kv", "seed",
    "stop", "temperature", "top_k", "top_p", "min_p", "typical_p", "tfs_z", "repeat_last_n", "repeat_penalty",
    "presence_penalty", "frequency_penalty", "penalize_newline", "mirostat", "mirostat_eta", "mirostat_tau",
    "vocab_only", "draft_num_predict", "num_gqa", "rope_frequency_base", "rope_frequency_scale", "embedding_only",
}  # fmt: skip


def modelfile_stranger(view: "View") -> str | None:
    """A PARAMETER that Ollama does not have."""
    return next((name for name in view.unit.given if name not in _PARAMETERS), None)


def rate_unquoted_yaml(view: "View") -> bool:
    """Whether the learning rate stands in a file of settings."""
    one = view.given("rate")
    return one is not None and one.hand == "yaml"


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


TRAINERS = ("trainer", "trl", "llamafactory", "swift", "axolotl")
_MICRO = ("per_device_train_batch_size", "micro_batch_size")


def _trainer(view: "View") -> Any:
    return next((one for one in view.others if one.program in TRAINERS), None)


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


_SERVED = ("vllm-openai", "sglang", "text-generation-inference", "tritonserver", "text-embeddings-inference")
PORTS = {"vllm": 8000, "sglang": 30000, "tgi": 80, "llama-server": 8080}
SHARED_MIN = 1 << 30
"""Shared memory that a group of processes needs at least: engines' guides ask for 1 GB and more."""
BYTES_A_SECOND = 1_000_000_000
"""What a checkpoint is read at from a good cloud disk: loading takes at least that long."""
STARTING_S = 60
"""What compiling and capturing graphs take beside."""


def image_needs_gpu(view: "View") -> bool:
    """Whether an image serves models on a GPU."""
    image = view.value("image")
    return (
        image is not None
        and _inner(view) is not None
        and "router" not in str(image)
        and any(part in str(image) for part in _SERVED)
        and "cpu" not in str(image)
    )


def shm_enough(view: "View") -> bool:
    """Whether the container has its host's shared memory, or enough of its own."""
    from tools.check_setup.expression import Unmet, size

    box = next((one for one in view.unit.chain() if one.program in {"docker", "compose", "pod", "helm"}), None)
    if box is None or box.program == "helm":
        return True
    if str(box.given["ipc"].value if "ipc" in box.given else "") == "host" or "host_ipc" in box.given:
        return True
    said = box.given.get("shm_size")
    if said is None:
        return "shm" in box.given
    try:
        return size(said.value) >= SHARED_MIN
    except Unmet:
        return True


def _inner(view: "View") -> Any:
    """The server that runs in this container."""
    return next((one for one in view.others if one.within is view.unit and one.program in SERVERS), None)


def load_seconds(view: "View") -> int:
    """Seconds that loading takes at least: the checkpoint at half a gigabyte a second, and what follows."""
    from tools.check_setup.view import View as Viewed

    inner = _inner(view)
    named = Viewed(view.setup, inner, view.machine, view.others, view.stated_model) if inner else None
    if named is None or named.model is None:
        return STARTING_S
    bits = {"awq": 4.5, "gptq": 4.5, "fp8": 8.0, "int4": 4.5, "mxfp4": 4.5, "nvfp4": 4.5}
    form = (named.named.weight_format if named.named else None) or named.model.native_format
    return STARTING_S + int(named.model.params * bits.get(str(form), 16.0) / 8 / BYTES_A_SECOND)


def served_port(view: "View") -> int | None:
    """The port that the server in this container listens on."""
    inner = _inner(view)
    if inner is None:
        return None
    one = inner.given.get("port")
    value = one.value if one is not None else PORTS.get(inner.program)
    return value if isinstance(value, int) else None


def probe_port_wrong(view: "View") -> int | None:
    """A port that a probe asks and the server does not have."""
    listens = served_port(view)
    for name in ("liveness_port", "readiness_port", "startup_port"):
        one = view.given(name)
        if one is not None and isinstance(one.value, int) and listens is not None and one.value != listens:
            return one.value
    return None


def program_twice(view: "View") -> bool:
    """Whether the program is named again after an image that starts it itself."""
    box = view.unit.within
    if box is None or box.program != "docker" or "entrypoint" in box.given or not image_entry(view):
        return False
    return (
        "vllm-openai" in str(box.given["image"].value)
        and re.match(r"(?:vllm\s+serve|python3?\s+-m)", view.setup.text[view.unit.start :]) is not None
    )


def env_from(view: "View") -> bool:
    """Whether variables come from somewhere that is not shown."""
    box = next((one for one in view.unit.chain() if one.program in {"docker", "compose", "pod", "helm"}), None)
    return box is None or "env_file" in box.given or box.program in {"pod", "helm"}


@lru_cache(maxsize=1)
def _removed() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    return dict(load_yaml(Path(__file__).parent / "known" / "removed.yaml"))


def removed_option(view: "View") -> str | None:
    """An option that earlier releases had; not looked for where an older release is named."""
    if not _read_release(view):
        return None
    known = _removed().get(view.unit.program, {})
    return next((one.name for one in view.unit.unknown if one.name in known), None)


NEWEST = {"vllm": (0, 33), "sglang": (0, 5, 23), "tgi": (3,), "llama-server": (0,)}
"""Releases whose options were read."""


def _newest(release: str, program: str) -> bool:
    numbers = tuple(int(part) for part in re.findall(r"\d+", release))
    return numbers >= NEWEST.get(program, (0,))


def removed_instead(view: "View") -> str | None:
    """What stands in its place."""
    name = removed_option(view)
    return str(_removed()[view.unit.program][name]["en"]) if name else None


def removed_instead_zh(view: "View") -> str | None:
    """The same in Chinese."""
    name = removed_option(view)
    return str(_removed()[view.unit.program][name]["zh"]) if name else None


def removed_drop(view: "View") -> str | None:
    """The option, where nothing is left to set."""
    name = removed_option(view)
    return f"unknown:{name}" if name and _removed()[view.unit.program][name].get("drop") else None


def json_broken(view: "View") -> int | None:
    """The line of a comment or a comma that JSON does not have."""
    if view.unit.hand != "json":
        return None
    return next((line for line, why in view.setup.broken if why in {"comment", "trailing comma"}), None)


def nodes_reversed(view: "View") -> bool:
    """Whether MIN:MAX of machines is turned round."""
    one = view.given("nnodes")
    parts = str(one.value).split(":") if one is not None else []
    return len(parts) == 2 and all(part.isdigit() for part in parts) and int(parts[0]) > int(parts[1])


def late_directive_name(view: "View") -> str | None:
    """The setting of a late directive."""
    found = late_directive(view)
    return f"late_{found}" if found else None


def gres_count(view: "View") -> int | None:
    """Cards of one machine that the job asks for."""
    for name in ("gres", "gpus_per_node"):
        one = view.given(name)
        found = re.search(r"(\d+)\s*(?:\(|$)", str(one.value)) if one else None
        if found:
            return int(found[1])
    return None


def job_needs_gpu(view: "View") -> bool:
    """Whether something in the job works on cards."""
    return any(one.program in (*SERVERS, *TRAINERS, "torchrun", "accelerate-launch", "deepspeed", "megatron")
               for one in view.others if one is not view.unit and view.unit in one.chain())  # fmt: skip


def job_trains(view: "View") -> bool:
    """Whether the job starts a training."""
    names = (*TRAINERS, "torchrun", "accelerate-launch", "deepspeed", "megatron")
    return any(one.program in names for one in view.others)


def srun_without_cpus(view: "View") -> bool:
    """Whether a step starts a training without being told its cores."""
    steps = [one for one in view.others if one.program == "srun" and view.unit in one.chain()]
    passed = "SRUN_CPUS_PER_TASK" in view.setup.text
    return (
        bool(steps)
        and job_trains(view)
        and not passed
        and all("cpus_per_task" not in one.given and "cpu_bind" not in one.given for one in steps)
    )


def torchrun_plain(view: "View") -> bool:
    """Whether the number of processes is a number, or was left out."""
    one = view.given("nproc_per_node") or view.given("num_gpus")
    if view.unit.program == "deepspeed" and one is None:
        return False
    return (one is None and view.unit.program == "torchrun") or (one is not None and isinstance(one.value, int))


def highest_visible(view: "View") -> int | None:
    """The highest number of a card that the environment names."""
    one = view.given("env.CUDA_VISIBLE_DEVICES")
    parts = [part.strip() for part in str(one.value).split(",")] if one is not None else []
    numbers = [int(part) for part in parts if part.isdigit()]
    return max(numbers) if numbers else None


def needs_card(view: "View") -> bool:
    """Whether the program cannot work without a card."""
    return view.unit.program in {"vllm", "sglang", "tgi", "trtllm-serve"}


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


def config_word(view: "View") -> bool:
    """Whether the settings come from a file that is named."""
    return any(str(one.value).endswith((".yaml", ".yml", ".json")) for one in view.unit.words)


def first_rank(view: "View") -> bool:
    """Whether it is the command of the first machine alone, whose own address may be the loopback."""
    return view.value("node_rank") == 0


def helm_staged(view: "View") -> bool:
    """Whether a chart spreads the stages over a Ray cluster, where each pod has its own cards."""
    box = view.unit.within
    return box is not None and box.program == "helm" and isinstance(view.value("pp"), int)


NAMED: Mapping[str, Callable[["View"], Any]] = {
    one.__name__: one
    for one in (
        spaced_continuation, broken_continuation, commented_continuation, typographic_dash, joined_argument, misspelt,
        stranger, not_a_choice, choices, placeholder, repeated_option, port_taken, shared_share, last_server,
        mounts_cache, gpu_seen, host_experts, rope_said, late_directive, keyed, image_entry,
        config_word, first_rank, helm_staged, stage_layers, card_refuses, card_refuses_zh, removed_option, removed_instead, removed_instead_zh, removed_drop, json_broken, nodes_reversed,
        late_directive_name, gres_count, job_needs_gpu, job_trains, srun_without_cpus, torchrun_plain, highest_visible,
        needs_card, image_needs_gpu, shm_enough, load_seconds, served_port, probe_port_wrong, program_twice, env_from,
        trainer_beside, trainer_micro, trainer_bf16, trainer_fp16, model_beside_params, section_fsdp, section_deepspeed,
        datasets_named, test_named, remove_unused_columns_not_false,
        sharegpt_type, swift_trains, rate_unquoted_yaml, flash_bare, volumes_hold_ollama, modelfile_stranger,
    )
}  # fmt: skip
"""Every predicate by the name that rules use."""
