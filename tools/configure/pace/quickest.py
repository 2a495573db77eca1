"""A first token wanted sooner than any card gives one: told by the bounds, before anything is searched."""

import math
from collections.abc import Sequence

from kb.catalog import models
from kb.records.gpu import Gpu
from tools.base import Step
from tools.configure.load.fitting import Table
from tools.configure.load.layout import Layout
from tools.configure.load.workload import Workload
from tools.configure.pace.judged import Pace
from tools.configure.request import ConfigureRequest
from tools.configure.result import ConfigureResult

WIDEST = Layout(256, tensor_parallel=16, pipeline_parallel=16)
"""A spread wider than any that is proposed: what it does not reach, nothing does."""
APART = Layout(64, data_parallel=64, expert_parallel=64)
"""The same of experts that lie on different cards."""


def unreachable(request: ConfigureRequest, load: Workload, table: Table, pool: Sequence[Gpu]) -> ConfigureResult | None:
    """That nothing is found, and the least time any card takes, where a first token is wanted sooner; else null."""
    wanted = request.target_latency_s
    if wanted is None or load.training or not load.language:
        return None
    least, card = _least(Pace(request, load), load, table, pool)
    if not math.isfinite(least) or wanted >= least:
        return None
    step = Step(
        label="Least time to a first token", formula="prompt / cards + launches / stages + one step, none of them less",
        inputs={"gpu": card, "cards": WIDEST.gpus}, value=least, unit="s", source="calibration",
    )  # fmt: skip
    said = (
        f"No card considered gives a first token within {wanted:g} s; by the formulas none takes less than {least:g} s."
    )
    return ConfigureResult(least_first_s=least, model=load.model, derivation=(step,), warnings=(said,))


def _least(pace: Pace, load: Workload, table: Table, pool: Sequence[Gpu]) -> tuple[float, str]:
    """Over every card and format, spread as widely as anything is; cards without known rates are left out."""
    record = models().get(load.model or "")
    spreads = (WIDEST, APART) if record is not None and record.experts else (WIDEST,)
    found = [
        (pace.least_first_s(gpu, layout, form), gpu.id)
        for gpu in pool
        for variant in load.offered(gpu)
        if (form := table.format_of(variant)) is not None
        for layout in spreads
    ]
    return min(((least, card) for least, card in found if least > 0), default=(math.inf, ""))
