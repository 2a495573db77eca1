"""Facts that launch files are written from: releases, images, defaults, published checkpoints, acceptance limits."""

import re
from functools import lru_cache

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.source import Source


class Engine(Frozen):
    """A server and the release whose flags were read."""

    release: str
    images: dict[str, str]
    """Maker of the card → container image."""
    port: int
    health: str
    """Path that answers when it is ready."""
    metrics_waiting: str | None = None
    """Metric of waiting requests."""
    memory_ratio: float
    """Share of the card it reserves by default."""
    source: str
    flags: tuple[str, ...]
    """Flags of that release that are written here."""


class Trainer(Frozen):
    """A training program and the release whose settings were read."""

    release: str
    source: str


class Published(Frozen):
    """Quantised checkpoints that a maker publishes."""

    model: str
    formats: dict[str, str]
    """Format → ending of the name, or where there is a slash the whole id."""
    block: int | None = None
    """Side of the blocks that FP8 weights are scaled by; null = whole rows or matrices are."""
    source: str


class Serving(Frozen):
    """Defaults of serving."""

    context_tokens: int
    sequences_max: int
    threshold_waiting: int
    cooldown_s: int
    source: str


class TrainingDefaults(Frozen):
    """Usual starting points of a training run."""

    global_batch: int
    learning_rate: dict[str, float]
    epochs: float
    sequence_tokens: int
    lora_rank: int
    micro_batch_max: int
    warmup_steps: int
    source: str


class HostShare(Frozen):
    """What a container asks of its host."""

    memory_over_weights_ratio: float
    cpus_per_gpu: int
    shared_memory_gib: int
    source: str


class BusBandwidth(Frozen):
    """What all_reduce_perf shows at large sizes."""

    link: str
    low_bytes_per_s: float
    usual_bytes_per_s: float
    gpus: int
    source: str


class Limit(Frozen):
    """One limit with its source."""

    value: float | None = None
    low: float | None = None
    source: str


class Acceptance(Frozen):
    """What a delivered machine must show."""

    nccl: tuple[BusBandwidth, ...]
    memory_bandwidth_ratio: Limit
    burn_s: Limit
    hot_c: Limit
    fio_bytes_per_s: Limit


class LaunchFacts(Frozen):
    """Everything in `launch.yaml`."""

    engines: dict[str, Engine]
    trainers: dict[str, Trainer]
    made_on_load: dict[str, dict[str, str]]
    checkpoints: tuple[Published, ...]
    templates: dict[str, str]
    serving: Serving
    training: TrainingDefaults
    host: HostShare
    acceptance: Acceptance
    sources: dict[str, Source]

    def published(self, model: str, form: str) -> tuple[str, str] | None:
        """Hugging Face id of the model's checkpoint in a format and the source; null when none is known."""
        kind = "gguf" if form.startswith("gguf") else form
        row = self._row(model, kind)
        if row is None:
            return None
        ending = row.formats[kind]
        return ending if "/" in ending else model + ending, row.source

    def block(self, model: str, form: str) -> int | None:
        """Side of the blocks of the model's own FP8 checkpoint; null for other formats, or where it has none."""
        row = self._row(model, form) if form == "fp8" else None
        return row.block if row else None

    def _row(self, model: str, kind: str) -> Published | None:
        return next((row for row in self.checkpoints if kind in row.formats and re.fullmatch(row.model, model)), None)


@lru_cache(maxsize=1)
def launch_facts() -> LaunchFacts:
    """The facts, loaded once."""
    rows = load_yaml(FACTS / "launch.yaml")
    rows["sources"] = {key: {"id": key, **row} for key, row in rows["sources"].items()}
    return LaunchFacts.model_validate(rows)
