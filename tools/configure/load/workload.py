"""From a need to memory requests: which formats are worth trying, and what stands in for what was not said."""

from collections.abc import Iterable
from dataclasses import dataclass

from kb.catalog import model as find_model
from kb.constants.memory_constants import constants
from kb.records.gpu import Gpu
from tools.configure.load.layout import LANGUAGE
from tools.configure.load.precision import precision_lost
from tools.configure.load.served import Form, Serving, serving
from tools.configure.market.suitable import DOMESTIC, FILE_ENGINE, Formats, served_in
from tools.configure.request import ConfigureRequest
from tools.memory.formats import canonical, weight_format
from tools.memory.request import MemoryRequest
from tools.ways_to_run.space.load import ACTIVE_SHARE, active

TRAINING = {"full_finetune", "pretrain", "lora", "qlora"}
STAND_INS = {
    "diffusion": "black-forest-labs/FLUX.1-dev",
    "vision": "ultralytics/yolov8x",
    "speech": "openai/whisper-large-v3",
    "embedding": "BAAI/bge-m3",
    "rag": "Qwen/Qwen2.5-14B-Instruct",
    "inference": "Qwen/Qwen2.5-14B-Instruct",
    "general": "Qwen/Qwen2.5-14B-Instruct",
    "rendering": "stabilityai/stable-diffusion-xl-base-1.0",
    "lora": "Qwen/Qwen2.5-7B-Instruct",
    "qlora": "Qwen/Qwen2.5-7B-Instruct",
    "full_finetune": "Qwen/Qwen2.5-7B-Instruct",
    "pretrain": "Qwen/Qwen2.5-1.5B-Instruct",
}
"""A common model of each kind of work, sized when the need names none; always said in the assumptions."""
AS_PUBLISHED = {"vision", "speech", "embedding", "reranker", "encoder"}
"""Kinds that hardly anybody quantises to make them fit."""
PICTURES = {"diffusion", "video"}
SERVED: dict[Formats, tuple[tuple[str | None, int], ...]] = {
    "usual": ((None, 0), ("fp8", 1), ("awq", 4)),
    "gptq": ((None, 0), ("gptq", 4)),
    "ascend": ((None, 0), ("int8", 1), ("int4", 4)),
    "ascend_eight": ((None, 0), ("int8", 1)),
}
"""What serving engines are given on each kind of card, with the precision lost."""
FILES = (("gguf:Q8_0", 1), ("gguf:Q6_K", 2), ("gguf:Q5_K_M", 3), ("gguf:Q4_K_M", 4))
"""The same in files of llama.cpp, which computers with one memory run through it, Ollama, LM Studio or MLX. Eight bits
come first: 16 take twice the time of one user's token for no better answers."""
SMALLEST_FILES = ("gguf:Q3_K_M", "gguf:Q2_K")
"""Tried only where nothing else fits: below four bits answers get markedly worse."""
PACKED = {"mxfp4": "gguf:MXFP4"}
"""Formats of publication that llama.cpp has a file of its own for."""
ENGINES = set(MemoryRequest.model_fields["engine"].annotation.__args__[0].__args__)  # type: ignore[union-attr]
OPTIMIZERS = {"adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor", "sgd", "lion", "muon"}
SHARDINGS = {"none", "ddp", "zero1", "zero2", "zero3", "fsdp"}
KV_FORMATS = {"auto", "bf16", "fp16", "fp8", "int8", "q8_0", "q4_0"}


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One way to hold the model."""

    request: MemoryRequest
    """The workload on a single GPU; layouts are put on top."""
    weight_format: str | None
    loss: int
    """0 = as published or as asked, 1 = 8 bit … 4 = 4 bit: what quality is given up, coarsely."""
    kinds: frozenset[Formats] = frozenset()
    """The kinds of cards it is for, where several are considered."""
    form: Form | None = None
    """What is served, where the solver of ways weighs it."""

    @property
    def file(self) -> bool:
        """Whether it is a file of llama.cpp."""
        return self.request.engine == FILE_ENGINE


@dataclass(frozen=True, slots=True)
class Workload:
    """What has to be held, in every format worth trying, best quality first."""

    variants: tuple[Variant, ...]
    training: bool
    model: str | None
    assumptions: tuple[str, ...]
    kind: str = "llm"
    """The catalog's kind of the model."""
    open_ended: bool = False
    """Whether more speed is worth more money: no load, deadline or speed was stated that would be enough."""

    serving: Serving | None = None
    """A served language model as the solver of ways weighs it."""

    def offered(self, gpu: Gpu) -> tuple[Variant, ...]:
        """The variants for a card: those an engine reads there, or those of its kind where several are considered."""
        if self.serving is not None:
            forms = self.serving.offered(gpu)
            return tuple(variant for variant in self.variants if variant.form in forms)
        kind = served_in(gpu)
        return tuple(variant for variant in self.variants if kind in variant.kinds or not variant.kinds)

    @property
    def language(self) -> bool:
        """Whether it generates text."""
        return self.kind in LANGUAGE

    @property
    def one_gpu(self) -> bool:
        """Whether every GPU holds the whole model: more of them only do more at once."""
        return not self.language


def workload(need: ConfigureRequest, cards: Iterable[Gpu] = (), *, others: bool = True) -> Workload:
    """Read the need as memory requests, in the formats that the `cards` named, and `others`, are used with.

    Raises:
        UnknownName, AmbiguousName: from the catalog, for the model.
    """
    assumptions: list[str] = []
    task = need.task or "inference"
    model, params = need.model, need.params
    if model is None and params is None:
        model = STAND_INS[task]
        assumptions.append(f"No model was named; {find_model(model).name} stands in for a typical {task} workload.")
    training = task in TRAINING or (task == "vision" and need.model is None and need.users is None)
    if training and task == "vision":
        task = "full_finetune"
        assumptions.append("A vision lab is taken to train its models; serving them takes less.")
    fields: dict[str, object] = {"task": task if training else "inference"}
    if model is not None:
        fields["model"] = find_model(model).id
    else:
        fields["params"] = params
    if training:
        fields |= {
            "sequence_tokens": need.sequence_tokens or need.context_tokens,
            "micro_batch_size": need.batch_size,
            "optimizer": need.optimizer if need.optimizer in OPTIMIZERS else None,
            "gradient_checkpointing": need.gradient_checkpointing,
            "lora_rank": need.lora_rank,
        }
        if need.gradient_checkpointing is None:
            fields["gradient_checkpointing"] = "full"
            kept = "; the time counts it where a layout needs it" if task == "pretrain" else ""
            assumptions.append(f"Gradient checkpointing is on, as is usual when memory decides{kept}.")
    else:
        fields |= {
            "context_tokens": need.context_tokens,
            "concurrent_sequences": _sequences(need, assumptions),
            "kv_format": need.kv_format if need.kv_format in KV_FORMATS else "auto",
        }
    fields |= _pictured(need, training, find_model(model).kind if model is not None else "llm")
    if need.engine in ENGINES:
        fields["engine"] = need.engine
    given = {name: value for name, value in fields.items() if value is not None}
    kinds = {served_in(card) for card in cards}
    if others:
        kinds.add("usual")
        if need.country in DOMESTIC:
            kinds |= {"ascend", "ascend_eight"}
    name = str(fields.get("model") or "") or None
    known = find_model(name).kind if name else "llm"
    sequences = fields.get("concurrent_sequences")
    served = serving(need, name, sequences if isinstance(sequences, int) else None, training=training)
    if served is not None:
        open_ended = _open_ended(need, training)
        return Workload(
            _served(served, given), training, name, (*assumptions, *served.load.said), known, open_ended, served
        )
    variants = tuple(
        Variant(MemoryRequest.model_validate(_in(form) | given), form, loss, only)
        for (form, loss), only in _formats(need, task, str(fields.get("model") or "") or None, kinds).items()
    )
    return Workload(variants, training, name, tuple(assumptions), known, _open_ended(need, training))


def _served(served: Serving, given: dict[str, object]) -> tuple[Variant, ...]:
    """Every form of a served model, the most precise first."""
    load = served.load
    asked = {**given, "context_tokens": load.context, "concurrent_sequences": load.sequences}
    asked.pop("images_per_sample", None)
    found = [
        Variant(
            MemoryRequest.model_validate(
                {**asked, "weight_format": form.name, "engine": form.engine, "kv_format": form.kv}
            ),
            form.name, 0 if load.weight_format else precision_lost(form.name, load.native), form=form,
        )
        for form in served.forms
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda one: one.loss))


def _pictured(need: ConfigureRequest, training: bool, kind: str) -> dict[str, object]:
    """What the pictures, the video and the method of training add, where the model has to do with them."""
    found: dict[str, object] = {}
    if training:
        found |= {"method": need.method, "generations": need.generations}
    if kind in ("llm", "vlm"):
        found["frozen_params"] = need.frozen_params
    if kind in PICTURES or kind in ("vision", "vlm"):
        found |= {"width_px": need.width_px, "height_px": need.height_px, "frames": need.frames}
    if kind == "vlm":
        found |= {"images_per_sample": need.images_per_sample, "frames_per_s": need.frames_per_s}
        found["video_s"] = None if need.frames else need.video_s
    elif kind in PICTURES or kind == "vision":
        found["images_per_batch"] = need.batch_size
        found["offload"] = need.offload if kind in PICTURES and not training else None
    return found


def _open_ended(need: ConfigureRequest, training: bool) -> bool:
    if any((need.deadline_s, need.target_tokens_per_s, need.target_latency_s)):
        return False
    return training or need.whole_budget or not (need.model or need.params or need.users or need.concurrent_sequences)


def _sequences(need: ConfigureRequest, assumptions: list[str]) -> int | None:
    if need.concurrent_sequences or not need.users:
        return need.concurrent_sequences or need.batch_size
    sequences = active(need.users)
    if need.users == 1:
        return sequences
    assumptions.append(
        f"Of {need.users} users, {sequences} are taken to have a request in flight at a busy moment "
        f"({ACTIVE_SHARE:.0%}); say how many requests run at once to be exact."
    )
    return sequences


def _in(form: str | None) -> dict[str, str]:
    """The fields of a format; a file is served by llama.cpp."""
    if form is None:
        return {}
    return {"weight_format": form} | ({"engine": FILE_ENGINE} if canonical(form).startswith("gguf:") else {})


def _formats(
    need: ConfigureRequest, task: str, model: str | None, kinds: set[Formats]
) -> dict[tuple[str | None, int], frozenset[Formats]]:
    """The formats worth trying with the precision each loses, best first, and the kinds of cards each is for.

    No kind where all cards are given the same.
    """
    kind = find_model(model).kind if model else "llm"
    if need.weight_format is not None or task in TRAINING or kind in AS_PUBLISHED:
        return {(need.weight_format, 0): frozenset()}
    if kind in PICTURES:
        return dict.fromkeys([(None, 0), ("fp8", 1), ("nf4", 4)], frozenset())
    if need.engine == FILE_ENGINE or (kinds == {"files"} and need.engine not in ENGINES):
        return dict.fromkeys(_files(model), frozenset())
    if need.engine in ENGINES:
        kinds = kinds - {"files"} or {"usual"}
    offered = {one: SERVED[one] for one in SERVED if one in kinds}
    offered |= {"files": tuple(_files(model))} if "files" in kinds else {}
    found: dict[tuple[str | None, int], frozenset[Formats]] = {}
    for one, forms in offered.items():
        found |= {form: found.get(form, frozenset()) | {one} for form in forms}
    return found if len(offered) > 1 else dict.fromkeys(found, frozenset())


def _files(model: str | None) -> list[tuple[str | None, int]]:
    """The files of a model that are no wider than it was published; the widest loses nothing."""
    native = canonical(find_model(model).native_format) if model else "bf16"
    if native in PACKED:
        return [(PACKED[native], 0)]
    most = constants().formats.bits[native] + 1
    kept = [(form, loss) for form, loss in FILES if weight_format(form).expert_bits <= most]
    return [(kept[0][0], 0), *kept[1:]]
