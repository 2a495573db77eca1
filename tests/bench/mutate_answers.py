"""Alter numbers of composed answers: how many alterations the check catches, how many true restatements it removes.

    python tests/bench/mutate_answers.py                 a sample of the questions of tests/cases
    python tests/bench/mutate_answers.py --most 40 --show 12

Every number that the check traced is altered in each way that applies, alone, and the whole answer is checked again.
An alteration counts as wrong only where its value is stated nowhere else in what the answer rests on; by chance some
other true number may well be the altered one, so 100 % is out of reach for bare small numbers.
"""

import argparse
import os
import random
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
UNITS = {
    "GiB": ("TB", "MiB"), "GB": ("TB", "GB/s"), "kW": ("W",), " W": (" kW",), "小时": ("天",), "天": ("小时",),
    "hours": ("days", "minutes"), "days": ("hours",), "TB/s": ("GB/s",), "tokens/s": ("TFLOPS",), "ms": ("s",),
}  # fmt: skip
"""A unit and others that it may be mistaken for."""
HAN = "零一二三四五六七八九十"
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class Case:
    """An answer and what it rests on."""

    text: str
    records: tuple[Any, ...]
    words: tuple[str, ...]
    citations: tuple[Any, ...]
    language: str

    def loose(self, text: str) -> tuple[str, ...]:
        """What nothing vouches for, as the agent checks the words of whoever wrote them."""
        from assistant.reply import untraced

        return untraced(text, self.records, self.words, self.citations)


def cases(most: int, seed: int) -> Iterator[Case]:
    """Composed answers to our own questions."""
    from expectations import load, turns

    from ui.service import advisor

    chosen = load()
    random.Random(seed).shuffle(chosen)
    for case in chosen[:most]:
        answer, conversation = None, None
        for turn in turns(case):
            answer = advisor().ask(turn, conversation)
            conversation = answer.conversation_id
        assert answer is not None
        if answer.grounding.numbers:
            yield Case(answer.answer, answer.tool_calls, tuple(turns(case)), answer.citations, answer.language)


def plain(value: float, like: str) -> str:
    """A value written as finely as `like`."""
    digits = len(like.split(".")[1]) if "." in like else 0
    return f"{value:,.{digits}f}" if "," in like else f"{value:.{digits}f}"


def altered(text: str, kind: str, chinese: bool) -> Iterator[tuple[str, str]]:
    """(way, false text) of one number as it is written."""
    match = re.search(r"\d[\d,]*(?:\.\d+)?", text)
    if match is None:
        return
    number = float(match[0].replace(",", ""))

    def put(written: str) -> str:
        return text[: match.start()] + written + text[match.end() :]

    yield "a tenth more", put(plain(number * 1.1 + (0 if "." in match[0] else 1), match[0]))
    yield (
        "a third less",
        put(plain(number * 0.67 - (0 if "." in match[0] else 1), match[0]) if number > 4 else match[0]),
    )
    yield "ten times", put(plain(number * 10, match[0]))
    if kind == "plain" and "." not in match[0] and number < 200:
        yield "a count off by one", put(plain(number + 1, match[0]))
        if 1 <= number <= 9:
            yield "a numeral off by one", put((HAN if chinese else WORDS)[int(number) + 1])
    for unit, others in UNITS.items():
        if text.endswith(unit):
            for other in others:
                yield "another unit", text[: -len(unit)] + other
    for sign, other in (("$", "¥"), ("¥", "$"), ("€", "$")):
        if text.startswith(sign):
            yield "another currency", other + text[1:]


def restated(text: str, kind: str, values: tuple[float, ...], chinese: bool) -> Iterator[tuple[str, str]]:
    """(way, true text) of one number as it is written."""
    match = re.search(r"\d[\d,]*(?:\.\d+)?", text)
    if match is None:
        return
    written, number = match[0], float(match[0].replace(",", ""))

    def put(other: str) -> str:
        return text[: match.start()] + other + text[match.end() :]

    if "." in written and number >= 10:
        yield "rounded", put(f"{number:,.0f}")
    if "," in written:
        yield "no separators", put(written.replace(",", ""))
    if kind == "bytes" and text.endswith("GiB") and number >= 10:
        yield "decimal unit", f"{values[0] / 1e9:.0f} GB"
    if kind == "w" and text.endswith("kW"):
        yield "smaller unit", f"{values[0]:.0f} W"
    if kind == "s" and text.endswith("hours") and number >= 3:
        yield "smaller unit", f"{values[0] / 60:.0f} minutes"
    if kind == "money" and number >= 20_000 and number % 1000 == 0 and not text.endswith(("k", "万")):
        yield (
            "thousands",
            (f"{text[: match.start()]}{number / 1000:.0f}k" if not chinese else put(f"{number / 1e4:g}万")),
        )
    if kind == "plain" and "." not in written and 1 <= number <= 10 and text == written:
        yield "numeral", ("两" if number == 2 else HAN[int(number)]) if chinese else WORDS[int(number)]


def swaps(case: Case, spots: list[Any], draw: random.Random) -> Iterator[tuple[str, str]]:
    """(way, text) where a number takes the digits of one of another kind: a price the memory's."""
    for spot in spots:
        others = [one for one in spots if one.kind != spot.kind and one.kind != "plain" and spot.kind != "plain"]
        digits = re.search(r"\d[\d,]*(?:\.\d+)?", spot.text)
        if not others or digits is None:
            continue
        other = re.search(r"\d[\d,]*(?:\.\d+)?", draw.choice(others).text)
        if other is None or other[0] == digits[0]:
            continue
        start = spot.start + digits.start()
        yield "roles swapped", case.text[:start] + other[0] + case.text[spot.start + digits.end() :]


def dates(case: Case) -> Iterator[tuple[str, str]]:
    """(way, text) with a date moved."""
    for match in re.finditer(r"20\d\d-(\d\d)(?:-(\d\d))?", case.text):
        month = f"{int(match[1]) % 12 + 1:02d}"
        yield "another month", case.text[: match.start(1)] + month + case.text[match.end(1) :]
        year = int(case.text[match.start() : match.start() + 4]) + 1
        yield "another year", case.text[: match.start()] + str(year) + case.text[match.start() + 4 :]


def spots_of(case: Case) -> list[Any]:
    """The numbers that the check looked at, where they stand."""
    from assistant.ground.check import checked_numbers

    return [spot for spot, good in checked_numbers(case.text, case.records, case.words, case.citations) if good]


def tally(
    found: list[Case], most_a_case: int, seed: int
) -> tuple[dict[str, list[bool]], dict[str, list[bool]], list[str]]:
    """By way: whether each false number was caught, each true one kept; and examples of what went wrong."""
    draw = random.Random(seed)
    caught: dict[str, list[bool]] = defaultdict(list)
    kept: dict[str, list[bool]] = defaultdict(list)
    wrong: list[str] = []
    for case in found:
        before, spots = len(case.loose(case.text)), spots_of(case)
        tries: list[tuple[dict[str, list[bool]], str, str, str]] = []
        for spot in spots:
            chinese = case.language == "zh"
            ways: tuple[tuple[dict[str, list[bool]], Callable[[], Iterator[tuple[str, str]]]], ...] = (
                (caught, lambda spot=spot, chinese=chinese: altered(spot.text, spot.kind, chinese)),
                (kept, lambda spot=spot, chinese=chinese: restated(spot.text, spot.kind, spot.values, chinese)),
            )  # fmt: skip
            for group, make in ways:
                for way, text in make():
                    if text != spot.text:
                        whole = case.text[: spot.start] + text + case.text[spot.end :]
                        tries.append((group, way, whole, f"{spot.text!r} → {text!r}"))
        tries += [(caught, way, text, way) for way, text in (*swaps(case, spots, draw), *dates(case))]
        draw.shuffle(tries)
        for group, way, text, note in tries[:most_a_case]:
            more = len(case.loose(text)) > before
            group[way].append(more if group is caught else not more)
            if not group[way][-1]:
                wrong.append(f"{'missed' if group is caught else 'removed'} [{way}] {note}")
    return caught, kept, wrong


def main() -> int:
    """Print shares by way of altering and of restating."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=60, help="answers")
    parser.add_argument("--tries", type=int, default=60, help="alterations of each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="examples of what went wrong")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["GPU_ADVISOR_HOME"] = home
        found = list(cases(options.most, options.seed))
        caught, kept, wrong = tally(found, options.tries, options.seed)
    for title, group in (("false numbers caught", caught), ("true restatements kept", kept)):
        print(f"{title}, {len(found)} answers")
        for way, results in sorted(group.items(), key=lambda item: sum(item[1]) / len(item[1])):
            print(f"  {way:24}{sum(results):6} of {len(results):6}{sum(results) / len(results):9.1%}")
        results = [one for each in group.values() for one in each]
        print(f"  {'all':24}{sum(results):6} of {len(results):6}{sum(results) / max(1, len(results)):9.1%}")
    for line in random.Random(options.seed).sample(wrong, min(options.show, len(wrong))):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
