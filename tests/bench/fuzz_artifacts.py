"""Mutilate pasted things and read them: nothing may crash, take long, or fall outside the text.

    python tests/bench/fuzz_artifacts.py [count] [seed]

Prints how many were read, the slowest in processor time, and the time of 200 kB of each case repeated.
"""

import random
import sys
import time
from pathlib import Path

import yaml

from kb.artifacts import find_artifacts

CASES = Path(__file__).parents[1] / "cases" / "artifacts"
SIGNS = "|+-:=,.%/[](){}<>\"'`~#$\\\t\n\r 0123456789abcXYZ：，（）│═\x1b\x00\u200b\ufeff😀"
LARGE = 200_000


def texts() -> list[str]:
    """The texts of all cases."""
    return [one["text"] for path in sorted(CASES.glob("*.yaml")) for one in yaml.safe_load(path.read_text("utf-8"))]


def mutilated(text: str, chance: random.Random, others: list[str]) -> str:
    """The text after a few cuts, repeats, swaps, wrappings and strange signs."""
    for _ in range(chance.randint(1, 6)):
        text = _one(text, chance, others)
    return text


def _one(text: str, chance: random.Random, others: list[str]) -> str:
    if not text:
        return chance.choice(others)
    at, to = sorted((chance.randrange(len(text)), chance.randrange(len(text) + 1)))
    kind = chance.randrange(9)
    if kind == 0:
        return text[:at] + text[to:]
    if kind == 1:
        return text[:at] + text[at:to] * chance.randint(2, 4) + text[to:]
    if kind == 2:
        return text[:at] + "".join(chance.choices(SIGNS, k=chance.randint(1, 12))) + text[at:]
    if kind == 3:
        lines = text.split("\n")
        chance.shuffle(lines)
        return "\n".join(lines)
    if kind == 4:
        width = chance.randint(20, 120)
        return "\n".join(line[i : i + width] for line in text.split("\n") for i in range(0, max(len(line), 1), width))
    if kind == 5:
        return text.replace("\n", chance.choice(["", " ", "\r\n", "\n> ", "\n\n"]))
    if kind == 6:
        return chance.choice(["```\n", "> ", "", "2025-01-02 03:04:05 "]) + text + "\n" + chance.choice(others)
    if kind == 7:
        return " ".join(text.split()) if chance.random() < 0.5 else text.upper()
    return "".join(one for one in text if chance.random() > 0.02)


def check(text: str) -> float:
    """Seconds of processor time that reading took.

    Raises:
        AssertionError: an artifact, a fact or a stretch of prose lies outside the text, or two overlap.
    """
    started = time.process_time()
    found = find_artifacts(text)
    took = time.process_time() - started
    lines = text.count("\n") + 1
    for one in found.artifacts:
        assert 0 <= one.start <= one.end <= len(text), one
        assert 1 <= one.first_line <= lines, one
        assert all(one.first_line <= fact.line <= lines for fact in one.facts), one
    for span in found.prose:
        assert 0 <= span.start < span.end <= len(text), span
        assert not any(span.start < one.end and one.start < span.end for one in found.artifacts), span
    return took


def run(count: int, seed: int) -> tuple[float, float]:
    """(slowest of so many mutilated texts, slowest of 200 kB) in seconds of processor time."""
    chance, others = random.Random(seed), texts()
    check(others[0])
    slowest = max(check(mutilated(chance.choice(others), chance, others)) for _ in range(count))
    large = 0.0
    for text in others[:: max(1, len(others) * 50 // max(count, 1))] if count < 5_000 else others:
        large = max(large, check((text * (LARGE // len(text) + 1))[:LARGE]))
    return slowest, large


if __name__ == "__main__":
    arguments = [int(one) for one in sys.argv[1:]]
    total = arguments[0] if arguments else 10_000
    slow, big = run(total, arguments[1] if len(arguments) > 1 else 1)
    print(f"{total} read, slowest {slow * 1e3:.1f} ms, 200 kB at most {big * 1e3:.0f} ms")
