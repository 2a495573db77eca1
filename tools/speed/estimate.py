"""`estimate_inference_speed`: one request in, tokens a second and waiting times out."""

from collections.abc import Iterable
from typing import NamedTuple

from kb.constants.speed_constants import constants, speed_sources
from kb.machines.links import peers
from kb.records.source import Source
from kb.units import DAY_S
from tools.named import cited, vouching
from tools.speed.allreduce import link_name, switched
from tools.speed.derivation import derivation
from tools.speed.evidence import Correction, correction, prompt_correction, thinness
from tools.speed.host_only import CPU, estimate_host_speed
from tools.speed.interval import class_of, interval, inverse, keeping_up, times
from tools.speed.item import item_kind
from tools.speed.item_estimate import estimate_item_speed
from tools.speed.layout import best_pace
from tools.speed.pace import PROMPT_TOKENS, Pace, placed_pace, reading_pace
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import Bound, InferenceSpeed, Interval, TokenSpeed
from tools.speed.work import READERS, Work, work_of

RATES = ("bandwidth_bytes_per_s", "bf16_flops", "fp16_flops", "fp8_flops", "fp4_flops")


def estimate_inference_speed(request: InferenceSpeedRequest) -> InferenceSpeed:
    """Estimate how fast cards run a model: tokens, images, clips, audio or documents a second, and first-token time.

    Give `model` (catalog id, Hugging Face id or alias) or `params` with the shape, the card, and the load. Every
    figure comes with a 90 % interval and the nearest published measurements.
    """
    if request.gpu.strip().lower() == CPU:
        return estimate_host_speed(request)
    if item_kind(request.model) is not None:
        return estimate_item_speed(request)
    return estimate_token_speed(request)


class TokenPace(NamedTuple):
    """What an estimate rests on: the pace of the formulas, moved by near measurements."""

    found: Pace
    near: Correction
    token: Interval
    """Seconds an output token."""
    guessed: bool
    thin: float = 1.0
    """How much wider intervals are for want of measurements."""

    @property
    def work(self) -> Work:
        """The load on the layout taken."""
        return self.found.work

    @property
    def per_user(self) -> Interval:
        """Tokens a second of one user."""
        return inverse(self.token, self.found.per_user * self.found.output_token_s)

    @property
    def total(self) -> Interval:
        """Tokens a second of all users."""
        return inverse(self.token, self.found.total * self.found.output_token_s)

    @property
    def requests(self) -> Interval | None:
        """Answers a second of all users; null for a model that only reads."""
        if self.work.arch.kind in READERS:
            return None
        return inverse(self.token, self.found.total * self.found.output_token_s / self.work.output_tokens)

    @property
    def first_token(self) -> Interval:
        """Seconds to the first token."""
        return interval(self.found.first_token_s, "prefill", guessed=self.guessed, thin=self.thin)

    @property
    def first_token_alone(self) -> Interval:
        """Seconds to the first token of a request that nobody shares the cards with."""
        single = (
            self.found if self.work.sequences <= 1 else placed_pace(self.work._replace(sequences=1.0), self.found.room)
        )
        return interval(single.first_token_s, "prefill", guessed=self.guessed, thin=self.thin)

    @property
    def first_token_burst(self) -> Interval:
        """Seconds to the last first token when all requests come at the same moment."""
        return interval(self.found.burst_s, "prefill", guessed=self.guessed, thin=self.thin)

    @property
    def documents(self) -> Interval | None:
        """Texts a second on all cards; null for a model that generates."""
        work = self.work
        if work.arch.kind not in READERS:
            return None
        total = self.found.total * self.found.output_token_s
        return inverse(self.token, total / (work.input_tokens or PROMPT_TOKENS))


def token_pace(work: Work, request: InferenceSpeedRequest) -> TokenPace:
    """The figures themselves, without the account of them."""
    return corrected_pace(best_pace(work, request))


def corrected_pace(found: Pace, spilled: float | None = None) -> TokenPace:
    """A pace moved by near measurements; `spilled`: share of the weights in host memory, where that is known."""
    work = found.work
    if work.arch.kind in READERS:
        found = reading_pace(found)
    near = correction(work)
    guessed = work.arch.guessed or work.rate_guessed or work.checkpoint_guessed or _staged(work)
    thin = thinness(work)
    token = interval(
        max(found.output_token_s * near.factor, found.least_s), class_of(work, spilled), guessed=guessed,
        evidence=near.weight, thin=thin,
    )  # fmt: skip
    return TokenPace(found, near, _within_peak(token, found.least_s), guessed, thin)


def _within_peak(token: Interval, least_s: float) -> Interval:
    """The interval of a time that nothing falls below."""
    return token.model_copy(update={"low": max(token.low, min(least_s, token.value))})


def estimate_token_speed(request: InferenceSpeedRequest) -> TokenSpeed:
    """The speed of a model that generates or reads tokens."""
    work, assumptions = work_of(request)
    paced = token_pace(work, request)
    found, near, work = paced.found, paced.near, paced.work
    prompts, documents, answers = prompt_correction(work), paced.documents, paced.requests
    prompt = interval(
        min(found.prompt_rate / prompts.factor, found.most_prompt_rate),
        "reader" if work.arch.kind in READERS else "prefill", guessed=paced.guessed, evidence=prompts.weight,
        thin=paced.thin,
    )  # fmt: skip
    return TokenSpeed(
        model=work.arch.id, gpu=work.gpu.id, gpu_count=request.gpu_count, weight_format=work.format.name,
        engine=work.engine, tensor_parallel=work.layout.tensor, pipeline_parallel=work.layout.pipeline,
        replicas=work.layout.replicas, concurrent_sequences=round(work.sequences * work.layout.replicas),
        input_tokens=work.input_tokens, output_tokens=work.output_tokens,
        time_per_output_token_s=paced.token,
        tokens_per_s_per_user=paced.per_user,
        tokens_per_s_total=paced.total,
        time_to_first_token_s=paced.first_token,
        time_to_first_token_alone_s=paced.first_token_alone, time_to_first_token_burst_s=paced.first_token_burst,
        prefill_tokens_per_s=prompt, documents_per_s=documents,
        requests_per_s=answers, requests_per_day=times(answers, DAY_S) if answers else None,
        gpus_needed=keeping_up(documents, request.documents_per_s, request.gpu_count),
        time_s=_whole(paced, request),
        items_within=times(documents, request.within_s) if documents and request.within_s else None,
        bound=bound_of(found), label=near.label,
        max_concurrent_sequences=found.room and found.room * work.layout.replicas, evidence=near.evidence,
        derivation=tuple(derivation(found, near)), assumptions=tuple(_assumptions(work, request, assumptions)),
        warnings=tuple(_warnings(found)), sources=_sources(work, near),
    )  # fmt: skip


def _whole(paced: TokenPace, request: InferenceSpeedRequest) -> Interval | None:
    """Seconds of all the texts to read, or of all the tokens to write; None where neither was stated."""
    if paced.documents is not None:
        return inverse(paced.documents, request.documents) if request.documents else None
    return inverse(paced.total, request.tokens) if request.tokens else None


def bound_of(found: Pace) -> Bound:
    """What most of the time of one token goes to."""
    if found.at_capacity:
        return "capacity"
    if found.work.arch.kind in READERS:
        return "compute"
    step = found.step
    overlapped = step.read_s + step.multiply_s
    reading = step.weights_s * step.read_s / overlapped if overlapped else 0.0
    parts: dict[Bound, float] = {
        "memory_bandwidth": reading + step.cache_s + step.spill_s,
        "compute": step.weights_s - reading + found.interference_s,
        "interconnect": step.link_s,
        "latency": step.floor_s + step.host_s,
    }
    return max(parts, key=lambda part: parts[part])


def _assumptions(work: Work, request: InferenceSpeedRequest, given: list[str]) -> Iterable[str]:
    yield from given
    if work.arch.kind in READERS:
        yield "This model reads texts and generates none: its tokens are those it reads."
        yield f"{work.input_tokens or PROMPT_TOKENS:,} tokens a text, many texts at once, 16-bit arithmetic."
        return
    yield f"{work.engine} of 2025–2026 with CUDA graphs; older releases are up to twice as slow a layer."
    if not work.input_tokens:
        yield f"No prompt before {work.output_tokens:,} answer tokens; the first token is after one of {PROMPT_TOKENS}."
    elif request.input_tokens is None or request.output_tokens is None:
        yield f"{work.input_tokens:,} prompt and {work.output_tokens:,} answer tokens a request."
    if request.images_per_sample and work.arch.kind == "vlm":
        yield f"{request.images_per_sample} picture(s) a prompt; the vision tower's own work is not counted."
    layout = work.layout
    if request.gpu_count > 1 and request.tensor_parallel is None:
        how = f"tensor parallel {layout.tensor}, pipeline {layout.pipeline}"
        if layout.attention_copies:
            how = "attention copied to every card and experts shared"
        yield f"Layout left open: {how} is the fastest of the usual ones."
    if request.kv_format == "auto":
        yield "16-bit key-value cache." if work.kv_bytes == 2 else "FP8 key-value cache, as such checkpoints say."
    if work.checkpoint_guessed:
        yield (
            f"Checkpoints of {work.arch.name} in {work.format.name} differ: taken is one with its experts in four bits "
            "and its mixers and shared experts in 16; one that quantises them too is faster for few users."
        )
    if _staged(work):
        yield "These cards' driver denies peer access over PCIe: sums pass through host memory, half as fast or less."
    if work.separate_prefill:
        yield "Other cards read the prompts and send their caches here; these only answer."
    if layout.tensor > work.node:
        yield "Each card has a 400 Gb/s network of its own (older cards 200, others less); experts are evenly loaded."
    if request.requests_per_s is not None and request.concurrent_sequences == 1:
        under_way = work.sequences * layout.replicas
        yield f"{under_way:,.0f} sequences under way at {request.requests_per_s:g} requests a second."
    if work.cached_tokens:
        yield f"{work.new_tokens:,} tokens of each prompt are new; the engine holds the others (prefix cache)."
        yield "No speculative decoding."
    else:
        yield "No speculative decoding, no prefix shared between requests."


def _staged(work: Work) -> bool:
    """Whether cards add up through host memory, which hosts do differently fast."""
    tensor = work.layout.tensor
    return tensor > 1 and not peers(work.gpu) and not switched(work.gpu, min(tensor, work.node))


def _warnings(found: Pace) -> Iterable[str]:
    work = found.work
    if found.room is None and not found.step.spill_s:
        yield "The weights do not fit these cards: the speed is what they would reach if they had the memory."
    if found.step.spill_s:
        yield "Part of the weights stays in host memory, whose bandwidth decides; a desktop's is assumed unless given."
    if found.at_capacity:
        yield f"Memory holds about {found.room} such sequences a copy: the others wait, and the total no longer grows."
    if found.clamped:
        yield "The formula came out above 95 % of the memory bandwidth and was held there."
    if work.arch.guessed:
        yield "The shape was guessed from the parameter count: the interval is wider for it."
    if work.layout.tensor > 2 and link_name(work.gpu, work.layout.tensor).startswith("pcie"):
        yield "Tensor parallelism over PCIe costs much time a layer; a pipeline or separate copies usually serve more."


def _sources(work: Work, near: Correction) -> tuple[Source, ...]:
    known = speed_sources()
    shown = [row.source for row in near.evidence]
    ids = dict.fromkeys([constants().decode.fit.source, "aiconfigurator-kernels", *shown])
    return (*(known[key] for key in ids if key in known), *cited(vouching(work.gpu, RATES)))
