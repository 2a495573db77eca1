"""No number enters without a source: every file of facts, whatever reads it, names only places one can look at."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kb.catalog import FACTS, gpus
from kb.records.gpu import Gpu
from kb.snapshot import load_yaml

NUMBERS = tuple(
    name
    for name in Gpu.model_fields
    if name.endswith(("_bytes", "_bytes_per_s", "_flops", "_ops", "_w", "_usd", "_cny", "_ratio", "_instances"))
) + ("year", "pcie", "compute_capability", "ecc", "memory_type")
FILES = tuple(sorted(one for one in FACTS.rglob("*") if one.suffix in {".yaml", ".csv"}))
LISTS = frozenset({"sources", "price_sources", "model_sources", "memory_sources", "speed_sources"})
"""Files that say what stands behind an id: title, address, date."""


def names() -> list[str]:
    return [one.relative_to(FACTS).as_posix() for one in FILES]


def naming(value: Any) -> Iterator[str]:
    """Every source a block of facts names, at any depth: by a word, in a list, or as the key of what it vouches for."""
    if isinstance(value, list):
        for one in value:
            yield from naming(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            if (key == "source" or str(key).endswith("_source")) and isinstance(one, str):
                yield one
            elif key == "sources":
                yield from (name for name in one if isinstance(one, list) or isinstance(one[name], list))
            else:
                yield from naming(one)


def defined(read: Any) -> set[str]:
    """Ids that a file defines for itself."""
    own = read.get("sources", {}) if isinstance(read, dict) else {}
    return {key for key in own if isinstance(own, dict) and "title" in own[key]}


def beside(path: Path) -> set[str]:
    """Ids that the files of a folder below the root define for one another: they are loaded as one."""
    if path.parent == FACTS:
        return set()
    return {key for one in path.parent.glob("*.yaml") for key in defined(load_yaml(one))}


@pytest.fixture(scope="module")
def listed() -> set[str]:
    return {key for name in LISTS for key in load_yaml(FACTS / f"{name}.yaml")}


@pytest.mark.parametrize("path", FILES, ids=names())
def test_nothing_rests_on_what_nobody_looked_up(path: Path) -> None:
    assert "unverified" not in path.read_text(encoding="utf-8"), "find a source, or leave the figure out"


@pytest.mark.parametrize("path", FILES, ids=names())
def test_every_source_that_is_named_says_what_it_is(path: Path, listed: set[str]) -> None:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as lines:
            named = {row["source"] for row in csv.DictReader(lines) if row.get("source")}
        own: set[str] = set()
    else:
        read = load_yaml(path)
        named, own = set(naming(read)), defined(read) | beside(path)
    assert named <= listed | own, sorted(named - listed - own)


def test_naming_finds_a_source_wherever_it_stands() -> None:
    block = {"sources": ["a"], "rows": [{"source": "b", "n": 1}, {"sources": {"c": ["n"]}, "price_source": "d"}]}
    assert set(naming(block)) == {"a", "b", "c", "d"}


def test_every_list_of_sources_has_titles() -> None:
    for name in LISTS:
        for key, one in load_yaml(FACTS / f"{name}.yaml").items():
            assert one.get("title"), key


def test_every_price_of_a_card_names_who_asked_it() -> None:
    assert not [row.id for row in gpus().values() if row.price_low_usd and row.price_source is None]


def test_every_figure_of_a_card_is_vouched_for() -> None:
    for row in gpus().values():
        vouched = {field for fields in row.sources.values() for field in fields}
        for name in NUMBERS:
            value = getattr(row, name)
            assert value in (None, Gpu.model_fields[name].default) or name in vouched, (row.id, name, value)
