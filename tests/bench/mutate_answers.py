"""Alter figures, names and words of answers that a model drove: how many alterations the guard catches, what it cuts.

    python tests/bench/mutate_answers.py                              the sample of tests/cases
    python tests/bench/mutate_answers.py answers.jsonl --show 12      answers as `gpu-advisor ask --batch` prints them

Every figure that the guard traced is altered in each way that applies, alone, and the answer is checked again. An
alteration is caught where the sentence it stands in would be cut. It is none where its value is stated of the very
thing it is said of; where it happens to be stated of that thing under another name (the memory that is usable for that
which is needed), it counts in the first column of shares and not in the second. Figures by reference are never altered.
"""

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "bench")]

from mutating.alterations import NOT_COUNTED, Alterations, Altered  # noqa: E402
from mutating.transcripts import Transcript, transcripts  # noqa: E402

from assistant.grounding.check import checked  # noqa: E402 - found through the path above
from assistant.grounding.claims import false_superlatives  # noqa: E402
from assistant.grounding.wording.statements import statements  # noqa: E402
from assistant.llm.answering import judged  # noqa: E402
from tools.agent_tools.ledger import Ledger  # noqa: E402

SAMPLE = ROOT / "tests" / "cases" / "transcripts.jsonl"


@dataclass
class Tally:
    """What was caught of one way."""

    caught: int = 0
    tried: int = 0
    caught_nowhere: int = 0
    """Of those whose value is stated of that thing under no name."""
    nowhere: int = 0
    missed: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Of all that were tried."""
        return self.caught / max(1, self.tried)

    @property
    def apart(self) -> float:
        """Of those that are stated nowhere."""
        return self.caught_nowhere / max(1, self.nowhere)


def bad(case: Transcript, text: str, shift: int = 0, after: int = 0) -> set[int]:
    """Where the statements begin that the guard would cut of `text`."""
    spans = [
        (start + shift, end + shift, key) if start >= after else (start, end, key) for start, end, key in case.spans
    ]
    found = {one.statement.start for one in checked(text, case.evidence, spans).findings}
    for claim, _ in false_superlatives(text, case.looked_up):
        found.add(text.index(claim))
    return found


def caught(case: Transcript, one: Altered, before: set[int]) -> bool:
    """Whether a sentence that stood before is cut now."""
    shift = len(one.put) - (one.end - one.start)
    moved = {start + shift if start > one.start else start for start in before}
    return bool(bad(case, one.of(case.text), shift, one.end) - moved)


def tally(cases: Iterable[Transcript], most: int, seed: int) -> dict[str, Tally]:
    """By way of altering, over at most so many alterations of each way and answer."""
    found: dict[str, Tally] = defaultdict(Tally)
    for case in cases:
        draw = random.Random(f"{seed}{case.answer}")
        traced = {end for end, _ in checked(case.text, case.evidence, case.spans).sources}
        before = bad(case, case.text)
        made: dict[str, list[Altered]] = defaultdict(list)
        for one in Alterations(case, traced, draw):
            if one.statement.start not in before:
                made[one.way].append(one)
        for way, altered in made.items():
            for one in draw.sample(altered, min(most, len(altered))):
                row = found[way]
                seen = caught(case, one, before)
                row.tried, row.caught = row.tried + 1, row.caught + seen
                if not one.elsewhere:
                    row.nowhere, row.caught_nowhere = row.nowhere + 1, row.caught_nowhere + seen
                if not seen:
                    note = one.note(case.text)
                    row.missed.append(f"{'[stated under another name] ' if one.elsewhere else ''}{case.name}: {note}")
    return dict(found)


def cut(cases: Iterable[Transcript]) -> tuple[int, int, list[str]]:
    """Statements that the guard would cut of answers as they are, of how many, and what they say."""
    many = 0
    told: list[str] = []
    for case in cases:
        whole = judged(case.answer, Ledger(case.looked_up), case.words, case.former, case.language)
        every = [one for one in statements(whole.said.text) if one.kind != "code"]
        many += len(every)
        cut_here = [one for one in every if any(start < one.end and one.start < end for start, end in whole.bad)]
        if cut_here:
            told += [f"{case.name}: {problem}" for problem in whole.problems]
        many_cut = len(cut_here)
        told += [""] * max(0, many_cut - len(whole.problems))
    return len(told), many, told


def total(found: dict[str, Tally]) -> Tally:
    """All counted ways together."""
    counted = [one for way, one in found.items() if way not in NOT_COUNTED]
    return Tally(
        *(sum(getattr(one, name) for one in counted) for name in ("caught", "tried", "caught_nowhere", "nowhere"))
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print shares by way of altering."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[SAMPLE])
    parser.add_argument("--most", type=int, default=40, help="alterations of each way and answer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="misses of each way")
    options = parser.parse_args(arguments)
    cases = [case for path in options.files or [SAMPLE] for case in transcripts(path)]
    found = tally(cases, options.most, options.seed)
    print(f"{'false answers caught':40}{'of all':>26}{'stated nowhere':>26}")
    for way, row in (*sorted(found.items(), key=lambda item: item[1].share), ("all that count", total(found))):
        star = " *" if way in NOT_COUNTED else ""
        told = (
            f"{row.caught:6} of {row.tried:5}{row.share:8.1%}",
            f"{row.caught_nowhere:6} of {row.nowhere:5}{row.apart:8.1%}",
        )
        print(f"  {way + star:40}{told[0]:>24}{told[1]:>26}")
    bad_ones, many, told = cut(cases)
    print(f"statements cut of {len(cases)} answers as they are: {bad_ones} of {many}, {bad_ones / max(1, many):.2%}")
    for line in told[: options.show] if options.show else ():
        print(f"  {line}")
    for way, row in sorted(found.items()) if options.show else ():
        for note in random.Random(options.seed).sample(row.missed, min(options.show, len(row.missed))):
            print(f"missed [{way}] {note}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
