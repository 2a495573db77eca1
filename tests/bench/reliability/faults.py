"""Ask with a language model that fails in every way there is, and compare each answer with the planner's own.

    make reliability                 every mode twice, in short
    python tests/bench/reliability/faults.py --times 25

Prints, a mode: answers that equal the planner's in every number, the longest time a turn took beyond the planner's,
and whether the secret that the provider echoes was seen. Then the breaker: the time of a turn once it is open.
"""

import argparse
import logging
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from provider import FAULTS, SECRET, Provider
from server import prepared

QUESTIONS = (
    "Can 4×3090 run Qwen2.5-72B?",
    "4 张 3090 能跑 Qwen2.5-72B 吗？",
    "Does Qwen2.5-72B in int4 fit on 4×3090 for 8 users?",
)
REPLACED = ("planner answered instead", "由规划器作答")
"""What a turn says of itself, by language, when the planner stepped in."""
DEADLINE_S = 1.0
NOT_COMPARED = {"model_tokens", "id", "conversation_id", "elapsed_s", "warnings"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One mode."""

    mode: str
    asked: int
    equal: int
    degraded: int
    """Answers that say that the planner stepped in."""
    slowest_s: float
    leaked: int

    @property
    def good(self) -> bool:
        """Whether every turn was answered with the planner's numbers, in time, and nothing leaked."""
        return self.equal == self.degraded == self.asked and not self.leaked and self.slowest_s <= DEADLINE_S + 1.0


class Kept(logging.Handler):
    """Every line that was logged."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(logging.Formatter().format(record))


def advisors(home: Path, provider: Provider) -> tuple[Any, Any]:
    """One that the provider drives and one that has only the planner, over the same documents."""
    from assistant.agent import Advisor
    from kb.settings import Settings

    driven = Settings(
        home=home, llm="openai:scripted", llm_base_url=provider.base_url, llm_api_key=SECRET,
        llm_timeout_s=DEADLINE_S,
    )  # fmt: skip
    return Advisor(driven), Advisor(Settings(home=home))


def without_marks(answer: Any) -> dict[str, Any]:
    """What two answers to one question must share."""
    data: dict[str, Any] = answer.model_dump(mode="json", exclude=NOT_COMPARED)
    return data


def try_mode(mode: str, times: int, advisor: Any, provider: Provider, own: dict[str, tuple[Any, float]]) -> Outcome:
    """Ask `times` questions of a provider in this mode; the breaker is kept closed, so that each meets the fault."""
    kept = Kept()
    logging.getLogger().addHandler(kept)
    provider.say = FAULTS[mode]
    equal = degraded = leaked = 0
    slowest = 0.0
    try:
        for number in range(times):
            question = QUESTIONS[number % len(QUESTIONS)]
            expected, usual_s = own[question]
            advisor.breaker.succeeded()
            started = time.perf_counter()
            answer = advisor.ask(question)
            slowest = max(slowest, time.perf_counter() - started - usual_s)
            equal += without_marks(answer) == expected
            degraded += any(words in warning for warning in answer.warnings for words in REPLACED)
            leaked += SECRET in answer.model_dump_json()
    finally:
        logging.getLogger().removeHandler(kept)
    leaked += sum(SECRET in line for line in kept.lines)
    return Outcome(mode, times, equal, degraded, slowest, leaked)


def opened(advisor: Any, provider: Provider, usual_s: float, turns: int = 10) -> tuple[int, float]:
    """Requests that reach a provider that is down, and the median time a turn takes beyond the planner's own."""
    provider.say, provider.asked = FAULTS["500"], 0
    advisor.breaker.succeeded()
    while advisor.breaker.state == "closed":
        advisor.ask(QUESTIONS[0])
    before, times = provider.asked, []
    for _ in range(turns):
        started = time.perf_counter()
        advisor.ask(QUESTIONS[0])
        times.append(time.perf_counter() - started - usual_s)
    return provider.asked - before, median(times)


def run(times: int, modes: list[str]) -> tuple[list[Outcome], int, float]:
    """Every mode, then the breaker."""
    with tempfile.TemporaryDirectory() as folder, Provider() as provider:
        os.environ["GPU_ADVISOR_HOME"] = folder
        from ingest.sync import ensure_bundled
        from kb.settings import settings

        settings.cache_clear()
        prepared(Path(folder))
        ensure_bundled()
        provider.start()
        driven, planner = advisors(Path(folder), provider)
        own: dict[str, tuple[Any, float]] = {}
        for question in QUESTIONS:
            planner.ask(question)
            started = time.perf_counter()
            answer = planner.ask(question)
            own[question] = (without_marks(answer), time.perf_counter() - started)
        outcomes = [try_mode(mode, times, driven, provider, own) for mode in modes]
        reached, extra_s = opened(driven, provider, own[QUESTIONS[0]][1])
        provider.shutdown()
        driven.conversations.close()
        planner.conversations.close()
    return outcomes, reached, extra_s


def main() -> int:
    """Print the table; fail when a turn was not the planner's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=2, help="turns a mode")
    parser.add_argument("--only", default="", help="modes whose name holds this")
    options = parser.parse_args()
    modes = [mode for mode in FAULTS if options.only in mode]
    outcomes, reached, extra_s = run(options.times, modes)
    print(f"{'mode':38} {'asked':>5} {'equal':>5} {'told':>5} {'added s':>8} {'leaks':>5}")
    for one in outcomes:
        mark = "" if one.good else "  <--"
        print(f"{one.mode:38} {one.asked:5} {one.equal:5} {one.degraded:5} {one.slowest_s:8.2f} {one.leaked:5}{mark}")
    asked, equal = sum(one.asked for one in outcomes), sum(one.equal for one in outcomes)
    slowest = max(one.slowest_s for one in outcomes)
    print(f"{len(outcomes)} modes, {equal}/{asked} turns equal to the planner's, at most {slowest:.2f} s more")
    print(
        f"breaker open: {reached} requests reached the provider in 10 turns; {extra_s * 1e3:.0f} ms more at the median"
    )
    return 0 if all(one.good for one in outcomes) and reached == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
