"""Cards named as people write them: board makers, laptops, slips, both languages."""

from pathlib import Path

import pytest
import yaml

from kb.base import UnknownName
from kb.catalog import gpu_ids, gpus
from kb.naming.card_spellings import spellings

CASES = yaml.safe_load((Path(__file__).parents[2] / "cases" / "card_names.yaml").read_text(encoding="utf-8"))
NAMES = [(name, start) for start, names in CASES["cards"].items() for name in names]


@pytest.mark.parametrize(("name", "start"), NAMES)
def test_name_means_the_card(name: str, start: str) -> None:
    assert all(found.startswith(start) for found in gpu_ids(name))


@pytest.mark.parametrize("name", CASES["unknown"])
def test_no_such_card_is_refused_with_the_nearest(name: str) -> None:
    with pytest.raises(UnknownName) as refused:
        gpu_ids(name)
    assert refused.value.close


def test_words_left_out_never_turn_one_card_into_another() -> None:
    bearers: dict[str, list[str]] = {}
    for row in gpus().values():
        for name in {row.name, *row.aliases}:
            bearers.setdefault(name.lower(), []).append(row.id)
    own = {name: ids[0] for name, ids in bearers.items() if len(ids) == 1}
    assert not {name: gpu_ids(name) for name, row in own.items() if row not in gpu_ids(name)}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("微星 RTX 4090 超龙", "RTX 4090"),
        ("RTX4090M", "RTX4090 laptop"),
        ("A800 80G NVLink", "A800 80G SXM"),
        ("409O", "4090"),
        ("移动版 4060", "4060 laptop"),
    ],
)
def test_spellings(written: str, read: str) -> None:
    assert read in list(spellings(written))
