"""Facts that launch files are written from: releases, images, defaults, published checkpoints, acceptance limits."""

import re
from functools import lru_cache

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml, models
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


class Padded(Frozen):
    """Quantised checkpoints whose matrices their makers widened so that up to eight cards share whole groups."""

    model: str
    """Pattern of the full id."""
    formats: tuple[str, ...]
    source: str


class Tower(Frozen):
    """A vision tower that tensor parallelism of a server may not divide."""

    model: str
    """Pattern of the full id."""
    heads: int
    source: str


class Loading(Frozen):
    """What training a model must know that its shape does not say."""

    model: str = ""
    """Pattern of the full id."""
    code: bool = False
    """Whether its class lies in its own repository, outside Transformers."""
    written_for: str | None = None
    """Transformers release that this code was written for; null = not stated."""
    needs: tuple[str, ...] = ()
    """Packages that this code imports."""
    turns: str | None = None
    """How conversations are written, its tokenizer having no chat template; null = it has one, as far as is known."""
    end: str = ""
    """Token that ends an answer, where the tokenizer names none."""
    pad: str = ""
    """Token to fill up with, where the tokenizer names none."""
    source: str = ""


class Overflows(Frozen):
    """Models that FP16 is refused for."""

    model: str
    source: str


class Unloaded(Frozen):
    """Models that an engine has no code for."""

    engine: str
    model: str
    """Pattern of the full id."""
    reason: str
    source: str


class LargeModels(Frozen):
    """Where starting points differ with size."""

    params: int
    """From so many parameters."""
    learning_rate: dict[str, float]
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
    large: LargeModels
    epochs: float
    sequence_tokens: int
    lora_rank: int
    micro_batch_max: int
    warmup_steps: int
    source: str

    def rate(self, task: str, params: int) -> float:
        """The learning rate to begin with, by method and size of the model."""
        large = self.large.learning_rate if params >= self.large.params else {}
        return large.get(task, self.learning_rate[task])


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


TURNS = {"chatml": "qwen", "vicuna": "vicuna", "plain": "default"}
"""LLaMA-Factory's template for each way of writing turns that it has: `qwen` is ChatML with that family's greeting."""


class LaunchFacts(Frozen):
    """Everything in `launch.yaml`."""

    engines: dict[str, Engine]
    trainers: dict[str, Trainer]
    made_on_load: dict[str, dict[str, str]]
    overflows: Overflows
    unloaded: tuple[Unloaded, ...]
    checkpoints: tuple[Published, ...]
    padded: tuple[Padded, ...]
    towers: tuple[Tower, ...]
    templates: dict[str, tuple[str, ...]]
    """Chat template of LLaMA-Factory → Hugging Face ids that it lists for it."""
    loading: tuple[Loading, ...]
    turns: dict[str, str]
    """Ways of writing conversations, as templates in Jinja."""
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

    def template(self, model: str, family: str) -> str | None:
        """LLaMA-Factory's chat template: of the model itself, else of its family where all that are listed agree.

        A tokenizer without a template of its own gets the listed one that writes the same turns. Null: it lists none,
        and takes the template that the tokenizer brings where none is named.
        """
        own = next((name for name, ids in self.templates.items() if model in ids), None)
        alike = {name for name, ids in self.templates.items() if ids and family in {_family(one) for one in ids}}
        turns = self.loads(model).turns
        return own or (alike.pop() if len(alike) == 1 else None) or TURNS.get(turns or "")

    def loads(self, model: str) -> Loading:
        """What training the model must know; nothing special where no row is about it."""
        return next((row for row in self.loading if re.fullmatch(row.model, model)), Loading())

    def block(self, model: str, form: str) -> int | None:
        """Side of the blocks of the model's own FP8 checkpoint; null for other formats, or where it has none."""
        row = self._row(model, form) if form == "fp8" else None
        return row.block if row else None

    def is_padded(self, model: str, form: str) -> bool:
        """Whether the model's own checkpoint of a format was widened to whole groups on up to eight cards."""
        return any(form in row.formats and re.fullmatch(row.model, model) for row in self.padded)

    def tower_heads(self, model: str) -> int | None:
        """Attention heads of the model's vision tower, where they are known to stop a layout."""
        return next((row.heads for row in self.towers if re.fullmatch(row.model, model)), None)

    def _row(self, model: str, kind: str) -> Published | None:
        return next((row for row in self.checkpoints if kind in row.formats and re.fullmatch(row.model, model)), None)


@lru_cache(maxsize=1024)
def _family(model: str) -> str | None:
    """The catalog's family of a model, by its own id or that of its chat version."""
    found = models().get(model) or next((one for one in models().values() if one.chat_id == model), None)
    return found.family if found else None


@lru_cache(maxsize=1)
def launch_facts() -> LaunchFacts:
    """The facts, loaded once."""
    rows = load_yaml(FACTS / "launch.yaml")
    listed = load_yaml(FACTS / "templates.yaml")
    rows["templates"] = listed["templates"]
    rows["sources"]["llamafactory-groups"] = listed["source"]
    rows["sources"] = {key: {"id": key, **row} for key, row in rows["sources"].items()}
    return LaunchFacts.model_validate(rows)
