"""A processor by its name says over how many channels, and how fast, the memory beside it is read."""

import pytest

from kb.lexicon import read_cards, read_host_memory


@pytest.mark.parametrize(
    ("said", "channels", "transfers"),
    [
        ("502G, xeon gold 6133", 6, 2666), ("502G, 金牌6133", 6, 2666), ("512GB, Gold 6148", 6, 2666),
        ("512GB ddr4, 双路6148", 6, 2666), ("384GB dual Xeon 6248R", 6, 2933), ("128GB Xeon Silver 4210", 6, 2933),
        ("512G 至强金牌 6330", 8, 3200), ("768GB dual Xeon Platinum 8480+", 8, 4800), ("256G e5-2696 v3", 4, 2133),
        ("128GB E5-2680 v4", 4, 2400), ("1TB Xeon 6980P", 12, 6400),
    ],
)  # fmt: skip
def test_channels_and_speed_are_those_of_the_family(said: str, channels: int, transfers: int) -> None:
    read = read_host_memory(said)

    assert (read.channels, read.bandwidth_bytes_per_s) == (channels, channels * 8 * transfers * 1e6)


def test_what_is_said_of_the_modules_counts_more_than_the_family() -> None:
    assert read_host_memory("512GB ddr4-2400, Gold 6148").bandwidth_bytes_per_s == 6 * 8 * 2400e6


@pytest.mark.parametrize(
    "said",
    ["ASUS GX10", "Ascent GX10", "Dell Pro Max with GB10", "HP ZGX Nano", "MSI EdgeXpert", "Lenovo PGX",
     "ThinkStation PGX", "Gigabyte AI TOP Atom", "Acer Veriton GN100", "华硕 GX10"],
)  # fmt: skip
def test_machines_are_known_by_what_their_makers_call_them(said: str) -> None:
    assert [one.gpu for one in read_cards(said)] == ["gb10-dgx-spark-128gb"]
