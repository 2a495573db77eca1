"""Learn the embedded reader from the corpus, or say how well it reads what it never saw.

    python tests/bench/fit_reader.py                        learn from every message, write the reader's model.npz
    python tests/bench/fit_reader.py --evaluate             threads left out, five parts
    python tests/bench/fit_reader.py --evaluate --by writer writers left out
    python tests/bench/fit_reader.py --curve                the same threads left out, with an eighth to all of the rest
    python tests/bench/fit_reader.py --marked FILE.jsonl    how the written model reads messages marked up elsewhere,
                                                            tests/corpus/left_out/by_guide.jsonl for instance

Figures, each with a 90 % interval from threads drawn anew: `slots` F1 of quotations with their slot, `quotes` F1 of the
quotations alone, `stances` of those that agree, `groups` pairs of agreeing facts that are of the same or of others as
marked, `main ask`, `asks` F1 of the kinds asked, `quantity` of the asks that agree, `kind` of message. Below them: how
much is said and how much of that is wrong, by how sure the reader has to be.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import torch
from reading.corpus import Line, corpus, draw, to_learn
from reading.examples import looked
from reading.figures import FIGURES, compared, figures, left_out, reader_of, risk, told
from reading.training import learned

from assistant.reading.embedded import WEIGHTS
from assistant.reading.embedded.tokens import read_tokens

PARTS = 5


def part_of_threads(line: Line) -> str:
    """The part in which a turn is left out: all of a thread in one."""
    return str(int(draw(line.thread[::-1]) * PARTS))


def writer_of(line: Line) -> str:
    """Who wrote it."""
    return line.writer


def marked(path: Path) -> None:
    """How the written model reads messages marked up elsewhere."""
    with np.load(WEIGHTS) as stored:
        reader = reader_of(dict(stored))
    lines = corpus([path])
    read = [compared(line, read_tokens(line.text, later=line.later), reader) for line in lines]
    print(told(path.stem, figures(lines, [counts for counts, _, _ in read])))
    print(*risk("facts", [one for _, facts, _ in read for one in facts]), sep="\n")
    print(*risk("asks", [one for _, _, asks in read for one in asks]), sep="\n")


def main() -> int:
    """Learn, or measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="*", type=Path, help="of the corpus; all of it where none is named")
    parser.add_argument("--evaluate", action="store_true")
    parser.add_argument("--by", choices=("thread", "writer"), default="thread")
    parser.add_argument("--parts", type=int, help="measure the first parts alone")
    parser.add_argument("--curve", action="store_true")
    parser.add_argument("--marked", type=Path)
    parser.add_argument("--threads", type=int, default=2, help="processor threads")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.evaluate or options.curve or options.marked:
        print("| turns | " + " | ".join(FIGURES) + " |\n|---" * 1 + "|---" * len(FIGURES) + "|")
    if options.marked:
        marked(options.marked)
        return 0
    turns = [looked(line) for line in corpus(options.files or to_learn())]
    part = writer_of if options.by == "writer" else part_of_threads
    if options.curve:
        for share in (0.125, 0.25, 0.5, 1.0):
            lines, rows, *_ = left_out(turns, part, share, options.parts or 1)
            print(told(f"{share:.0%} of the rest", figures(lines, rows)), flush=True)
    elif options.evaluate:
        lines, rows, facts, asks = left_out(turns, part, parts=options.parts)
        print(told(f"{options.by} left out", figures(lines, rows)))
        for language in sorted({line.language for line in lines}):
            kept = [n for n, line in enumerate(lines) if line.language == language]
            print(told(f"of those {language}", figures([lines[n] for n in kept], [rows[n] for n in kept])))
        print(*risk("facts", facts), *risk("asks", asks), sep="\n")
    else:
        np.savez_compressed(WEIGHTS, **learned(turns, quiet=False))
        print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size / 1e6:.1f} MB from {len(turns)} turns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
