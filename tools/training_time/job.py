"""What is asked, with every default resolved: the model's counts, the card's rates, how the work is spread."""

from dataclasses import dataclass

from kb.base import BadInput
from kb.constants.speed_constants import Trainer, constants
from kb.machines.links import linked
from kb.records.gpu import Gpu
from tools.memory.formats import canonical, weight_format
from tools.named import read_card
from tools.speed.allreduce import NODE, node_cards
from tools.speed.architecture import Architecture, architecture_of
from tools.training_time.checkpointing import Recomputing, recomputing
from tools.training_time.request import SEQUENCE_TOKENS, TrainingTimeRequest

PEFT_ENGINES = ("peft", "transformers", "llama-factory", "axolotl", "torchtune", "litgpt")
EAGER_ENGINES = ("transformers", "llama-factory", "axolotl")
"""Programs that run models as Hugging Face writes them, kernel by kernel."""
ADAPTERS = ("lora", "qlora")
RECOMPUTED = {"full": 1.0, "selective": 0.15, "none": 0.0}
"""Share of the forward products that are computed once more."""
SAID = {
    1.0: "Activations are recomputed in full.",
    0.15: "Attention is recomputed, since the cards do not hold all activations.",
    0.0: "Activations are kept, not recomputed.",
}
NF4 = "nf4"
WIDE_BITS = 12
"""More bits a weight than this are multiplied as they are kept."""


@dataclass(frozen=True, slots=True)
class Job:
    """One way to train one model."""

    arch: Architecture
    gpu: Gpu
    task: str
    cards: int
    peak: float
    """Dense peak of the precision."""
    peak_16: float
    eight_bit: bool
    bandwidth: float
    recompute: float
    """1 = every activation is recomputed, 0 = none."""
    sequence: int
    micro_batch: int
    trainer: Trainer
    trainer_name: str
    tensor: int
    pipeline: int
    context: int
    expert: int
    sharding: str
    frozen: str | None
    """Format of quantised weights that stay frozen; they are widened every time they are used."""
    frozen_bits: float
    """Bits of a frozen weight: what cards that share them send each other."""
    widened_bytes: float
    """Memory traffic of widening one of them."""
    node: int
    """Cards on one fast link."""
    batch: int | None = None
    """Samples of one step of the optimizer over all cards."""
    together: int | None = None
    """Cards that bring an expert its tokens together; null = those that share the experts."""
    virtual: int = 1
    """Stages of an interleaved pipeline on each card."""
    stated_network: float | None = None
    """Bandwidth of a machine to the others, where it was said."""
    stated_link: float | None = None
    """Bandwidth between the cards of a machine, where it was said."""

    @property
    def adapters(self) -> bool:
        """Whether the weights are frozen."""
        return self.task in ADAPTERS

    @property
    def family(self) -> str:
        """The card's architecture without its revision: `CDNA 3` → `CDNA`."""
        return self.gpu.architecture.split()[0]

    @property
    def micro_batch_tokens(self) -> float:
        """Tokens one card (of a context-parallel group) computes at once."""
        return self.micro_batch * self.sequence / self.context

    @property
    def accumulated(self) -> float | None:
        """Micro-batches of one step of the optimizer; null where its batch is not stated."""
        if self.batch is None:
            return None
        copies = self.cards / (self.tensor * self.pipeline * self.context)
        return max(self.batch / (copies * self.micro_batch), 1.0)

    def linked(self, cards: int) -> bool:
        """Whether the cards of a node in a group of `cards` talk over their own link, not over PCIe."""
        return linked(self.gpu, min(cards, self.node))

    def inside(self, cards: int) -> float:
        """Bus bandwidth between the cards of a node in a group of `cards`."""
        if self.stated_link is not None:
            return self.stated_link
        training = constants().training
        link = self.gpu.nvlink_bytes_per_s
        return link * training.nvlink_ratio if link and self.linked(cards) else training.pcie_bytes_per_s

    def bus(self, cards: int) -> float:
        """Bus bandwidth in a group of `cards`: between those of a node, or the network where it reaches further."""
        return self.inside(cards) if cards <= self.node else self.network

    @property
    def network(self) -> float:
        """The same beyond a node."""
        found = constants().training.network_bytes_per_s
        return min(self.stated_network or found.get(self.family, found["other"]), self.inside(self.node))


def job_of(request: TrainingTimeRequest) -> tuple[Job, list[str]]:
    """The request with defaults resolved, and what was assumed.

    Raises:
        UnknownName: no such model or card.
        BadInput: the card has no stated bandwidth or rate for the precision.
    """
    arch = architecture_of(request)
    card, assumptions = read_card(request.card)
    trainer_name = _trainer(request)
    trainer = constants().training.trainers[trainer_name]
    peak, peak_16, eight_bit = _peaks(card, request.precision)
    sequence = request.sequence_tokens or (2048 if request.task in ADAPTERS else SEQUENCE_TOKENS)
    micro = request.micro_batch_size or max(constants().training.micro_batch_tokens // sequence, 1)
    cards = request.gpu_count or NODE
    recompute = RECOMPUTED[request.gradient_checkpointing or _usual_recomputing(request, trainer_name, cards, sequence)]
    said = list(assumptions) + list(arch.guesses)
    if request.sequence_tokens is None:
        said.append(f"Samples of {sequence:,} tokens.")
    if request.micro_batch_size is None:
        said.append(f"{micro} samples a micro-batch.")
    if request.gradient_checkpointing is None:
        said.append(SAID[recompute])
    frozen = _frozen(request)
    if frozen is not None:
        said.append(f"Frozen weights stay in {frozen} and are widened every time they are used.")
    return Job(
        arch=arch, gpu=card, task=request.task, cards=cards, peak=peak, peak_16=peak_16, eight_bit=eight_bit,
        bandwidth=float(card.bandwidth_bytes_per_s or 0), recompute=recompute, sequence=sequence, micro_batch=micro,
        trainer=trainer, trainer_name=trainer_name, tensor=request.tensor_parallel or 1,
        pipeline=request.pipeline_parallel or 1, context=request.context_parallel or 1,
        expert=request.expert_parallel or (min(cards, NODE) if arch.moe else 1),
        sharding=request.sharding or _sharding(request), frozen=frozen,
        frozen_bits=weight_format(frozen).body_bits if frozen else 16, widened_bytes=_widened_bytes(frozen),
        batch=request.global_batch_size, virtual=request.virtual_stages or 1,
        node=request.cards_per_node or node_cards(card), stated_network=request.network_bytes_per_s,
    ), said  # fmt: skip


def _trainer(request: TrainingTimeRequest) -> str:
    if request.engine == "megatron":
        return "megatron"
    if request.engine == "unsloth":
        return "unsloth"
    if request.task in ADAPTERS and request.engine in (None, *PEFT_ENGINES):
        return "peft"
    if request.engine in EAGER_ENGINES:
        return "eager"
    return "fsdp"


def _usual_recomputing(request: TrainingTimeRequest, trainer: str, cards: int, sequence: int) -> Recomputing:
    """As the task is usually run: fine-tuning in full, pre-training no further than memory needs."""
    if request.task == "pretrain":
        return recomputing(request, cards, sequence)
    tuned = request.task == "full_finetune" and trainer != "megatron"
    return "full" if constants().training.trainers[trainer].recomputes or tuned else "none"


def _frozen(request: TrainingTimeRequest) -> str | None:
    """The quantised format that frozen weights stay in; null where they are kept in 16 bits or trained.

    Raises:
        BadInput: no such format, or none that such a training keeps its weights in.
    """
    if request.weight_format is None:
        return NF4 if request.task == "qlora" else None
    name = canonical(request.weight_format)
    if name.startswith("gguf:"):
        raise BadInput("weight_format", "GGUF files are not trained.", "Name the format of the original weights.")
    quantised = weight_format(name).body_bits < WIDE_BITS
    if quantised and request.task not in ADAPTERS:
        said = f"weights that are trained are not kept in {name}."
        raise BadInput("weight_format", said, "State `precision` (fp8 …), or train adapters (lora, qlora).")
    if not quantised and request.task == "qlora":
        raise BadInput("weight_format", f"qlora does not keep its weights in {name}.", "Ask for lora, or name nf4 …")
    return name if quantised else None


def _widened_bytes(frozen: str | None) -> float:
    """Memory traffic of widening one weight: as measured; otherwise NF4's, and what more bits take to read."""
    if frozen is None:
        return 0.0
    known = constants().training.dequantise_bytes
    more_bits = weight_format(frozen).body_bits - weight_format(NF4).body_bits
    return known.get(frozen, known[NF4] + more_bits / 8)


def _sharding(request: TrainingTimeRequest) -> str:
    if request.engine == "megatron" or (request.gpu_count or NODE) == 1 or request.task in ADAPTERS:
        return "none"
    return "fsdp" if request.engine is not None or request.task == "full_finetune" else "none"


def _peaks(card: Gpu, precision: str) -> tuple[float, float, bool]:
    """(peak of the precision, 16-bit peak, whether products run in 8 bits)."""
    remedy = "Choose a card whose rates are known."
    if card.bandwidth_bytes_per_s is None:
        raise BadInput("gpu", f"no source states the memory bandwidth of {card.name}.", remedy)
    half = card.fp16_flops if precision == "fp16" else card.bf16_flops or card.fp16_flops
    if precision == "fp32":
        half = card.tf32_flops or card.fp32_flops
    half = half or card.fp32_flops
    if half is None:
        raise BadInput("gpu", f"no source states a matrix rate of {card.name}.", remedy)
    if precision == "fp8":
        if card.fp8_flops is None:
            raise BadInput("precision", f"{card.name} has no FP8 arithmetic.", "Use bf16.")
        return float(card.fp8_flops), float(half), True
    return float(half), float(half), False
