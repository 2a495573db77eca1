"""How a workload is spread: the GPU counts worth trying and the parallelism of each."""

from collections.abc import Iterator
from dataclasses import dataclass

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

    Serving: tensor parallel within a node, pipeline stages across nodes; a count that is not a power of two is a
    pipeline of single cards. Training: fully sharded data parallel (ZeRO-3), which holds the least on each GPU.
    """
    for count in counts:
        if training:
            yield Layout(count, data_parallel=count, sharding="zero3" if count > 1 else None)
        elif count <= NODE_GPUS:
            power = count & (count - 1) == 0
            yield Layout(count, count if power else 1, 1 if power else count)
        elif count % NODE_GPUS == 0:
            yield Layout(count, NODE_GPUS, count // NODE_GPUS)
