"""What is said of outlets, supplies, electricity and hours."""

from typing import Any

import pytest

from assistant.understand.running import read_running


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("4张4090在家用一个16A插座带得动吗？", {"circuit_amps": 16, "site": "home"}, id="socket-zh"),
        pytest.param("two 5090s on one 15 A 120 V circuit?", {"circuit_amps": 15, "circuit_volts": 120}, id="us"),
        pytest.param("20A breaker 240V", {"circuit_amps": 20, "circuit_volts": 240}, id="breaker"),
        pytest.param("three-phase 400V 32A feed for 2 servers",
                     {"circuit_amps": 32, "circuit_volts": 400, "circuit_phases": 3, "nodes": 2}, id="three-phase"),
        pytest.param("电价0.8元/度，每天8小时，3年",
                     {"tariff_per_kwh": 0.8, "currency": "CNY", "hours_per_day": 8, "years": 3}, id="tariff-zh"),
        pytest.param("电费 6 毛一度", {"tariff_per_kwh": pytest.approx(0.6), "currency": "CNY"}, id="mao"),
        pytest.param("32 ct/kWh", {"tariff_per_kwh": pytest.approx(0.32), "currency": "EUR"}, id="cents"),
        pytest.param("at $0.12/kWh, PUE 1.3, 60% utilisation, over 3 years",
                     {"tariff_per_kwh": 0.12, "currency": "USD", "pue": 1.3, "utilisation": 0.6, "years": 3},
                     id="all-en"),
        pytest.param("利用率 50%，PUE 1.25", {"utilisation": 0.5, "pue": 1.25}, id="utilisation-zh"),
        pytest.param("4090 限功耗到 300W 损失多少", {"power_limit_w": 300}, id="limit-zh"),
        pytest.param("power limit my 4090 to 300W", {"power_limit_w": 300}, id="limit-en"),
        pytest.param("nvidia-smi -pl 250w", {"power_limit_w": 250}, id="limit-command"),
        pytest.param("1200W 电源带两张 3090 够吗", {"psu_w": 1200}, id="supply-zh"),
        pytest.param("is an 850W PSU enough", {"psu_w": 850}, id="supply-en"),
        pytest.param("10kW 机柜能放几台", {"rack_limit_w": 10_000}, id="rack"),
        pytest.param("我租 H100 每卡每小时 20 元", {"rent_per_hour": 20, "rent_is_per_gpu": True, "currency": "CNY"},
                     id="rent-zh"),
        pytest.param("24/7 for two years, I pay $2.5/h",
                     {"hours_per_day": 24, "years": 2, "rent_per_hour": 2.5, "currency": "USD"}, id="rent-en"),
        pytest.param("每周用 70 小时", {"hours_per_day": 10}, id="weekly"),
        pytest.param("2台8卡H20要多少千瓦", {"nodes": 2, "cards_per_node": 8}, id="machines-zh"),
        pytest.param("3 servers with 8x H100 each", {"nodes": 3, "cards_per_node": 8}, id="machines-en"),
        pytest.param("一台 8 卡", {"nodes": 1}, id="one-machine"),
        pytest.param("A100 4 卡 80G", {}, id="nothing"),
        pytest.param("served 3 years ago", {}, id="past"),
    ],
)  # fmt: skip
def test_what_is_said_is_read_and_nothing_else(text: str, said: dict[str, Any]) -> None:
    assert read_running(text).model_dump(exclude_defaults=True) == said


@pytest.mark.parametrize("text", ["1" * 5000 + "kwh", "电价" + "0." * 3000, "限" * 4000 + "300w", "每天" * 4000])
def test_long_nonsense_is_read_without_harm(text: str) -> None:
    assert read_running(text).tariff_per_kwh is None
