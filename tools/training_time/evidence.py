"""Near training measurements, and how far they move the formula."""

from kb.speed_constants import constants
from tools.speed.evidence import Case, Correction, corrected
from tools.training_time.job import Job


def case_of(job: Job) -> Case:
    """What the job is compared by: the micro-batch stands for the load, the sample for the prompt."""
    return Case(
        model=job.arch.id or job.arch.name, active_params=job.arch.active_params, moe=job.arch.moe, gpu=job.gpu.id,
        architecture=job.gpu.architecture, engine=f"{job.trainer_name}{' adapters' if job.adapters else ''}",
        format="fp8" if job.eight_bit else "bf16", cards=job.tensor, sequences=job.micro_batch,
        input_tokens=job.sequence, output_tokens=0,
    )  # fmt: skip


def correction(job: Job) -> Correction:
    """The correction from training rows."""
    return corrected(case_of(job), "training", constants().training_neighbours)
