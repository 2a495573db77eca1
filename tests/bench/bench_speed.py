"""Error of the speed and time estimators by class, card and source, beside the pure roofline and the 0.55 rule.

python tests/bench/bench_speed.py                               evidence without each source, model, card, row
python tests/bench/bench_speed.py --by gpu|source|model|engine  a second table, sources left out
python tests/bench/bench_speed.py --refit model|gpu|source      constants fitted anew without each of them, too
"""

import argparse
import copy
import json
import math
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import kb.constants.speed_constants as stored  # noqa: E402
from kb.catalog import models  # noqa: E402
from kb.constants.item_work import item_work  # noqa: E402
from kb.constants.measured_speed import MeasuredSpeed, measured_speeds  # noqa: E402
from tools.named import read_card  # noqa: E402
from tools.speed import allreduce  # noqa: E402
from tools.speed.decode import read_bytes  # noqa: E402
from tools.speed.evidence import case_of, corrected, is_time, row_case  # noqa: E402
from tools.speed.item import chip_of  # noqa: E402
from tools.speed.item_estimate import item_pace  # noqa: E402
from tools.speed.layout import best_pace  # noqa: E402
from tools.speed.pace import Pace  # noqa: E402
from tools.speed.request import InferenceSpeedRequest  # noqa: E402
from tools.speed.work import Work, work_of  # noqa: E402
from tools.training_time.images import image_training_time  # noqa: E402
from tools.training_time.job import job_of  # noqa: E402
from tools.training_time.request import TrainingTimeRequest  # noqa: E402

UNMODELLED = {"exllamav2", "mlc-llm-perf", "llmq", "llm.c"}
FITTED = [
    *[f"compute.{name}" for name in ("bf16_ratio", "fp8_ratio", "fp4_ratio", "fp4_gddr_ratio", "moe_ratio",
                                     "moe_half_tokens", "moe_half_width", "widened_moe_ratio", "attention_ratio",
                                     "prefill_ratio", "copies_ratio")],
    *[f"decode.{table}.{bits}" for table in ("dense_bandwidth_ratios", "expert_bandwidth_ratios")
      for bits in ("8", "4")],
    *[f"decode.{name}" for name in ("permute_bytes", "moe_layer_s", "shared_layer_s", "fp4_layer_s", "latent_layer_s",
                                    "linear_layer_s", "cache_bandwidth_ratio", "routing_evenness", "exchange_s",
                                    "host_ratios.gb200", "served_floor_ratios.Ampere", "wide_expert")],
    *[f"decode.engines.{name}.{part}" for name in ("tensorrt-llm", "vllm", "sglang")
      for part in ("layer_s", "extra_ratio", "sequence_s")],
    "decode.engines.sglang.prompt_layer_s",
    *[f"links.{name}.card_latency_s" for name in ("ampere", "hopper", "blackwell")],
    *[f"links.{name}.bus_bytes_per_s" for name in ("pcie4", "pcie5", "pcie5_pair")],
    *[f"links.{name}.bus_ratio" for name in ("ampere", "hopper")],
]  # fmt: skip
"""Constants that a refit moves, by their path in speed.yaml."""


LEFT_OUT: dict[str, Callable[[MeasuredSpeed], object]] = {
    "source": lambda row: row.source, "model": lambda row: row.model, "gpu": lambda row: row.gpu,
    "row": lambda row: row.id,
}  # fmt: skip
"""What evidence may not come from when a measurement is judged."""


@dataclass(frozen=True)
class Result:
    """One measurement beside the estimates of it."""

    row: MeasuredSpeed
    formula: float
    informed: dict[str, float]
    """With evidence from everything but rows of the same source (model, card, or the row alone)."""
    covered: bool
    """Whether the interval around the estimate without the row's source holds what was measured."""
    roofline: float | None
    flat: float | None


def class_of(row: MeasuredSpeed) -> str:
    """The class a measurement is judged in."""
    if row.kind == "decode":
        if row.sequences == 1:
            return "single stream"
        if row.measure == "tokens_per_s_total":
            return "saturated"
        return "serving MoE" if row.moe else "serving dense"
    if row.kind == "training":
        return "adapters" if "adapters" in row.engine else "training MoE" if row.moe else "training dense"
    return {
        "prefill": "prompts", "first_token": "prompts", "gpu_hours": "GPU-hours", "images": "images and clips",
        "audio": "transcription", "training_images": "training on images",
    }[row.kind]  # fmt: skip


def width_of(row: MeasuredSpeed) -> tuple[float, float]:
    """(upper end over value, value over lower end) of the figure's interval, without evidence."""
    if row.kind in ("images", "training_images", "audio"):
        items = item_work()
        kind = {"audio": items.speech, "training_images": items.vision}.get(row.kind)
        if kind is None:
            kind = items.vision if models()[row.model].kind == "vision" else items.generate
        return kind.up_ratio, kind.down_ratio
    if row.kind == "gpu_hours":
        training = stored.constants().training
        down = stored.constants().intervals.classes["training"].down_ratio / training.goodput_least
        return training.run_up_ratio**1.2, down
    name = {
        "single stream": "single", "saturated": "saturated", "serving MoE": "moe", "serving dense": "dense",
        "prompts": "prefill", "training dense": "training", "training MoE": "training_moe", "adapters": "adapters",
    }[class_of(row)]  # fmt: skip
    width = stored.constants().intervals.classes[name]
    return width.up_ratio, width.down_ratio


@cache
def _parsed(identity: str) -> tuple[InferenceSpeedRequest, Work]:
    row = next(row for row in measured_speeds() if row.id == identity)
    request = InferenceSpeedRequest.model_validate(json.loads(row.request))
    return request, work_of(request)[0]


def pace_of(row: MeasuredSpeed) -> Pace:
    """What the formulas give for a serving row."""
    request, work = _parsed(row.id)
    return best_pace(work, request)


def figure(found: Pace, measure: str) -> float:
    """The figure of a pace that `measure` names."""
    return {
        "time_per_output_token_s": found.output_token_s, "tokens_per_s_per_user": found.per_user,
        "tokens_per_s_total": found.total, "prefill_tokens_per_s": found.prompt_rate,
        "time_to_first_token_s": found.first_token_s,
    }[measure]  # fmt: skip


def roofline(row: MeasuredSpeed, *, flat: bool = False) -> float | None:
    """max(bytes / bandwidth, FLOPs / peak), or bytes / (0.55 · bandwidth) for one stream."""
    if row.kind in ("training", "training_images", "images") and not flat:
        return _compute_bound(row)
    if row.kind != "decode" or (flat and row.sequences > 1):
        return None
    _, work = _parsed(row.id)
    cards = work.layout.tensor * (work.layout.pipeline if row.sequences > 1 else 1)
    batch = work.sequences
    dense, routed = read_bytes(work, batch)
    if flat:
        seconds = (dense + routed) / (0.55 * work.bandwidth * cards)
    else:
        read = (dense + routed + batch * work.cache_bytes(work.context)) / (work.bandwidth * cards)
        prompts = 1 + (work.input_tokens / work.output_tokens if batch > 1 else 0)
        seconds = max(read, 2 * work.arch.active_params * batch * prompts / (work.flops * cards))
    if row.measure == "time_per_output_token_s":
        return seconds
    return row.sequences / seconds if row.measure == "tokens_per_s_total" else 1 / seconds


def _compute_bound(row: MeasuredSpeed) -> float:
    """The roofline of work that multiplies: FLOPs over the peak, in the row's own measure."""
    request = json.loads(row.request)
    if row.kind == "training":
        job = job_of(TrainingTimeRequest.model_validate(request))[0]
        return job.peak / ((4 if job.adapters else 6) * job.arch.active_params)
    gpu = read_card(request["gpu"])[0]
    if row.kind == "training_images":
        time, batch, _, _ = image_training_time(TrainingTimeRequest.model_validate(request), chip_of(gpu))
        return batch * chip_of(gpu).flops_16 / time.flops
    found = item_pace(InferenceSpeedRequest.model_validate(request), gpu)
    seconds = found.time.flops / found.chip.flops_16
    return found.items * row.gpu_count / seconds if row.measure == "images_per_s" else seconds


def result_of(row: MeasuredSpeed) -> Result:
    """A row by the formula alone, and with evidence that leaves out its own source, model, card or itself."""
    case = row_case(row)
    if row.kind in ("decode", "prefill"):
        case = case._replace(engine=case_of(_parsed(row.id)[1]).engine)
    informed, weight = {}, 0.0
    settings = stored.constants().training_neighbours if row.kind == "training" else None
    for name, key in LEFT_OUT.items():
        skip = frozenset(other.id for other in measured_speeds() if key(other) == key(row))
        near = corrected(case, row.kind, settings, skip=skip)
        informed[name] = row.estimate * (near.factor if is_time(row.measure) else 1 / near.factor)
        weight = near.weight if name == "source" else weight
    up, down = width_of(row)
    power = 1 - (1 - stored.constants().intervals.measured_ratio) * min(weight, 1.0)
    if is_time(row.measure) and row.kind in ("images", "audio"):
        up, down = down, up
    covered = informed["source"] / down**power <= row.value <= informed["source"] * up**power
    return Result(row, row.estimate, informed, covered, roofline(row), roofline(row, flat=True))


def error(estimate: float | None, row: MeasuredSpeed) -> float | None:
    """Relative error in per cent, signed."""
    return None if estimate is None else 100 * (estimate / row.value - 1)


def quantile(values: Iterable[float], share: float) -> float:
    """A quantile by linear interpolation."""
    ranked = sorted(values)
    place = share * (len(ranked) - 1)
    below = ranked[math.floor(place)]
    return below + (ranked[math.ceil(place)] - below) * (place - math.floor(place))


def cell(errors: list[float]) -> str:
    """median / 90th percentile of the absolute errors."""
    if not errors:
        return "-"
    sizes = [abs(value) for value in errors]
    return f"{statistics.median(sizes):.1f} / {quantile(sizes, 0.9):.1f}"


def table(results: list[Result], key: Callable[[Result], str], left_out: Iterable[str] = LEFT_OUT) -> None:
    """Print the errors by group, the signed median and the coverage with sources left out, and the rivals."""
    groups: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        groups[key(result)].append(result)
    columns = ("formula", *(f"no {name}" for name in left_out))
    head = "".join(f"{name:>14}" for name in columns) + f"{'signed':>8}{'cover':>7}{'roofline':>15}{'0.55 rule':>15}"
    print(f"{'median / p90 of |error| %':<44}{'n':>4}" + head)
    for name in sorted(groups):
        rows = groups[name]
        cells = [cell([error(r.formula, r.row) or 0.0 for r in rows])]
        cells += [cell([error(r.informed[left], r.row) or 0.0 for r in rows]) for left in left_out]
        signed = statistics.median(error(r.informed["source"], r.row) or 0.0 for r in rows)
        cover = 100 * sum(r.covered for r in rows) / len(rows)
        errors = ([error(getattr(r, rival), r.row) for r in rows] for rival in ("roofline", "flat"))
        rivals = [cell([e for e in found if e is not None]) for found in errors]
        print(f"{name:<44}{len(rows):>4}" + "".join(f"{text:>14}" for text in cells)
              + f"{signed:>+8.1f}{cover:>7.0f}" + "".join(f"{text:>15}" for text in rivals))  # fmt: skip


def refit(key: Callable[[MeasuredSpeed], str]) -> None:
    """Leave one group out at a time, fit the constants on the rest, judge them on the group."""
    rows = [row for row in measured_speeds() if row.kind == "decode" and row.sequences > 1 and _fittable(row)]
    slopes = _slopes(rows)
    left: dict[str, list[float]] = defaultdict(list)
    for group in sorted({key(row) for row in rows}):
        kept = [at for at, row in enumerate(rows) if key(row) != group]
        with_constants(fit([rows[at] for at in kept], slopes[kept]))
        for row in rows:
            if key(row) == group:
                left[class_of(row)].append(error(figure(pace_of(row), row.measure), row) or 0.0)
        print(f"  without {group}: fitted", flush=True)
    with_constants({})
    for name in sorted(left):
        print(f"{name:<20}{len(left[name]):>5}  {cell(left[name])}")


def _fittable(row: MeasuredSpeed) -> bool:
    return not row.doubt and not row.model.startswith("zai-org")


def fit(rows: list[MeasuredSpeed], slopes: Any = None, steps: int = 4, prior: float = 1.0) -> dict[str, float]:
    """Constants of least absolute log error on `rows`, by reweighted Gauss–Newton steps held near the start.

    `slopes` at the stored constants serve all steps where they are given: fits that leave little out move little.
    """
    import numpy as np

    start = _start()
    place = start.copy()
    alike, tables = (Counter(map(key, rows)) for key in (_alike, _table))
    weight = np.array([(alike[_alike(row)] * tables[_table(row)]) ** -0.25 for row in rows])
    for _ in range(steps):
        base = _residuals(rows, place)
        steep = _slopes(rows, place) if slopes is None else slopes
        robust = weight / np.sqrt(np.maximum(np.abs(base), 0.03))
        matrix = np.vstack([steep * robust[:, None], np.eye(len(FITTED)) * prior])
        target = np.concatenate([-base * robust, (start - place) * prior])
        place = place + np.clip(np.linalg.lstsq(matrix, target, rcond=None)[0], -0.5, 0.5)
    return {name: math.exp(value) for name, value in zip(FITTED, place, strict=True)}


def _start() -> Any:
    import numpy as np

    return np.array([math.log(_at(name)) for name in FITTED])


def _slopes(rows: list[MeasuredSpeed], place: Any = None) -> Any:
    """Change of every row's log error with the logarithm of every constant; at the stored ones unless told."""
    import numpy as np

    place = _start() if place is None else place
    base, found = _residuals(rows, place), np.empty((len(rows), len(FITTED)))
    for column in range(len(FITTED)):
        moved = place.copy()
        moved[column] += 0.02
        found[:, column] = (_residuals(rows, moved) - base) / 0.02
    return found


def _alike(row: MeasuredSpeed) -> object:
    """Rows that say much the same."""
    return row.model, row.gpu, row.format


def _table(row: MeasuredSpeed) -> object:
    """Rows that share what their source does not tell: no table outvotes the others by its length."""
    return row.source


def _residuals(rows: list[MeasuredSpeed], place: Any) -> Any:
    import numpy as np

    with_constants({name: math.exp(value) for name, value in zip(FITTED, place, strict=True)})
    return np.array([math.log(figure(pace_of(row), row.measure) / row.value) for row in rows])


_PRISTINE: dict[str, Any] = stored.load_yaml(stored._FACTS / "speed.yaml")


def _at(name: str) -> float:
    place: Any = _PRISTINE
    for part in name.split("."):
        place = place[part]
    return float(place)


def with_constants(changes: dict[str, float]) -> None:
    """Put changed constants in place of the stored ones, for this process."""
    document = copy.deepcopy(_PRISTINE)
    for name, value in changes.items():
        *path, last = name.split(".")
        place = document
        for part in path:
            place = place[part]
        place[last] = value
    stored.load_yaml = lambda _: document  # type: ignore[assignment]
    stored.constants.cache_clear()
    allreduce._link.cache_clear()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--by", choices=("gpu", "source", "model", "engine"))
    parser.add_argument("--refit", choices=("gpu", "model", "source"))
    args = parser.parse_args()
    if args.refit:
        refit(lambda row: getattr(row, args.refit))
        return
    results = [result_of(row) for row in measured_speeds() if row.source not in UNMODELLED]
    table(results, lambda result: class_of(result.row))
    print()
    sound = [result for result in results if not result.row.doubt]
    shown = ("saturated", "serving dense", "serving MoE", "single stream", "adapters")
    table([r for r in sound if class_of(r.row) in shown],
          lambda result: f"{class_of(result.row)}, without doubted rows")  # fmt: skip
    if args.by:
        print()
        table(results, lambda result: f"{class_of(result.row)} | {getattr(result.row, args.by)[-24:]}", ("source",))


if __name__ == "__main__":
    main()
