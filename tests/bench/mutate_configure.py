# ruff: noqa: E501 (a mistake is a row: file, right line, wrong line)
"""The configurator's tests against deliberate mistakes: every one must be caught; run it as a script.

`python tests/bench/mutate_configure.py [NAME]` copies the tree to a temporary folder, makes one mistake at a time there
and runs the tests of the room until the first failure. A mistake that no test notices is printed as survived.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOM = "tools/configure"
COPIED = ("assistant", "ingest", "kb", "tools", "ui", "tests", "pyproject.toml")
MISTAKES: dict[str, tuple[str, str, str]] = {
    "dearest first": ("market/choice.py", "return self.used, not self.complete, self.felt,", "return self.used, not self.complete, -self.felt,"),
    "a layout forgotten": ("load/layout.py", "for tensor in (8, 4, 2, 1):", "for tensor in (4, 2, 1):"),
    "bound of speed too low": ("pace/bound.py", "max(step * self.least_factor, clamp)", "max(step * self.least_factor, clamp) * 2"),
    "bound of memory too high": ("load/cut.py", "return weights / layout.group + cache", "return 1.3 * weights / layout.group + cache"),
    "bound of training too low": ("pace/bound.py", "return Each(min(1 / (token_time(job)", "return Each(0.7 * min(1 / (token_time(job)"),
    "the file's order decides": ("market/rentals.py", "sorted(found, key=itemgetter(0, 1, 2))", "found"),
    "budget ignored": ("rank/options.py", "choice.amount > choice.affords(limit)", "choice.amount > 2 * choice.affords(limit)"),
    "power ignored": ("rank/options.py", "(choice.power_w or 0) <= self.power_w", "True"),
    "undated rents lead": ("market/choice.py", 'UNSURE = Decimal("1.3")', 'UNSURE = Decimal("1.0")'),
    "dominated points kept": ("rank/ranking.py", "paced.rate <= best:", "paced.rate <= best * 0.9:"),
    "slow layouts pass": ("pace/judged.py", "per_user < self.floor:", "per_user < 0.5 * self.floor:"),
    "deadline ignored": ("pace/judged.py", "time_s <= due_s)", "time_s <= 9 * due_s)"),
    "export rules ignored": ("market/sold.py", 'if rule is not None and rule.effect != "licence":', "if rule is None and rule:"),
    "used cards as new": ("market/sold.py", "and not asked:\n        return False\n    return", "and not asked:\n        return False\n    return asked or True or"),
    "a line not summed": ("bills/bill.py", "known = [item.subtotal for item in self.items if", "known = [item.subtotal for item in self.items[1:] if"),
    "no supply for the server": ("bills/bill.py", "host.rack_units, watts), *ups_items(machines, watts))", "host.rack_units, watts))"),
    "a stream begun too late": ("load/cut.py", "self.copied / min(", "1.3 * self.copied / min("),
    "more cards than do": ("rank/ranking.py", "card not in added and place < done", "place < done"),
    "owned cards bought again": ("bills/bill.py", "missing = max(count - owned, 0)", "missing = count"),
    "cards in hand come last": ("answer.py", "[*alone, mixed, *others]", "[*others, mixed, *alone]"),
    "the least price left out": ("search.py", "found = [*kept[: max(limit - len(less) - len(tight) - len(handy), 1)], *handy, *less]", "found = kept"),
    "streams of two kinds": ("market/stream.py", "return _kind(choice) == _kind(last) and", "return"),
    "the least second-hand not told": ("tell/misses.py", '(anything, "yes"), (anything, "tight")', ""),
    "sixteen bits on a Mac": ("market/suitable.py", 'return gpu.market == "apu" or', "return"),
    "published precision only": ("rank/ranking.py", "whole(wanted), (loss,), (verdict,)", "whole(wanted), (0,), (verdict,)"),
    "a bigger budget buys less": ("rank/ranking.py", "rate = best.paced.rate if least is None else least", "rate = NEARLY * best.paced.rate"),
    "more cards for the same": ("rank/ranking.py", "choice.count < best.option.choice.count", "choice.count > best.option.choice.count"),
    "experts shared over PCIe": ("load/fitting.py", "layout.expert_parallel > 1 and not training and not linked", "False"),
    "tight fits sold as sure": ("load/fitting.py", "verdict_of(self.cut.total_bytes, self.cut.high_bytes,", "verdict_of(self.cut.total_bytes, self.cut.total_bytes,"),
    "Chinese clouds for all": ("market/rentals.py", "return country not in {None, *CHINA}", "return False"),
}  # fmt: skip


def survived(name: str, folder: Path) -> bool:
    """Whether the tests of the room pass in spite of a mistake.

    Raises:
        ValueError: the code no longer has the line that the mistake changes.
    """
    file, right, wrong = MISTAKES[name]
    path = folder / ROOM / file
    text = path.read_text()
    if text.count(right) != 1:
        raise ValueError(f"{name}: {file} has the line {text.count(right)} times")
    path.write_text(text.replace(right, wrong))
    command = [sys.executable, "-m", "pytest", "tests/tools/configure", "-q", "-x", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    path.write_text(text)
    caught = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    print(
        f"{'survived' if done.returncode == 0 else 'caught':<9} {name:<28} {caught[0][:110] if caught else ''}",
        flush=True,
    )
    return done.returncode == 0


def main(names: list[str]) -> int:
    """Try each mistake; the number that survived."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name in COPIED:
            source = ROOT / name
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, folder / name)
        left = [name for name in names if survived(name, folder)]
    print(f"{len(names) - len(left)} of {len(names)} mistakes caught")
    return len(left)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(MISTAKES)))
