"""The script that measures on a card: what of it can be checked without one."""

import sys
import warnings
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from measure_gpu import TRIALS, Trial, built, main, rows_of
from published import Run, score

from tools.memory.request import MemoryRequest


def test_at_least_sixty_different_trials_are_planned() -> None:
    assert len(TRIALS) == len(set(TRIALS)) >= 60
    assert {trial.task for trial in TRIALS} == {"full_finetune", "lora", "inference"}


@pytest.mark.parametrize("model", sorted({trial.model for trial in TRIALS}))
def test_every_model_is_built_without_memory(model: str) -> None:
    trial = next(trial for trial in TRIALS if trial.model == model and trial.task in ("lora", "inference"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network = built(trial)
    assert {parameter.device.type for parameter in network.parameters()} == {"meta"}


@pytest.mark.parametrize("trial", TRIALS, ids=lambda one: f"{one.model}-{one.task}-{one.tokens}-{one.precision}")
def test_rows_are_scored_like_published_ones(trial: Trial) -> None:
    (row,) = rows_of(trial, {"allocated": 10**10})
    run = Run("own", row["class"], row["part"], row["bytes"], False, MemoryRequest(**row["request"]))
    assert score(run).predicted > 10**9


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")
def test_without_a_card_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 1
    assert "No CUDA card here" in capsys.readouterr().out
