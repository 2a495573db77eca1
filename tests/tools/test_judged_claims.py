"""Claims as people make them come out right when the public tools are asked."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_claims import main
from judging.judge import RIGHT, judge

from kb.catalog import gpus

HERE = Path(__file__).parents[1]
CLAIMS: list[dict[str, Any]] = yaml.safe_load((HERE / "cases" / "judged_claims.yaml").read_text("utf-8"))


FIGURES = {
    "memory bandwidth": ("bandwidth_bytes_per_s", 1e9, "GB/s"),
    "tdp": ("tdp_w", 1, "W"),
    "memory": ("memory_bytes", 2**30, "GB"),
    "fp16 tflops": ("fp16_flops", 1e12, "TFLOPS"),
    "cuda cores": ("shader_cores", 1, ""),
}


@pytest.mark.parametrize(
    "claim", CLAIMS, ids=lambda one: f"{one['subject']}-{one['attribute']}-{one['claimed_value']}"[:80]
)
def test_a_claim_is_judged_right(claim: dict[str, Any]) -> None:
    ruling = judge(claim["subject"], claim["attribute"], claim["claimed_value"])
    assert ruling.ruling in RIGHT[claim["verdict"]], ruling


def test_there_are_enough_claims_of_every_kind() -> None:
    verdicts = [one["verdict"] for one in CLAIMS]
    assert len(CLAIMS) >= 200
    assert {kind for kind in set(verdicts) if verdicts.count(kind) >= 2} == set(RIGHT) - {"opinion"}


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(sorted(gpus())), st.sampled_from(sorted(FIGURES)), st.sampled_from([0.6, 0.8, 1.3, 2.0]))
def test_a_figure_holds_and_the_same_figure_altered_does_not(key: str, attribute: str, times: float) -> None:
    field, scale, unit = FIGURES[attribute]
    held = getattr(gpus()[key], field)
    if held is None:
        return
    assert judge(key, attribute, f"{held / scale:.6g} {unit}").ruling == "holds"
    assert judge(key, attribute, f"{times * held / scale:.6g} {unit}").ruling == "contradicted"


def test_the_command_prints_the_share(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.safe_dump([*CLAIMS[:3], {**CLAIMS[0], "verdict": "false"}]), encoding="utf-8")
    main([str(path), "--details"])
    printed = capsys.readouterr().out
    assert "3 of 4 judged right (75.0%)" in printed
    assert "H200 SXM | memory | 141 GB" in printed
