"""Ask with a language model that fails in every way there is: the planner answers, or what does not hold is cut.

    make reliability                 every mode twice, in short
    python tests/bench/reliability/faults.py --times 25

Prints, a mode: answers that are as they must be (the planner's in every number, or the sound sentence without the
other), how many say what was done, the longest time a turn took beyond the planner's, the most requests of a turn, and
whether the secret that the provider echoes was seen. Then the breaker: the time of a turn once it is open.
"""

import argparse
import logging
import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from provider import CUT, FAULTS, SECRET, Provider, Say
from server import prepared

QUESTIONS = (
    "Can 4×3090 run Qwen2.5-72B?",
    "4 张 3090 能跑 Qwen2.5-72B 吗？",
    "Does Qwen2.5-72B in int4 fit on 4×3090 for 8 users?",
)
REPLACED = ("planner answered instead", "由规划器作答")
"""What a turn says of itself, by language, when the planner stepped in."""
LEFT_OUT = ("were left out", "已经删去")
"""And when sentences were cut."""
FALSE = re.compile(r"1,234|MI300X|attacker|R1\.ways|4242")
"""What the sentences of `CUT` say that nothing holds."""
SOUND = re.compile(r"Each of the four RTX 3090 holds \d+\.\d GiB")
DEADLINE_S = 2.0
REQUESTS_MAX = 8
"""Of one turn, whatever it says; answers that do not hold go back twice at most."""
NOT_COMPARED = {"model_tokens", "id", "conversation_id", "elapsed_s", "warnings"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One mode."""

    mode: str
    asked: int
    right: int
    """Answers that are the planner's, or of `CUT` the sentence that holds alone."""
    told: int
    """Answers that say what was done."""
    slowest_s: float
    requests: int
    """Most that one turn sent."""
    leaked: int

    @property
    def sound(self) -> bool:
        """Whether every turn was answered as it must be, said so, kept its ceilings, and nothing leaked."""
        return self.right == self.told == self.asked and not self.leaked and self.requests <= REQUESTS_MAX

    @property
    def good(self) -> bool:
        """The same, in time."""
        return self.sound and self.slowest_s <= DEADLINE_S + 2.0


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
        llm_timeout_s=DEADLINE_S, llm_role="drive",
    )  # fmt: skip
    return Advisor(driven), Advisor(Settings(home=home))


def without_marks(answer: Any) -> dict[str, Any]:
    """What two answers to one question must share."""
    data: dict[str, Any] = answer.model_dump(mode="json", exclude=NOT_COMPARED)
    return data


def try_mode(
    mode: str, say: Say, times: int, advisor: Any, provider: Provider, own: dict[str, tuple[Any, float]]
) -> Outcome:
    """Ask `times` questions of a provider in this mode; the breaker is kept closed, so that each meets the fault."""
    kept = Kept()
    logging.getLogger().addHandler(kept)
    provider.say = say
    right = told = leaked = requests = 0
    slowest = 0.0
    try:
        for number in range(times):
            question = QUESTIONS[number % len(QUESTIONS)] if mode not in CUT else QUESTIONS[0]
            expected, usual_s = own[question]
            advisor.breaker.succeeded()
            provider.asked = 0
            started = time.perf_counter()
            answer = advisor.ask(question)
            slowest = max(slowest, time.perf_counter() - started - usual_s)
            requests = max(requests, provider.asked)
            words = LEFT_OUT if mode in CUT else REPLACED
            right += only_what_holds(answer) if mode in CUT else without_marks(answer) == expected
            told += any(each in warning for warning in answer.warnings for each in words)
            leaked += SECRET in answer.model_dump_json()
    finally:
        logging.getLogger().removeHandler(kept)
    leaked += sum(SECRET in line for line in kept.lines)
    return Outcome(mode, times, right, told, slowest, requests, leaked)


def only_what_holds(answer: Any) -> bool:
    """Whether the model's sound sentence stands, traced, and the other is gone."""
    stands = SOUND.search(answer.answer) is not None and answer.engine.startswith("llm:")
    return stands and not FALSE.search(answer.answer) and not answer.grounding.ungrounded


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
        ways = FAULTS | CUT
        outcomes = [try_mode(mode, ways[mode], times, driven, provider, own) for mode in modes]
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
    modes = [mode for mode in FAULTS | CUT if options.only in mode]
    outcomes, reached, extra_s = run(options.times, modes)
    print(f"{'mode':38} {'asked':>5} {'right':>5} {'told':>5} {'added s':>8} {'calls':>5} {'leaks':>5}")
    for one in outcomes:
        mark = "" if one.good else "  <--"
        told = f"{one.asked:5} {one.right:5} {one.told:5} {one.slowest_s:8.2f} {one.requests:5} {one.leaked:5}"
        print(f"{one.mode:38} {told}{mark}")
    asked, right = sum(one.asked for one in outcomes), sum(one.right for one in outcomes)
    slowest, most = max(one.slowest_s for one in outcomes), max(one.requests for one in outcomes)
    print(
        f"{len(outcomes)} modes, {right}/{asked} turns as they must be, at most {slowest:.2f} s more, {most} requests"
    )
    print(
        f"breaker open: {reached} requests reached the provider in 10 turns; {extra_s * 1e3:.0f} ms more at the median"
    )
    return 0 if all(one.good for one in outcomes) and reached == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
