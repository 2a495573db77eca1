"""What the writer of launch files answers."""

from typing import Literal

from kb.base import Frozen
from tools.base import ToolResult
from tools.memory.result import PerGpu, Verdict

Language = Literal["bash", "yaml", "json", "python", "dockerfile", "markdown", "text"]


class LaunchFile(Frozen):
    """One file, complete."""

    name: str
    language: Language
    content: str


class AcceptanceCheck(Frozen):
    """One test of a delivered machine."""

    name: str
    command: str
    passes: str
    """When it is passed, in English, with its figure."""
    passes_zh: str
    """The same in Chinese."""
    low: float | None = None
    """The least that passes; null where no figure decides."""
    high: float | None = None
    """The most that passes."""
    unit: str = ""
    source: str | None = None


class LaunchFiles(ToolResult):
    """Files that start the work, and how to use them."""

    model: str
    checkpoint: str | None
    """What is loaded; null: no checkpoint of that format is known, and MODEL must be set."""
    program: str
    release: str
    """Release of the program whose settings were read."""
    target: str
    gpu: str
    gpu_count: int
    nodes: int
    tensor_parallel: int
    pipeline_parallel: int
    data_parallel: int
    """Whole copies; of attention layers alone, where `expert_parallel` is more than `tensor_parallel`."""
    expert_parallel: int = 1
    """Cards that share a mixture's experts whole; 1 = they are cut like everything else."""
    weight_format: str
    per_gpu: PerGpu
    """What one card holds with these settings."""
    usable_bytes: int
    verdict: Verdict
    context_tokens: int | None = None
    concurrent_sequences: int | None = None
    """Held at full length by all copies together."""
    admitted_sequences: int | None = None
    """Admitted at once by all copies together: shorter requests share the same memory."""
    memory_ratio: float | None = None
    """Share of the card the server is told to reserve."""
    micro_batch_size: int | None = None
    gradient_accumulation_steps: int | None = None
    global_batch_size: int | None = None
    sharding: str | None = None
    """Of a training, like the optimizer and the recomputing: as find_ways_to_train chose where it was not stated."""
    optimizer: str | None = None
    gradient_checkpointing: str | None = None
    epochs: float | None = None
    updates: int | None = None
    """Optimizer steps of the run, where the size of the data was stated."""
    files: tuple[LaunchFile, ...]
    run: tuple[str, ...]
    """Commands in order."""
    checked_with: tuple[str, ...]
    """Parsers and schemas that files of this kind are tested with."""
    unchecked: tuple[str, ...]
    """Programs whose own parser was not at hand."""
    acceptance: tuple[AcceptanceCheck, ...] = ()
