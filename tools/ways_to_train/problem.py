"""The request resolved: the model, the groups of cards it may run on, how much of what, and what is fixed."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from kb.base import BadInput
from kb.catalog import gpus
from kb.constants.item_work import item_work
from kb.constants.memory_constants import constants as memory_constants
from kb.constants.offloading import offloading
from kb.constants.speed_constants import constants as speed_constants
from kb.constants.visual_tokens import visual_tokens
from kb.lexicon import CardCount, HostMemory, Link
from kb.models import models
from kb.programs.engines import engine_note
from kb.programs.launch import launch_facts
from kb.records.gpu import Gpu
from tools.memory.request import MemoryRequest
from tools.memory.shape import Shape
from tools.memory.visual import picture_tokens
from tools.memory.workload import Workload, workload_of
from tools.model_fields import ModelFields
from tools.nameless_card import middling
from tools.training_time.request import SAMPLE_TOKENS, SEQUENCE_TOKENS
from tools.ways_to_train.request import WaysToTrainRequest

Task = Literal["full_finetune", "pretrain", "lora", "qlora"]
Goal = Literal["sft", "dpo", "grpo", "ppo", "pretrain", "dreambooth"]
TRAINED = {
    "full": "full_finetune", "full_finetune": "full_finetune", "fft": "full_finetune", "全参": "full_finetune",
    "全量": "full_finetune", "lora": "lora", "qlora": "qlora",
}  # fmt: skip
"""Words for what is trained."""
GOALS: dict[str, Goal] = {
    "sft": "sft", "dpo": "dpo", "grpo": "grpo", "ppo": "ppo", "rlhf": "ppo", "pretrain": "pretrain",
    "pretraining": "pretrain", "预训练": "pretrain", "dreambooth": "dreambooth",
}  # fmt: skip
WHOLE = ("grpo", "ppo")
"""Aims whose published recipes (DeepSeekMath, verl, OpenRLHF) train every weight unless told otherwise."""
SILENT = {"finetune", "finetuning", "tuning", "微调", "with", "and", "training", "parameter", "parameters", "fine"}
NAMES: dict[Task, Literal["full", "lora", "qlora"]] = {
    "full_finetune": "full",
    "pretrain": "full",
    "lora": "lora",
    "qlora": "qlora",
}
TOKENS = ("llm", "vlm", "embedding", "reranker", "encoder")
"""Kinds whose training is counted in tokens."""
PICTURES = ("diffusion", "video")
OPTIMAL_TOKENS = 20
"""Tokens a parameter from which more parameters are worth more than more tokens (Chinchilla, arXiv:2203.15556)."""
USUAL_STRIDE, SMALLEST_SIDE = 16, 64
"""Pixels a side of one token of a picture, where the model's own are not known; and of the smallest picture."""


GRID_PROGRAMS = ("Megatron-LM", "NVIDIA NeMo", "slime")
"""Programs that lay tensors, stages and experts out in grids, by the names that another engine stands for."""


@dataclass(frozen=True, slots=True)
class Group:
    """Cards that work together: all are taken for the smallest and the slowest of them."""

    gpu: Gpu | None
    """The card that is slowest; null = known by its memory alone."""
    name: str
    count: int
    usable: int
    """Bytes of the smallest that a training can use."""
    unlike: tuple[Gpu, ...] = ()
    """The kinds of it, where there are several."""


class Problem(NamedTuple):
    """Everything the search reads; replace a field to ask "what if"."""

    tasks: tuple[Task, ...]
    """What may be trained, what is meant first."""
    goal: Goal
    bases: tuple[tuple[Task, Workload], ...]
    """The workload of each task on one card, one sample at a time."""
    named: tuple[tuple[str, object], ...]
    """The model's fields, for requests of other tools."""
    groups: tuple[Group, ...]
    nodes: int
    host_usable: int | None
    """Of each machine; null = not stated."""
    host_bandwidth: float
    pcie: float
    """Bytes a second between a card and the host, one direction."""
    link: Link | None
    sequence: int
    """Tokens of the longest sample, to which memory is sized."""
    mean: int
    """Tokens of a sample on average, by which time goes; packed data fill the longest."""
    tokens: float | None
    """Of the whole run, prompts and answers; null = not stated."""
    rollouts: int
    """Answers to be generated in the whole run; 0 = none are."""
    output: int
    """Tokens of one of them."""
    samples: float | None
    """Of the whole run, where it is counted in them."""
    epochs: float
    batch: int | None
    """Samples of a step, where it was stated."""
    micro: int | None
    optimizer: str | None
    checkpointing: str | None
    sharding: str | None
    precision: str | None
    offload: str | None
    engine: str | None
    deadline: float | None
    said: tuple[str, ...]
    gridded: bool = False
    """Whether a program was named that lays tensors, stages and experts out in grids."""

    def base(self, task: Task) -> Workload:
        """The workload of a task."""
        return dict(self.bases)[task]

    @property
    def counted(self) -> bool:
        """Whether the data are samples of a known length, not tokens alone or answers to be generated."""
        return self.samples is not None and not self.rollouts

    @property
    def pictures(self) -> bool:
        """Whether the model makes pictures."""
        return self.bases[0][1].family == "diffusion"


def problem_of(request: WaysToTrainRequest) -> Problem:
    """The request resolved, with what was assumed.

    Raises:
        BadInput: no cards, no model, or fields that contradict each other.
        UnknownName: no such model or card.
    """
    request = request.model_copy(update={"link": _between(request.link, request.nodes)})
    if request.cards is None:
        raise BadInput("cards", "Field required.", 'Give the cards, e.g. cards="2x 3090".')
    goal, trained = _method(request.method)
    tasks = _tasks(goal, trained)
    named = _named(request)
    sequence, said = _sequence(request, goal)
    bases, assumed = _bases(request, tasks, goal, named, sequence)
    longest = bases[0][1].shape.max_context
    if request.sequence_tokens is None and longest and longest < sequence:
        sequence, said = longest, [f"sequence_tokens not stated: memory is sized to the model's longest, {longest:,}."]
        bases, assumed = _bases(request, tasks, goal, named, sequence)
    kind = bases[0][1].shape.kind
    said = [] if kind in PICTURES else said
    if kind not in (*TOKENS, *PICTURES):
        raise BadInput("model", f"ways to train a {kind} model are not searched.", "Ask for its memory by itself.")
    if not trained:
        said.append(_meant(goal))
    host = request.host_memory or (HostMemory(bytes=request.host_memory_bytes) if request.host_memory_bytes else None)
    each, told_each = _each(request, bases[0][1].shape)
    tokens, samples, rollouts, output, told = _data(request, goal, sequence, each)
    told += [told_each] if told_each and samples and goal not in ("grpo", "ppo") else []
    if kind in PICTURES:
        told = [one for one in told if not one.startswith("sample_tokens")]  # pictures have a size instead
    if goal == "pretrain" and tokens is None:
        tokens = float(OPTIMAL_TOKENS * bases[0][1].shape.params)
        told.append(f"data not stated: {OPTIMAL_TOKENS} tokens a parameter are taken, {tokens:.3g} (arXiv:2203.15556).")
    taken = [*(note for card in request.cards for note in card.assumptions), *(host.assumptions if host else ())]
    model_said = request.model.assumptions if request.model else ()
    reserve = memory_constants().llama_cpp.host_reserve_ratio
    return Problem(
        tasks=tasks, goal=goal, bases=bases, named=tuple(named.items()),
        groups=tuple(_groups(request.cards, request.memory_taken or 0, request.link)),
        nodes=request.nodes, host_usable=int(host.bytes * (1 - reserve)) if host else None,
        host_bandwidth=host.bandwidth_bytes_per_s if host and host.bandwidth_bytes_per_s else _desktop(),
        pcie=_pcie(request.link), link=request.link, sequence=sequence, mean=_mean(request, goal, sequence, each),
        tokens=tokens, rollouts=rollouts, output=output, samples=samples, epochs=request.epochs or 1.0,
        batch=_whole(request.global_batch, "global_batch"),
        micro=request.micro_batch_size, optimizer=request.optimizer, checkpointing=request.gradient_checkpointing,
        sharding=request.sharding, precision=request.precision, offload=request.offload, engine=request.engine,
        deadline=request.deadline or request.deadline_s, gridded=request.engine_said in GRID_PROGRAMS,
        said=tuple(dict.fromkeys((*engine_note(request.engine_said, request.engine), *model_said, *taken, *said,
                                  *told, *assumed))),
    )  # fmt: skip


def _method(text: str | None) -> tuple[Goal, str | None]:
    """What it is trained towards, and what of it is trained; null = not said.

    Raises:
        BadInput: a word that is no method, or two of one kind.
    """
    goal: Goal | None = None
    trained: str | None = None
    plain = (text or "").lower().replace("-", " ").replace("+", " ").replace(",", " ").replace("/", " ")
    for word in plain.replace("full_finetune", "full").replace("_", " ").replace("微调", " ").split():
        if word in TRAINED and trained in (None, TRAINED[word]):
            trained = TRAINED[word]
        elif word in GOALS and goal in (None, GOALS[word]):
            goal = GOALS[word]
        elif word not in SILENT:
            known = "full, lora, qlora, sft, dpo, grpo, ppo, pretrain, dreambooth"
            raise BadInput("method", f"“{word}” is no method, or one too many.", f"Known: {known}.")
    if goal == "pretrain" and trained in ("lora", "qlora"):
        raise BadInput("method", "pre-training trains every weight.", "Leave the adapters out, or fine-tune.")
    return goal or "sft", trained if goal != "pretrain" else "pretrain"


def _tasks(goal: Goal, trained: str | None) -> tuple[Task, ...]:
    chosen: dict[str, Task] = {
        "full_finetune": "full_finetune", "pretrain": "pretrain", "lora": "lora", "qlora": "qlora",
    }  # fmt: skip
    if trained:
        return (chosen[trained],)
    return ("full_finetune", "lora", "qlora") if goal in WHOLE else ("lora", "qlora", "full_finetune")


def _meant(goal: Goal) -> str:
    """What is taken to be trained where only the aim was said."""
    if goal in WHOLE:
        return f"{goal} without a word on adapters: all weights are meant, as its recipes train them; adapters beside."
    return "method not stated: adapters are meant, as most fine-tuning is; all weights stand beside."


def _named(request: WaysToTrainRequest) -> dict[str, object]:
    """The fields that name the model or give its shape."""
    given = {
        name: value
        for name in ModelFields.model_fields
        if name != "model" and (value := getattr(request, name)) is not None
    }
    if request.model is not None:
        return {"model": request.model.model} | given
    if request.params is None:
        raise BadInput("model", "Field required.", "Name the model, or give its size as params.")
    return given | {"params": _whole(request.params, "params")}


def _sequence(request: WaysToTrainRequest, goal: Goal) -> tuple[int, list[str]]:
    if request.sequence_tokens:
        return _whole(request.sequence_tokens, "sequence_tokens") or 1, []
    usual = SEQUENCE_TOKENS if goal == "pretrain" else launch_facts().training.sequence_tokens
    longest = max(usual, int(request.sample_tokens or 0))
    return longest, [f"sequence_tokens not stated: memory is sized to {longest:,} tokens a sample."]


def _whole(value: float | None, field: str) -> int | None:
    if value is None:
        return None
    if not 1 <= value <= 10**15:
        raise BadInput(field, f"{value:g} is out of bounds.", "Give from 1 to 1e15.")
    return round(value)


def _bases(
    request: WaysToTrainRequest, tasks: tuple[Task, ...], goal: Goal, named: dict[str, object], sequence: int
) -> tuple[tuple[tuple[Task, Workload], ...], list[str]]:
    """The workload of each task, and the assumptions of the memory estimate that no search settles."""
    found: list[tuple[Task, Workload]] = []
    drawn = named.get("model") in models() and models()[str(named["model"])].kind in PICTURES
    side, said = _side(request, str(named.get("model"))) if drawn else (request.image_px, [])
    if request.weight_format and "qlora" not in tasks and not (drawn and "lora" in tasks):
        said.append(f"{request.weight_format} is not taken: only the frozen base of qlora is kept in such a format.")
    for task in tasks:
        values = {
            **named, "task": task, "sequence_tokens": sequence, "micro_batch_size": 1, "images_per_batch": 1,
            "optimizer": "adamw", "gradient_checkpointing": "full", "sharding": "none",
            "precision": request.precision or "bf16", "lora_rank": request.lora_rank, "engine": request.engine,
            "lora_targets": request.lora_targets, "fused_loss": request.fused_loss, "frames": request.frames,
            "width_px": side, "height_px": side, "generations": request.generations,
            "method": goal if goal in ("dpo", "grpo", "ppo") else None,
            "weight_format": request.weight_format if task == "qlora" or (drawn and task == "lora") else None,
        }  # fmt: skip
        kept = {name: value for name, value in values.items() if value is not None}
        work, assumed, _ = workload_of(MemoryRequest.model_validate(kept))
        found.append((task, work._replace(micro_batch=1, activation_offload=request.engine == "unsloth")))
        said += [one for one in assumed if one not in said and "micro_batch" not in one]
    return tuple(found), said


def _side(request: WaysToTrainRequest, model: str) -> tuple[int | None, list[str]]:
    """Pixels a side of a picture: as stated, or of so many tokens as it was said to have."""
    if request.image_px or not request.sequence_tokens:
        return request.image_px, []
    known = item_work().pictures.get(model)
    stride = known.stride_px if known else USUAL_STRIDE
    tokens = _whole(request.sequence_tokens, "sequence_tokens") or 1
    side = max(round(math.sqrt(tokens)) * stride, SMALLEST_SIDE)
    return side, [f"{tokens:,} tokens of a picture are taken for one of {side:,} × {side:,} pixels."]


@lru_cache(maxsize=1)
def _desktop() -> float:
    return speed_constants().host.bandwidth_bytes_per_s


def _between(link: Link | None, nodes: int) -> Link | None:
    """A rate alone, of several machines, is that of their network: nothing was said of the slots."""
    if link is None or nodes == 1 or link.kind != "pcie" or link.name.startswith("pcie"):
        return link
    return link.model_copy(update={"kind": "ethernet", "generation": None, "lanes": None})


def _pcie(link: Link | None) -> float:
    usual = speed_constants().training.pcie_bytes_per_s
    stated = link.bytes_per_s if link and link.kind in ("pcie", "thunderbolt") else None
    return min(usual, stated * offloading().pcie_reached_ratio.value) if stated else usual


def _groups(cards: tuple[CardCount, ...], taken: int, link: Link | None) -> Iterator[Group]:
    """Each kind by itself, and all together where there are several kinds."""
    found = [_group(one, taken, link) for one in cards]
    yield from found
    if len(found) > 1:
        kinds = tuple(one.gpu for one in found if one.gpu is not None)
        slowest = min(kinds, key=lambda gpu: gpu.bf16_flops or gpu.fp16_flops or gpu.fp32_flops or 0) if kinds else None
        name = " + ".join(f"{one.count} {one.name}" for one in found)
        whole = slowest if len(kinds) == len(found) else None
        yield Group(whole, name, sum(one.count for one in found), min(one.usable for one in found), kinds)


def _group(card: CardCount, taken: int, link: Link | None) -> Group:
    if card.gpu is None:
        usable = middling(card.memory_bytes or 0)[0]
        return Group(None, card.name, card.count, max(usable - taken, 0))
    gpu = _joined(gpus()[card.gpu], link)
    ratio = card.memory_bytes / gpu.memory_bytes if card.memory_bytes else 1.0
    return Group(gpu, gpu.name, card.count, max(int(gpu.usable_bytes * ratio) - taken, 0))


def _joined(gpu: Gpu, link: Link | None) -> Gpu:
    """The card with the links that there are: bridges are sold apart, so they count where they are named."""
    bridged = gpu.link_cards is not None and gpu.market in ("consumer", "workstation")
    absent = (link is not None and link.kind == "pcie") or (bridged and (link is None or link.kind != "nvlink"))
    return gpu.model_copy(update={"nvlink_bytes_per_s": None}) if absent and gpu.nvlink_bytes_per_s else gpu


def _each(request: WaysToTrainRequest, shape: Shape) -> tuple[float, str | None]:
    """Tokens of a sample on average, and what was assumed of them.

    Of models that see, unless a length is stated, a picture and the text beside it: as large as was said, or as usual
    for the family where people train it on pictures.
    """
    if request.sample_tokens:
        return request.sample_tokens, None
    said = f"sample_tokens not stated: {SAMPLE_TOKENS} a sample on average"
    if shape.kind != "vlm":
        return SAMPLE_TOKENS, f"{said}."
    eye = visual_tokens().eye(shape.name, shape.family)
    one = picture_tokens(shape.name, shape.family, request.image_px, request.image_px)
    if eye.mostly_text and not request.image_px:
        return SAMPLE_TOKENS, f"{said}, of text; a picture in each adds {one:,}, in proportion to time."
    return SAMPLE_TOKENS + one, f"{said} and one picture of {one:,}; of text alone time is in proportion."


def _mean(request: WaysToTrainRequest, goal: Goal, sequence: int, each: float) -> int:
    counted = request.samples is not None and request.dataset_tokens is None and goal not in ("grpo", "ppo", "pretrain")
    return min(max(int(each), 1), sequence) if counted else sequence


def _of_steps(request: WaysToTrainRequest) -> float | None:
    """Samples of so many optimizer steps."""
    if request.steps is None:
        return None
    return request.steps * (request.global_batch or launch_facts().training.global_batch)


def _data(
    request: WaysToTrainRequest, goal: Goal, sequence: int, each: float
) -> tuple[float | None, float | None, int, int, list[str]]:
    """(tokens of the run, samples of it, answers to generate, tokens of one, what was assumed)."""
    epochs, said = request.epochs or 1.0, []
    if request.epochs is None and (request.samples or request.dataset_tokens):
        said.append("epochs not stated: one pass over the data.")
    output = min(int(request.output_tokens or sequence // 2) or 1, sequence)
    if request.dataset_tokens:
        return request.dataset_tokens * epochs, None, 0, output, said
    samples = request.samples * epochs if request.samples else _of_steps(request)
    if samples is None:
        return None, None, 0, output, said
    if goal in ("grpo", "ppo"):
        answers = (request.generations or memory_constants().reinforcement.generations) if goal == "grpo" else 1
        if request.output_tokens is None:
            said.append(f"output_tokens not stated: answers of {output:,} tokens are generated.")
        prompt = sequence - output
        return samples * answers * (prompt + output), samples, round(samples * answers), output, said
    pairs = 2 if goal == "dpo" else 1
    if pairs == 2:
        said.append("A pair counts twice: the chosen and the rejected answer with their prompt.")
    return samples * each * pairs, samples, 0, output, said
