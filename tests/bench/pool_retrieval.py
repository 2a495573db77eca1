"""Which other sections may answer a question as well: the best of search and of the tutorial way, shuffled, unnamed.

    python tests/bench/pool_retrieval.py > pooled.txt

Read every candidate and add to `also` in retrieval*.yaml those that answer the question as asked when read alone, in
both languages; one that is only about the same topic does not. Both systems are then scored by the same lists. On
21 November 2026 671 candidates of the 83 questions that search did not answer first were judged so; nine were added.
"""

import random
import tempfile
from pathlib import Path

from bench_retrieval import SETS, Section, build, headings, ours, section_of, tutorial, use

from kb.index.archive import LANGUAGES
from kb.settings import stay_offline

OURS, TUTORIAL = 3, 2
"""Places of each that are read."""


def heading_of(section: Section) -> str:
    return next(heading for heading, number in headings(section[0]).items() if number == section[1])


def main() -> None:
    stay_offline()
    generator = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        build(home, LANGUAGES)
        use(home)
        here, plain = ours(home), tutorial(LANGUAGES)
        for case in (case for cases in SETS.values() for case in cases):
            right = {section_of(at) for at in (case["at"], *case.get("also", ()))}
            found = [here(case[language]) for language in LANGUAGES]
            if all(one[:1] and one[0] in right for one in found):
                continue
            pooled = {section for one in found for section in one[:OURS]}
            pooled |= {section for language in LANGUAGES for section in plain(case[language])[:TUTORIAL]}
            candidates = sorted(pooled - right)
            generator.shuffle(candidates)
            print(f"{case['en']} / {case['zh']}\n  known: {case['at']} {case.get('also', '')}")
            for section in candidates:
                print(f"  ? {section[0]}: {heading_of(section)}")


if __name__ == "__main__":
    main()
