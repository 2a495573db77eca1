"""Training on Apple silicon: no maker's matrix rate, few public measurements, so the FLOPs over what MLX reaches."""

from dataclasses import dataclass

from kb.constants.speed_constants import constants
from kb.records.gpu import Gpu
from tools.speed.result import Interval
from tools.speed.work import rates, stated_rate

GUESSED = 1.5
"""How much wider each end is where the rate of the cores is only that of Macs of such a bandwidth."""


@dataclass(frozen=True, slots=True)
class MacPace:
    """How fast a Mac trains."""

    rate: Interval
    """Tokens a second."""
    peak: float
    """FP32 rate of the cores, which 16-bit products run at as well."""
    flops: float
    """Executed for each token."""


def is_mac(gpu: Gpu | None) -> bool:
    """Whether MLX is what trains on it."""
    return gpu is not None and gpu.vendor == "Apple"


def mac_pace(gpu: Gpu, active_params: float, *, adapters: bool, recompute: bool) -> MacPace:
    """Tokens a second of a training on a Mac.

        peak · reached / ((w + 2 · recompute) · active parameters)      w: 6 FLOPs a weight, 4 with frozen ones

    Domain: adapters in all layers; `mlx_lm` puts them into 16 unless told otherwise, which spares the backward pass of
    the others. Attention is left out: below 4,096 tokens it is a few per cent. Source: `macs` in the speed constants.

    Raises:
        BadInput: no source states the card's bandwidth.
    """
    numbers, peak = constants().macs, rates(gpu, guess=True)[1]
    flops = ((4 if adapters else 6) + 2 * recompute) * active_params
    wider = 1.0 if stated_rate(gpu) else GUESSED
    rate = Interval(
        value=peak * numbers.reached_ratio / flops, low=peak * numbers.low_ratio / flops / wider,
        high=peak * numbers.high_ratio / flops * wider,
    )  # fmt: skip
    return MacPace(rate, peak, flops)
