"""What a container is given, and what runs in it."""

import re
from typing import TYPE_CHECKING, Any

from tools.check_setup.predicates.programs import SERVERS

if TYPE_CHECKING:
    from tools.check_setup.view import View

_SERVED = ("vllm-openai", "sglang", "text-generation-inference", "tritonserver", "text-embeddings-inference")

PORTS = {"vllm": 8000, "sglang": 30000, "tgi": 80, "llama-server": 8080}

SHARED_MIN = 1 << 30
"""Shared memory that a group of processes needs at least: engines' guides ask for 1 GB and more."""

BYTES_A_SECOND = 1_000_000_000
"""What a checkpoint is read at from a good cloud disk: loading takes at least that long."""

STARTING_S = 60
"""What compiling and capturing graphs take beside."""


def _inner(view: "View") -> Any:
    """The server that runs in this container."""
    return next((one for one in view.others if one.within is view.unit and one.program in SERVERS), None)


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


def image_entry(view: "View") -> bool:
    """Whether the image itself starts the program, with the arguments alone written."""
    from kb.artifacts.setups.programs import of_image

    box = view.unit.within
    image = box.given.get("image") if box else None
    return image is not None and of_image(str(image.value)) == view.unit.program


def volumes_hold_ollama(view: "View") -> bool:
    """Whether something is mounted where Ollama keeps its models."""
    said = [str(one.value) for one in (*view.unit.repeated, *view.unit.given.values())]
    return any(".ollama" in one for one in said) or "OLLAMA_MODELS" in view.unit.env


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


def helm_staged(view: "View") -> bool:
    """Whether a chart spreads the stages over a Ray cluster, where each pod has its own cards."""
    box = view.unit.within
    return box is not None and box.program == "helm" and isinstance(view.value("pp"), int)


NAMES = (
    "mounts_cache",
    "gpu_seen",
    "image_entry",
    "image_needs_gpu",
    "shm_enough",
    "load_seconds",
    "served_port",
    "probe_port_wrong",
    "program_twice",
    "env_from",
    "volumes_hold_ollama",
    "helm_staged",
)
"""Those that rules may use."""
