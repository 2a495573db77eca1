"""What one may ask about the links of a machine."""

from pydantic import Field

from kb.base import Frozen


class TopologyRequest(Frozen):
    """Output of `nvidia-smi topo -m`, `nvidia-smi`, `nvidia-smi nvlink -s`, `rocm-smi` or `npu-smi info`."""

    text: str = Field(min_length=1, max_length=200_000)
    """The output as the terminal shows it."""
    gpu: str | None = Field(default=None, max_length=200)
    """The card, where the text does not name it: its links and slot say what to expect."""
    tensor_parallel: int | None = Field(default=None, gt=0, le=1024)
    """Cards that are to share every layer; null = judge the usual widths."""
