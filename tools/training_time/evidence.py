"""Near training measurements, and how far they move the formula."""

from kb.constants.speed_constants import constants
from tools.speed.evidence import Case, Correction, case, corrected
from tools.training_time.job import NF4, Job


def case_of(job: Job) -> Case:
    """What the job is compared by: the micro-batch stands for the load, the sample for the prompt.

    Adapters are told from whole trainings, and frozen weights that are widened every time from those that are not.
    """
    program = f"{job.trainer_name}{' quantised' if job.frozen else ''} adapters" if job.adapters else job.trainer_name
    computed = "fp8" if job.eight_bit else "bf16"
    return case(
        job.arch.id or job.arch.name, job.gpu.id, job.gpu.architecture, program,
        computed if job.frozen in (None, NF4) else f"{job.frozen} in {computed}", job.arch.moe,
        job.arch.active_params, job.cards if job.adapters else job.tensor, job.micro_batch, job.sequence, 0,
    )  # fmt: skip


def correction(job: Job) -> Correction:
    """The correction from training rows."""
    return corrected(case_of(job), "training", constants().training_neighbours)
