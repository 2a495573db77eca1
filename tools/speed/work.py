"""What is asked, with every default resolved: the model's counts, the card's rates, the layout and the load."""

from typing import NamedTuple

from kb.base import BadInput
from kb.catalog import model as catalog_model
from kb.configs.checkpoints import checkpoints
from kb.constants.engine_generation import EngineFloor, Era
from kb.constants.memory_constants import constants as memory_constants
from kb.constants.speed_constants import constants
from kb.records.gpu import Gpu
from tools.cache_format import cache_format
from tools.memory.formats import WeightFormat, as_filed, canonical, held_in, weight_format
from tools.memory.visual import picture_tokens
from tools.named import read_card
from tools.speed.architecture import Architecture, architecture_of
from tools.speed.generation import TODAY, era_of
from tools.speed.network import Network, node_cards
from tools.speed.request import InferenceSpeedRequest

KNOWN_RATES = "Choose a card whose rates are known."
READERS = ("embedding", "reranker", "encoder")
"""Models that read texts and generate none."""
WIDE_BITS = 12
"""More bits a weight than this are computed as they are read, in 16 bits."""


class Layout(NamedTuple):
    """How cards share one copy of the model, and how many copies there are."""

    tensor: int
    pipeline: int
    replicas: int
    attention_copies: bool = False
    """Whether every card keeps whole attention layers and its own sequences, sharing only the experts."""


class Work(NamedTuple):
    """One load on one layout."""

    arch: Architecture
    gpu: Gpu
    format: WeightFormat
    engine: str
    layout: Layout
    sequences: float
    """Sequences at once in one copy."""
    input_tokens: int
    cached_tokens: int
    """Of those, what the engine holds from earlier requests."""
    output_tokens: int
    kv_bytes: float
    """Bytes of one cached element."""
    bandwidth: float
    flops: float
    """Peak of the matrix products of the weights."""
    flops_kind: str
    """bf16, fp8 or fp4: the type those products are computed in."""
    flops_16: float
    host_bandwidth: float | None = None
    separate_prefill: bool = False
    """Whether other cards read the prompts."""
    reserved_tokens: int = 0
    """Tokens of a sequence that an engine keeps room for when it loads the model."""
    era: Era = TODAY
    """What the engine's release does worse than today's."""
    network: Network | None = None
    """What joins its machines, where that is known; null = nodes as usual of the card."""

    @property
    def hbm(self) -> bool:
        """Whether the card's memory is stacked."""
        return str(self.gpu.memory_type).startswith("HBM")

    @property
    def graphed(self) -> bool:
        """Whether the engine replays CUDA graphs of a whole step, as those for serving do."""
        return self.engine not in ("llama.cpp", "transformers")

    @property
    def rate_guessed(self) -> bool:
        """Whether no source states how fast the card multiplies; generating for few users hardly depends on it."""
        return stated_rate(self.gpu) is None

    @property
    def checkpoint_guessed(self) -> bool:
        """Whether checkpoints of this format differ in what they leave at 16 bits, so that one was assumed."""
        return keeps_mixers(self.format.name, self.arch, self.engine)

    @property
    def family(self) -> str:
        """The card's architecture without its revision."""
        return self.gpu.architecture.split()[0]

    @property
    def node(self) -> int:
        """Cards of one machine, or of a rack that one switch joins."""
        return self.network.node if self.network else node_cards(self.gpu)

    @property
    def floor(self) -> EngineFloor:
        """The engine's own constants."""
        return constants().decode.engines[self.engine]

    @property
    def new_tokens(self) -> int:
        """Prompt tokens that are read anew."""
        return self.input_tokens - self.cached_tokens

    @property
    def context(self) -> float:
        """Tokens cached of one sequence half-way through its answer."""
        return self.input_tokens + self.output_tokens / 2

    def cache_bytes(self, tokens: float) -> float:
        """Cache and state one sequence of `tokens` tokens makes a step read, over all layers."""
        arch = self.arch
        local = min(tokens, arch.window) if arch.window else tokens
        return (arch.full_width * tokens + arch.local_width * local) * self.kv_bytes + 2 * arch.state_bytes

    @property
    def attended_flops(self) -> float:
        """Multiplications and additions of one sequence's attention in a step: 4 · heads · head_dim · cached tokens.

        A latent cache is multiplied as it lies, in its own width for every head.
        """
        arch = self.arch
        width = arch.full_width / max(arch.attention_layers, 1) if arch.latent else arch.head_dim
        local = min(self.context, arch.window) if arch.window else self.context
        seen = (arch.attention_layers - arch.local_layers) * self.context + arch.local_layers * local
        return 4.0 * arch.heads * width * seen

    def on(self, layout: Layout, total_sequences: float) -> "Work":
        """The same load on another layout."""
        sequences = max(total_sequences / layout.replicas, 1.0)
        if layout == self.layout and sequences == self.sequences:
            return self
        return self._replace(layout=layout, sequences=sequences)


def work_of(request: InferenceSpeedRequest) -> tuple[Work, list[str]]:
    """The request with defaults resolved, and what was assumed.

    Raises:
        UnknownName: no such model or card.
        BadInput: the card has no stated bandwidth or rate, or the layout does not divide the cards.
    """
    arch = architecture_of(request)
    card, assumptions = read_card(request.gpu)
    name = held_in(canonical(request.weight_format or arch.native_format), card)
    engine = request.engine or ("llama.cpp" if name.startswith("gguf") or card.market == "apu" else "vllm")
    if engine not in constants().decode.engines:
        raise BadInput("engine", f"{engine} does not serve language models.", "Name a serving engine such as vllm.")
    native = held_in(canonical(arch.native_format), card)
    form = weight_format(name, tied=arch.tied, experts_only=arch.moe and name == native)
    form = as_read(form, native if arch.moe else None)
    if engine == "llama.cpp" and name == "mxfp4" == arch.native_format:
        wide = constants().decode.gguf_wide_bits
        form = form._replace(body_bits=wide, head_bits=wide, embed_bits=wide)
    form = _as_published(form, arch, engine)
    bandwidth, flops_16 = rates(card, guess=True)
    flops, kind = product_rate(card, name, flops_16)
    single = request.concurrent_sequences == 1 and request.requests_per_s is None
    prompt = 0 if single and engine == "llama.cpp" else 512 if single else 1024
    answer = max(_given(request.output_tokens, 256 if single else 1024), 1)
    if request.context_tokens is not None:
        answer = min(answer, max(request.context_tokens // 2, 1))
        prompt = max(request.context_tokens - answer, 0)
    prompt = _given(request.input_tokens, prompt) + _seen(request)
    work = Work(
        arch=arch, gpu=card, format=form, engine=engine, layout=_layout(request, engine, copies=arch.kind in READERS),
        sequences=1.0, input_tokens=prompt, cached_tokens=_cached(request, prompt, shared=not single),
        output_tokens=answer,
        kv_bytes=memory_constants().kv.bytes[cache_format(request.kv_format, engine, name, native)],
        bandwidth=bandwidth, flops=flops, flops_kind=kind, flops_16=flops_16,
        host_bandwidth=request.host_bandwidth_bytes_per_s, separate_prefill=request.separate_prefill,
        reserved_tokens=_reserved(request, prompt + answer),
        era=era_of(engine, request.engine_built, arch.released),
    )  # fmt: skip
    said = [*assumptions, *arch.guesses]
    if work.rate_guessed:
        said.append(f"No source states a matrix rate of {card.name}: that of cards with its bandwidth is taken.")
    return work.on(work.layout, request.concurrent_sequences), said


def as_read(form: WeightFormat, native: str | None) -> WeightFormat:
    """The format as llama.cpp reads it for a token: what every token visits of a mixture stays wider than its experts.

    `native`: canonical format that a mixture is published in; null = a dense model, which is unchanged.
    """
    filed, least = as_filed(form, native), constants().decode.gguf_mixture_bits
    if native is None or not form.name.startswith("gguf:") or form.expert_bits >= least:
        return filed
    return filed._replace(body_bits=max(filed.body_bits, least))


def _as_published(form: WeightFormat, arch: Architecture, engine: str) -> WeightFormat:
    """The format as serving engines load it: mixtures with linear attention come with their mixers at 16 bits."""
    return form._replace(body_bits=16.0) if keeps_mixers(form.name, arch, engine) else form


def keeps_mixers(name: str, arch: Architecture, engine: str) -> bool:
    """Whether checkpoints of format `name` (canonical) quantise the experts of such a model alone."""
    return arch.moe and arch.linear_layers > 0 and engine != "llama.cpp" and name in checkpoints().wide_mixers.formats


def _reserved(request: InferenceSpeedRequest, used: int) -> int:
    """Room for a sequence: the context or lengths stated, else the usual context."""
    if request.context_tokens is not None or request.output_tokens is not None:
        return used
    return max(used, memory_constants().defaults.context_tokens)


def rates(card: Gpu, *, guess: bool = False) -> tuple[float, float]:
    """(bandwidth, peak 16-bit rate) of a card; with `guess`, the rate that cards of its market have for a bandwidth.

    Raises:
        BadInput: no source states them.
    """
    if card.bandwidth_bytes_per_s is None:
        raise BadInput("gpu", f"no source states the memory bandwidth of {card.name}.", KNOWN_RATES)
    flops_16 = stated_rate(card)
    if flops_16 is None and guess:
        each = constants().flops_per_byte
        flops_16 = each.get(card.market or "", each["other"]) * float(card.bandwidth_bytes_per_s)
    if flops_16 is None:
        raise BadInput("gpu", f"no source states a 16-bit matrix rate of {card.name}.", KNOWN_RATES)
    return float(card.bandwidth_bytes_per_s), float(flops_16)


def stated_rate(card: Gpu) -> float | None:
    """The peak 16-bit rate that some source states, or that follows from stated ones."""
    found = card.bf16_flops or card.fp16_flops or card.fp32_flops
    if found is None:
        known = constants().unstated_flops.items()
        found = next((rate for start, rate in known if card.id.startswith(start)), None)
    if found is None and (eight := card.fp8_flops or card.int8_ops):
        found = eight / 2
    return found


def product_rate(card: Gpu, name: str, flops_16: float) -> tuple[float, str]:
    """Peak rate of products with weights in format `name`, and the type they are computed in.

    Weight-only formats (GPTQ, AWQ, NF4, GGUF) and formats the card lacks are widened to 16 bits first. MXFP4 experts
    meet FP8 activations where the card has FP4, 16-bit ones elsewhere.
    """
    if name in ("fp8", "mxfp8") and card.fp8_flops:
        return float(card.fp8_flops), "fp8"
    if name == "nvfp4" and card.fp4_flops:
        return float(card.fp4_flops), "fp4"
    if name == "mxfp4" and card.fp4_flops and card.fp8_flops:
        return float(card.fp8_flops), "fp8"
    return flops_16, "bf16"


def _layout(request: InferenceSpeedRequest, engine: str, *, copies: bool = False) -> Layout:
    """The cards' layout as asked; left open, all cards share one copy, or (`copies`) each has its own."""
    count = request.gpu_count
    if request.expert_parallel is not None and request.expert_parallel > 1:
        return _shared_experts(count, request.expert_parallel)
    stated = request.tensor_parallel is not None or request.pipeline_parallel is not None
    if copies and (not stated or _runs_whole(request)):
        return Layout(1, 1, count)
    if engine == "llama.cpp" and request.tensor_parallel is None and request.pipeline_parallel is None:
        return Layout(1, count, 1)
    pipeline = request.pipeline_parallel or 1
    tensor = request.tensor_parallel or max(count // pipeline, 1)
    if tensor * pipeline > count:
        raise BadInput(
            "gpu_count", f"tensor_parallel × pipeline_parallel is {tensor * pipeline}, more than {count} cards.",
            "Give as many cards as the layout takes.",
        )  # fmt: skip
    return Layout(tensor, pipeline, max(count // (tensor * pipeline), 1))


def _runs_whole(request: InferenceSpeedRequest) -> bool:
    """Whether nobody shares the model's layers between cards: a reader of texts that is no decoder."""
    model = catalog_model(request.model) if request.model else None
    return model is not None and model.kind in READERS and model.attention not in ("gqa", "mqa")


def _shared_experts(count: int, ways: int) -> Layout:
    if count % ways:
        raise BadInput(
            "expert_parallel", f"{ways} cards a group do not divide {count} cards.", "Give as many as divide the cards."
        )
    return Layout(ways, 1, count // ways, attention_copies=True)


def _cached(request: InferenceSpeedRequest, prompt: int, *, shared: bool) -> int:
    """Prompt tokens held already; a context that is only told in all is mostly the history of a conversation."""
    if request.cached_tokens is not None:
        if request.cached_tokens >= max(prompt, 1):
            said = f"{request.cached_tokens:,} of {prompt:,} prompt tokens leave nothing to answer."
            raise BadInput("cached_tokens", said, "State fewer than input_tokens.")
        return request.cached_tokens
    told_in_all = shared and request.context_tokens is not None and request.input_tokens is None
    return max(prompt - constants().prompts.tokens, 0) if told_in_all else 0


def _seen(request: InferenceSpeedRequest) -> int:
    """Tokens of the pictures in a prompt; none for a model that sees none."""
    model = catalog_model(request.model) if request.model and request.images_per_sample else None
    if model is None or model.kind != "vlm":
        return 0
    each = picture_tokens(model.name, model.family, request.width_px, request.height_px)
    return (request.images_per_sample or 0) * each


def _given(value: int | None, default: int) -> int:
    return default if value is None else value


def by_card(work: Work, ratios: dict[str, float], usual: float = 1.0) -> float:
    """The factor of a card: of the start of its id, its architecture, its family and market, or its family alone."""
    gpu, family = work.gpu, work.family
    found = next((ratio for start, ratio in ratios.items() if gpu.id.startswith(start)), None)
    if found is not None:
        return found
    return ratios.get(gpu.architecture, ratios.get(f"{family} {gpu.market}", ratios.get(family, usual)))
