"""How many turns of conversations are answered from memory, why the rest is not, and whether it is the same answer.

    python tests/bench/reliability/recalls.py --conversations 100
    python tests/bench/reliability/recalls.py --conversations 100 --compare 20

Conversations of five popular questions each, as in `load.py`, without a server. Counted are the turns of the second
half, when what recurs is known. The last conversations are asked a second time of an advisor that remembers nothing:
every answer must be the same in every field that is not of one turn only.
"""

import argparse
import sys
import time
import uuid
from collections import Counter
from typing import Any

from questions import recurring

from assistant import agent
from assistant.agent import Advisor
from assistant.compose.before import Before
from assistant.recall import Recall
from assistant.told import FRESH, Kept
from assistant.understanding import Understanding

TURNS = 5


class Watched(Recall):
    """A memory that says why it did not know a turn."""

    def __init__(self) -> None:
        super().__init__()
        self.reading: tuple[str, Understanding] | None = None
        self.why = ""
        self._asked: set[str] = set()
        self._needs: set[str] = set()
        self._said: set[Any] = set()

    def find(self, said: Any, now: Any, before: Before | None = None) -> Kept | None:
        """The same, noted."""
        known = super().find(said, now, before)
        assert self.reading is not None
        question, bare = self.reading
        need = question + bare.need.model_dump_json()
        if known is not None:
            self.why = "recalled"
        elif question not in self._asked:
            self.why = "the words are new"
        elif need not in self._needs:
            self.why = "the conversation gives another need"
        elif said not in self._said:
            self.why = "the same need, as a follow-up or not"
        else:
            self.why = "the answer before told something else, or it was not kept"
        self._asked.add(question)
        self._needs.add(need)
        self._said.add(said)
        return known


class Nothing(Recall):
    """A memory that never knows anything."""

    def find(self, said: Any, now: Any, before: Before | None = None) -> Kept | None:
        """Nothing."""
        return None


def watched(advisor: Advisor) -> Watched:
    """The memory of an advisor, replaced by one that tells."""
    memory, key_of = Watched(), agent.key_of
    advisor.recall = memory

    def noting(question: str, bare: Understanding) -> bytes:
        memory.reading = (question, bare)
        return key_of(question, bare)

    agent.key_of = noting
    return memory


def asked(advisor: Advisor, seed: int) -> list[dict[str, Any]]:
    """One conversation."""
    name, questions = uuid.uuid4().hex, recurring(seed)
    return [advisor.told(next(questions), name).answer.model_dump(exclude=FRESH) for _ in range(TURNS)]


def main() -> int:
    """Print the shares; fail when a remembered answer is not what would be worked out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=60)
    parser.add_argument("--compare", type=int, default=5, help="conversations asked again without memory")
    options = parser.parse_args()
    advisor, causes, used = Advisor(), Counter[str](), 0.0
    memory = watched(advisor)
    for seed in range(options.conversations):
        questions, name = recurring(seed), uuid.uuid4().hex
        for _ in range(TURNS):
            started = time.process_time()
            advisor.told(next(questions), name)
            if 2 * seed >= options.conversations:
                causes[memory.why] += 1
                used += time.process_time() - started
    turns = sum(causes.values())
    for cause, count in causes.most_common():
        print(f"{cause:60} {count:6} {count / turns:6.1%}")
    print(f"{1e3 * used / turns:.1f} ms of processor time a turn, over {turns} turns")
    last = range(options.conversations - options.compare, options.conversations)
    recalled = [asked(advisor, seed) for seed in last]
    advisor.recall = Nothing()
    anew = [asked(advisor, seed) for seed in last]
    alike = sum(
        one == other
        for before, after in zip(recalled, anew, strict=True)
        for one, other in zip(before, after, strict=True)
    )
    print(f"{alike}/{TURNS * options.compare} remembered answers are those that would be worked out")
    return 0 if alike == TURNS * options.compare else 1


if __name__ == "__main__":
    sys.exit(main())
