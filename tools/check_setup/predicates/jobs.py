"""Jobs, launchers, and servers beside each other."""

import re
from typing import TYPE_CHECKING, Any

from tools.check_setup.predicates.programs import SERVERS, TRAINERS

if TYPE_CHECKING:
    from tools.check_setup.view import View


def _background(view: "View", other: Any) -> bool:
    """Whether a command is left running while the next one starts."""
    after = view.setup.text[other.end : other.end + 200].split("\n", 1)[0]
    return re.search(r"&\s*$", after.split("#")[0]) is not None and "&&" not in after


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


def late_directive(view: "View") -> str | None:
    """A #SBATCH line after the first command."""
    return next((name.removeprefix("late_") for name in view.unit.given if name.startswith("late_")), None)


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


def first_rank(view: "View") -> bool:
    """Whether it is the command of the first machine alone, whose own address may be the loopback."""
    return bool(view.value("node_rank") == 0)


NAMES = (
    "late_directive",
    "late_directive_name",
    "gres_count",
    "job_needs_gpu",
    "job_trains",
    "srun_without_cpus",
    "torchrun_plain",
    "highest_visible",
    "needs_card",
    "nodes_reversed",
    "first_rank",
    "port_taken",
    "shared_share",
    "last_server",
)
"""Those that rules may use."""
