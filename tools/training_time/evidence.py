"""Near training measurements, and how far they move the formula."""

from kb.speed_constants import constants
from tools.speed.evidence import Case, Correction, case, corrected
from tools.training_time.job import Job

KINDS = {"lora": " adapters", "qlora": " quantised adapters"}
"""What is told of adapters beside their program: quantised weights are widened every time they are used."""


def case_of(job: Job) -> Case:
    """What the job is compared by: the micro-batch stands for the load, the sample for the prompt."""
    return case(
        job.arch.id or job.arch.name, job.gpu.id, job.gpu.architecture,
        job.trainer_name + KINDS.get(job.task, ""), "fp8" if job.eight_bit else "bf16", job.arch.moe,
        job.arch.active_params, job.cards if job.adapters else job.tensor, job.micro_batch, job.sequence, 0,
    )  # fmt: skip


def correction(job: Job) -> Correction:
    """The correction from training rows."""
    return corrected(case_of(job), "training", constants().training_neighbours)
