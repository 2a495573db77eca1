"""Print the calculator's error by class, source and engine, beside rules of thumb: `make bench-memory`.

`ARGS=--oracle` also lets Transformers, PEFT and autograd count real architectures (`oracle.py`, some minutes).
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from published import UNSEEN, Run, Score, runs, score, summary
from random_requests import ask
from refit import median_error, refitted

from kb.base import AdvisorError
from kb.catalog import models
from kb.units import GB
from tools.memory import estimate_memory
from tools.memory.formats import weight_format
from tools.memory.request import MemoryRequest
from tools.memory.weights import serving_weights
from tools.memory.workload import workload_of

COVERAGE = 0.9
REQUESTS = 10_000


def weights_of(run: Run) -> float:
    """Weights on one GPU when every parameter takes the format's bits: what rules of thumb start from."""
    work, _, _ = workload_of(run.request)
    bits = weight_format(work.format.name).expert_bits
    return work.shape.params * bits / 8 / (work.tensor * work.pipeline)


def training_of(run: Run, bytes_per_param: float) -> float:
    """A flat number of bytes a parameter, spread over the GPUs where the weights are sharded."""
    work, _, _ = workload_of(run.request)
    ranks = work.gpus if work.sharding in ("zero3", "fsdp") else work.tensor * work.pipeline
    return work.shape.params * bytes_per_param / ranks


def flat(run: Run, factor: float, bytes_per_param: float) -> float:
    """Weights times a factor; full training at some bytes a parameter."""
    return training_of(run, bytes_per_param) if run.request.task == "full_finetune" else weights_of(run) * factor


RULES: dict[str, Callable[[Run], float]] = {
    "weights × 1.2, 16 B/param": lambda run: flat(run, 1.2, 16),
    "weights × 1.5, 16 B/param": lambda run: flat(run, 1.5, 16),
    "weights × 2, 20 B/param": lambda run: flat(run, 2.0, 20),
    "accelerate estimate-memory": lambda run: flat(run, 1.0, 16),
}
"""accelerate: the format's bits on every parameter, and four times the fp32 weights for Adam."""


def table(title: str, groups: dict[str, list[float]]) -> None:
    """One line a group."""
    print(f"\n{title:<34}{'n':>6}{'median':>9}{'p90':>9}{'signed':>9}")
    for name, errors in sorted(groups.items()):
        row = summary(errors)
        print(f"{name:<34}{row['n']:>6.0f}{row['median']:>9.1%}{row['p90']:>9.1%}{row['signed']:>+9.1%}")


def grouped(scores: Iterable[Score], key: Callable[[Score], str]) -> dict[str, list[float]]:
    """Errors by a property of the run."""
    groups: dict[str, list[float]] = {}
    for row in scores:
        groups.setdefault(key(row), []).append(row.error)
    return groups


def leave_one_source_out(scores: list[Score]) -> tuple[float, float]:
    """(coverage, median width factor) when the interval is rescaled on the other sources only.

    Split-conformal: the factor is the 90 % quantile of |residual| / half-width over every other source.
    """
    whole = [row for row in scores if row.covered is not None]
    ratio = {id(row): abs(row.error) / row.half_width for row in whole}
    inside, factors = 0, []
    for source in {row.run.source for row in whole}:
        others = sorted(ratio[id(row)] for row in whole if row.run.source != source)
        factor = others[min(int(COVERAGE * (len(others) + 1)), len(others) - 1)]
        held = [row for row in whole if row.run.source == source]
        inside += sum(ratio[id(row)] <= factor for row in held)
        factors += [factor] * len(held)
    return inside / len(whole), sorted(factors)[len(factors) // 2]


def expressed() -> None:
    """How many measurements the request can state and the tool answers."""
    every, answered = runs(), 0
    for run in every:
        try:
            answered += estimate_memory(run.request).per_gpu.total_bytes > 0
        except AdvisorError as refusal:
            print(f"refused: {refusal}: {run.request.model_dump(exclude_none=True)}")
    print(f"{answered} of {len(every)} measurements are expressed ({answered / len(every):.1%})")


def checkpoints() -> None:
    """Weights computed from the architecture beside the size of the published files."""
    print(f"\n{'published checkpoint':<44}{'format':>8}{'files GB':>10}{'computed GB':>13}{'error':>8}")
    for name, model in models().items():
        for form, size in model.checkpoint_bytes.items():
            request = MemoryRequest(model=name, weight_format=form, engine="tensorrt-llm")
            work, _, _ = workload_of(request)
            bare = work._replace(shape=replace(work.shape, checkpoint_bytes=()))
            ours = sum(term.bytes for term in serving_weights(bare))
            print(f"{name:<44}{form:>8}{size / GB:>10,.1f}{ours / GB:>13,.1f}{ours / size - 1:>+8.1%}")


def held_out(exact: list[Score]) -> None:
    """Median error of each source as it is, and with every fitted constant refitted on the other sources."""
    own: dict[str, list[Score]] = {}
    for row in exact:
        own.setdefault(row.run.source, []).append(row)
    print(f"\n{'source left out':<50}{'n':>4}{'as it is':>10}{'refitted':>10}")
    refit = refitted([row.run for row in exact])
    for source in sorted(own):
        before, after = median_error(own[source]), median_error(refit[source])
        print(f"{source:<50}{len(own[source]):>4}{before:>10.1%}{after:>10.1%}")
    every = [row for rows in refit.values() for row in rows]
    table("held out, every constant refitted", grouped(every, lambda row: row.run.kind))
    whole = [row for row in every if row.covered is not None]
    print(f"interval on held-out sources covers {sum(bool(row.covered) for row in whole) / len(whole):.1%}")


def at_random() -> None:
    """Ten thousand random valid requests."""
    outcome = ask(REQUESTS)
    print(
        f"\n{REQUESTS:,} random requests: {outcome.answered:,} answered, {outcome.refused:,} refused by field, "
        f"{len(outcome.broken)} broken; median {outcome.median_s * 1000:.2f} ms"
    )
    for line in outcome.broken[:5]:
        print(f"  {line}")


def main() -> None:
    """Print every table."""
    expressed()
    scores = [score(run) for run in runs()]
    exact = [row for row in scores if not row.run.capped]
    table("by class", grouped(exact, lambda row: row.run.kind))
    table("by source", grouped(exact, lambda row: row.run.source))
    table("by engine", grouped(exact, lambda row: row.run.request.engine or "(not stated)"))
    table("sequence length is only a cap", grouped([row for row in scores if row.run.capped], lambda row: row.run.kind))
    whole = [row for row in exact if row.run.part in UNSEEN]
    beside = {"this calculator": [row.error for row in whole]}
    for name, rule in RULES.items():
        beside[name] = [rule(row.run) / row.run.bytes - 1 for row in whole]
    table("whole GPU, beside rules of thumb", beside)
    covered = [row for row in exact if row.covered is not None]
    coverage, factor = leave_one_source_out(exact)
    share = sum(bool(row.covered) for row in covered) / len(covered)
    width = sorted(row.half_width for row in covered)[len(covered) // 2]
    print(f"\n90 % interval: covers {share:.1%} of {len(covered)}, median half-width {width:.1%}")
    print(f"leave one source out: rescaled by {factor:.2f} on the others, covers {coverage:.1%} of the source left out")
    checkpoints()
    at_random()
    held_out(exact)
    if "--oracle" in sys.argv[1:]:
        import oracle

        oracle.main()


if __name__ == "__main__":
    main()
