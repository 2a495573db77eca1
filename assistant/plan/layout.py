"""How a workload is spread over a number of equal cards, when the asker does not say."""

TENSOR_PARALLEL_MAX = 8
"""Widest tensor parallelism assumed: one node of NVLink-connected cards."""


def serving_layout(count: int, tensor_parallel: int | None = None) -> dict[str, int]:
    """Tensor parallelism within a node, pipeline stages for the rest.

    Heads divide by powers of two; five or six cards run as pipeline stages instead.
    """
    if tensor_parallel and count % tensor_parallel == 0:
        return {"tensor_parallel": tensor_parallel, "pipeline_parallel": count // tensor_parallel}
    width = 1
    while width * 2 <= min(count, TENSOR_PARALLEL_MAX) and count % (width * 2) == 0:
        width *= 2
    return {"tensor_parallel": width, "pipeline_parallel": count // width}


COPIED = ("diffusion", "video", "vision", "speech")
"""Kinds of model that no usual program splits over cards: each card holds all of it and works on another item."""


def copies(count: int) -> dict[str, int]:
    """A whole model on each of so many cards."""
    return {"data_parallel": count, "tensor_parallel": 1, "pipeline_parallel": 1}


def training_layout(task: str, count: int, sharding: str | None) -> dict[str, int | str]:
    """Data parallelism over all cards: full fine-tuning shards its states; adapters run as copies.

    Copies are what trainers do by default and the fastest when they fit; sharding is tried when they do not.
    """
    if count <= 1:
        return {}
    default = "ddp" if task in {"lora", "qlora"} else "zero3"
    return {"sharding": sharding or default, "data_parallel": count}


def shared_by(task: str, engine: str | None) -> str:
    """How weights are shared out where a copy on each card is too much.

    A base in four bits by FSDP, which gathers its layers as they are kept; ZeRO-3 gathers more, in sixteen.
    """
    return "fsdp" if task == "qlora" and engine != "deepspeed" else "zero3"


def counted_layout(layout: str) -> dict[str, object]:
    """The layout that the fewest cards were counted with, as fields of a request: the arithmetic is of that one."""
    ways = dict.fromkeys(("tensor_parallel", "pipeline_parallel", "expert_parallel"))
    said = dict(part.split(" = ") for part in layout.split(", ") if " = " in part)
    return {key: int(said[key]) if key in said else None for key in ways} if set(said) & set(ways) else {}
