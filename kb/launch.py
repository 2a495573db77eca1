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
    """Format → ending of the name."""
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
        for row in self.checkpoints:
            if kind in row.formats and re.fullmatch(row.model, model):
                return model + row.formats[kind], row.source
        return None


@lru_cache(maxsize=1)
def launch_facts() -> LaunchFacts:
    """The facts, loaded once."""
    rows = load_yaml(FACTS / "launch.yaml")
    rows["sources"] = {key: {"id": key, **row} for key, row in rows["sources"].items()}
    return LaunchFacts.model_validate(rows)
