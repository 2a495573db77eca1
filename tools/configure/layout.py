"""How a workload is spread: the GPU counts worth trying and the parallelism of each."""

from collections.abc import Iterator
from dataclasses import dataclass

from kb.catalog import model as find_model
from tools.configure.workload import Variant
from tools.memory.request import MemoryRequest

NODE_GPUS = 8
"""GPUs of the usual server; tensor parallelism does not leave it."""
COUNTS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024)


@dataclass(frozen=True, slots=True)
class Layout:
    """A number of GPUs and how the work is cut over them."""

    gpus: int
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    data_parallel: int = 1
    sharding: str | None = None

    @property
    def nodes(self) -> int:
        """Servers of eight it takes."""
        return -(-self.gpus // NODE_GPUS)

    def of(self, request: MemoryRequest) -> MemoryRequest:
        """The request laid out this way."""
        return request.model_copy(
            update={
                "tensor_parallel": self.tensor_parallel,
                "pipeline_parallel": self.pipeline_parallel,
                "data_parallel": self.data_parallel,
                "sharding": self.sharding,
            }
        )


def layouts(variant: Variant, *, training: bool, counts: tuple[int, ...] = COUNTS) -> Iterator[Layout]:
    """The layouts of a workload, fewest GPUs first.

    Image, video, speech and vision models stay on one GPU; more of those serve more requests, not larger ones.
    Serving: tensor parallel within a node, pipeline stages across nodes; a count that does not divide the heads is a
    pipeline of single cards. Training: fully sharded data parallel (ZeRO-3), which holds the least on each GPU.
    """
    heads = _heads(variant.request)
    if _one_gpu(variant.request):
        counts = counts[:1] if counts[:1] == (1,) else ()
    for count in counts:
        if training:
            yield Layout(count, data_parallel=count, sharding="zero3" if count > 1 else None)
        elif count <= NODE_GPUS:
            across = count & (count - 1) == 0 and heads % count == 0
            yield Layout(count, count if across else 1, 1 if across else count)
        elif count % NODE_GPUS == 0:
            width = max(size for size in (1, 2, 4, NODE_GPUS) if heads % size == 0)
            yield Layout(count, width, count // width)


def _one_gpu(request: MemoryRequest) -> bool:
    """Whether the model's engine keeps it on one GPU: image, video, speech and vision pipelines."""
    return request.model is not None and find_model(request.model).kind not in {"llm", "vlm", "embedding", "reranker"}


def _heads(request: MemoryRequest) -> int:
    """Attention heads, which tensor parallelism must divide; a model given by its size alone divides."""
    if request.model is not None:
        return find_model(request.model).heads or NODE_GPUS
    return request.heads or NODE_GPUS
