"""Every card proposed meets what the buyer rules out or insists on."""

import pytest

from kb.catalog import gpus
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.need import Condition


@pytest.mark.parametrize("wanted", ["consumer", "professional", "ecc", "nvidia", "not_nvidia", "amd"])
def test_only_cards_that_meet_the_condition_are_proposed(wanted: Condition) -> None:
    found = configure(ConfigureRequest(task="inference", params=32 * 10**9, conditions=(wanted,))).configurations
    assert found
    for one in found:
        card = gpus()[one.gpu]
        assert {
            "consumer": card.market == "consumer",
            "professional": card.market in {"workstation", "data_center", "cloud_only"},
            "ecc": card.ecc is not False,
            "nvidia": card.vendor == "NVIDIA",
            "not_nvidia": card.vendor != "NVIDIA",
            "amd": card.vendor == "AMD",
        }[wanted]


def test_without_second_hand_nothing_that_is_no_longer_sold_is_bought() -> None:
    request = ConfigureRequest(task="inference", params=32 * 10**9, acquisition="buy", conditions=("new",))
    bought = configure(request).configurations
    assert bought
    assert all(gpus()[one.gpu].status not in {"discontinued", "modified"} for one in bought)


def test_no_more_cards_than_the_limit() -> None:
    found = configure(ConfigureRequest(task="inference", params=70 * 10**9, max_gpus=2)).configurations
    assert found
    assert all(one.gpu_count <= 2 for one in found)
