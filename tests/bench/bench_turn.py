"""What a turn of the planner that was never asked costs, piece by piece; run it as a script.

    python tests/bench/bench_turn.py [QUESTIONS] [--seed N] [--functions N] [--answers FILE]

Half of the questions are the load bench's, half name any model and card of the catalog. The process is warmed and
settled as the server is and holds nothing of a question before it is asked; the index is that of the home that the
settings name. Pieces, and the processor time of the whole turn, are of whichever thread they run on; the documents are
searched beside the rest, so that whoever waits waits less than the sum: that is the last row. What the machine does
besides slows everything down: each turn stands beside a fixed piece of work, so that two runs can be compared by the
last column. `--functions` adds where the time goes by function, `--answers` keeps every answer without
what is of one turn only, one a line: equal files are equal answers.
"""

import argparse
import json
import random
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "reliability"))
from questions import FORMS, novel

from assistant import agent, finish, step, work
from assistant.agent import Advisor
from assistant.told import FRESH
from kb.catalog import gpus, models
from kb.settings import settings
from kb.vectors.embedder import Bilingual
from tools.registry import Tool, tools
from ui.serving.worker import SWITCH_S, settled, warm

WARMING = ("Can 2×A6000 run Qwen2.5-7B for 3 users?", "预算 7 万元，跑 Qwen2.5-7B，3 个并发，买什么卡？")
TICK_S = 0.001
clock = time.process_time


def varied(seed: int) -> Iterator[str]:
    """The load bench's forms over every model and card of the catalog."""
    draw = random.Random(seed)
    named = sorted(one.name for one in models().values()), sorted(one.name for one in gpus().values())
    while True:
        yield draw.choice(FORMS).format(
            count=draw.choice((1, 2, 4, 8)), model=draw.choice(named[0]), card=draw.choice(named[1]),
            users=draw.randrange(1, 300), context=draw.randrange(1000, 32000), budget=draw.randrange(20, 900) * 1000,
        )  # fmt: skip


class Pieces:
    """Seconds of each piece of a turn, less those of the pieces within it."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._threads = threading.local()

    @property
    def _within(self) -> list[float]:
        """What the pieces entered on this thread lost to those within them."""
        if not hasattr(self._threads, "within"):
            self._threads.within = []
        return self._threads.within  # type: ignore[no-any-return]

    def watch(self, place: type | ModuleType, name: str, label: str | Callable[..., str]) -> None:
        """Count what a function takes from here on."""
        run = getattr(place, name)

        def watched(*given: Any, **named: Any) -> Any:
            began = time.thread_time()
            self._within.append(0.0)
            try:
                return run(*given, **named)
            finally:
                taken, inner = time.thread_time() - began, self._within.pop()
                self.seconds[label if isinstance(label, str) else label(*given)] += taken - inner
                if self._within:
                    self._within[-1] += taken

        setattr(place, name, watched)


def watched() -> Pieces:
    """The pieces of a turn that the table tells."""
    pieces = Pieces()
    pieces.watch(agent, "understand", "reading the words")
    pieces.watch(step, "plan", "planning")
    pieces.watch(step, "plan_more", "planning")
    pieces.watch(Bilingual, "_query", "the question's vector")

    def of_tool(tool: Tool, _: Any) -> str:
        return tool.name

    pieces.watch(step, "call", of_tool)
    pieces.watch(work, "compose", "composing")
    pieces.watch(finish, "ground", "tracing the numbers")
    return pieces


def standard(rows: list[dict[str, Any]]) -> float:
    """Seconds of a fixed piece of work of the kinds that turns are made of."""
    began = clock()
    ordered = sorted(rows, key=lambda row: str(row["name"]))
    json.dumps(ordered[:400])
    held = {(row["name"], row["size"]): tuple(row["parts"]) for row in ordered}
    sum(len(held[row["name"], row["size"]]) for row in rows)
    return clock() - began


def by_function(questions: int) -> Callable[[], None]:
    """Sample where the time goes from here on; calling the result ends it and prints the most expensive functions."""
    within, own = Counter[str](), Counter[str]()

    def tick(_: int, frame: FrameType | None) -> None:
        names = []
        while frame is not None:
            names.append(f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_qualname}")
            frame = frame.f_back
        own[names[0]] += 1
        within.update(set(names))

    def end() -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        every = own.total() or 1
        print(f"\n{'function':60}{'with what it calls':>20}{'itself':>10}")
        for name, count in within.most_common(questions):
            print(f"{name[:58]:60}{count / every:>20.1%}{own[name] / every:>10.1%}")

    signal.signal(signal.SIGPROF, tick)
    signal.setitimer(signal.ITIMER_PROF, TICK_S, TICK_S)
    return end


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", nargs="?", type=int, default=80)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--functions", type=int, default=0, help="functions to list")
    parser.add_argument("--answers", type=Path)
    options = parser.parse_args()
    draw = random.Random(1)
    rows = [{"name": str(draw.random()), "size": draw.random(), "parts": [draw.random()] * 12} for _ in range(2000)]
    pieces, taken, beside, waited = watched(), list[float](), list[float](), list[float]()
    sys.setswitchinterval(SWITCH_S)
    of_turns: list[dict[str, float]] = []
    answers = options.answers.open("w", encoding="utf-8") if options.answers else None
    with tempfile.TemporaryDirectory() as folder:
        tools()
        warm()
        advisor = Advisor(settings())
        advisor.conversations = type(advisor.conversations)(Path(folder) / "turns.sqlite", None)
        pieces.watch(advisor.conversations, "append", "storing it")  # type: ignore[arg-type]
        for question in WARMING:
            advisor.ask(question)
        settled()
        end = by_function(options.functions) if options.functions else None
        for _, *two in zip(range(options.questions // 2), novel(options.seed), varied(options.seed), strict=False):
            for question in two:
                before = standard(rows)
                pieces.seconds.clear()
                began, at = clock(), time.perf_counter()
                answer = advisor.ask(question)
                taken.append(clock() - began)
                waited.append(time.perf_counter() - at)
                of_turns.append(dict(pieces.seconds))
                beside.append((before + standard(rows)) / 2)
                if answers:
                    answers.write(answer.model_dump_json(exclude=FRESH) + "\n")
        if end:
            end()
    told(taken, waited, of_turns, beside)


def told(taken: list[float], waited: list[float], of_turns: list[dict[str, float]], beside: list[float]) -> None:
    """The table: milliseconds, and in the last column how many of the fixed piece of work."""
    print(f"{'piece':28}{'turns':>7}{'median':>9}{'90 %':>9}{'mean a turn':>14}")
    means = {name: sum(one.get(name, 0.0) for one in of_turns) for name in {name for one in of_turns for name in one}}
    for name in sorted(means, key=lambda one: -means[one]):
        known = sorted(one[name] * 1e3 for one in of_turns if name in one)
        row = f"{len(known):>7}{statistics.median(known):>9.2f}{known[int(len(known) * 0.9)]:>9.2f}"
        print(f"{name:28}{row}{means[name] * 1e3 / len(taken):>14.2f}")
    for name, seconds in (("the whole turn, processor", taken), ("the whole turn, waited for", waited)):
        every = sorted(one * 1e3 for one in seconds)
        ratio = statistics.median(one / other for one, other in zip(seconds, beside, strict=True))
        print(f"{name:28}{len(every):>7}{statistics.median(every):>9.1f}{every[int(len(every) * 0.9)]:>9.1f}"
              f"{sum(every) / len(every):>14.1f}  {ratio:.1f} × {statistics.median(beside) * 1e3:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
