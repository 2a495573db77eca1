"""Which cards are worth proposing, how many of them one machine takes, and what each can be used for."""

from kb.catalog import servers
from kb.records.gpu import Gpu
from kb.units import GIB

SMALLEST_BYTES = 8 * GIB
"""Cards with less memory than this are not proposed unless asked for."""
MOST_IN_ONE_MACHINE = {
    "consumer": 4, "workstation": 4, "data_center": 8, "laptop": 1, "module": 1, "apu": 1, "cloud_only": 8,
}  # fmt: skip
"""Slots, power and cooling of what one can order; a server that lists the card may take more."""
SERVING_CAPABILITY, TRAINING_CAPABILITY = 7.5, 8.0
"""Oldest CUDA compute capability worth proposing: current serving engines, and BF16 for training."""
SOLD_IN_SYSTEMS = ("SXM", "OAM", "SUPERCHIP", "SH5", "SOCKET")
"""Form factors that nobody buys as a card."""
PROPOSED_MARKETS = {"consumer", "workstation", "data_center", "cloud_only"}
MAINSTREAM = "NVIDIA"
ALTERNATIVE = "AMD"
CUDA_ONLY = (
    "Only cards with CUDA are proposed, and AMD Instinct for serving; name another make (Ascend, Intel, Apple …) "
    "to have it considered."
)


def proposed(gpu: Gpu, *, training: bool) -> bool:
    """Whether a card nobody asked for is worth proposing for this kind of work."""
    if gpu.memory_bytes < SMALLEST_BYTES or gpu.status in {"announced", "modified"}:
        return False
    if gpu.market not in PROPOSED_MARKETS:
        return False
    if gpu.vendor == ALTERNATIVE:
        return gpu.market == "data_center" and not training
    return gpu.vendor == MAINSTREAM and capable(gpu, training=training)


def capable(gpu: Gpu, *, training: bool) -> bool:
    """Whether current software for this kind of work still runs on the card; unknown counts as yes."""
    if gpu.compute_capability is None:
        return not training or gpu.bf16_flops is not None
    return float(gpu.compute_capability) >= (TRAINING_CAPABILITY if training else SERVING_CAPABILITY)


def most_in_one_machine(gpu: Gpu) -> int:
    """Cards that one orderable machine takes: the largest server that lists it, at least what its market allows."""
    listed = [server.max_gpus for server in servers().values() if gpu.id in server.gpus and not server.discontinued]
    return max([MOST_IN_ONE_MACHINE[gpu.market], *listed])


def scales_out(gpu: Gpu) -> bool:
    """Whether several machines of it make sense: data-centre cards that are linked inside each machine."""
    return gpu.market in {"data_center", "cloud_only"} and gpu.nvlink_bytes_per_s is not None


def sold_in_systems(gpu: Gpu) -> bool:
    """Whether the card comes only soldered onto a board of several, with the machine around it."""
    return any(gpu.form_factor.upper().startswith(kind) for kind in SOLD_IN_SYSTEMS)


def ordered_together(gpu: Gpu) -> int:
    """How many of the card one has to buy at once: the smallest machine that comes with it, else a single card."""
    if not sold_in_systems(gpu):
        return 1
    sizes = [server.max_gpus for server in servers().values() if gpu.id in server.gpus and not server.discontinued]
    return min(sizes, default=MOST_IN_ONE_MACHINE[gpu.market])
