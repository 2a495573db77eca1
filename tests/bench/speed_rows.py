"""Rows of measured_speed.csv from cases: what the formulas give beside each measurement. Run it after a refit.

python tests/bench/speed_rows.py            rewrites the derived columns of kb/facts/measured_speed.csv
"""

import csv
import json
import math
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kb.catalog import model as catalog_model  # noqa: E402
from kb.constants.measured_speed import FILE  # noqa: E402
from tools.named import read_card  # noqa: E402
from tools.speed.evidence import case_of  # noqa: E402
from tools.speed.item import chip_of  # noqa: E402
from tools.speed.item_estimate import item_pace  # noqa: E402
from tools.speed.layout import best_pace  # noqa: E402
from tools.speed.pace import Pace  # noqa: E402
from tools.speed.request import InferenceSpeedRequest  # noqa: E402
from tools.speed.work import work_of  # noqa: E402
from tools.training_time.estimate import estimate_token_training  # noqa: E402
from tools.training_time.evidence import case_of as training_case  # noqa: E402
from tools.training_time.images import image_rate, image_training_time  # noqa: E402
from tools.training_time.job import job_of  # noqa: E402
from tools.training_time.request import TrainingTimeRequest  # noqa: E402
from tools.training_time.step import token_time  # noqa: E402

SERVING = {
    "time_per_output_token_s": ("decode", "output_token_s"),
    "tokens_per_s_per_user": ("decode", "per_user"),
    "tokens_per_s_total": ("decode", "total"),
    "prefill_tokens_per_s": ("prefill", "prompt_rate"),
    "time_to_first_token_s": ("first_token", "first_token_s"),
}
ITEMS = {
    "images_per_s": "images",
    "time_per_image_s": "images",
    "time_per_clip_s": "images",
    "realtime_factor": "audio",
}
OTHER_ENGINES = {
    "exllamav2": "exllamav2", "mlc-llm-perf": "mlc", "llmq": "llmq", "llm.c": "llm.c", "lmdeploy-v0.1": "lmdeploy",
}  # fmt: skip
"""Sources that measured a program the tools do not model: its name stands in the row."""


def pace_of(request: dict[str, Any]) -> Pace:
    """What the formulas give for a serving request."""
    parsed = InferenceSpeedRequest.model_validate(request)
    return best_pace(work_of(parsed)[0], parsed)


def row(identity: str, source: str, request: dict[str, Any], measure: str, value: float) -> dict[str, Any]:
    """One row of the file."""
    if measure in ITEMS or measure == "samples_per_s_per_gpu":
        return _item_row(identity, source, request, measure, value)
    if measure in SERVING:
        kind, field = SERVING[measure]
        found = pace_of(request)
        work, case = found.work, case_of(found.work)
        counts = {"gpu_count": request.get("gpu_count", 1), "pipeline_parallel": work.layout.pipeline,
                  "sequences": request.get("concurrent_sequences", 1)}  # fmt: skip
        estimate = getattr(found, field)
    else:
        kind = "gpu_hours" if measure == "gpu_hours" else "training"
        parsed = TrainingTimeRequest.model_validate(request)
        job = job_of(parsed)[0]
        case, rate = training_case(job), 1 / token_time(job).total_s
        counts = {"gpu_count": request.get("gpu_count", job.cards), "pipeline_parallel": job.pipeline,
                  "sequences": job.micro_batch}  # fmt: skip
        run = estimate_token_training(parsed).gpu_hours
        estimate = run.value if kind == "gpu_hours" and run else rate
    return {
        "id": identity, "kind": kind, "model": case.model, "active_params": round(math.exp(case.active)),
        "moe": int(case.moe), "gpu": case.gpu, "architecture": case.architecture,
        "engine": OTHER_ENGINES.get(source, case.engine), "format": case.format,
        "tensor_parallel": round(math.exp(case.cards)), **counts, "input_tokens": round(math.exp(case.input)) - 64,
        "output_tokens": round(math.exp(case.output)) - 64,
        "measure": measure, "value": value, "estimate": f"{estimate:.5g}", "source": source,
        "request": json.dumps(request, separators=(",", ":")),
    }  # fmt: skip


def _item_row(identity: str, source: str, request: dict[str, Any], measure: str, value: float) -> dict[str, Any]:
    """A row of work without tokens: thousands of pixels stand for the prompt, steps for the answer."""
    model, gpu = catalog_model(request["model"]), read_card(request["gpu"])[0]
    cards = request.get("gpu_count", 1)
    if measure == "samples_per_s_per_gpu":
        parsed = TrainingTimeRequest.model_validate(request)
        _, batch, px, _ = image_training_time(parsed, chip_of(gpu))
        kind, engine, size, steps, form = "training_images", "pytorch", px**2 / 1000, 0, "16"
        estimate = image_rate(parsed, chip_of(gpu))
    else:
        found = item_pace(InferenceSpeedRequest.model_validate(request), gpu)
        kind, engine, batch, form = ITEMS[measure], found.engine, found.batch, found.format
        size, steps = found.size, found.time.steps
        estimate = found.rate * cards if measure == "images_per_s" else found.items / found.rate
        estimate = 1 / found.rate / cards if measure == "realtime_factor" else estimate
    return {
        "id": identity, "kind": kind, "model": model.id, "active_params": model.params, "moe": 0, "gpu": gpu.id,
        "architecture": gpu.architecture, "gpu_count": cards, "engine": engine, "format": form,
        "tensor_parallel": cards if kind == "training_images" else 1, "pipeline_parallel": 1, "sequences": batch,
        "input_tokens": round(size), "output_tokens": steps, "measure": measure, "value": value,
        "estimate": f"{estimate:.5g}", "source": source, "request": json.dumps(request, separators=(",", ":")),
    }  # fmt: skip


def main() -> None:
    """Derive every row anew from its request."""
    with FILE.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        names, old = list(reader.fieldnames or ()), list(reader)
    rows = [
        row(o["id"], o["source"], json.loads(o["request"]), o["measure"], float(o["value"])) | {"doubt": o["doubt"]}
        for o in old
    ]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{len(rows)} rows")


if __name__ == "__main__":
    main()
