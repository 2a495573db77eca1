"""The estimate step by step, so that a person can redo it."""

from collections.abc import Iterable

from kb.constants.speed_constants import constants
from tools.base import Scalar, Step
from tools.speed.allreduce import link_name
from tools.speed.decode import bandwidth_ratio, dense_efficiency, read_bytes
from tools.speed.evidence import Correction
from tools.speed.pace import Pace

KERNELS = "aiconfigurator-kernels"


def derivation(found: Pace, near: Correction) -> Iterable[Step]:
    """Every part of the time of one token, in the order it is added up."""
    work, step = found.work, found.step
    dense, routed = read_bytes(work, max(work.sequences / work.layout.pipeline, 1.0))
    cards, read = work.layout.tensor, round(dense + routed)
    yield _step("Weights read a step", "dense + routed · (1 - (1 - k/E)^b)", read, "bytes",
                dense_bytes=round(dense), routed_bytes=round(routed), experts=work.arch.experts,
                sequences=work.sequences)  # fmt: skip
    yield _step("Reading weights", "bytes / (cards · bandwidth · reached)", step.read_s, "s", bytes=read, cards=cards,
                bandwidth_bytes_per_s=work.bandwidth, reached=bandwidth_ratio(work))  # fmt: skip
    yield _step("Multiplying", "2 · active_params · sequences / (cards · peak · reached)", step.multiply_s, "s",
                active_params=round(work.arch.active_params), sequences=work.sequences, cards=cards,
                peak_flops=work.flops, computed_in=work.flops_kind, reached=dense_efficiency(work))  # fmt: skip
    yield _step("Reading and multiplying, overlapped", "(read² + multiply²)^½ for dense and routed weights",
                step.weights_s, "s")  # fmt: skip
    yield _step("Reading the cache", "sequences · cache_bytes / (cards · bandwidth · reached)", step.cache_s, "s",
                sequences=work.sequences, context_tokens=work.context,
                cache_bytes=round(work.cache_bytes(work.context)))  # fmt: skip
    if work.layout.attention_copies:
        yield _step("Exchanging tokens between the experts' cards", "layers · (2 · wait + moved / bus)", step.link_s,
                    "s", "deepep", layers=work.arch.moe_layers, wait_s=constants().decode.exchange_s,
                    cards=cards)  # fmt: skip
    elif cards > 1:
        yield _step("Adding up over cards", "2 · layers · all_reduce(2 · sequences · hidden_size)", step.link_s, "s",
                    KERNELS, layers=work.arch.layers, hidden_size=work.arch.hidden,
                    link=link_name(work.gpu, cards))  # fmt: skip
    if step.spill_s:
        yield _step("Reading weights left in host memory", "share · bytes / host bandwidth", step.spill_s, "s")
    yield _step("Launching kernels", "layers · floor", step.floor_s, "s", layers=work.arch.layers, engine=work.engine)
    yield _step("Scheduling and sampling", "step + sequences · each / cards", step.host_s, "s")
    if step.stage_s:
        yield _step("Stages waiting for the output head", "(stages - 1) · (head + sampling)", step.stage_s, "s",
                    stages=work.layout.pipeline)  # fmt: skip
    yield _step("Prompts of other sequences", "(sequences - 1) · prefill / output_tokens", found.interference_s, "s",
                prefill_s=found.prefill_s, output_tokens=work.output_tokens)  # fmt: skip
    if near.weight:
        yield _step("Correction by near measurements", "exp(weighted mean of log(measured / formula))", near.factor,
                    "", weight=round(near.weight, 3))  # fmt: skip


def _step(label: str, formula: str, value: float, unit: str, source: str | None = None, **inputs: Scalar) -> Step:
    return Step(
        label=label, formula=formula, inputs=inputs, value=value, unit=unit,
        source=source or constants().decode.fit.source,
    )  # fmt: skip
