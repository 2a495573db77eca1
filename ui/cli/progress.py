"""How far a long command has come, on standard error and only where a person watches it."""

import sys

BAR_WIDTH, NAME_WIDTH = 24, 48


def bar(done: int, total: int, name: str) -> None:
    """One line that redraws itself: a bar, a count, and what is at hand."""
    if sys.stderr.isatty():
        full = BAR_WIDTH * done // max(total, 1)
        end = "\n" if done == total else ""
        shape = "#" * full + "." * (BAR_WIDTH - full)
        print(f"\r[{shape}] {done}/{total} {name[-NAME_WIDTH:]:{NAME_WIDTH}}", end=end, file=sys.stderr, flush=True)


def counted(done: int, what: str) -> None:
    """One line that redraws itself, where the total is not known; none where the results fill the same terminal."""
    if sys.stderr.isatty() and not sys.stdout.isatty():
        print(f"\r{done} {what}", end="", file=sys.stderr, flush=True)
