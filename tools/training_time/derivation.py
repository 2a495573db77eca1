"""The rate step by step, so that a person can redo it."""

from collections.abc import Iterable

from kb.constants.speed_constants import constants
from tools.base import Scalar, Step
from tools.speed.evidence import Correction
from tools.training_time.job import Job
from tools.training_time.step import TokenTime, least_s, most_reached

EACH = "s_per_token"


def derivation(
    job: Job, parts: TokenTime, near: Correction, rate: float, tokens: float | None, goodput: float
) -> Iterable[Step]:
    """Every part of the time of one token, then rate and hours."""
    arch = job.arch
    yield _step("Matrix products", "w · active_params / (peak · reached)", parts.products_s, EACH,
                w=(4 if job.adapters else 6) + 2 * job.recompute, active_params=round(arch.active_params),
                peak_flops=job.peak)  # fmt: skip
    yield _step("Attention", "(7 + 2 · recompute) · layers · width · sequence / (peak_16 · reached)",
                parts.attention_s, EACH, layers=arch.attention_layers, width=arch.heads * arch.head_dim,
                sequence=job.sequence)  # fmt: skip
    yield _step("Element-wise traffic", "(layers · hidden · c₁ + vocab · c₂) / bandwidth", parts.elements_s, EACH,
                layers=arch.layers, hidden=arch.hidden, c1_bytes=job.trainer.element_bytes,
                vocab=arch.vocab)  # fmt: skip
    if parts.dispatch_s:
        yield _step("Sending tokens to experts",
                    "hidden · layers · (k · permuted / bandwidth + k · sent / link + nodes · sent / network)",
                    parts.dispatch_s, EACH, k=arch.experts_per_token, expert_parallel=job.expert)  # fmt: skip
    yield _step("Links", "exposed · bytes / bus / tokens", parts.link_s, EACH, sharding=job.sharding, cards=job.cards)
    yield _step("Launching", "layers · t_layer / micro-batch tokens", parts.launch_s, EACH,
                micro_batch_tokens=job.micro_batch_tokens)  # fmt: skip
    yield _step("Idling", "pipeline bubble and scale", parts.idle_s, EACH, pipeline=job.pipeline, cards=job.cards)
    if near.weight:
        yield _step("Correction by near measurements", "exp(weighted mean of log(measured / formula))",
                    near.factor_of_rate, "", weight=round(near.weight, 3))  # fmt: skip
    least = least_s(job)
    if 1 / rate <= least * (1 + 1e-9):
        yield _step("Bound of what is executed", "((w + 2·recompute)·params / peak + attention / peak_16) / most",
                    least, EACH, w=4 if job.adapters else 6, recompute=job.recompute,
                    most_ratio=most_reached(job))  # fmt: skip
    yield _step("Rate", "1 / seconds a token", rate, "tokens_per_s_per_gpu")
    if tokens:
        yield _step("GPU-hours", "tokens / rate / 3600 / goodput", tokens / rate / 3600 / goodput, "gpu_hours",
                    tokens=tokens, goodput=goodput)  # fmt: skip


def _step(label: str, formula: str, value: float, unit: str, **inputs: Scalar) -> Step:
    return Step(
        label=label, formula=formula, inputs=inputs, value=value, unit=unit,
        source=constants().training.fit.source,
    )  # fmt: skip
