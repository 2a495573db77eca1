"""What people write is read as it is meant, and what only looks alike is refused: every corpus beside its rules."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import kb.lexicon
from kb.base import AdvisorError
from kb.lexicon import (
    read_cards,
    read_count,
    read_duration,
    read_duty,
    read_format,
    read_growth,
    read_host_memory,
    read_hosting,
    read_link,
    read_memory,
    read_memory_channels,
    read_model,
    read_money,
    read_params,
    read_picture_size,
    read_power,
    read_price,
    read_rate,
    read_rent,
    read_share,
)
from kb.units import GIB

FOLDER = Path(kb.lexicon.__file__).parent


def _cards(text: str) -> Any:
    return [[one.gpu, one.count] + ([one.memory_bytes / GIB] if one.memory_bytes else []) for one in read_cards(text)]


def _model(text: str) -> Any:
    found = read_model(text)
    return [found.model, found.weight_format]


def _size(text: str) -> Any:
    found = read_params(text)
    return [found.params / 1e9, found.active_params and found.active_params / 1e9, found.weight_format]


def _money(text: str) -> Any:
    found = read_money(text)
    return [float(found.amount), found.currency, found.per, found.each]


def _host(text: str) -> Any:
    found = read_host_memory(text)
    return [found.bytes / GIB, found.channels, found.bandwidth_bytes_per_s]


def _link(text: str) -> Any:
    found = read_link(text)
    return [found.name, found.bytes_per_s]


def _rate(text: str) -> Any:
    found = read_rate(text)
    return [found.per_s, found.of]


def _picture(text: str) -> Any:
    found = read_picture_size(text)
    return [found.width_px, found.height_px]


def _duty(text: str) -> Any:
    found = read_duty(text)
    return [found.hours_per_day, found.share, found.full_load]


def _place(text: str) -> Any:
    found = read_hosting(text)
    return [found.per_month, found.currency, found.of, found.with_energy]


def _price(text: str) -> Any:
    found = read_price(text)
    return [found.amount, found.currency, found.of]


def _rent(text: str) -> Any:
    found = read_rent(text)
    return [found.amount, found.currency, found.per, found.of, found.way]


READERS: dict[str, Callable[[str], Any]] = {
    "cards": _cards,
    "duty": _duty,
    "share": read_share,
    "count": read_count,
    "duration": read_duration,
    "formats": read_format,
    "link": _link,
    "memory": lambda text: read_memory(text) / GIB,
    "models": _model,
    "money": _money,
    "picture": _picture,
    "rate": _rate,
}
FURTHER: dict[tuple[str, str], Callable[[str], Any]] = {
    ("count", "watts"): read_power,
    ("memory", "host"): _host,
    ("memory", "channels"): read_memory_channels,
    ("models", "sizes"): _size,
    ("money", "places"): _place,
    ("money", "prices"): _price,
    ("money", "rents"): _rent,
    ("share", "growth"): lambda text: round(read_growth(text), 6),
}
REFUSED: dict[tuple[str, str], Callable[[str], Any]] = {
    ("count", "no_watts"): read_power,
    ("memory", "no_channels"): read_memory_channels,
    ("models", "no_sizes"): read_params,
    ("money", "no_places"): read_hosting,
    ("money", "no_prices"): read_price,
    ("money", "no_rents"): read_rent,
    ("share", "no_growth"): read_growth,
}


def _corpus(dimension: str) -> dict[str, Any]:
    return dict(yaml.safe_load((FOLDER / dimension / "corpus.yaml").read_text(encoding="utf-8")))


def _positives() -> list[Any]:
    kinds = {(name, "positives"): read for name, read in READERS.items()} | FURTHER
    return [
        pytest.param(read, row["say"], row["is"], id=f"{name}-{kind}-{row['say']}")
        for (name, kind), read in kinds.items()
        for row in _corpus(name)[kind]
    ]


def _negatives() -> list[Any]:
    kinds = {(name, "negatives"): read for name, read in READERS.items()} | REFUSED
    return [
        pytest.param(read, text, id=f"{name}-{kind}-{text}")
        for (name, kind), read in kinds.items()
        for text in _corpus(name)[kind]
    ]


@pytest.mark.parametrize(("read", "said", "meant"), _positives())
def test_what_is_written_is_read_as_meant(read: Callable[[str], Any], said: str, meant: Any) -> None:
    found = read(said)

    assert found == (pytest.approx(meant) if isinstance(meant, (int, float)) else _close(meant))


def _close(meant: Any) -> Any:
    """Lists with floats among other things compare each float within its rounding."""
    if not isinstance(meant, list):
        return meant
    return [pytest.approx(one) if isinstance(one, float) else _close(one) for one in meant]


@pytest.mark.parametrize(("read", "said"), _negatives())
def test_what_only_looks_alike_is_refused_with_its_words(read: Callable[[str], Any], said: str) -> None:
    with pytest.raises(AdvisorError) as refused:
        read(said)

    assert said[:20].lower() in str(refused.value).lower()


def test_every_dimension_has_a_corpus() -> None:
    folders = {path.name for path in FOLDER.iterdir() if (path / "rules.py").is_file()}

    assert folders == set(READERS)


def test_corpora_hold_both_languages() -> None:
    said = [str(row["say"]) for name in READERS for row in _corpus(name)["positives"]]

    assert len(said) >= 150
    assert sum(not text.isascii() for text in said) >= 40
