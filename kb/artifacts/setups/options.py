"""The options of every program whose release was read, and their values taken apart from a command's words."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from kb.artifacts.setups.shell import Word, expanded
from kb.artifacts.setups.written import Given, Value, line_of, typed
from kb.catalog import load_yaml

QUOTE_MAX = 160
ABBREVIATED_MIN = 2
FILE = Path(__file__).parent / "known" / "options.csv"
ALSO = {
    "llamafactory": ("transformers",), "swift": ("transformers",), "trl": ("transformers",), "trainer": (
        "trl", "transformers"), "axolotl": ("transformers",), "swift-megatron": ("megatron", "swift"),
    "llama-cli": ("llama-server",),
}  # fmt: skip
"""Programs that take the options of others as well."""
OPEN = {"megatron", "swift-megatron", "swift", "trainer", "trl", "script", "axolotl", "transformers",
        "deepspeed-config"}  # fmt: skip
"""Programs whose scripts or plug-ins add options of their own: no option is unknown to them, none abbreviated."""
_SHORT = {"llama-server", "llama-cli", "tgi"}
"""Programs that take no abbreviation."""
_ON = {"true", "false", "yes", "no", "1", "0", "on", "off"}


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a program."""

    name: str
    switch: bool
    """Whether it stands alone."""
    choices: tuple[str, ...] = ()
    """The only values it takes; empty = any."""
    number: str = ""
    """`whole` or `number` where it takes one; empty = anything, or not read."""
    default: str = ""
    """What it is where it is not given; empty = worked out, nothing, or not read."""


class Release(NamedTuple):
    """Which release of a program was read, where and when."""

    release: str
    url: str
    date: str


PLAIN = {"value", "switch", "deprecated", "whole", "number"}
"""What an option takes where that is no choice of values."""


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, Option]]:
    tables: dict[str, dict[str, Option]] = {}
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            takes = row["takes"]
            choices = tuple(takes.split("|")) if takes not in PLAIN else ()
            number = takes if takes in {"whole", "number"} else ""
            option = Option(row["name"], takes in {"switch", "deprecated"}, choices, number, row["default"])
            table = tables.setdefault(row["program"], {})
            for written in row["written"].split():
                table[_plain(written)] = option
    return tables


@lru_cache(maxsize=64)
def options(program: str) -> Mapping[str, Option]:
    """The options of a program by each spelling (`tp`, `tensor_parallel_size`); empty where it was not read."""
    found: dict[str, Option] = {}
    for name in (*ALSO.get(program, ()), program):
        found |= _tables().get(name, {})
    return found


@lru_cache(maxsize=1)
def releases() -> Mapping[str, Release]:
    """The release of every program of the table."""
    rows = load_yaml(FILE.with_name("releases.yaml"))
    return {name: Release(str(row["release"]), row["url"], str(row["date"])) for name, row in rows.items()}


def _plain(written: str) -> str:
    return written.lstrip("-").replace("-", "_")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A command's words, taken apart."""

    given: dict[str, Given]
    repeated: tuple[Given, ...]
    unknown: tuple[Given, ...]
    words: tuple[Given, ...]
    rest: int
    """Index of the first word that was not taken."""


def parsed(program: str, words: Sequence[Word], text: str, known: dict[str, str], *, stops: bool = False) -> Parsed:
    """Options and words of a program; with `stops`, what follows the first plain word is another program's."""
    table = options(program)
    given: dict[str, Given] = {}
    repeated: list[Given] = []
    unknown: list[Given] = []
    plain: list[Given] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word.quoted or not _is_option(word.text):
            plain.append(_given("", typed(expanded(word.text, known)), word, word, text))
            at += 1
            if stops:
                break
            continue
        name, equals, inline = word.text.partition("=")
        option = _option(table, name, abbreviates=program not in OPEN and program not in _SHORT)
        taken = 1
        value: Value = True
        last = word
        if equals:
            value = typed(expanded(inline, known))
        elif _takes_next(option, words, at):
            last, taken = words[at + 1], 2
            value = typed(expanded(last.text, known))
        dotted = name.partition(".")[2]
        key = (option.name if option else _plain(name.partition(".")[0])) + (f".{dotted}" if dotted else "")
        if option and option.switch and name.startswith("--no-") and option.name.replace("_", "-") != name[2:]:
            value = False
        one = _given(key, value, word, last, text)
        if option is None and table and program not in OPEN:
            unknown.append(one)
        if key in given:
            repeated.append(given[key])
        given[key] = one
        at += taken
    return Parsed(given, tuple(repeated), tuple(unknown), tuple(plain), at)


def _is_option(text: str) -> bool:
    return len(text) > 1 and text[0] == "-" and not text[1].isdigit() and text != "--" and not text.startswith("-.")


def _option(table: Mapping[str, Option], name: str, *, abbreviates: bool) -> Option | None:
    plain = _plain(name.split(".")[0])
    found = table.get(plain)
    if found is None and name.startswith("--no"):
        found = table.get(plain.removeprefix("no").lstrip("_"))
    return found or (_abbreviated(table, plain) if abbreviates and name.startswith("--") else None)


def _abbreviated(table: Mapping[str, Option], plain: str) -> Option | None:
    """The only option that begins so: Python's argparse takes `--tp` for `--tp-size`."""
    if len(plain) < ABBREVIATED_MIN:
        return None
    begun = {option.name: option for written, option in table.items() if written.startswith(plain)}
    return next(iter(begun.values())) if len(begun) == 1 else None


def _takes_next(option: Option | None, words: Sequence[Word], at: int) -> bool:
    """Whether the next word is the value: never an option; after a switch only a plain true or false."""
    if at + 1 >= len(words):
        return False
    following = words[at + 1]
    if _is_option(following.text) and not following.quoted:
        return False
    if option is not None and option.switch:
        return following.text.lower() in _ON
    return True


def _given(name: str, value: Value, first: Word, last: Word, text: str) -> Given:
    inline = first is last and "=" in text[first.start : first.end] and name
    start = text.index("=", first.start, first.end) + 1 if inline else last.start
    return Given(
        name, value, start, last.end, first.start, last.end, line_of(text, first.start),
        " ".join(text[first.start : last.end].split())[:QUOTE_MAX],
    )  # fmt: skip
