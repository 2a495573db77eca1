"""Which cards are worth proposing, how many of them one machine takes, and what each can be used for."""

from functools import lru_cache
from typing import Literal

from kb.catalog import gpus, servers
from kb.programs.software import features
from kb.records.gpu import Gpu
from kb.units import GIB

FILE_ENGINE = "llama.cpp"
Formats = Literal["usual", "gptq", "ascend", "ascend_eight", "files"]
"""Families of formats that cards serve models in."""

SMALLEST_BYTES = 8 * GIB
"""Cards with less memory than this are not proposed unless asked for."""
MOST_IN_ONE_MACHINE = {
    "consumer": 4, "workstation": 8, "data_center": 8, "laptop": 1, "module": 1, "apu": 1, "cloud_only": 8,
}  # fmt: skip
"""Slots, power and cooling of what one can order; a server that lists the card may take more."""
SERVING_CAPABILITY, TRAINING_CAPABILITY = 7.5, 8.0
"""Oldest CUDA compute capability worth proposing: current serving engines, and BF16 for training."""
SOLD_IN_SYSTEMS = ("SXM", "OAM", "SUPERCHIP", "SH5", "SOCKET", "DIE MODULE", "SUPERNODE")
"""Form factors that nobody buys as a card."""
PROPOSED_MARKETS = {"consumer", "workstation", "data_center", "cloud_only"}
MAINSTREAM = "NVIDIA"
DOMESTIC = {"CN": ("Huawei",)}
"""Country → makers whose accelerators are an ordinary choice there, for language models at 8 bits and more."""
MADE_IN_CHINA = (
    "Huawei", "Hygon", "Cambricon", "Moore Threads", "MetaX", "Biren", "Iluvatar", "Kunlunxin", "Enflame", "T-Head",
)  # fmt: skip
"""Chinese makers in the catalogue."""
ALTERNATIVE = "AMD"
OTHER_MAKES, OTHERS_FROM = ("AMD", "Intel"), 2021
"""Makers beside NVIDIA, and the year from which vLLM or llama.cpp run on their cards (ROCm 6, oneAPI)."""
WITHOUT_ENGINES = ("RDNA", "RDNA 2")
"""Architectures that ROCm's serving stack left behind."""
CUDA_ONLY = (
    "Only cards with CUDA are proposed, and AMD Instinct for serving; name another make (Ascend, Intel, Apple …) "
    "to have it considered."
)


def proposed(
    gpu: Gpu, *, training: bool, country: str | None = None, cuda_only: bool = False, others: bool = False
) -> bool:
    """Whether a card nobody asked for is worth proposing for this kind of work in this country.

    `cuda_only`: the work rests on kernels that other makes lack (4-bit training, image and vision stacks).
    `others`: CUDA was ruled out, so every make that current engines run on is an ordinary choice.
    """
    if gpu.memory_bytes < SMALLEST_BYTES or gpu.status in {"announced", "modified"}:
        return False
    if gpu.market not in PROPOSED_MARKETS:
        return False
    if others:
        made_for = gpu.vendor in OTHER_MAKES or gpu.vendor in DOMESTIC.get(country or "", ())
        return made_for and (gpu.year or 0) >= OTHERS_FROM and gpu.architecture not in WITHOUT_ENGINES
    if country in DOMESTIC:
        if gpu.vendor in DOMESTIC[country]:
            return not cuda_only
        return gpu.vendor == MAINSTREAM and capable(gpu, training=training)
    if gpu.vendor == ALTERNATIVE and not cuda_only:
        return gpu.market == "data_center" and not training
    return gpu.vendor == MAINSTREAM and capable(gpu, training=training)


def reads_files(gpu: Gpu) -> bool:
    """Whether it is a computer with one memory, used by one person through llama.cpp and what is built on it."""
    return gpu.market == "apu" or gpu.vendor == "Apple"


def served_in(gpu: Gpu) -> Formats:
    """Which formats a model is served in on the card: what the engines that run there read.

    Files of llama.cpp on computers with one memory and wherever vLLM does not run (Pascal, AMD's old cards); GPTQ on
    Volta, which vLLM's AWQ kernels leave out; W8A8 on Ascend, and four bits on its chips that an engine lists them for.
    """
    return _of_catalog(gpu.id) if gpus().get(gpu.id) is gpu else _served_in(gpu)


@lru_cache(maxsize=1024)
def _of_catalog(gpu_id: str) -> Formats:
    """A search asks it of every card for every precision."""
    return _served_in(gpus()[gpu_id])


def _served_in(gpu: Gpu) -> Formats:
    if reads_files(gpu):
        return "files"
    if gpu.vendor == "Huawei":
        return "ascend" if _reads(gpu, "awq") else "ascend_eight"
    if not _reads(gpu, "vllm") and _reads(gpu, FILE_ENGINE):
        return "files"
    return "gptq" if gpu.vendor == MAINSTREAM and not _reads(gpu, "awq") else "usual"


def _reads(gpu: Gpu, feature: str) -> bool:
    """Whether vLLM, or an engine in its place, reads the format there."""
    rule = features()[feature].rule(gpu, "vllm")
    return rule is None or rule.verdict != "does_not"


def capable(gpu: Gpu, *, training: bool) -> bool:
    """Whether current software for this kind of work still runs on the card; unknown counts as yes."""
    if gpu.compute_capability is None:
        return not training or gpu.bf16_flops is not None
    return float(gpu.compute_capability) >= (TRAINING_CAPABILITY if training else SERVING_CAPABILITY)


def machine_sizes(gpu: Gpu) -> tuple[int, ...]:
    """How many of the card the orderable machines take: every server that lists it, and what its market allows."""
    return _machine_sizes(gpu.id)


@lru_cache(maxsize=1024)
def _machine_sizes(gpu_id: str) -> tuple[int, ...]:
    gpu = gpus()[gpu_id]
    listed = {server.takes(gpu_id) for server in servers().values() if not server.discontinued} - {0}
    if not sold_in_systems(gpu):
        listed.add(MOST_IN_ONE_MACHINE[gpu.market])
    return tuple(sorted(listed)) or (MOST_IN_ONE_MACHINE[gpu.market],)


def scales_out(gpu: Gpu) -> bool:
    """Whether several machines of it train or serve together: cards all linked to each other inside each machine.

    Bridges between two or four PCIe cards do not make such a machine.
    """
    return gpu.market in {"data_center", "cloud_only"} and gpu.nvlink_bytes_per_s is not None and sold_in_systems(gpu)


def sold_in_systems(gpu: Gpu) -> bool:
    """Whether the card comes only soldered onto a board of several, with the machine around it."""
    return _soldered(gpu.form_factor)


@lru_cache(maxsize=256)
def _soldered(form_factor: str) -> bool:
    return any(kind in form_factor.upper() for kind in SOLD_IN_SYSTEMS)
