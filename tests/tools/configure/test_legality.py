"""What may not be sold somewhere is not proposed there, whoever asks for it, and why is said with its date."""

import pytest

from kb.market.exports import restriction
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.configure.result import ConfigureResult
from tools.need import GpuCount

CASES = [
    pytest.param("h100-sxm-80gb", "CN", "not_sold_here", id="H100-in-China"),
    pytest.param("rtx-5090-32gb", "CN", "not_sold_here", id="5090-in-China"),
    pytest.param("rtx-4090-24gb", "CN", "not_sold_here", id="4090-in-China"),
    pytest.param("b200-sxm-180gb", "CN", "not_sold_here", id="B200-in-China"),
    pytest.param("a100-sxm-80gb", "HK", "not_sold_here", id="A100-in-Hong-Kong"),
    pytest.param("h200-sxm-141gb", "CN", "case_by_case_here", id="H200-in-China"),
    pytest.param("h20-96gb", "US", "made_for_elsewhere", id="H20-in-the-US"),
    pytest.param("rtx-5880-ada-48gb", "DE", "made_for_elsewhere", id="5880-in-Germany"),
]


def asked(card: str, country: str | None, **fields: object) -> ConfigureResult:
    usual = {"task": "inference", "model": "Qwen2.5-32B", "gpus_asked": (card,), "country": country}
    return configure(ConfigureRequest.model_validate(usual | fields))


@pytest.mark.parametrize(("card", "country", "code"), CASES)
def test_a_card_that_is_not_sold_is_refused_with_the_reason_and_what_to_take_instead(
    card: str, country: str, code: str
) -> None:
    found = asked(card, country)
    assert all(item.acquisition == "rent" for item in found.configurations)
    miss = next(one for one in found.rejected if one.gpu == card)
    why, change = miss.reasons
    assert why.code == code
    assert change.code == "use_other"
    rule = restriction(card, country)
    if rule is not None:
        assert why.values["since"] == rule.since
        assert any(rule.since in said for said in found.warnings)


@pytest.mark.parametrize(("card", "country"), [(case.values[0], case.values[1]) for case in CASES])
def test_the_same_card_is_sold_elsewhere_or_used_by_its_owner(card: str, country: str) -> None:
    abroad = "US" if country in {"CN", "HK"} else "CN"
    assert any(item.acquisition == "buy" for item in asked(card, abroad, acquisition="buy").configurations)
    owned = asked(card, country, gpus_owned=(GpuCount(gpu=card, count=8),)).configurations
    assert owned[0].owned_count == owned[0].gpu_count


def test_what_is_sold_under_a_licence_says_so() -> None:
    first = asked("h20-96gb", "CN", acquisition="buy").configurations[0]
    assert any(one.code == "export_licence" and one.values["since"] for one in first.reasons)


@pytest.mark.parametrize("card", ["rtx-3090-24gb", "a100-sxm-80gb", "a100-pcie-80gb"])
def test_what_is_no_longer_made_is_offered_when_asked_for_as_used_with_its_date(card: str) -> None:
    found = asked(card, "US", acquisition="buy", weight_format="awq").configurations
    assert found
    for item in found:
        assert item.condition == "used"
        assert {"used_market", "second_hand"} <= {one.code for one in item.reasons}
        cards = [line for line in item.items if line.part in {"gpu", "system"}]
        assert all(line.price_date for line in cards if line.subtotal is not None)
