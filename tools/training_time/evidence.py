"""Near training measurements, and how far they move the formula."""

from kb.speed_constants import constants
from tools.speed.evidence import Case, Correction, case, corrected
from tools.training_time.job import Job


def case_of(job: Job) -> Case:
    """What the job is compared by: the micro-batch stands for the load, the sample for the prompt."""
    return case(
        job.arch.id or job.arch.name, job.gpu.id, job.gpu.architecture,
        f"{job.trainer_name}{' adapters' if job.adapters else ''}", "fp8" if job.eight_bit else "bf16", job.arch.moe,
        job.arch.active_params, job.tensor, job.micro_batch, job.sequence, 0,
    )  # fmt: skip


def correction(job: Job) -> Correction:
    """The correction from training rows."""
    return corrected(case_of(job), "training", constants().training_neighbours)
