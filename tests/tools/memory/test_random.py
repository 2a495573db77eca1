"""Random valid requests: an answer or a refusal by name, never anything else."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from random_requests import ask

REQUESTS = 2_000


def test_random_requests_are_answered_or_refused_by_name() -> None:
    outcome = ask(REQUESTS)
    assert outcome.broken == []
    assert outcome.answered + outcome.refused == REQUESTS
    assert outcome.refused < REQUESTS / 20
