"""How a workload is spread: the GPU counts worth trying and every way to cut the work over so many."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kb.catalog import model as find_model
from kb.records.model import Model
from tools.memory.fit import ENGINES_SHARING_EXPERTS
from tools.memory.request import MemoryRequest

NODE_GPUS = 8
"""GPUs of the usual server; tensor parallelism does not leave it."""
COUNTS = (
    1, 2, 3, 4, 6, 8, 10, 16, 24, 32, 40, 48, 64, 72, 80, 96, 128, 144, 160, 192, 256, 288, 320, 384, 512, 576, 640,
    768, 1024, 1280, 1536, 2048, 3072, 4096, 6144, 8192,
)  # fmt: skip
"""Whole servers beyond one; the steps of clusters as they are bought."""
MOST_STAGES = 16
"""Pipeline stages worth trying: beyond, the bubble eats what is gained."""
SHARED_EXPERTS = (8, 16, 32, 64, 128)
"""Cards over which the experts of a mixture are spread while serving, each with attention of its own: one node to a
rack or two."""
LONG_SEQUENCE_TOKENS = 32_768
"""From here on one sample is split over cards too (context parallelism)."""
BY_LAYERS = "llama.cpp"
"""What deals whole layers out to its cards: one stream is no faster on several."""
ENGINE_OF_GRIDS = "megatron"
"""What trains with tensor and pipeline parallelism."""
LANGUAGE = {"llm", "vlm"}


@dataclass(frozen=True, slots=True)
class Layout:
    """A number of GPUs and how the work is cut over them."""

    gpus: int
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    data_parallel: int = 1
    """Training: ranks that see different samples. Serving: copies that share the requests."""
    sharding: str | None = None
    context_parallel: int = 1
    expert_parallel: int = 1
    engine: str | None = None
    """Set where only one engine trains this way."""

    @property
    def group(self) -> int:
        """GPUs that exchange data with every token they serve: a copy, or those that share experts."""
        return max(self.copy, self.expert_parallel)

    @property
    def replicas(self) -> int:
        """Groups that share the requests while serving; within one that shares experts, its GPUs share them."""
        return self.data_parallel // self.expert_parallel

    @property
    def copy(self) -> int:
        """GPUs that hold one copy of the model, or that exchange weights while training."""
        return self.tensor_parallel * self.pipeline_parallel

    def of(self, request: MemoryRequest) -> MemoryRequest:
        """The request laid out this way: a copy serves its share of the sequences."""
        changes: dict[str, object] = {
            "tensor_parallel": self.tensor_parallel,
            "pipeline_parallel": self.pipeline_parallel,
        }
        if request.task == "inference":
            if request.concurrent_sequences:
                changes["concurrent_sequences"] = -(-request.concurrent_sequences // self.replicas)
            if self.expert_parallel > 1:
                changes["expert_parallel"] = self.expert_parallel
        else:
            changes |= {
                "data_parallel": self.data_parallel,
                "sharding": self.sharding,
                "context_parallel": self.context_parallel,
                "expert_parallel": self.expert_parallel,
            }
            if request.engine is None and self.engine:
                changes["engine"] = self.engine
        return request.model_copy(update=changes)


def layouts(request: MemoryRequest, count: int) -> tuple[Layout, ...]:
    """Every layout of a workload over `count` GPUs that an engine would be given.

    Image, video, speech and vision models: whole copies, one a GPU. Serving: copies of tensor × pipeline parallel
    GPUs, tensor parallel a power of two that divides the heads within a machine, llama.cpp in stages alone; mixtures
    under many requests also with attention copied to every GPU and the experts shared by a group. Training: one GPU;
    copies with their gradients added (DDP); weights, gradients and optimizer sharded over all (ZeRO-2, ZeRO-3); and
    Megatron's grid of tensor × pipeline × data parallel with a sharded optimizer, experts spread over the data-parallel
    ranks and long samples over a context group.
    """
    model = find_model(request.model) if request.model is not None else None
    if request.task != "inference":
        return tuple(_training(request, model, count))
    if model is not None and model.kind not in LANGUAGE:
        return (Layout(count, data_parallel=count),)
    heads = (model.heads if model else request.heads) or NODE_GPUS
    experts = model.experts.experts if model and model.experts else request.experts or 0
    if request.engine is not None and request.engine not in ENGINES_SHARING_EXPERTS:
        experts = 0
    found = _serving(heads, request.concurrent_sequences or 1, count, experts)
    return tuple(one for one in found if one.tensor_parallel == 1) if request.engine == BY_LAYERS else found


@lru_cache(maxsize=4096)
def _serving(heads: int, sequences: int, count: int, experts: int) -> tuple[Layout, ...]:
    found = []
    for tensor in (8, 4, 2, 1):
        if count % tensor or heads % tensor:
            continue
        for stages in range(1, min(count // tensor, MOST_STAGES) + 1):
            copies, left = divmod(count, tensor * stages)
            if not left and copies <= sequences:
                found.append(Layout(count, tensor, stages, copies))
    if sequences >= count:
        shared = [
            ways for ways in SHARED_EXPERTS if ways <= count and count % ways == 0 and experts and experts % ways == 0
        ]
        found += [Layout(count, data_parallel=count, expert_parallel=ways) for ways in shared]
    return tuple(found)


def _training(request: MemoryRequest, model: Model | None, count: int) -> Iterator[Layout]:
    if count == 1:
        yield Layout(1)
        return
    yield Layout(count, data_parallel=count, sharding="ddp")
    if model is not None and model.kind not in LANGUAGE:
        return
    if request.task == "qlora" and request.engine != "deepspeed":
        yield Layout(count, data_parallel=count, sharding="fsdp")  # gathers layers in four bits, ZeRO-3 in sixteen
        return
    if request.task != "qlora":
        yield Layout(count, data_parallel=count, sharding="zero2")
    yield Layout(count, data_parallel=count, sharding="zero3")
    if request.task in {"full_finetune", "pretrain"} and request.engine in {None, ENGINE_OF_GRIDS}:
        yield from _grids(request, model, count)


def _grids(request: MemoryRequest, model: Model | None, count: int) -> Iterator[Layout]:
    """Megatron's grids: tensor parallel within a node, stages across nodes, experts over data-parallel ranks."""
    heads = (model.heads if model else request.heads) or NODE_GPUS
    long = (request.sequence_tokens or 0) >= LONG_SEQUENCE_TOKENS
    for tensor in (1, 2, 4, 8):
        for stages in (1, 2, 4, 8, 16):
            for context in (1, 2, 4, 8) if long else (1,):
                ways = tensor * stages * context
                if count % ways or heads % tensor or ways == 1:
                    continue
                data = count // ways
                for expert in _expert_ways(model, data * context):
                    yield Layout(count, tensor, stages, data, "zero1", context, expert, ENGINE_OF_GRIDS)


def _expert_ways(model: Model | None, ranks: int) -> tuple[int, ...]:
    """Ranks that share the experts: as many as there are, up to a few nodes, where the experts divide."""
    if model is None or model.experts is None:
        return (1,)
    experts = model.experts.experts
    return tuple(ways for ways in (1, 8, 16, 32, 64) if ways <= ranks and ranks % ways == 0 and experts % ways == 0)
