"""What is said to hold several works holds each of them by the figures shown."""

import pytest

from assistant.compose.names import cards
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    "text",
    [
        "budget $2500, want to run Flux and a 30B coder locally",
        "budget $6000, one machine for Flux and Qwen2.5-32B serving",
        "one box for Whisper transcription and Llama-3.1-70B, $15k",
        "预算 3 万，一台机器既跑 Flux 又跑 Qwen2.5-32B",
    ],
)
def test_no_work_that_the_headline_names_is_said_not_to_fit(text: str) -> None:
    _, _, draft = turn(text)
    first, *rest = draft.answer.split("\n\n")
    best = draft.configurations[0]
    assert cards(best.gpu, best.gpu_count) in first
    rows = [line for part in rest for line in part.splitlines() if line.startswith("| ")]
    works = [row for row in rows if row.rstrip(" |").endswith(("does not fit", "放不下"))]
    assert works == []


def test_what_does_not_fit_beside_the_main_work_is_said_first() -> None:
    _, _, draft = turn("budget $1200 for everything: one machine for Flux and Llama-3.1-70B")
    first = draft.answer.split("\n\n")[0]
    held = [row for row in draft.answer.splitlines() if row.startswith("| ") and "does not fit" in row]
    assert held
    assert "beyond these terms" in first
