"""Cards side by side, and who wins what."""

from datetime import date

import pytest

from kb.base import BadInput, UnknownName
from tools.compare_gpus import Comparison, ComparisonRequest, compare_gpus
from tools.registry import Tool

TODAY = date(2026, 11, 21)


def compare(*names: str, workload: str | None = None) -> Comparison:
    return compare_gpus(ComparisonRequest.model_validate({"gpus": names, "workload": workload, "today": TODAY}))


@pytest.mark.parametrize(
    ("names", "workload", "winner"),
    [
        (("H20", "A800"), "llm_decode", "h20-96gb"),
        (("H20", "A800"), "training", "a800-sxm-80gb"),
        (("H20 96GB", "RTX 4090"), "llm_decode", "h20-96gb"),
        (("V100 32GB", "RTX 4090"), "training", "rtx-4090-24gb"),
        (("A100 40GB", "L40"), "llm_decode", "a100-sxm-40gb"),
        (("RTX 3090", "RTX 4090"), "image", "rtx-4090-24gb"),
        (("M2 Ultra 192GB", "RTX A6000"), "general", "apple-m2-ultra-192gb"),
        (("RTX A6000", "RTX 6000 Ada"), "training", "rtx-6000-ada-48gb"),
    ],
)  # fmt: skip
def test_the_deciding_figure_names_the_winner(names: tuple[str, ...], workload: str, winner: str) -> None:
    result = compare(*names, workload=workload)
    assert result.winner == winner
    assert result.reason


def test_without_a_workload_nobody_wins_overall() -> None:
    result = compare("4090", "3090")
    assert result.winner is None
    assert result.decided_by is None


def test_equal_cards_tie() -> None:
    result = compare("H100 SXM", "H800 SXM", workload="llm_decode")
    assert result.winner is None
    assert "No single winner" in result.reason


def test_ratios_are_against_the_first_card() -> None:
    bandwidth = next(one for one in compare("3090", "4090").attributes if one.name == "bandwidth_bytes_per_s")
    assert bandwidth.ratio_to_first == {"rtx-3090-24gb": 1.0, "rtx-4090-24gb": pytest.approx(1008 / 936, abs=1e-3)}
    assert bandwidth.winner == "rtx-4090-24gb"


def test_less_power_and_less_money_win() -> None:
    attributes = {one.name: one for one in compare("3090", "4090").attributes}
    assert attributes["tdp_w"].winner == "rtx-3090-24gb"
    assert not attributes["tdp_w"].higher_is_better


def test_a_missing_rate_stays_missing_and_loses_nothing() -> None:
    attributes = {one.name: one for one in compare("V100 SXM2 32GB", "A100 SXM 80GB").attributes}
    assert attributes["bf16_flops"].values["v100-sxm2-32gb"] is None
    assert attributes["bf16_flops"].winner is None


def test_an_ambiguous_name_is_read_as_usual_and_said() -> None:
    result = compare("A100", "4090")
    assert result.gpus[0].id == "a100-sxm-80gb"
    assert any("A100" in said and "could also be" in said for said in result.assumptions)


def test_a_roomier_loser_is_mentioned() -> None:
    assert "holds more" in compare("RTX 4090", "RTX A6000", workload="image").reason


def test_the_order_of_the_cards_does_not_change_the_winner() -> None:
    names = ("H20", "A100", "4090")
    assert compare(*names, workload="training").winner == compare(*names[::-1], workload="training").winner


def test_every_step_can_be_redone() -> None:
    result = compare("3090", "4090", "5090")
    for step in result.derivation:
        first = step.inputs["rtx-3090-24gb"]
        best = max if step.label.startswith(("Memory", "Usable", "FP", "BF16", "INT8", "16-bit")) else min
        wanted = best(value for value in step.inputs.values() if value is not None) / first
        assert step.value == pytest.approx(wanted, abs=1e-3), step.label


def test_unknown_cards_are_refused() -> None:
    with pytest.raises(UnknownName):
        compare("4090", "RTX 9999")


@pytest.mark.parametrize("names", [["4090"], [], ["4090"] * 7])
def test_two_to_six_cards_are_asked_for(names: list[str]) -> None:
    with pytest.raises(BadInput) as caught:
        Tool.of(compare_gpus).call({"gpus": names})
    assert caught.value.field == "gpus"
