"""The 90 % interval around an estimate, from residuals on published measurements."""

from kb.constants.memory_constants import Width, constants
from tools.memory.term import Phase
from tools.memory.workload import Workload

KNOWN = ("weights", "kv_cache", "gradients", "optimizer", "adapters")
"""Parts that follow from architecture and formats; the others depend on engines and kernels."""


def interval(work: Workload, phase: Phase) -> tuple[int, int]:
    """(low, high) bytes: total ∓ (known · known_ratio + uncertain · uncertain_ratio + guess · total).

    The ratios are 90 % quantiles of absolute residuals by class of workload; see docs/memory.md.
    """
    width, guess = width_of(work), constants().intervals.guess_ratios[work.shape.guess_level]
    known = sum(term.bytes for term in phase.terms if term.part in KNOWN)
    total = phase.bytes
    half = known * width.known_ratio + (total - known) * width.uncertain_ratio + guess * total
    return max(int(total - half), 0), int(total + half) + 1


def width_of(work: Workload) -> Width:
    """The ratios of the workload's class."""
    widths = constants().intervals
    if work.family == "training":
        return widths.adapters if work.adapted else widths.training
    return {"serving": widths.serving, "diffusion": widths.diffusion, "encoder": widths.encoder,
            "vision": widths.vision, "speech": widths.speech}[work.family]  # fmt: skip
